"""Take records of a finished run up again, by a charset that a person names, as a new run beside it.

The plan of a replay is the parent's, made small: the same files, cut in the same way, but of each split only the
records that are chosen (`Split.only`). The parent is read and never written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import yaml
from pydantic import ValidationError

from headrace.pipeline.charset_names import check_charset, forced
from headrace.pipeline.committed import Committed, open_committed
from headrace.pipeline.config import PipelineConfig
from headrace.pipeline.listing import cut_splits
from headrace.pipeline.load import LoadedConfig
from headrace.pipeline.packs import pack_hashes, pack_stages
from headrace.pipeline.plan import Plan, compared, planned, recipe
from headrace.pipeline.plugins import Plugin, load_builtins, read_plugin
from headrace.pipeline.replay_choice import NAMED, Chosen, Wanted, chosen_records
from headrace.pipeline.run_folder import RESOLVED, check_apart
from headrace.schemas.errors import ConfigError
from headrace.schemas.source import InputFile, Source, Split
from headrace.stages.base import Stage
from headrace.stages.reading.storage import InputChangedError, check_unchanged
from headrace.stages.tokenize_text import TokenizeStage


@dataclass(frozen=True, slots=True)
class Replay:
    """A run that is ready to be started: its configuration, its plan, and how many records of how many files it has."""

    loaded: LoadedConfig
    plan: Plan
    records: int
    files: int


def make_replay(run: Path, wanted: Wanted, folder: Path | None = None, executor: str | None = None) -> Replay:
    """Check everything and give the replay of a run; ConfigError before anything is touched.

    `folder` is by default RUN-replay-CHARSET, beside RUN.
    """
    wanted.check()
    check_charset(wanted.encoding)
    parent = _finished(run)
    folder = folder or run.absolute().with_name(f"{run.absolute().name}-replay-{wanted.encoding.lower()}")
    check_apart(folder, run)
    loaded = _configured(parent, wanted, folder, executor)
    chosen = chosen_records(parent, wanted)
    splits = tuple(_splits(parent, loaded.config, chosen))
    doc_ids = sorted(doc_id for ids in chosen.values() for doc_id in ids)
    digest = hashlib.sha256("\n".join(doc_ids).encode()).hexdigest()
    origin = {**_asked(wanted), "records": len(doc_ids), "sha256": digest, "of": parent.plan["identity"]}
    plan = planned(loaded, splits, {**recipe(loaded), "replay": origin}, parent=str(run.absolute()))
    return Replay(loaded, compared(plan, loaded, parent.plan), len(doc_ids), len(chosen))


def _asked(wanted: Wanted) -> dict[str, object]:
    """Give what was asked for; a run that does not take up what was kept is called what it always was."""
    return {name: value for name, value in asdict(wanted).items() if name != "kept" or value}


def _finished(run: Path) -> Committed:
    parent = open_committed(run)
    if not parent.ended:
        why = f"units from {parent.units} on are not committed"
        raise ConfigError("the run is not finished", where=str(run), why=why, remedy="finish it first: `headrace run`")
    if "places" not in parent.plan:
        why = "its plan does not say where its input is: it was made by an older release"
        raise ConfigError("the run cannot be replayed", where=str(run), why=why, remedy="run the pipeline again")
    return parent


def _configured(parent: Committed, wanted: Wanted, folder: Path, executor: str | None) -> LoadedConfig:
    """Give the parent's configuration with the charset forced, its tokenizer as it is, no limit and no trainer."""
    load_builtins()
    path, base = parent.run / RESOLVED, Path(parent.plan["places"]["base"])
    try:
        value = yaml.safe_load(path.read_bytes())
        plugins = tuple(unchanged_plugin(base / name, parent) for name in value["plugins"])
        config = PipelineConfig.model_validate(value)
    except (OSError, yaml.YAMLError, TypeError, KeyError, ValidationError) as error:
        why = " ".join(str(error).split())
        raise ConfigError("the run's configuration cannot be read", where=str(path), why=why) from error
    stages = tuple(_replayed(stage, parent, wanted) for stage in config.stages)
    changed: dict[str, object] = {"run": str(folder.absolute()), "stages": stages, "limit": None, "trainer": None}
    if executor:
        changed["engine"] = config.engine.model_copy(update={"executor": executor})
    packs = pack_stages(config.stages, base)
    if pack_hashes(packs) != parent.plan["recipe"].get("lists", {}):
        why = "they are not those that the run was made with"
        raise ConfigError("lists were changed", where=str(base), why=why, remedy="restore them, or run all again")
    return LoadedConfig(config.model_copy(update=changed), plugins, base, path, packs)


def unchanged_plugin(path: Path, parent: Committed) -> Plugin:
    """Read a plug-in of a run; ConfigError if it is not the one that the run was made with."""
    plugin = read_plugin(path)
    if plugin.sha256 != parent.plan["recipe"]["plugins"].get(plugin.name):
        why = "it is not the one that the run was made with"
        raise ConfigError("a plug-in was changed", where=str(path), why=why, remedy="restore it, or run all again")
    return plugin


def _replayed(stage: Stage, parent: Committed, wanted: Wanted) -> Stage:
    if stage.kind == "decode":
        return forced(stage, wanted.encoding)
    trained = parent.lines[-1].tokenizer
    if isinstance(stage, TokenizeStage) and trained is not None:  # the same ids, also where the parent trained them
        return stage.model_copy(update={"model": str((parent.run / trained.name).absolute()), "train": None})
    return stage


def _splits(parent: Committed, config: PipelineConfig, chosen: Chosen) -> Iterator[Split]:
    """Cut the files as the parent's plan did, and keep the splits that hold something."""
    index = 0
    for source in config.sources:
        files = [
            InputFile(path, *state)
            for name, path, *state in parent.plan["inputs"]
            if (name, path) in chosen and name == source.name
        ]
        root = parent.plan["places"]["roots"].get(source.name, "")
        _check_inputs(source, root, files)
        for split in cut_splits(source, root, files, unit_bytes=config.engine.unit_bytes, first_index=0):
            only = frozenset(d for f in split.files for d in chosen[source.name, f.path] if _begins_in(split, d))
            if only:
                yield replace(split, index=index, only=only)
                index += 1


def _begins_in(split: Split, doc_id: str) -> bool:
    offset = int(doc_id.rpartition("#")[2])
    return split.begin <= offset and (split.end is None or offset < split.end)


def _check_inputs(source: Source, root: str, files: list[InputFile]) -> None:
    """Refuse files that changed since: at the chosen places there may be something else now."""
    changed = []
    for f in files:
        try:
            check_unchanged(root, f)
        except InputChangedError as error:
            changed.append(f"{f.path} ({error.why})")
    if changed:
        more = f" and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
        raise ConfigError(
            "an input changed since the run",
            where=f"source {source.name}",
            why=f"{', '.join(changed[:NAMED])}{more}",
            remedy="restore it, leave it out with --path, or run the pipeline on it again",
        )
