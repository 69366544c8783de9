"""What a stage stored decides as the text did: by the same options exactly, by others as a stage with those would."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from headrace.schemas.document import VERDICT_SCHEMA
from headrace.schemas.unit import UnitBatch
from headrace.stages.apply import settle
from headrace.stages.base import BatchStage, Decides, Reads
from headrace.stages.clean import Clean
from headrace.stages.grade import Grade
from headrace.stages.language import Language
from headrace.stages.pii import Pii
from headrace.stages.rights import Rights
from headrace.stages.words import Words
from headrace.stages.writing.documents import documents_table, parquet_bytes

TableOf = Callable[..., pa.Table]
_VERDICTS = [field.name for field in VERDICT_SCHEMA if field.name not in ("survivor", "detail")]
_PIECES = (
    "The wheel sets the pace, and the channel never runs dry. ",
    "水渠的水流到磨坊，轮子就转起来了。",
    "關關雎鳩，在河之洲。",
    "==== |||| ",
    "13800138000 ",
    "dice 骰子 ",
    "buy cheap pills now ",
    "哈哈哈哈哈哈哈",
    "\ufffd锟斤拷",
    "def f(x):\n    return x + 1\n",
    "\n",
    "QQ：28339911。",
    "SPDX-License-Identifier: MIT\n",
)


def texts(count: int = 300) -> list[str]:
    rng = np.random.default_rng(5)
    made = ["".join(rng.choice(_PIECES, rng.integers(1, 12))) for _ in range(count)]
    return ["", "好", *made]


def documents(table_of: TableOf) -> pa.Table:
    """Give documents, some of whose pages asked something of robots."""
    asked = [None, '{"rights": {"robots": [["*", "noai, noindex"]]}}', '{"rights": {"robots": [["*", "noindex"]]}}']
    every = texts()
    return table_of(every, metadata=[asked[number % 3] for number in range(len(every))])


def lists(folder: Path, **bounds: Any) -> dict[str, Any]:
    (folder / "games.txt").write_text("dice\t0.5\n骰子\n", encoding="utf-8")
    (folder / "ads.txt").write_text("cheap\npills\n", encoding="utf-8")
    return {"games": {"file": str(folder / "games.txt"), **bounds}, "ads": {"file": str(folder / "ads.txt"), **bounds}}


def pairs(folder: Path) -> Iterator[tuple[Any, Any]]:
    """Give stages, each with one whose options differ in what can be decided again."""
    yield Clean(), Clean(max_symbol_share=0.05, min_letter_share=None, min_function_word_share=0.2)
    yield Clean(function_words_from=5, min_sentences=2), Clean(function_words_from=1, max_run_share=0.1)
    yield Grade(), Grade(a=0.6, b=0.4, c=0.2, keep=("A", "B"), weights={"length": 1, "completeness": 0.1})
    yield Grade(keep=("B", "D")), Grade(a=0.9, b=0.9, c=0.9)
    some, few = lists(folder, max_per_thousand=9.5), lists(folder, max_per_thousand=40, max_distinct=1)
    yield Words.model_validate({"lists": some}), Words.model_validate({"lists": few})
    yield Words.model_validate({"lists": few}), Words.model_validate({"lists": lists(folder, max_distinct=0)})
    yield Language(model="scripts"), Language(model="scripts", keep=("zh",), max_digit_share=0.1)
    yield Pii(qq="report", mobile="drop"), Pii(qq="drop", mobile="report", max_pii_found=1)
    yield Rights(noai="drop"), Rights(noindex="drop", keep_licences=("MIT", "CC-*"))
    asked = {"scripts": {"zh": 0.9}}
    yield (
        Language(model="scripts", keep=("zh", "und"), min_confidence=asked, max_code_share=0.5),
        Language(model="scripts", han_variant="simplified", min_language_share=0.9),
    )


def stored(stage: BatchStage, table: pa.Table) -> pa.Table:
    """Give what a run keeps of a unit: the documents file, in the order of the table, without any text."""
    batch = settle(stage.kind, UnitBatch(0, table), stage.process(table))
    file = pq.read_table(io.BytesIO(parquet_bytes(documents_table(batch, "values", with_text=False))))
    order = pc.index_in(table["doc_id"], file["doc_id"])
    return file.take(order).drop_columns(["text"])


def verdicts(table: pa.Table) -> list[dict[str, Any]]:
    rows = table.select(_VERDICTS).to_pylist()
    return [row if row["verdict"] == "dropped" else dict.fromkeys(_VERDICTS) for row in rows]


def undecided(table: pa.Table) -> pa.Table:
    return table.drop_columns([name for name in (*VERDICT_SCHEMA.names, "stage") if name in table.column_names])


@pytest.mark.parametrize("number", range(10))
def test_stored_columns_decide_as_the_text_did(tmp_path: Path, table_of: TableOf, number: int) -> None:
    """By the run's options every verdict, reason, value and threshold to the last bit; by others as the text would."""
    before, after = list(pairs(tmp_path))[number]
    table = documents(table_of)
    kept = stored(before, table)
    assert len({row["reason"] for row in verdicts(kept)}) > 1 or before in (Grade(), Language(model="scripts"))
    assert verdicts(before.decided(undecided(kept))) == verdicts(kept)
    assert after.unanswerable(before) == []
    assert verdicts(after.decided(undecided(kept))) == verdicts(stored(after, table)) != verdicts(kept)


@pytest.mark.parametrize("number", range(10))
def test_a_stage_looks_at_the_columns_it_names_and_at_no_others(tmp_path: Path, table_of: TableOf, number: int) -> None:
    """With another stage: only those by which what that one let pass may be dropped now."""
    before, after = list(pairs(tmp_path))[number]
    assert isinstance(after, Decides)
    assert isinstance(after, Reads)
    table = stored(before, documents(table_of))
    whole = verdicts(after.decided(undecided(table)))
    assert verdicts(after.decided(table.select(["doc_id", *after.reads()]))) == whole
    passed = np.array([row["verdict"] is None for row in verdicts(table)])
    some = verdicts(after.decided(table.select(["doc_id", *after.reads(before)])))
    assert [row for row, was in zip(some, passed, strict=True) if was] == [
        row for row, was in zip(whole, passed, strict=True) if was
    ]


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        (Clean(), Clean(gram_tokens=5, boilerplate=(), max_digit_share=0.1), ["boilerplate", "gram_tokens"]),
        (Grade(), Grade(half_length_bytes=9, a=0.8, full_sentences=2), ["half_length_bytes", "full_sentences"]),
        (Language(), Language(model="scripts", keep=("zh",)), ["model"]),
        (
            Words.model_validate({"lists": {"a": "a.txt"}}),
            Words.model_validate({"lists": {"a": "b.txt", "c": "c.txt"}, "parted": True}),
            ["lists.a", "lists.c", "parted"],
        ),
        (Pii(), Pii(email="drop", qq="off", max_pii_found=3), ["email", "qq"]),
        (Rights(), Rights(agents=("gptbot",), noai="drop"), ["agents"]),
    ],
)
def test_options_that_need_the_text_are_named(before: Any, after: Any, named: list[str]) -> None:
    """What changes texts or values cannot be decided from what is stored; thresholds beside it are not named."""
    assert after.unanswerable(before) == named


def test_a_value_that_is_not_known_passes_every_rule() -> None:
    """Nothing is dropped by a rule for what was never measured."""
    table = pa.table({"doc_id": ["a", "b"]})
    assert verdicts(Clean().decided(table)) == verdicts(Language(max_code_share=0).decided(table))
    assert not any(row["verdict"] for row in verdicts(Clean().decided(table)))
