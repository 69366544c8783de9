"""Each kernel of pii gives what its plain twin gives, for any text."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.stages.privacy.tables import written

from headrace.schemas.arrays import read_only, text_array, text_buffers
from headrace.stages.kernels import pii_plain as plain
from headrace.stages.kernels.pii_match import candidates, with_lines, with_placeholders
from headrace.stages.kernels.pii_scan import marked_stretches
from headrace.stages.privacy.find import anchors, automaton
from headrace.stages.privacy.kinds import KINDS, NAMES
from headrace.stages.privacy.rules import RULES
from headrace.stages.view import views_with_offsets

PIECES = (
    *"0123456789０９𝟏²①½㎡… \t\n\r\v.-()（）－—・·:：@＠﹫+/#_xXqQvVwWeEcCiI微信京粤雲AbＺ",
    *("微信", "v信", "wei", "Qq", "京A1", "粤B·2", "1.2.3.4", "2001:", "::", "138", "\u200b", "\u00a0", "\xad"),
    *("\u2028", "\r\n", "e\u0301", "\U000e0041", "ﬁ", "电话", "\n\n", "１２", "1234"),
)  # fmt: skip
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=2)), max_size=20).map("".join)
SAMPLE = [case.text for kind in NAMES for case in written(kind)[::6]]


@given(st.lists(texts, max_size=4))
@example(["a\n1\nb\nc\n123456\n\nd\ne\nf@", "@\n\n\n@", "1234\n56", "@"])
@settings(max_examples=400, deadline=None)
def test_marked_stretches(documents: list[str]) -> None:
    """The same lines are marked, each with its neighbours, and stretches that meet are one."""
    data, offsets = text_buffers(pa.array(documents, pa.large_string()))
    rows, count = marked_stretches(data, offsets, anchors(), 100)
    found = [(document, data[begin:end].tobytes().decode()) for document, begin, end in rows.tolist()]
    expected = [(number, part) for number, text in enumerate(documents) for part in plain.marked_stretches(text)]
    assert found == expected
    assert count == len(expected)


def test_rows_beyond_the_room_are_counted() -> None:
    """With too little room the first rows come back, and how many there are."""
    data, offsets = text_buffers(pa.array(["@\n\n\n\n@\n\n\n\n@"], pa.large_string()))
    rows, count = marked_stretches(data, offsets, anchors(), 2)
    whole, _ = marked_stretches(data, offsets, anchors(), 3)
    assert (len(rows), count) == (2, 3)
    assert rows.tolist() == whole[:2].tolist()


def lined(documents: list[str]) -> list[str]:
    column = pa.array(documents, pa.large_string())
    data, offsets = text_buffers(column)
    views = views_with_offsets(column)
    return text_array(
        with_lines(views.data, views.offsets, views.begins, views.ends, data, offsets), views.offsets
    ).to_pylist()


@given(st.lists(texts, max_size=4))
@settings(max_examples=300, deadline=None)
def test_with_lines(documents: list[str]) -> None:
    """Line ends are seen in the view, and digits of other characters are none."""
    assert lined(documents) == [plain.with_lines(text) for text in documents]


def rows_of(text: str) -> list[tuple[int, int, int]]:
    """Give rule, begin and end in characters, in the twin's order."""
    data, offsets = text_buffers(pa.array([text], pa.large_string()))
    window = read_only(np.array([[0, 0, offsets[-1], offsets[-1]]], np.int64))
    rows, _ = candidates(data, window, automaton(), 10_000)
    place = {len(text[:i].encode()): i for i in range(len(text) + 1)}
    return sorted((rule, place[begin], place[end]) for rule, begin, end, _ in rows.tolist())


@pytest.mark.parametrize("start", range(0, len(SAMPLE), 40))
def test_candidates_of_the_tables(start: int) -> None:
    """All that has the form of a rule in the views of the tables' texts is what `re` finds with the same patterns."""
    for text in lined(SAMPLE[start : start + 40]):
        assert rows_of(text) == sorted(plain.candidates(text, RULES)), text


@given(texts)
@settings(max_examples=40, deadline=None)
def test_candidates(text: str) -> None:
    """The automaton gives what `re` gives for each rule."""
    view = lined([text])[0]
    assert rows_of(view) == sorted(plain.candidates(view, RULES))


@given(st.lists(texts, max_size=4), st.data())
@settings(max_examples=200, deadline=None)
def test_with_placeholders(documents: list[str], data: st.DataObject) -> None:
    """Spans are replaced, all else is copied."""
    spans = [spans_of(text, data) for text in documents]
    buffers = text_buffers(pa.array(documents, pa.large_string()))
    rows = [
        (number, buffers[1][number] + len(text[:begin].encode()), buffers[1][number] + len(text[:end].encode()), kind)
        for number, text in enumerate(documents)
        for begin, end, kind in spans[number]
    ]
    forms = [kind.placeholder.encode() for kind in KINDS]
    bounds = np.cumsum([0, *map(len, forms)]).astype(np.int32)
    joined = read_only(np.frombuffer(b"".join(forms), np.uint8))
    result = with_placeholders(*buffers, np.array(rows, np.int64).reshape(-1, 4), joined, bounds)
    expected = [plain.with_placeholders(text, own) for text, own in zip(documents, spans, strict=True)]
    assert text_array(*result).to_pylist() == expected


def spans_of(text: str, data: st.DataObject) -> list[tuple[int, int, int]]:
    """Draw spans of a text, in order and apart."""
    borders = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    pairs = list(zip(borders[::2], borders[1::2], strict=False))
    return [(begin, end, data.draw(st.integers(0, len(KINDS) - 1))) for begin, end in pairs]
