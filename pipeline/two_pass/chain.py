"""Which stage of a chain looks at all documents, to judge or to count, and what a chain with such a stage needs."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.schemas.errors import ConfigError
from headrace.stages.base import Stage
from headrace.stages.dedup import Dedup
from headrace.stages.tokenize_text import TokenizeStage


def two_pass_place(stages: Sequence[Stage]) -> int | None:
    """Give the place of the stage for which the chain before it runs twice; None where one pass does."""
    return next((place for place, stage in enumerate(stages) if _looks_at_all(stage)), None)


def check_passes(names: Sequence[str], stages: Sequence[Stage]) -> None:
    """Raise ConfigError for a chain that could not run in two passes."""
    place = two_pass_place(stages)
    if place is None:
        return
    where, stage = f"stage {names[place]}", stages[place]
    others = [name for name, other in zip(names[place + 1 :], stages[place + 1 :], strict=True) if _looks_at_all(other)]
    if others:
        why = f"{names[place]} and {others[0]} would each look at all documents first"
        remedy = "let one of them `keep: first_seen` without `compare`, or run the second over the output of the first"
        raise ConfigError("a run has two passes, not three", where=f"stage {others[0]}", why=why, remedy=remedy)
    before = stages[:place]
    if isinstance(stage, Dedup) and stage.keep == "best" and not any(s.kind == "grade" for s in before):
        why, remedy = "nothing before it gives a grade", "put `- kind: grade` in front of it, or `keep: components`"
        raise ConfigError("the best cannot be told", where=where, why=why, remedy=remedy)
    if any(isinstance(other, TokenizeStage) for other in before):
        why = f"everything before {names[place]} runs twice, which {_cause(stage)} asks for"
        raise ConfigError("tokenize comes too early", where=where, why=why, remedy="put tokenize behind it")


def _cause(stage: Stage) -> str:
    return f"keep: {stage.keep}" if isinstance(stage, Dedup) and stage.two_passes else "compare: true"


def _looks_at_all(stage: Stage) -> bool:
    return isinstance(stage, Dedup) and stage.needs_first_pass
