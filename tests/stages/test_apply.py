"""One stage over one unit: what is a document's fault costs that document, what is the stage's fault ends the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pytest

from headrace.schemas.errors import ConfigError, HeadraceError
from headrace.schemas.unit import UnitBatch
from headrace.stages.apply import apply
from headrace.stages.base import BatchStage, Document, DocumentStage, Drop, Stage, conform, judged


class Touchy(DocumentStage):
    kind: Literal["test_touchy"] = "test_touchy"
    package: str = ""

    def process(self, document: Document) -> Document | Drop:
        if self.package:
            __import__(self.package)
        if "raise" in document.text:
            raise ValueError("bad\ntext")
        if "odd" in document.text:
            return None  # type: ignore[return-value]
        return Drop("short", 1, 2) if "drop" in document.text else document.but(values={"seen": 1})


class Brittle(BatchStage):
    kind: Literal["test_brittle"] = "test_brittle"
    fault: str = "value"

    def process(self, table: pa.Table) -> pa.Table:
        if self.fault == "config":
            raise ConfigError("the model has no such id")
        if self.fault == "import":
            raise ImportError("no module named somewhere_else")
        if any("raise" in text for text in table["text"].to_pylist()):
            raise ValueError("bad batch")
        return table


def unit(*texts: str) -> UnitBatch:
    """Give a unit with one document a text."""
    n = len(texts)
    columns = {"doc_id": [f"s:p#{i}" for i in range(n)], "text": list(texts), "source": ["s"] * n, "path": ["p"] * n}
    return UnitBatch(0, conform(pa.table({**columns, "offset": list(range(n))})))


def test_each_outcome_of_a_document_is_counted() -> None:
    """Kept, dropped, raised, and something that is neither a Document nor a Drop: the ledger balances."""
    after = apply("touchy", Touchy(), unit("fine", "drop me", "raise", "odd"))
    [counts] = after.counts
    assert (counts.kept, dict(counts.dropped), dict(counts.quarantined)) == (1, {"short": 1}, {"exception": 2})
    after.ledger.check()
    [gone] = after.settled
    assert gone["detail"].to_pylist() == [
        None,
        "ValueError: bad text",
        "process gave NoneType, not a Document or a Drop",
    ]
    assert after.documents["values.seen"].to_pylist() == [1.0]


def test_an_exception_of_a_batch_costs_only_the_document_behind_it() -> None:
    """The batch is run again row by row; the others are kept, in order."""
    after = apply("brittle", Brittle(), unit("a", "raise", "b", "c"))
    assert after.documents["text"].to_pylist() == ["a", "b", "c"]
    assert after.settled[0]["doc_id"].to_pylist() == ["s:p#1"]
    assert "ValueError: bad batch" in after.settled[0]["detail"].to_pylist()[0]
    after.ledger.check()


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        (Touchy(package="a_package_nobody_has"), "stage test_touchy.*cannot run here.*a_package_nobody_has.*nstall"),
        (Brittle(fault="import"), "stage test_brittle.*cannot run here.*somewhere_else"),
        (Brittle(fault="config"), "the model has no such id"),
    ],
)
def test_a_stage_that_cannot_run_blames_no_document(stage: Stage, said: str) -> None:
    """A missing package or a wrong option would else quarantine the whole corpus, document by document."""
    with pytest.raises(HeadraceError, match=said):
        apply("stage", stage, unit("a", "b"))


class Odd(DocumentStage):
    kind: Literal["test_odd"] = "test_odd"

    def process(self, document: Document) -> Document | Drop:
        if document.text == "fine":
            return document.but(values={"kept": True, "np": np.float32(1.5), "inf": float("inf")})
        return ODD[document.text](document)  # type: ignore[no-any-return]


class Speechless(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


def _raise(error: Exception) -> Any:
    raise error


ODD: dict[str, Callable[[Document], Any]] = {
    "word as value": lambda d: d.but(values={"v": "abc"}),
    "list as value": lambda d: d.but(values={"v": [1]}),
    "huge value": lambda d: d.but(values={"v": 10**400}),
    "number as name": lambda d: d.but(values={5: 1.0}),
    "no values": lambda d: d.but(values=None),
    "no text": lambda d: d.but(text=None),
    "number as text": lambda d: d.but(text=5),
    "lone surrogate": lambda d: d.but(text="a\ud800b"),
    "dict as metadata": lambda d: d.but(metadata={"a": 1}),
    "other doc_id": lambda d: d.but(doc_id="s:p#99"),
    "other path": lambda d: d.but(path="elsewhere"),
    "other offset": lambda d: d.but(offset=77),
    "drop without reason": lambda _: Drop(None),  # type: ignore[arg-type]
    "drop with a word": lambda _: Drop("short", value="much"),  # type: ignore[arg-type]
    "speechless": lambda _: _raise(Speechless()),
    "unsayable": lambda _: _raise(ValueError("a\ud800")),
    "address": lambda _: _raise(ValueError("<object at 0x7f12ab34cd>")),
}


def test_whatever_a_users_stage_gives_costs_that_document_alone() -> None:
    """Odd types, changed identities, text that is no Unicode: quarantined with words, and the neighbours are kept."""
    after = apply("odd", Odd(), unit("fine", *ODD, "fine"))
    assert after.documents["doc_id"].to_pylist() == ["s:p#0", f"s:p#{len(ODD) + 1}"]
    assert after.documents["values.kept"].to_pylist() == [1.0, 1.0]
    [gone] = after.settled
    assert gone["text"].to_pylist() == list(ODD)
    assert set(gone["reason"].to_pylist()) == {"exception"}
    assert all(gone["detail"].to_pylist())
    after.ledger.check()


def test_the_words_of_an_exception_are_the_same_in_every_process() -> None:
    """An object's address would make two runs over the same input differ."""
    [gone] = apply("odd", Odd(), unit("address")).settled
    assert gone["detail"].to_pylist() == ["ValueError: <object at 0x...>"]


class Careless(BatchStage):
    kind: Literal["test_careless"] = "test_careless"
    how: str

    def process(self, table: pa.Table) -> pa.Table:
        return CARELESS[self.how](table)  # type: ignore[no-any-return]


def _replaced(table: pa.Table, name: str, values: Any) -> pa.Table:
    return table.set_column(table.schema.get_field_index(name), name, values)


CARELESS: dict[str, Callable[[pa.Table], Any]] = {
    "not a table": lambda _: None,
    "gave 2": lambda t: t.slice(0, 2),
    "gave 6": lambda t: pa.concat_tables([t, t]),
    "another order": lambda t: t.take([2, 1, 0]),
    "text is gone": lambda t: t.drop_columns(["text"]),
    "doc_id is gone": lambda t: t.drop_columns(["doc_id"]),
    "text holds int64": lambda t: _replaced(t, "text", pa.array([1, 2, 3])),
    "lost their text": lambda t: _replaced(t, "text", pa.nulls(3, pa.large_string())),
    "other doc_ids": lambda t: _replaced(t, "doc_id", pa.nulls(3, pa.string())),
    "values.v holds string": lambda t: t.append_column("values.v", pa.array(["x"] * 3)),
    "text is there twice": lambda t: t.append_column("text", t["text"]),
    "'fancy'": lambda t: judged(t, ["fancy"] * 3, ["r"] * 3),
    "without a reason": lambda t: judged(t, ["dropped"] * 3, [None] * 3),
    "without the column reason": lambda t: t.append_column("verdict", pa.nulls(3, pa.string())),
}


@pytest.mark.parametrize("how", CARELESS)
def test_a_batch_stage_that_breaks_its_contract_ends_the_run_by_name(how: str) -> None:
    """Lost, doubled, reordered and unnamed rows would otherwise surface far away, or never."""
    with pytest.raises(HeadraceError, match="stage test_careless: the stage broke its contract") as caught:
        apply("careless", Careless(how=how), unit("a", "b", "c"))
    assert how in str(caught.value)
