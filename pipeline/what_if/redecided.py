"""Stages that decide once more from what a run stores, and which stored columns are still their own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from headrace.pipeline.rule_values import ONLY_BY_STAGES, given, is_builtin
from headrace.schemas.document import DOCUMENT_SCHEMA
from headrace.schemas.errors import ConfigError
from headrace.stages.base import BatchStage, Decides, Reads, Stage, differing
from headrace.stages.grade import Grade

_MEASURED = ("values.", "scores.")
# What grading anew changes for the stages behind it, with the options that do.
_REGRADED: Mapping[str, frozenset[str]] = {
    "grade": frozenset(("a", "b", "c", "weights")),
    "scores.total": frozenset(("weights",)),
}


@dataclass(frozen=True, slots=True)
class Redecided:
    """A stage as it was and as it would be.

    `columns` are those it decides by; None: all that are measured. `lost` names those that a later stage fills, too,
    and that stage's number: documents which came so far have that stage's value.
    """

    number: int
    name: str
    before: Decides
    after: Decides
    columns: tuple[str, ...] | None = None
    lost: Mapping[str, int] = field(default_factory=dict)
    options: tuple[Mapping[str, object], Mapping[str, object]] = ({}, {})  # as they were and as they would be


def redecided(
    names: Sequence[str], before: Sequence[Stage], after: Sequence[Stage], chosen: Collection[str], remedy: str
) -> tuple[Redecided, ...]:
    """Give the chosen stages in chain order; ConfigError, with `remedy`, where a later one wrote over values."""
    numbers = [number for number, name in enumerate(names) if name in chosen]
    return tuple(_redecided(number, before, after, names, remedy) for number in numbers)


def _redecided(
    number: int, before: Sequence[Stage], after: Sequence[Stage], names: Sequence[str], remedy: str
) -> Redecided:
    name = names[number]
    _check_unasked(number, before, after[number], names, remedy)
    old, new = before[number], after[number]
    if not isinstance(old, Decides) or not isinstance(new, Decides):
        raise TypeError(f"stage {name} does not decide by what it stored")
    columns = _columns(old, new)
    lost = dict(_lost(number, before, columns))
    needed = new.reads(old) if isinstance(new, Reads) else tuple(lost)
    for column in needed if old != new else ():
        if column in lost and _had(column, before[: number + 1]):
            did = "measured" if column.startswith(_MEASURED) else "filled"
            why = f"stage {names[lost[column]]} {did} {column} again and wrote over it"
            raise ConfigError(f"{name} cannot be decided anew", where=f"stage {name}", why=why, remedy=remedy)
    options = (old.model_dump(mode="json"), new.model_dump(mode="json"))
    return Redecided(number, name, old, new, columns, lost, options)


def _check_unasked(number: int, stages: Sequence[Stage], new: Stage, names: Sequence[str], remedy: str) -> None:
    """Refuse other grades where a later stage decides by them: what it would say is not what it said."""
    if not isinstance(new, Grade):
        return
    options = differing(new, stages[number])
    moved = {column for column, movers in _REGRADED.items() if movers.intersection(options)}
    for name, stage in zip(names[number + 1 :], stages[number + 1 :], strict=True):
        asked = moved.intersection(stage.reads()) if isinstance(stage, Reads) else ()
        if asked:
            why = f"stage {name} behind it decides by {' and '.join(sorted(asked))}, which would be another"
            raise ConfigError(
                f"{names[number]} cannot be decided anew", where=f"stage {names[number]}", why=why, remedy=remedy
            )


def _had(column: str, stages: Sequence[Stage]) -> bool:
    """Whether there was anything to write over: `language` is null in front of the first stage that gives it."""
    return column not in ONLY_BY_STAGES or any(not is_builtin(one) or column in given(one) for one in stages)


def _columns(old: Decides, new: Decides) -> tuple[str, ...] | None:
    if isinstance(old, Reads) and isinstance(new, Reads):
        return tuple(dict.fromkeys((*old.reads(), *new.reads())))
    return None


def _lost(number: int, stages: Sequence[Stage], columns: Sequence[str] | None) -> Iterator[tuple[str, int]]:
    """Give the columns of a stage that a later one fills, too, and the first stage that does."""
    own = _filled(stages[number]) if columns is None else frozenset(columns)
    seen: set[str] = set()
    for later in range(number + 1, len(stages)):
        for column in sorted((own & _filled(stages[later])) - seen):
            seen.add(column)
            yield column, later


def _filled(stage: Stage) -> frozenset[str]:
    """Give the columns that a stage fills; of the user's own those measured ones that an empty table has behind it.

    A user's stage may want what an earlier one measured, and one that looks at single documents cannot be asked: what
    these write over shows where stored values do not give the run's own verdicts.
    """
    if is_builtin(stage):
        return frozenset(given(stage))
    if not isinstance(stage, BatchStage) or stage.adds_rows:
        return frozenset()
    try:
        after = stage.process(DOCUMENT_SCHEMA.empty_table())
    except Exception:  # noqa: BLE001  # the user's code may raise anything
        return frozenset()
    return frozenset(name for name in after.column_names if name.startswith(_MEASURED))
