"""What a rerun is asked to change, and why some changes need the input again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from headrace.pipeline.committed import Committed
from headrace.pipeline.config import PipelineConfig
from headrace.pipeline.config_errors import suggestion
from headrace.pipeline.load import changed_config
from headrace.pipeline.overrides import Override, parse_override, stage_override
from headrace.pipeline.packs import stage_names
from headrace.pipeline.plan import READ
from headrace.pipeline.plugins import Plugin
from headrace.pipeline.rerun.unit import BEFORE
from headrace.pipeline.run_folder import RESOLVED
from headrace.pipeline.yaml_lines import read_yaml
from headrace.schemas.errors import ConfigError
from headrace.stages.base import Stage

_FREE = ("stages", "limit", "drop_bands", "on_drop_band", "drop_band_documents", "engine", "pace", "loader", "trainer")
_UNITS = ("lanes", "unit_bytes")  # options of the engine that decide which documents a unit has
_AGAIN = "run the pipeline on the input with the new configuration: `headrace run`"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a rerun changes: `key=value` settings, and the first stage whose verdicts may be others (None: by them)."""

    settings: tuple[str, ...] = ()
    first: str | None = None
    keep_tokenizer: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """A run's configuration before and after; stages in front of number `first` are as they were, plug-ins included."""

    before: PipelineConfig
    after: PipelineConfig
    first: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the stages after the change."""
        return stage_names(self.after.stages)


def changed(parent: Committed, wanted: Wanted, plugins: Sequence[Plugin]) -> Change:
    """Read the settings for a run whose plug-ins are loaded; ConfigError for those that a rerun cannot follow.

    There is no trainer, unless the settings name one.
    """
    file = read_yaml(parent.run / RESOLVED)
    before = changed_config(replace(file, value={**file.value, "trainer": None}), ())
    names = stage_names(before.stages)
    overrides = [stage_override(parse_override(text), names) for text in wanted.settings]
    for override in overrides:
        _check_free(override)
    after = changed_config(replace(file, value={**file.value, "trainer": None}), overrides)
    _check_limit(before, after)
    touched = _touched(before.stages, after.stages)
    first = _first(wanted, stage_names(after.stages), touched)
    _check_first(wanted, stage_names(after.stages), touched, first)
    _check_stages(parent, after.stages[:first], names)
    _check_plugins(parent, plugins, after.stages[:first])
    return Change(before, after, first)


def _check_free(override: Override) -> None:
    option, *rest = override.steps
    if option not in _FREE or (option == "engine" and (not rest or rest[0] in _UNITS)):
        why = "it decides which documents are read, or in which units"
        raise ConfigError("a rerun cannot change this", where=f"argument {override.text}", why=why, remedy=_AGAIN)


def _check_limit(before: PipelineConfig, after: PipelineConfig) -> None:
    if before.limit is not None and (after.limit is None or after.limit > before.limit):
        why = f"the run has no more than its limit of {before.limit:,} documents"
        raise ConfigError("a rerun cannot read more", where="limit", why=why, remedy=_AGAIN)


def _touched(before: Sequence[Stage], after: Sequence[Stage]) -> int | None:
    """Give the number of the first stage that is another now."""
    pairs = zip(map(_options, before), map(_options, after), strict=False)
    differing = [number for number, (old, new) in enumerate(pairs) if old != new]
    shorter = [min(len(before), len(after))] if len(before) != len(after) else []
    found = next(iter([*differing, *shorter]), None)
    return None if found is None else min(found, len(after) - 1)


def _options(stage: Stage) -> dict[str, object]:
    return stage.model_dump(mode="json")


def _first(wanted: Wanted, names: Sequence[str], touched: int | None) -> int:
    if wanted.first is None:
        if touched is None:
            remedy = "change an option, as in --set clean.min_characters=100, or name the first stage by --from"
            why = "every option of every stage is as it was"
            raise ConfigError("no verdict would be another", where="headrace rerun", why=why, remedy=remedy)
        return touched
    if wanted.first not in (*names, READ):
        remedy = suggestion(wanted.first, names).removeprefix("; ") or f"the stages are {', '.join(names)}"
        raise ConfigError(f"there is no stage '{wanted.first}'", where="--from", remedy=remedy)
    return 0 if wanted.first == READ else names.index(wanted.first)


def _check_first(wanted: Wanted, names: Sequence[str], touched: int | None, first: int) -> None:
    early = min(first, first if touched is None else touched)
    if early < len(BEFORE) - 1:
        why = "a run keeps what `parse` gave, and nothing of what came before"
        where = "--from" if touched is None or first < touched else f"stage {names[early]}"
        raise ConfigError("a rerun begins behind parse", where=where, why=why, remedy=_AGAIN)
    if touched is not None and touched < first:
        why = f"the settings change stage {names[touched]}, which comes before {names[first]}"
        remedy = f"--from {names[touched]}, or leave out --from"
        raise ConfigError("an earlier stage is changed", where=f"--from {wanted.first}", why=why, remedy=remedy)


def _check_stages(parent: Committed, stages: Sequence[Stage], names: Sequence[str]) -> None:
    """Refuse stages in front of the first whose code is another by now: their verdicts would be others."""
    for stage, name in zip(stages, names, strict=False):
        was = parent.plan["versions"].get(name)
        if was != stage.version:
            why = f"the run was made with version {was} of it, and this release has version {stage.version}"
            remedy = _AGAIN if name in BEFORE else f"let its verdicts be others: --from {name}"
            raise ConfigError("a stage is not what it was", where=f"stage {name}", why=why, remedy=remedy)


def _check_plugins(parent: Committed, plugins: Sequence[Plugin], stages: Collection[Stage]) -> None:
    known = parent.plan["recipe"]["plugins"]
    for plugin in plugins:
        kinds = [s.kind for s in stages if type(s).__module__ == f"headrace_plugins_{plugin.name}"]
        if plugin.sha256 != known.get(plugin.name) and kinds:
            why = "it is not the one that the run was made with, and its stage comes before the first that may change"
            remedy = f"restore it, or let its verdicts be others: --from {kinds[0]}"
            raise ConfigError("a plug-in was changed", where=f"stage {kinds[0]}", why=why, remedy=remedy)
