"""The ordered half of dedup_lines: which lines came before, in documents that stayed, and what becomes of texts."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import (
    Array,
    Classes,
    Column,
    Flags,
    Floats,
    Links,
    Offsets,
    text_array,
    text_buffers,
    with_column,
)
from headrace.schemas.document import DROPPED, VERDICT_SCHEMA
from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.apply import Sieve
from headrace.stages.base import RunContext
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.signatures import KEY, from_columns
from headrace.stages.deduplication.state import DedupState
from headrace.stages.repeated_lines.owners import Owners
from headrace.stages.repeated_lines.pieces import PRIVATE, Asked, Unit, asked_of, cut
from headrace.stages.writing.parsed import carried_on, carries

SHARE_REASON, EMPTIED_REASON = "max_seen_share", "emptied"
_REASONS = np.array(["", SHARE_REASON, EMPTIED_REASON])
_NOTHING = 2.0  # no share is above it


class Options(Protocol):
    """The options that decide."""

    @property
    def unit(self) -> Unit: ...
    @property
    def min_letters(self) -> int: ...
    @property
    def min_run_letters(self) -> int: ...
    @property
    def occurrences(self) -> int: ...
    @property
    def max_seen_share(self) -> float | None: ...


class Seen(NamedTuple):
    """What is known of a unit's lines before it, as `decide_lines` takes it."""

    same: Links  # what is asked for, numbered by its key among the different ones of the unit
    standing: Links  # how many documents that stay have each key, as far as these count
    heads: Offsets  # the number of the first of them, -1: there is none


@dataclass(frozen=True, slots=True)
class LineSieve(Sieve):
    """What was decided about a unit: verdicts, and which lines its texts lose; a text that leaves stays whole."""

    unit: Unit = "line"
    taken: bytes = b""  # a bit a line
    values: tuple[Floats, ...] = ()  # of each document: lines taken, share of letters in them

    def sift(self, batch: UnitBatch) -> UnitBatch:
        """Take the lines out and settle the unit; rows that know what their text was say it."""
        whole = batch.documents
        plain = Sieve(self.stage, self.verdicts, self.spent)
        if "text" not in whole.column_names or not self.values:
            return plain.sift(batch)
        table = whole
        if self.taken:
            table = with_column(table, "text", self._without(table["text"]))
        for name, values in zip(value_names(self.unit), self.values, strict=True):
            table = with_column(table, name, pa.array(values, pa.float64()))
        after = plain.sift(batch.but(documents=table))
        return carried_on(after, whole if carries(whole) else None, len(batch.settled))

    def _without(self, texts: Column) -> Array:
        from headrace.stages.kernels.lines import without_lines

        data, offsets = text_buffers(texts)
        pieces = cut(data, offsets, self.unit)
        gone = np.unpackbits(np.frombuffer(self.taken, np.uint8), count=len(pieces.lines)).astype(np.bool_)
        return text_array(*without_lines(data, pieces.bounds, pieces.firsts, gone))


def value_names(unit: Unit) -> tuple[str, str]:
    """Name the columns of what was taken: how many lines, and the share of letters in them."""
    return f"values.seen_{unit}s", f"values.seen_{unit}_share"


class LineState:
    """Which lines came before: indexes of dedup, with lines in place of documents, and the documents that had them.

    The first index has the first document that stayed with each line, the next one the second, and so on, as many as
    may keep a line. Lines of documents that leave are in none, so a unit is looked up, decided, and then entered.
    """

    def __init__(self, context: RunContext, options: Options, parameters: dict[str, object]) -> None:
        self._context, self._options = context, options
        parts = [_part(context, name, options.occurrences) for name in _names(options.occurrences)]
        self._levels = [DedupState(part, Rules(exact=True), parameters) for part in parts]
        self._owners = Owners(_part(context, "documents", 1), parameters)

    def accept(self, batch: UnitBatch) -> tuple[UnitBatch, None]:
        """Settle one unit; a unit that came before gets the same verdicts, or ReplayDiffersError is raised."""
        return self.judge(batch).sift(batch), None

    def judge(self, batch: UnitBatch) -> Sieve:
        """Give the verdicts on a unit, and the lines that its texts lose."""
        from headrace.stages.kernels.line_fates import STAYS, decide_lines

        documents, asked = batch.documents, asked_of(batch.documents)
        seen = self._seen(batch.unit, asked)
        first, options = self._owners.first_of(batch.unit), self._options
        most = _NOTHING if options.max_seen_share is None else options.max_seen_share
        taken, holders, fates, shares, levels = decide_lines(
            *(asked.numbers, asked.letters, asked.firsts, asked.begins, *seen),
            *(first, options.occurrences, options.min_letters, options.min_run_letters, most),
        )
        taken_of = np.diff(np.concatenate([[0], np.cumsum(taken)])[asked.firsts]).astype(np.float64)
        self._enter(batch.unit, asked, first, levels)
        self._owners.settle(batch.unit, documents["doc_id"].combine_chunks())
        survivors = self._owners.doc_ids(_main_holders(asked, taken, holders, first, fates))
        taken &= np.repeat(fates == STAYS, np.diff(asked.firsts))
        bits = np.packbits(taken).tobytes() if taken.any() else b""
        verdicts = _verdicts(fates, shares, most, survivors)
        return LineSieve(self._context.stage, verdicts, PRIVATE, options.unit, bits, (taken_of, shares))

    def flush(self, through: int) -> tuple[FileRef, ...]:
        """Write what was learnt of units up to `through` and is not written yet."""
        refs = [ref for level in self._levels for ref in level.flush(through)]
        return (*refs, *self._owners.flush(through))

    def finish(self) -> None:
        """Nothing is left to say at the end."""

    def close(self) -> None:
        """Let go of index files."""
        for level in self._levels:
            level.close()

    def _seen(self, unit: int, asked: Asked) -> Seen:
        """Look up who had the unit's lines before it."""
        from headrace.stages.kernels.line_fates import ask_once

        table = pa.table({KEY: asked.keys})
        keys = from_columns(table, 0).keys
        ends = np.array([0, len(keys)], np.int64)
        same, rows, _ = ask_once(keys, ends, np.ones(len(keys), np.bool_), False)
        standing, heads = np.zeros(len(rows), np.int32), np.full(len(rows), -1, np.int64)
        known = np.arange(len(rows))
        for level, index in enumerate(self._levels):
            found = index.asked(UnitBatch(unit, table.take(pa.array(rows[known], pa.int64())))).survivors
            known, found = known[found >= 0], found[found >= 0]
            standing[known] += 1
            if level == 0:
                heads[known] = index.doc_ids(found).cast(pa.int64()).to_numpy()
        return Seen(same, standing, heads)

    def _enter(self, unit: int, asked: Asked, first: int, levels: Links) -> None:
        """Enter the lines of documents that stay, each where it is missing."""
        documents = first + np.repeat(np.arange(len(asked.begins) - 1), np.diff(asked.begins))
        for level, index in enumerate(self._levels):
            rows = np.flatnonzero(levels == level)
            names = pa.array(documents[rows], pa.int64()).cast(pa.string())
            index.settled(
                UnitBatch(unit, pa.table({"doc_id": names, KEY: asked.keys.take(pa.array(rows, pa.int64()))}))
            )


def _names(levels: int) -> list[str]:
    return ["", *(f"seen{level}" for level in range(2, levels + 1))]


def _part(context: RunContext, name: str, of: int) -> RunContext:
    """Give what one of several parts of the state is told: files and a share of the memory of its own."""
    stage = f"{context.stage}.{name}" if name else context.stage
    own = re.compile(rf"index/{re.escape(stage)}-\d+-\d+-[0-9a-f]+\.\w+")
    committed = tuple(ref for ref in context.committed if own.fullmatch(ref.name))
    index = replace(context.index, memory_bytes=context.index.memory_bytes // of)
    return replace(context, stage=stage, committed=committed, index=index)


def _main_holders(asked: Asked, taken: Flags, holders: Offsets, first: int, fates: Classes) -> Offsets:
    """Give, for each document that leaves, the one that has most letters of its lines, of equals the first; or -1."""
    documents = np.repeat(np.arange(len(fates)), np.diff(asked.firsts))
    pieces = np.flatnonzero(taken & (fates[documents] != 0))
    documents = documents[pieces]
    found = holders[asked.begins[documents] + asked.numbers[pieces]]
    other = found != first + documents  # it may repeat itself
    documents, found, letters = documents[other], found[other], asked.letters[pieces][other]
    main = np.full(len(fates), -1, np.int64)
    if len(found):
        order = np.lexsort((found, documents))
        documents, found, letters = documents[order], found[order], letters[order]
        starts = np.flatnonzero(np.append(True, (np.diff(documents) != 0) | (np.diff(found) != 0)))
        documents, found, letters = documents[starts], found[starts], np.add.reduceat(letters, starts)
        order = np.lexsort((found, -letters, documents))
        documents, found = documents[order], found[order]
        starts = np.flatnonzero(np.append(True, np.diff(documents) != 0))
        main[documents[starts]] = found[starts]
    return main


def _verdicts(fates: Classes, shares: Floats, most: float, survivors: Array) -> pa.Table:
    stays = fates == 0
    thresholds = np.where(fates == 1, most, 1.0)
    columns = {
        "verdict": pa.array(np.full(len(fates), DROPPED), pa.string(), mask=stays),
        "reason": pa.array(_REASONS[fates], pa.string(), mask=stays),
        "value": pa.array(shares, pa.float64(), mask=stays),
        "threshold": pa.array(thresholds, pa.float64(), mask=stays),
        "survivor": survivors,
        "detail": pa.nulls(len(fates), pa.string()),
    }
    return pa.table(columns, schema=VERDICT_SCHEMA)
