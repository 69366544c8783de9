"""What a stage is: a frozen value whose fields are its configuration, with one method.

Three bases, no more. Subclasses register themselves under their `kind`; `version` is raised when the output changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import pyarrow as pa
from pydantic import BaseModel, ConfigDict

from headrace.schemas.document import DOCUMENT_SCHEMA, VERDICT_SCHEMA, Document, Drop
from headrace.schemas.index import DEFAULT_INDEX, EarlierRun, IndexOptions
from headrace.schemas.unit import FileRef, UnitBatch

if TYPE_CHECKING:
    from headrace.stages.deduplication.partitions import OpenPartitions

__all__ = [
    "NOT_ASKED",
    "BatchStage",
    "Decides",
    "Document",
    "DocumentStage",
    "Drop",
    "Loosens",
    "OrderedStage",
    "OrderedState",
    "Reads",
    "RunContext",
    "Stage",
]


class Stage(BaseModel):
    """A frozen bag of options with one method; subclassing registers it under its `kind`."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    registry: ClassVar[dict[str, type[Stage]]] = {}
    version: ClassVar[int] = 1
    beside: ClassVar[frozenset[str]] = frozenset()  # options that decide nothing of the output

    kind: str

    def deciding(self) -> dict[str, object]:
        """Give the options that decide the output: those by which a run is known."""
        return self.model_dump(mode="json", exclude=set(self.beside))

    def packed(self, base: Path) -> bytes | None:
        """Give what the stage needs of files beside the sources (lists, say), whose names start at the folder `base`.

        The bytes are part of the run's identity and are kept in the run, where every worker finds them. None: nothing
        is needed. ConfigError for a file that cannot be used.
        """
        return None

    def unpacked(self, file: Path) -> Stage:
        """Give a copy that works with what `packed` gave, kept in this file."""
        return self

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        kind = cls.model_fields["kind"].default
        if not isinstance(kind, str):
            return  # a base class
        other = Stage.registry.get(kind)
        if other and (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
            raise TypeError(f"stage kind {kind!r} is already taken by {other.__module__}.{other.__qualname__}")
        Stage.registry[kind] = cls


class BatchStage(Stage):
    """A stage that judges or changes a whole unit at once, with kernels over Arrow buffers.

    Each document is treated as if it were alone: a unit may be cut anywhere, and the result stays the same.
    """

    adds_rows: ClassVar[bool] = False  # only `parse` makes several documents of one record

    def process(self, table: pa.Table) -> pa.Table:
        """Give the table with the same rows in the same order, changed, and `judged` where documents leave the chain.

        A row of the result without a verdict goes on. Only `parse` may give more rows than it got, never fewer.
        """
        raise NotImplementedError


class DocumentStage(Stage):
    """A stage that looks at one document at a time: what users write first."""

    def process(self, document: Document) -> Document | Drop:
        """Give the document, a changed copy (`document.but(text=...)`), or the reason why it leaves."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class RunContext:
    """Where an ordered stage lives: the run folder, its own name, and what of its state is committed."""

    run: Path
    stage: str
    committed: tuple[FileRef, ...] = ()  # files that `OrderedState.flush` gave for units before `first_unit`
    first_unit: int = 0
    first_shard: int = 0
    tokenizer: FileRef | None = None
    index: IndexOptions = DEFAULT_INDEX
    earlier: tuple[EarlierRun, ...] = ()  # what documents are compared with besides those of this run
    settled: FileRef | None = None  # verdicts of a pass over all documents before this one
    partitions: OpenPartitions | None = None  # makes processes of an index's partitions; None: they are in this one


class OrderedState(Protocol):
    """The state of an ordered stage: sees units strictly in order; a unit that comes again gets the same answer."""

    def accept(self, batch: UnitBatch) -> tuple[UnitBatch, object]:
        """Settle one unit; the second value is a small report for the supervisor (None for most stages)."""
        ...

    def flush(self, through: int) -> tuple[FileRef, ...]:
        """Make the state of all units up to `through` durable; give the files that are new since the last flush."""
        ...

    def finish(self) -> object:
        """The input has ended: give the last report."""
        ...


class OrderedStage(Stage):
    """A stage that sees units in order and keeps state. `prepare` is its stateless half, run in parallel before it."""

    @property
    def earlier_runs(self) -> tuple[str, ...]:
        """Earlier runs, by their folders as they are typed, that documents are compared with, too."""
        return ()

    @property
    def index_parameters(self) -> dict[str, object]:
        """What its index files depend on: those of an earlier run can be asked if that one's are equal."""
        return {}

    def prepare(self, table: pa.Table) -> pa.Table:
        """Add what `accept` needs (signatures, say), as columns; runs in the stateless workers."""
        return table

    def open(self, context: RunContext) -> OrderedState:
        """Give a state that holds exactly what `context.committed` says."""
        raise NotImplementedError


@runtime_checkable
class Decides(Protocol):
    """A stage whose verdicts follow from what it measured: by other options it can decide again without the text."""

    def decided(self, table: pa.Table) -> pa.Table:
        """Give the table `judged` by its stored columns alone, exactly as `process` does; `detail` may be null.

        Looks at values.*, scores.*, language, script and the like, never at the text. A row whose value is null passes
        the rules that ask for it. Columns that follow from values, such as `grade`, are filled anew.
        """
        ...

    def unanswerable(self, before: Stage) -> list[str]:
        """Name the options that differ from `before`, a stage of this class, and that need the text again."""
        ...


@runtime_checkable
class Reads(Protocol):
    """A stage that `Decides` and says by which columns, so that no others are read from a run."""

    def reads(self, before: Stage | None = None) -> tuple[str, ...]:
        """Name the columns that `decided` looks at.

        With `before`, a stage of this class: only those by which a document that `before` let pass may now be dropped,
        or be given another column.
        """
        ...


NOT_ASKED = "null"  # as it is typed


@runtime_checkable
class Loosens(Protocol):
    """A stage that `Decides`, some of whose reasons are no options of that name."""

    def loosened(self, reason: str, row: Mapping[str, object]) -> tuple[str, object] | None:
        """Give the option by which a document, dropped for a reason, would pass that rule, and its value.

        `row` is what is stored of the document. The value None stands for a bound beside what was measured, and
        `NOT_ASKED` for a rule that can only be switched off; the result None for a reason that is an option of that
        name.
        """
        ...


class ReplayDiffersError(Exception):
    """A replayed unit was judged otherwise than the first time; the run goes back to the last commit."""


def judged(
    table: pa.Table,
    verdict: Any,
    reason: Any,
    value: Any = None,
    threshold: Any = None,
    survivor: Any = None,
    detail: Any = None,
) -> pa.Table:
    """Append the verdict columns; a null verdict keeps the row. Missing ones are null throughout."""
    given = {"verdict": verdict, "reason": reason, "value": value, "threshold": threshold, "survivor": survivor}
    given["detail"] = detail
    for field in VERDICT_SCHEMA:
        column = given[field.name]
        array = pa.nulls(table.num_rows, field.type) if column is None else pa.array(column, field.type)
        table = table.append_column(field, array)
    return table


def conform(table: pa.Table, schema: pa.Schema = DOCUMENT_SCHEMA) -> pa.Table:
    """Give the table with the schema's columns first and cast, missing ones null, and extra columns after them."""
    rows = table.num_rows
    columns = [table[f.name].cast(f.type) if f.name in table.column_names else pa.nulls(rows, f.type) for f in schema]
    extra = [name for name in table.column_names if schema.get_field_index(name) < 0]
    fields = [*schema, *(table.schema.field(name) for name in extra)]
    return pa.table([*columns, *(table[name] for name in extra)], schema=pa.schema(fields))


def differing(stage: Stage, before: Stage) -> list[str]:
    """Name the options in which two stages of a class differ, in their order."""
    return [name for name in type(stage).model_fields if getattr(stage, name) != getattr(before, name)]


def stricter(stage: Stage, before: Stage) -> list[str]:
    """Name the options in which two stages of a class differ, but for bounds `min_*` and `max_*` that are looser now.

    What passed such a bound passes it still, whatever was measured.
    """
    return [name for name in differing(stage, before) if not _looser(name, getattr(stage, name), getattr(before, name))]


def _looser(name: str, bound: object, before: object) -> bool:
    if bound is None:
        return name.startswith(("min_", "max_"))
    if not isinstance(bound, int | float) or not isinstance(before, int | float):
        return False
    return (name.startswith("min_") and bound < before) or (name.startswith("max_") and bound > before)
