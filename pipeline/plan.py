"""The plan: the frozen, printable result of configuration and input listing. It decides the bytes of the output."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from headrace.pipeline.committed import PLAN_VERSION, PlanJson
from headrace.pipeline.config import PipelineConfig
from headrace.pipeline.drop_bands.bands import check_names, known_rules
from headrace.pipeline.earlier_runs import NOTHING_EARLIER, Earlier, earlier_runs
from headrace.pipeline.listing import cut_splits, resolve_source
from headrace.pipeline.load import LoadedConfig
from headrace.pipeline.packs import pack_hashes, stage_names
from headrace.pipeline.run_tokenizer import model_path
from headrace.pipeline.two_pass.chain import check_passes
from headrace.schemas.durable import canonical_json, sha256_file
from headrace.schemas.errors import ConfigError
from headrace.schemas.shard import OF_TEXT
from headrace.schemas.source import Split
from headrace.schemas.training import minimum_ahead
from headrace.stages.base import OrderedStage, Stage
from headrace.stages.reading.location import without_options
from headrace.stages.tokenize_text import TokenizeStage
from headrace.stages.write import Write, check_format

READ, DECODE, PARSE = "read", "decode", "parse"
_NOT_OUTPUT = {
    *("run", "engine", "pace", "loader", "trainer", "plugins"),
    *("drop_bands", "on_drop_band", "drop_band_documents"),
}


@dataclass(frozen=True, slots=True)
class Group:
    """Neighbouring stages that run in one call: `map` in any worker, `ordered` and `spool` in one actor, in order."""

    name: str
    kind: Literal["map", "ordered", "spool"]
    stages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Splits in order, the lanes they are dealt onto, the fused groups, and what the run's identity is made of."""

    splits: tuple[Split, ...]
    lanes: tuple[tuple[int, ...], ...]
    groups: tuple[Group, ...]
    names: tuple[str, ...]
    recipe: Mapping[str, Any]  # the part of the configuration that decides the output
    versions: Mapping[str, int]
    places: Mapping[str, object]  # where this machine has it; no part of the identity
    bytes: int
    listing: Sequence[Sequence[object]] | None = None  # of a rerun: the parent's inputs
    unchanged: Mapping[str, str] = field(default_factory=dict)  # of a rerun: stages that owe the parent's verdicts
    earlier: Earlier = NOTHING_EARLIER
    skipped: tuple[str, ...] = ()  # folders of other runs among the input

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should know before the run begins."""
        left_out = (f"{path} is left out of the input: it is the folder of a run" for path in self.skipped)
        return (*self.earlier.warnings, *left_out)

    @property
    def identity(self) -> dict[str, str]:
        """The three hashes that must agree for a run to be resumed."""
        return {
            "config": _hash(self.recipe),
            "stages": _hash(self.versions),
            "input": _hash(self.inputs),
        }

    @property
    def inputs(self) -> list[list[Any]]:
        """The input listing: source, path, bytes, modification time of every file, in plan order."""
        if self.listing is not None:
            return [list(entry) for entry in self.listing]
        seen: dict[tuple[str, str], list[Any]] = {}
        for split in self.splits:
            for f in split.files:
                seen[split.source, f.path] = [split.source, f.path, f.bytes, f.mtime_ns]
        return list(seen.values())

    def to_json(self) -> dict[str, Any]:
        """Give the JSON form that is kept in `plan.json`."""
        return {
            "version": PLAN_VERSION,
            "identity": self.identity,
            "recipe": self.recipe,
            "versions": dict(self.versions),
            "inputs": self.inputs,
            "splits": [_split_json(split) for split in self.splits],
            "lanes": [list(lane) for lane in self.lanes],
            "groups": [asdict(g) for g in self.groups],
            "places": dict(self.places),
        }


def make_plan(loaded: LoadedConfig, *, fresh: bool = False) -> Plan:
    """Check everything that can be checked before any data is touched, and give the plan.

    Earlier runs that the run of this folder has begun with count as they did then, unless it is to be started `fresh`.
    """
    check_chain(loaded.config)
    splits: list[Split] = []
    skipped: list[str] = []
    run = Path(os.path.abspath(loaded.run_dir))  # noqa: PTH100
    for source in loaded.config.sources:
        root, files = resolve_source(source, loaded.base, run, skip=skipped.append)
        unit_bytes = loaded.config.engine.unit_bytes
        splits += cut_splits(source, root, files, unit_bytes=unit_bytes, first_index=len(splits))
    plan = replace(planned(loaded, tuple(splits), recipe(loaded)), skipped=tuple(dict.fromkeys(skipped)))
    return compared(plan, loaded, fresh=fresh)


def compared(plan: Plan, loaded: LoadedConfig, parent: PlanJson | None = None, *, fresh: bool = False) -> Plan:
    """Give a plan with the earlier runs that its stages compare with: part of its identity, their places are not.

    What the run in this folder, or the `parent` whose plan it takes up, has begun with stays as it was then.
    """
    earlier = earlier_runs(loaded, parent, fresh=fresh)
    if not earlier.runs:
        return plan
    recipe, places = {**plan.recipe, "earlier": earlier.to_json()}, {**plan.places, "earlier": earlier.places}
    return replace(plan, recipe=recipe, places=places, earlier=earlier)


def check_chain(config: PipelineConfig) -> None:
    """Raise ConfigError for a chain that could not run, or would run and be wrong."""
    _check_stages(config, stage_names(config.stages))
    _check_pace(config)
    _check_bands(config)


def planned(loaded: LoadedConfig, splits: tuple[Split, ...], recipe: Mapping[str, Any], parent: str = "") -> Plan:
    """Give the plan of splits that are cut already; `parent` is the run that it takes up again, if it does."""
    config = loaded.config
    names = stage_names(config.stages)
    count = config.engine.lanes
    roots = {split.source: split.root for split in splits}
    sizes = {(split.source, f.path): f.bytes for split in splits for f in split.files}
    return Plan(
        splits,
        tuple(tuple(range(lane, len(splits), count)) for lane in range(count)),
        make_groups(names, config.stages),
        names,
        recipe,
        {name: stage.version for name, stage in zip(names, config.stages, strict=True)},
        {"base": str(loaded.base), "roots": roots, **({"parent": parent} if parent else {})},
        sum(sizes.values()),
    )


def _split_json(split: Split) -> list[object]:
    known: list[object] = [split.source, [f.path for f in split.files], split.begin, split.end]
    return known if split.only is None else [*known, sorted(split.only)]


def recipe(loaded: LoadedConfig) -> dict[str, Any]:
    """Give the part of the configuration that decides the output.

    Engine, pace, training and the watch over what rules drop are left out, and so is how a store is reached (endpoint,
    region and the like) and what a stage only counts.
    """
    whole = loaded.config.model_dump(mode="json", exclude=_NOT_OUTPUT)
    engine = loaded.config.engine
    model = model_path(loaded.config.stages, loaded.base)
    return {
        **whole,
        "stages": [stage.deciding() for stage in loaded.config.stages],
        "sources": [{**s, "paths": [without_options(path) for path in s["paths"]]} for s in whole["sources"]],
        "model": sha256_file(model) if model else None,
        "lanes": engine.lanes,
        "unit_bytes": engine.unit_bytes,
        "plugins": {plugin.name: plugin.sha256 for plugin in loaded.plugins},
        **({"lists": pack_hashes(loaded.packs)} if loaded.packs else {}),
    }


def make_groups(names: Sequence[str], stages: Sequence[Stage]) -> tuple[Group, ...]:
    """Fuse neighbouring stateless stages; cut at ordered stages and where a tokenizer must be trained first."""
    groups: list[Group] = []
    fused = [READ]

    def close() -> None:
        if fused:
            groups.append(Group("+".join(fused), "map", tuple(fused)))
            fused.clear()

    for name, stage in zip(names, stages, strict=True):
        if isinstance(stage, OrderedStage):
            if type(stage).prepare is not OrderedStage.prepare:
                fused.append(name)
            close()
            groups.append(Group(name, "ordered", (name,)))
            continue
        if isinstance(stage, TokenizeStage) and stage.train:
            close()
            groups.append(Group("tokenizer", "spool", (name,)))
        fused.append(name)
    close()
    return tuple(groups)


def without_spool(groups: Sequence[Group]) -> tuple[Group, ...]:
    """Give the groups of a run whose tokenizer is there: what lay around the spool is fused."""
    out: list[Group] = []
    for group in groups:
        if group.kind == "spool":
            continue
        if out and out[-1].kind == "map" and group.kind == "map":
            stages = (*out.pop().stages, *group.stages)
            out.append(Group("+".join(stages), "map", stages))
        else:
            out.append(group)
    return tuple(out)


def _check_stages(config: PipelineConfig, names: Sequence[str]) -> None:
    _check_sources(config)
    kinds = [stage.kind for stage in config.stages]
    if kinds[:2] != ["decode", "parse"]:
        why = f"it starts with {', '.join(kinds[:2])}"
        remedy = "begin `stages:` with `- kind: decode` and `- kind: parse`"
        raise ConfigError("the chain cannot turn bytes into documents", where="stages", why=why, remedy=remedy)
    _check_order(names, config.stages)
    check_passes(names, config.stages)
    writers = [name for name, stage in zip(names, config.stages, strict=True) if isinstance(stage, Write)]
    last = config.stages[-1]
    if len(writers) != 1 or not isinstance(last, Write):
        why = f"the chain ends with {names[-1]}" if not writers else f"there are {', '.join(writers)}"
        raise ConfigError(
            "write must be the last stage, and the only one", where="stages", why=why, remedy="move it to the end"
        )
    has_tokens = any(isinstance(stage, TokenizeStage) for stage in config.stages)
    check_format(last, has_tokens=has_tokens)
    if config.trainer and not (has_tokens and config.loader):
        missing = "a `tokenize` stage" if not has_tokens else "a `loader:` section"
        raise ConfigError(
            "the trainer has nothing to read",
            where="trainer",
            why=f"there is no {missing[2:]}",
            remedy=f"add {missing}",
        )


def _check_sources(config: PipelineConfig) -> None:
    doubled = [name for name, n in Counter(source.name for source in config.sources).items() if n > 1]
    if doubled:
        why = f"{doubled[0]!r} is the name of {sum(s.name == doubled[0] for s in config.sources)} sources"
        remedy = "give each a name of its own: doc_ids begin with it"
        raise ConfigError("two sources have one name", where="sources", why=why, remedy=remedy)


_ONCE = ("decode", "parse", "tokenize")
_CHANGE_TEXT = ("repair", "clean", "dedup_lines", "normalize")


def _check_order(names: Sequence[str], stages: Sequence[Stage]) -> None:
    """Refuse what would run and be wrong: bytes decoded twice, text that is changed behind its tokens."""
    kinds = [stage.kind for stage in stages]
    again = [name for name, kind in zip(names, kinds, strict=True) if kind in _ONCE and name != kind]
    if again:
        kind = again[0].partition(".")[0]
        raise ConfigError("a stage is there twice", where="stages", why=f"{kind} runs once", remedy="remove one")
    behind = kinds[kinds.index("tokenize") + 1 :] if "tokenize" in kinds else []
    late = [kind for kind in behind if kind in _CHANGE_TEXT]
    if late:
        why = f"{late[0]} comes after tokenize, whose tokens would not show what it changes"
        raise ConfigError("text is changed too late", where="stages", why=why, remedy=f"put {late[0]} before tokenize")


def _check_bands(config: PipelineConfig) -> None:
    names = stage_names(config.stages)
    check_names(config.drop_bands, names, known_rules(stage.model_dump() for stage in config.stages))


def _check_pace(config: PipelineConfig) -> None:
    last = config.stages[-1]
    if config.loader is None or not isinstance(last, Write) or last.format in OF_TEXT:
        return
    window, batch = config.loader.window_shards, config.loader.global_batch
    fewest = window * -(-last.shard_tokens // last.sequence_length)
    least = minimum_ahead(window, batch, fewest)
    if config.pace.ahead < least:
        why = (
            f"{config.pace.ahead} shards are fewer than K x (1 + ceil((B - 1) / S)) = {least}, with "
            f"K = loader.window_shards = {window}, B = loader.global_batch = {batch}, S = {fewest} sequences in a full "
            "window: trainer and pipeline would wait for each other for ever"
        )
        raise ConfigError(
            "ahead is too small", where="pace.ahead", why=why, remedy=f"set pace.ahead to {least} or more"
        )


def check_writable(folder: Path, remedy: str = "name another folder by `run:` or --run") -> None:
    """Refuse a run folder that cannot be made or written, before anything else is done."""
    try:
        existing = _nearest(folder)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ConfigError("the run folder cannot be made", where=str(folder), why=why, remedy=remedy) from error
    if not existing.is_dir():
        raise ConfigError(
            "the run folder cannot be made", where=str(folder), why=f"{existing} is a file", remedy=remedy
        )
    if not os.access(existing, os.W_OK | os.X_OK):
        raise ConfigError(
            "the run folder cannot be written",
            where=str(folder),
            why=f"no permission in {existing}",
            remedy=remedy,
        )


def _nearest(folder: Path) -> Path:
    """Give the folder itself, or the nearest one above it that exists."""
    if "\0" in str(folder):
        raise ValueError("a name cannot hold a null byte")
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def _hash(value: Any) -> str:
    return hashlib.sha256(canonical_json(value)).hexdigest()
