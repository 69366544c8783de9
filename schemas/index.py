"""The dedup index from outside: how much memory it may take, where it lives, and what of an earlier run it holds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.unit import FileRef

if TYPE_CHECKING:  # generic in the stubs alone
    Column: TypeAlias = pa.ChunkedArray[pa.StringScalar] | pa.StringArray
Store = Literal["runs", "lmdb"]
MERGED = "index/merged"  # folder in a run: what is derived from its index files, and can be made again


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """How an index is kept; no verdict depends on it."""

    partitions: int = 1
    memory_bytes: int = 4_000_000_000  # of the tables in memory; what is more is looked up in files
    bloom: bool = False
    store: Store = "runs"


DEFAULT_INDEX = IndexOptions()


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """What a run is compared with: the committed index of an earlier one, frozen at a number of its manifest lines."""

    name: str  # as it is written in the configuration; verdicts name it
    run: Path
    stage: str
    lines: int
    manifest_sha256: str  # of the first `lines` lines
    files: tuple[FileRef, ...]
    documents: int = 0  # in those files
    counts: tuple[int, ...] = ()  # in each of them; nothing: not counted


_IN = "in "


def found_in(name: str) -> str:
    """Give the `detail` of a verdict whose survivor is in an earlier run."""
    return _IN + name


def run_of(detail: str | None) -> str | None:
    """Give the name of the earlier run that a verdict's `detail` tells of; None for a survivor of the run itself.

    >>> run_of(found_in("runs/week1")), run_of("by way of a#1"), run_of(None)
    ('runs/week1', None, None)
    """
    run: str | None = runs_of(pa.array([detail], pa.string()))[0].as_py()
    return run


def runs_of(details: Column) -> Column:
    """Give what `run_of` gives of each value of a text column, null for None."""
    texts = details.cast(pa.string())
    names = pc.utf8_slice_codeunits(texts, len(_IN))
    runs: Column = pc.if_else(pc.starts_with(texts, _IN), names, pa.scalar(None, pa.string()))
    return runs
