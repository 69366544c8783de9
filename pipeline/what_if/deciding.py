"""One unit's documents decided once more: what took each of them out, and what would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from headrace.pipeline.what_if.fates import Fate, Fates, encoded
from headrace.pipeline.what_if.redecided import Redecided
from headrace.schemas.arrays import Column, Counts, Flags, Floats, floats, with_column
from headrace.schemas.document import DROPPED, VERDICT_SCHEMA
from headrace.stages.base import Decides

Letters = npt.NDArray[np.object_]
ONWARD = -1  # the place of a document that goes on behind the stage that took it out: what then, nobody measured


@dataclass(slots=True)
class Decided:
    """A unit's documents: the numbers of their fates, and what would be measured of those that a stage would drop.

    `left` is the number of the stage that took a document out, the number of all stages for a kept one; `leaves` the
    same for the fate that it would have, or ONWARD.
    """

    was: Counts
    would: Counts
    left: Counts
    leaves: Counts
    value: Floats
    threshold: Floats
    grade: Letters
    contradicted: Flags  # what is stored does not give the run's own verdict; these stay as they are


@dataclass(frozen=True, slots=True)
class _Verdicts:
    """What a stage decides of some documents."""

    drops: Flags
    reason: Column
    value: Floats
    threshold: Floats
    grade: Column | None


def decide(table: pa.Table, chain: Sequence[Redecided], names: Sequence[str], fates: Fates) -> Decided:
    """Let the stages of `chain`, in order, decide over the documents that reached them; what others did, stays."""
    was, left = fates.of(table["stage"], table["reason"]), _places(table["stage"], names)
    value, threshold = floats(table, "value").copy(), floats(table, "threshold").copy()
    odd = np.zeros(table.num_rows, np.bool_)
    decided = Decided(was, was.copy(), left, left.copy(), value, threshold, _letters(table["grade"]), odd)
    dropped = np.asarray(pc.equal(table["verdict"], pa.scalar(DROPPED)))
    for each in chain:
        came = (left > each.number) | ((left == each.number) & dropped)
        rows = np.flatnonzero(came & (decided.leaves == left) & ~decided.contradicted)
        if len(rows):
            _decide(with_column(table, "grade", pa.array(decided.grade, pa.string())), each, rows, decided, fates)
    return decided


def _places(stages: Column, names: Sequence[str]) -> Counts:
    """Number the stages that took documents out: -1 for `read`, the number of stages for kept documents."""
    found, at = encoded(stages)
    known = {name: number for number, name in enumerate(names)}
    numbers = [len(names) if name is None else known.get(name, -1) for name in found]
    return np.array(numbers, np.int64)[at]


def _letters(column: Column) -> Letters:
    return np.array(column.to_pylist(), np.object_)


def _decide(table: pa.Table, each: Redecided, rows: Counts, decided: Decided, fates: Fates) -> None:
    """Let one stage decide over some rows, once as it was and once as it would be."""
    left = decided.left[rows]
    part = _seen(table, each, rows, left)
    old, new = _verdicts(each.before, part), _verdicts(each.after, part)
    odd = _contradicts(table.take(rows), old, left == each.number)
    decided.contradicted[rows[odd]] = True
    out = np.flatnonzero(new.drops & ~odd)
    gone = rows[out]
    reasons = new.reason.take(out)
    decided.would[gone] = fates.of(pa.repeat(pa.scalar(each.name), len(gone)), reasons)
    decided.leaves[gone] = each.number
    decided.value[gone], decided.threshold[gone] = new.value[out], new.threshold[out]
    on = rows[(left == each.number) & ~new.drops & ~odd]
    decided.would[on], decided.leaves[on] = fates.number(Fate(each.name)), ONWARD
    decided.value[on] = decided.threshold[on] = np.nan
    if new.grade is not None:
        decided.grade[rows[~odd]] = _letters(new.grade)[~odd]


def _seen(table: pa.Table, each: Redecided, rows: Counts, left: Counts) -> pa.Table:
    """Give what a stage had measured of some rows: nothing where a later stage wrote over it."""
    verdicts = frozenset(VERDICT_SCHEMA.names)
    names = [n for n in table.column_names if n not in verdicts] if each.columns is None else each.columns
    part = table.select([name for name in names if name in table.column_names]).take(rows)
    part = part if part.num_columns else table.select(["doc_id"]).take(rows)
    for name, later in each.lost.items():
        if name in part.column_names:
            array = part[name].combine_chunks()
            own = pc.if_else(pa.array(left < later), array, pa.scalar(None, array.type))
            part = part.set_column(part.schema.get_field_index(name), name, own)
    return part


def _verdicts(stage: Decides, part: pa.Table) -> _Verdicts:
    after = stage.decided(part)
    drops = np.asarray(pc.fill_null(pc.equal(after["verdict"], pa.scalar(DROPPED)), pa.scalar(value=False)))
    grade = after["grade"] if "grade" in after.column_names else None
    return _Verdicts(drops, after["reason"], floats(after, "value"), floats(after, "threshold"), grade)


def _contradicts(table: pa.Table, old: _Verdicts, went: Flags) -> Flags:
    """Tell of which documents the stored values do not give what the run decided, to the last bit."""
    same = np.asarray(pc.fill_null(pc.equal(table["reason"], old.reason), pa.scalar(value=False)))
    for name, measured in (("value", old.value), ("threshold", old.threshold)):
        same &= np.asarray(np.isclose(floats(table, name), measured, rtol=0, atol=0, equal_nan=True))
    return np.asarray(np.where(went, ~(old.drops & same), old.drops))
