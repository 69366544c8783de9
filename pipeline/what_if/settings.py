"""What is asked: a run's stages as they were and as they would be, and why some changes cannot be answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from headrace.pipeline.committed import Committed, open_committed
from headrace.pipeline.config import PipelineConfig
from headrace.pipeline.load import changed_config
from headrace.pipeline.overrides import Override, parse_override, stage_override
from headrace.pipeline.packs import pack_names, stage_names, unpack_stages
from headrace.pipeline.plan import DECODE, PARSE
from headrace.pipeline.plugins import load_builtins
from headrace.pipeline.replay import unchanged_plugin
from headrace.pipeline.run_folder import RESOLVED
from headrace.pipeline.what_if.redecided import Redecided, redecided
from headrace.pipeline.wording import shell_word
from headrace.pipeline.yaml_lines import read_yaml
from headrace.schemas.errors import ConfigError
from headrace.stages.base import Decides, Stage, differing

_TEXTS = "full"  # the record of a write stage by which the run can be run again
_NO_VALUES = "reasons"  # the record of a write stage that stores nothing measured


@dataclass(frozen=True, slots=True)
class Asked:
    """A run, the settings as they were typed, its stages' names, and the stages that are to decide once more."""

    committed: Committed
    settings: tuple[str, ...]
    names: tuple[str, ...]
    stages: tuple[Redecided, ...]

    @property
    def remedy(self) -> str:
        """What answers with certainty; empty if nothing is changed."""
        return _remedy(self.committed, self.stages[0].name, self.settings) if self.settings and self.stages else ""


def asked(run: Path, settings: Sequence[str]) -> Asked:
    """Read `key=value` settings for a run; ConfigError for keys that are none and for what needs the texts again.

    Without settings every stage that can is to decide once more as it did: what is stored then has to give the run.
    """
    load_builtins()
    committed = open_committed(run)
    _check_values(committed)
    before, after = _configs(committed, settings)
    names = stage_names(before.stages)
    _check_whole(before, after, run, settings)
    pairs = list(zip(names, before.stages, after.stages, strict=True))
    chosen = [name for name, old, new in pairs if old != new]
    if chosen:
        _check_answerable(pairs, committed, settings)
    elif not settings:
        chosen = [name for name, old, _ in pairs if isinstance(old, Decides) and not _another(committed, name, old)]
    packs = pack_names(committed.plan["recipe"].get("lists", {}))
    old, new = (unpack_stages(config.stages, packs, run) for config in (before, after))
    remedy = _measured_again(committed, chosen[0], settings) if chosen else ""
    return Asked(committed, tuple(settings), names, redecided(names, old, new, chosen, remedy))


def stored_stage(run: Path, name: str) -> Stage | None:
    """Give a stage of a run as it was, if it can decide from what the run stores; ConfigError as for `asked`."""
    load_builtins()
    committed = open_committed(run)
    _check_values(committed)
    stages = dict(zip(*_named_stages(_configs(committed, ())[0]), strict=True))
    stage = stages.get(name)
    return None if stage is None or _another(committed, name, stage) else stage


def _named_stages(config: PipelineConfig) -> tuple[Sequence[str], Sequence[Stage]]:
    return stage_names(config.stages), config.stages


def _check_values(committed: Committed) -> None:
    if committed.stage("write").get("record") == _NO_VALUES:
        why = "its write stage had `record: reasons`, which stores nothing that was measured"
        remedy = "run with `record: values` (the default), or let `headrace rerun` measure again"
        raise ConfigError("the run cannot be decided anew", where=str(committed.run), why=why, remedy=remedy)


def _configs(committed: Committed, settings: Sequence[str]) -> tuple[PipelineConfig, PipelineConfig]:
    """Give the run's configuration, its stages as the plan's identity has them, and the one with the settings."""
    file = read_yaml(committed.run / RESOLVED)
    value = {**file.value, "stages": committed.plan["recipe"]["stages"]}
    for name in value.get("plugins", ()):
        unchanged_plugin(Path(committed.plan["places"]["base"]) / name, committed)
    file = replace(file, value=value)
    before = changed_config(file, ())
    names = stage_names(before.stages)
    return before, changed_config(file, [_named(text, names, before.stages) for text in settings])


def _named(text: str, names: Sequence[str], stages: Sequence[Stage]) -> Override:
    """Read one setting; of an option without its stage the message says which stages have it."""
    override = parse_override(text)
    option = str(override.steps[0])
    owners = [name for name, stage in zip(names, stages, strict=True) if option in type(stage).model_fields]
    if option not in (*PipelineConfig.model_fields, *names) and owners:
        remedy = f"write {' or '.join(f'{name}.{text}' for name in owners)}"
        raise ConfigError(f"'{option}' is an option of a stage", where=f"argument {text}", remedy=remedy)
    return stage_override(override, names)


def _check_whole(before: PipelineConfig, after: PipelineConfig, run: Path, settings: Sequence[str]) -> None:
    """Refuse what is no option of a stage: it decides what is read, or how the work is done."""
    other = [n for n in PipelineConfig.model_fields if n != "stages" and getattr(before, n) != getattr(after, n)]
    kinds = [(old.kind, new.kind) for old, new in zip(before.stages, after.stages, strict=False)]
    if other or len(before.stages) != len(after.stages) or any(old != new for old, new in kinds):
        what = f"{other[0]} is" if other else "the chain of stages is"
        why = f"{what} not decided by what a run stores of its documents"
        remedy = (
            "change options of stages, such as clean.max_symbol_share=0.3, or start a run with the new configuration"
        )
        raise ConfigError(f"{' '.join(settings)} cannot be answered", where=str(run), why=why, remedy=remedy)


def _check_answerable(pairs: Sequence[tuple[str, Stage, Stage]], committed: Committed, settings: Sequence[str]) -> None:
    """Refuse options that change texts or how they are measured, all in one message."""
    reasons = [line for name, old, new in pairs if old != new for line in _reasons(committed, name, old, new)]
    if reasons:
        first = next(name for name, old, new in pairs if old != new)
        raise ConfigError(
            f"{' '.join(settings)} cannot be answered from what the run stores",
            where=str(committed.run),
            why="; ".join(reasons),
            remedy=_measured_again(committed, first, settings),
        )


def _reasons(committed: Committed, name: str, old: Stage, new: Stage) -> Iterator[str]:
    if not isinstance(new, Decides):
        changed = ", ".join(f"{name}.{option}" for option in differing(new, old))
        yield f"{changed}: what {name} does with a text does not follow from stored values"
        return
    if options := new.unanswerable(old):
        changed = ", ".join(f"{name}.{option}" for option in options)
        yield f"{changed} changes the text, or asks what the run did not measure of every document"
    if _another(committed, name, new):
        was = committed.plan.get("versions", {}).get(name)
        yield f"the run measured with version {was} of stage {name}, and this release has {type(old).version}"


def _another(committed: Committed, name: str, stage: Stage) -> bool:
    """Whether the run measured by another version of a stage than this release has."""
    return bool(committed.plan.get("versions", {}).get(name) != stage.version)


def _measured_again(committed: Committed, stage: str, settings: Sequence[str]) -> str:
    return f"let it be measured: {_remedy(committed, stage, settings)}"


def _remedy(committed: Committed, stage: str, settings: Sequence[str]) -> str:
    """Give the command that decides with the texts; only a run that recorded them can be run again without input."""
    if stage in (DECODE, PARSE):
        return "`headrace run` with these settings (`headrace rerun` begins behind parse)"
    if committed.stage("write").get("record") != _TEXTS:
        return "`headrace run` with these settings (`headrace rerun` needs a run with `record: full`)"
    changes = (word for text in settings for word in ("--set", text))
    return " ".join(map(shell_word, ["headrace", "rerun", str(committed.run), "--from", stage, *changes]))
