from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.pipeline.policy.findings import Sample, contexts
from headrace.pipeline.policy.licences import Licences
from headrace.pipeline.policy.rates import interval, rate_of
from headrace.stages.base import conform
from headrace.stages.privacy.find import found, personal_data


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (1, 10, 0.0179, 0.4042),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (0, 1000, 0, 0.0038),
    ],
)
def test_intervals_are_those_of_wilsons_score(hits: int, of: int, low: float, high: float) -> None:
    """Values from the closed formula, solved by hand; also in tables of the score interval."""
    assert interval(hits, of, 10**6) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 500), st.data())
def test_an_interval_holds_its_rate(of: int, data: st.DataObject) -> None:
    """It never reaches below 0 or above 1."""
    hits = data.draw(st.integers(0, of))
    low, high = interval(hits, of, 10**6)
    assert 0 <= low <= hits / of <= high <= 1


def test_a_rate_of_nothing_is_not_known() -> None:
    """Not 0: nobody looked."""
    assert rate_of("x", [], 0, 10).rate is None


def rows(*documents: dict[str, object]) -> pa.Table:
    columns = {name: [d.get(name) for d in documents] for name in dict.fromkeys(k for d in documents for k in d)}
    return conform(pa.table(columns))


def test_a_value_that_was_not_measured_is_not_counted_as_zero() -> None:
    """A unit without the column, and a null in it, are documents that nobody looked at."""
    sample = Sample()
    sample.add(rows({"doc_id": "a", "text": "x", "values.pii_email": 2.0}, {"doc_id": "b", "text": "x"}), lambda _: {})
    sample.add(rows({"doc_id": "c", "text": "x"}), lambda _: {})
    rate = sample.rate("pii_email", 100)
    assert (rate.documents, rate.of, rate.examples) == (1, 1, ("a",))
    assert sample.rate("left_email", 100).of == 3


def test_a_text_that_is_not_stored_is_not_searched() -> None:
    """Its values still count."""
    sample = Sample()
    sample.add(rows({"doc_id": "a", "text": None, "values.noindex": 1.0}), lambda _: {})
    assert (sample.size, sample.with_text, sample.rate("noindex", 9).documents) == (1, 0, 1)


def test_a_document_on_two_lists_is_unsafe_once() -> None:
    """The rate over all lists is one of documents, not of matches."""
    sample = Sample()
    table = rows(
        {"doc_id": "a", "text": "x", "values.words_casino": 3.0, "values.words_casino_distinct": 1.0},
        {"doc_id": "b", "text": "x"},
    )
    sample.add(table, lambda texts: {"mine": pa.array([5, 0]).to_numpy()})
    assert sample.rate("unsafe", 9).examples == ("a",)
    assert sample.names("words_") == ["words_casino"]
    assert sample.rate("list:mine", 9).documents == 1


PERSONAL = ["电话 13812345678 ，邮箱 li.si@126.com 或 wang@qq.com，编号 4711。", "nothing", "服务器 IP 61.135.169.121"]


def test_contexts_show_no_personal_data() -> None:
    """Findings are placeholders, their neighbours too, and digits that belong to nothing are hidden."""
    texts = pa.array(PERSONAL, pa.large_string())
    shown = list(contexts(texts, found(texts).spans))
    assert [(row, kind) for row, kind, _ in shown] == [(0, "email"), (0, "mobile"), (2, "ipv4")]
    assert shown[0][2] == "电话 <MOBILE> ，邮箱 <EMAIL> 或 <EMAIL>，编号 ####。"
    assert all(personal_data(context) == [] for _, _, context in shown)


@given(st.text("电话号码邮箱 a1.@\n", max_size=20), st.text("电话 a1.@\n", max_size=40))
def test_no_context_holds_a_digit(before: str, after: str) -> None:
    """Whatever stands around."""
    texts = pa.array([f"{before} 13812345678 {after}", "", f"{after} x@qq.com {before}"], pa.large_string())
    assert not any(any(map(str.isdigit, context)) for _, _, context in contexts(texts, found(texts).spans))


def evidence(*pairs: tuple[str, str]) -> str:
    return json.dumps({"licence_evidence": [{"licence": a, "kind": b, "where": "page"} for a, b in pairs]})


def test_licences_are_counted_with_all_their_evidence() -> None:
    """The column, and each kind of evidence in the metadata; a document without any is counted as such."""
    licences = Licences()
    licences.add(
        rows(
            {"doc_id": "a", "licence": "CC-BY-4.0", "metadata": evidence(("CC-BY-4.0", "link"), ("CC-BY-4.0", "meta"))},
            {"doc_id": "b", "licence": "CC-BY-4.0", "metadata": None},
            {"doc_id": "c", "licence": None, "metadata": evidence(("GPL-3.0", "file"), ("MIT", "file"))},
            {"doc_id": "d", "licence": None, "metadata": '{"title": "x"}'},
            {"doc_id": "e", "licence": None, "metadata": '{"licence_evidence": "torn'},
        )
    )
    found = licences.to_json()
    assert [(r["licence"], r["documents"], r["evidence"], r["examples"]) for r in found["rows"]] == [
        ("CC-BY-4.0", 2, {"column": 1, "link": 1, "meta": 1}, ["a", "b"]),
        ("GPL-3.0", 1, {"file": 1}, ["c"]),
        ("MIT", 1, {"file": 1}, ["c"]),
    ]
    assert (found["several"], found["without"]["documents"], found["without"]["examples"]) == (1, 2, ["d", "e"])


@pytest.mark.parametrize(
    "metadata", ['["licence_evidence"]', '{"licence_evidence": [1, {}]}', '{"licence_evidence": 3}']
)
def test_what_is_no_evidence_is_passed_over(metadata: str) -> None:
    """Metadata are the user's: anything may stand there."""
    licences = Licences()
    licences.add(rows({"doc_id": "a", "licence": None, "metadata": metadata}))
    assert licences.to_json()["without"]["documents"] == 1


@pytest.mark.parametrize("metadata", [None, "evidence"])
def test_a_licence_shows_nobodys_address_and_is_not_shown_at_length(metadata: str | None) -> None:
    """Fields hold whole notices: what is personal there is its placeholder, and the page stays one to be read."""
    notice = "(c) 2020 王五, wang.wu@126.com, 13812345678. " + "All rights reserved. " * 400
    licences = Licences()
    said = evidence((notice, "meta")) if metadata else None
    licences.add(rows(*({"doc_id": f"{n}", "licence": notice, "metadata": said} for n in range(3))))
    [row] = licences.to_json()["rows"]
    assert row["licence"].startswith("(c) 2020 王五, <EMAIL>, <MOBILE>. All rights") and len(row["licence"]) < 130
    assert row["documents"] == 3 and sum(row["evidence"].values()) == 3


def test_a_licence_for_each_document() -> None:
    """As where the field holds the author's name: all are counted, the first of them are shown."""
    licences = Licences()
    for first in (0, 500):
        named = ({"doc_id": f"{n:04}", "licence": f"(c) {n:04}", "metadata": None} for n in range(first, first + 500))
        licences.add(rows(*named))
    found = licences.to_json()
    assert [row["licence"] for row in found["rows"]] == [f"(c) {n:04}" for n in range(len(found["rows"]))]
    assert len(found["rows"]) + found["left_out"] == 1000 and found["without"]["documents"] == 0
    assert all(row["evidence"] == {"column": 1} for row in found["rows"])
