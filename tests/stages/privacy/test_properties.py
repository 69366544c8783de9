"""What holds for any text: all else stays to the byte, twice is once, no text is too odd, none takes long."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.stages.privacy.generated import ALONE, LEADS, full_width

from headrace.schemas.arrays import Links, Offsets, text_buffers
from headrace.stages.kernels import pii_match
from headrace.stages.pii import Pii
from headrace.stages.privacy import find
from headrace.stages.privacy.find import found, personal_data, within
from headrace.stages.privacy.kinds import KINDS, NAMES
from headrace.stages.privacy.rules import RULES
from headrace.stages.view import view

Tabled = Callable[..., pa.Table]
MASK_ALL = Pii.model_validate(dict.fromkeys(NAMES, "mask"))
SOME_KINDS = Pii(email="report", mobile="report", bank_card="off", resident_id="report", qq="off", credit_code="mask")
_RNG = random.Random(7)
NUMBERS = [make(_RNG) for make in ALONE.values() for _ in range(3)]
NAMED = [lead + make(_RNG) for leads, make in LEADS.values() for lead in leads]
WIDE = [full_width(text) for text in (*NUMBERS[::4], *NAMED[::4])]
PIECES = (
    *(
        "电话",
        "QQ：",
        "微信号：",
        "护照",
        "卡号",
        "回乡证",
        "身份证",
        "订单号",
        "tel",
        "ip ",
        "https://a.cn/",
        "版本",
        "¥",
        "元",
        "、",
        "，",
    ),
    *(
        " ",
        "-",
        ".",
        "+",
        "+86",
        "(",
        ")",
        "/",
        ":",
        "：",
        "\n",
        "\n\n",
        "\r\n",
        "@",
        "@qq.com",
        "<",
        ">",
        "<EMAIL>",
        "<QQ>",
    ),
    *(
        "0",
        "1",
        "86",
        "400",
        "转1",
        "x",
        "a1",
        "京A",
        "粤B",
        "・",
        "\u200b",
        "①",
        "²",
        "㎡",
        "…",
        "e\u0301",
        "ﬁ",
        "℡",
        "👍",
        "_",
        "wxid_",
    ),
)
pieces = st.one_of(
    st.sampled_from(NUMBERS), st.sampled_from(NAMED), st.sampled_from(WIDE), st.sampled_from(PIECES),
    st.text("0123456789", max_size=6), st.text(max_size=3),
)  # fmt: skip
texts = st.lists(pieces, max_size=14).map("".join)


def masked(stage: Pii, text: str) -> str:
    table = pa.table({"text": pa.array([text], pa.large_string()), "doc_id": ["d"]})
    return str(stage.process(table)["text"][0])


@pytest.mark.parametrize("stage", [MASK_ALL, SOME_KINDS], ids=["all", "some"])
@given(text=texts)
@example("010-62345678-13812345678-010-62345678")
@example("13812345678@13812345678@qq.com")
@example("QQ：12345678、13812345678、12345679<QQ>、12345680")
@example("110101199003077715-13812345678-13912345678+13712345678.13612345678")
@example("...1.1.1.1.1.1.61.1.61.1.1.1 12345678901(QQ)(QQ)")
@settings(max_examples=400, deadline=None)
def test_masking_twice_is_masking_once(stage: Pii, text: str) -> None:
    """What is masked is found by no second search, nor does it bring anything to light."""
    once = masked(stage, text)
    assert masked(stage, once) == once


@given(text=texts)
@settings(max_examples=300, deadline=None)
def test_all_else_stays_to_the_byte(text: str) -> None:
    """The findings are in order and apart; masked, the text is its parts between them, and placeholders."""
    items = personal_data(text)
    at, expected = 0, ""
    for item in items:
        assert at <= item.begin < item.end
        assert text[item.begin : item.end] == item.text
        expected += text[at : item.begin] + f"<{item.kind.upper()}>"
        at = item.end
    assert masked(MASK_ALL, text) == expected + text[at:]


@given(text=texts)
@settings(max_examples=300, deadline=None)
def test_every_finding_has_the_form_of_its_kind(text: str) -> None:
    """Whatever stands around it, what is found alone matches an item of its kind, in the view."""
    for item in personal_data(text):
        items = [rule.item for rule in RULES if rule.kind == item.kind]
        assert any(re.fullmatch(pattern, view(item.text)) for pattern in items), item


@given(text=texts)
@settings(max_examples=300, deadline=None)
def test_unmarked_lines_hold_nothing(text: str) -> None:
    """To look at marked lines and their neighbours alone finds what looking at everything finds."""
    column = pa.array([text], pa.large_string())
    data, _ = text_buffers(column)
    whole = np.array([[0, 0, len(data)]]) if text else np.empty((0, 3), np.int64)
    assert within(data, whole, 1).spans.tolist() == found(column).spans.tolist()


@given(st.lists(texts, max_size=5))
@settings(max_examples=100, deadline=None)
def test_a_text_is_treated_as_if_it_were_alone(several: list[str]) -> None:
    """Neither neighbours nor slices change what is found."""
    column = pa.array(["x", *several], pa.large_string()).slice(1)
    counts = found(column).counts().tolist()
    assert counts == [found(pa.array([text], pa.large_string())).counts()[0].tolist() for text in several]


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_no_text_raises(text: str) -> None:
    """Any text goes through."""
    masked(MASK_ALL, text)


ENDLESS = {
    "digits": "1", "zeros": "0", "@": "@", "a@": "a@", "a.": "a.", "a@b.": "a@b.", "a.b@": "a.b@c.com", "1.": "1.",
    "1-": "1-", "spaced digits": "1 ", "1234 ": "1234 ", "colons": ":", "a:": "a1:", "2001:": "2001:", "::": "2a::",
    "qq": "qq", "QQ：": "QQ：",
    "lists": "QQ：" + "12345678、" * 20, "微信": "微信号：", "+": "+1", "(": "(010)", "京A": "京A1",
    "mobiles": "13812345678-", "mobiles spaced": "138 1234 5678 ", "mails": "a@b.com ", "mails glued": "a@b.com@",
    "ids": "110101199003077715-13812345678-", "cards": "4111111111111111 ", "<": "<",
    "full width": "１", "letters": "a",
    "urls": "https://a.cn/13812345678/", "no joints": "6222 0212 3456 7890 ", "ext": "010-62345678转1",
    "zero width": "1\u200b",
}  # fmt: skip


class CountedSteps:
    """The automaton's steps, and how often one was taken."""

    def __init__(self, steps: Links) -> None:
        self._steps, self.taken = steps, 0

    def __getitem__(self, at: tuple[int, int]) -> int:
        self.taken += 1
        return int(self._steps[at])


@pytest.mark.parametrize("name", ENDLESS)
def test_work_grows_with_the_length(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the length takes less than six times the steps and candidates; with its square it would be sixteen."""
    steps = CountedSteps(find.automaton().steps)
    decided = Counter[str]()
    decide = find._decided

    def counted(view: bytes, windows: Offsets, rule: int, begin: int, end: int, window: int) -> Iterator[Any]:
        decided["bytes"] += end - begin
        return decide(view, windows, rule, begin, end, window)

    tables = find.automaton()._replace(steps=steps)
    monkeypatch.setattr(find, "automaton", lambda: tables)
    monkeypatch.setattr(find, "_decided", counted)
    monkeypatch.setattr(pii_match, "candidates", cast(Any, pii_match.candidates).py_func)  # steps as Python takes them

    def work(size: int) -> int:
        steps.taken = decided["bytes"] = 0
        found(pa.array([ENDLESS[name] * (size // len(ENDLESS[name].encode()) + 1)], pa.large_string()))
        return size + steps.taken + decided["bytes"]

    assert work(4_000) < 6 * work(1_000)


def test_a_long_list_is_reviewed_in_one_pass() -> None:
    """Items are told by characters, however many bytes these take; a list of 50,000 is counted through once."""
    text = "地址：61.135.169.121" * 50_000
    items = personal_data(text)
    assert len(items) == 50_000
    assert {text[item.begin : item.end] for item in items} == {item.text for item in items} == {"61.135.169.121"}


@pytest.mark.soak
@pytest.mark.parametrize("name", ENDLESS)
def test_a_megabyte_of_anything_ends(name: str) -> None:
    """Also where every second byte begins what has the form of an id: within the limit of a test."""
    column = pa.array([ENDLESS[name] * (1_000_000 // len(ENDLESS[name].encode()))], pa.large_string())
    found(column)


def test_placeholders_and_names_are_one_list() -> None:
    """Each kind has a placeholder that no rule finds anything in."""
    text = " ".join(kind.placeholder for kind in KINDS)
    assert [kind.name for kind in KINDS] == list(NAMES)
    assert masked(MASK_ALL, text) == text
