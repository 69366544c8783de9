"""The chain of a rerun: the changed one, the parent's tokenizer and lists, and what was forgotten taken out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from headrace.pipeline.committed import Committed
from headrace.pipeline.load import LoadedConfig
from headrace.pipeline.packs import pack_names, stage_names
from headrace.pipeline.plan import PARSE
from headrace.pipeline.plugins import Plugin
from headrace.pipeline.rerun.settings import Change, Wanted
from headrace.pipeline.run_folder import RESOLVED
from headrace.pipeline.run_tokenizer import BUILT_IN
from headrace.schemas.durable import sha256_file
from headrace.schemas.errors import ConfigError, FormatError
from headrace.schemas.tombstones import read_tombstones
from headrace.stages.base import OrderedStage, Stage
from headrace.stages.forget import Forget
from headrace.stages.tokenize_text import TokenizeStage
from headrace.stages.write import Write


def configured(
    parent: Committed, change: Change, plugins: tuple[Plugin, ...], folder: Path, wanted: Wanted, executor: str | None
) -> tuple[LoadedConfig, Mapping[str, str]]:
    """Give the configuration of a rerun, and the stages that owe the verdicts of before, by their names then and now.

    Where documents of the run were forgotten, a stage `forget` takes them out behind `parse`, and what has their text
    once more in front of the tokens. What repeated them may stay then, so that stages behind the first ordered one owe
    nothing.
    """
    base = Path(parent.plan["places"]["base"])
    old = stage_names(change.before.stages)
    stages = [_with_model(stage, parent, base, wanted) for stage in change.after.stages]
    owing = range(old.index(PARSE) + 1, change.first)
    places = list(range(len(stages)))  # where each stage of the changed chain is in the rerun's
    if _forgotten(parent):
        owing = range(owing.start, next((n for n in owing if isinstance(stages[n], OrderedStage)), owing.stop))
        places = [place + (place > 1) + (place >= _end_of_texts(stages)) for place in places]
        stages = _with_forget(stages, Forget(lists=(str(parent.run.absolute()),)))
    names = stage_names(stages)
    update: dict[str, object] = {"run": str(folder.absolute()), "stages": tuple(stages)}
    if executor:
        update["engine"] = change.after.engine.model_copy(update={"executor": executor})
    packs = _packs(parent, change, {places[n]: n for n in range(len(places))}, stages, base)
    loaded = LoadedConfig(change.after.model_copy(update=update), plugins, base, parent.run / RESOLVED, packs)
    return loaded, {old[n]: names[places[n]] for n in owing}


def _forgotten(parent: Committed) -> bool:
    tombstones = read_tombstones(parent.run)
    return tombstones is not None and bool(tombstones.requests)


def _end_of_texts(stages: Sequence[Stage]) -> int:
    """Give the place behind the last stage that may change a text."""
    return next(n for n, stage in enumerate(stages) if isinstance(stage, (TokenizeStage, Write)))


def _with_forget(stages: Sequence[Stage], forget: Stage) -> list[Stage]:
    end = _end_of_texts(stages)
    return [*stages[:2], forget, *stages[2:end], forget, *stages[end:]]


def _with_model(stage: Stage, parent: Committed, base: Path, wanted: Wanted) -> Stage:
    """Give a tokenize stage the parent's copy of its model, if it is to be kept or the user's is no longer there."""
    model = parent.lines[-1].tokenizer
    if not isinstance(stage, TokenizeStage) or model is None:
        return stage
    kept = str((parent.run / model.name).absolute())
    if stage.train is not None:
        return stage.model_copy(update={"model": kept, "train": None}) if wanted.keep_tokenizer else stage
    was = parent.stage(stage.kind).get("model")
    if stage.model in (None, BUILT_IN) or stage.model != was:
        return stage
    there = base / stage.model
    return stage if there.is_file() and sha256_file(there) == model.sha256 else stage.model_copy(update={"model": kept})


def _packs(
    parent: Committed, change: Change, origins: Mapping[int, int], stages: Sequence[Stage], base: Path
) -> dict[str, bytes]:
    """Give what stages need of files: what there is now, and for stages that owe their verdicts what the parent kept.

    Files that a stage named before, too, may be gone; then it is what the parent kept.
    """
    hashes: Mapping[str, str] = parent.plan["recipe"].get("lists", {})
    kept, old, packs = pack_names(hashes), stage_names(change.before.stages), {}
    for place, (name, stage) in enumerate(zip(stage_names(stages), stages, strict=True)):
        origin = origins.get(place, len(old))
        was = old[origin] if origin < len(old) else ""
        known = was in kept and _name_the_same(change.before.stages[origin], stage)
        if known and (origin < change.first or _are_gone(stage, base)):
            packs[name] = _kept(parent.run / kept[was], hashes[was])
        elif (data := stage.packed(base)) is not None:
            packs[name] = data
    return packs


def _name_the_same(old: Stage, new: Stage) -> bool:
    """Tell whether two stages name the same files: they may differ in numbers and switches alone."""
    return _texts(old.model_dump(mode="json")) == _texts(new.model_dump(mode="json"))


def _texts(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _texts(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_texts(item) for item in value]
    return value if isinstance(value, str) else None


def _are_gone(stage: Stage, base: Path) -> bool:
    try:
        stage.packed(base)
    except ConfigError:
        return True
    return False


def _kept(path: Path, sha256: str) -> bytes:
    remedy = "restore it from a copy"
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FormatError(
            "a list of the run is gone", where=str(path), why=error.strerror or "", remedy=remedy
        ) from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise FormatError("a list of the run was changed", where=str(path), why="its SHA-256 differs", remedy=remedy)
    return data
