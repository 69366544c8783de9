"""One stage over one unit: what is a document's fault costs that document, what is the stage's fault ends the run."""

from __future__ import annotations

from typing import Literal

import pyarrow as pa
import pytest

from headrace.schemas.errors import ConfigError, HeadraceError
from headrace.schemas.unit import UnitBatch
from headrace.stages.apply import apply
from headrace.stages.base import BatchStage, Document, DocumentStage, Drop, Stage, conform


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
