"""Earlier runs that a run is compared with: frozen when it begins, and the same ever after, however they grow."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path

from headrace.pipeline.committed import PLAN, PlanJson, index_runs_of, read_plan
from headrace.pipeline.earlier_index import check_maps, documents_of, matching_stage
from headrace.pipeline.load import LoadedConfig
from headrace.pipeline.packs import stage_names
from headrace.schemas.errors import ConfigError, FormatError
from headrace.schemas.index import EarlierRun
from headrace.schemas.manifest import MANIFEST, ManifestLine, iterate_manifest, read_published
from headrace.schemas.tombstones import prefix_sha256
from headrace.schemas.unit import FileRef
from headrace.stages.base import OrderedStage, Stage

_ANEW = "or leave it out (`against`, --against) and start over with --fresh"
_FOLDER = "name the folder of a run (`against`, --against)"


@dataclass(frozen=True, slots=True)
class Earlier:
    """The earlier runs of each stage that compares, and what a person should know of them before it begins."""

    runs: Mapping[str, tuple[EarlierRun, ...]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def places(self) -> dict[str, str]:
        """Where this machine has them, by the names that are typed; no part of a run's identity."""
        return {run.name: str(run.run) for runs in self.runs.values() for run in runs}

    def to_json(self) -> dict[str, object]:
        """Give what of them is part of a run's identity."""
        return {stage: [_to_json(run) for run in runs] for stage, runs in self.runs.items()}


NOTHING_EARLIER = Earlier()


@dataclass(frozen=True, slots=True)
class _Opened:
    """An earlier run as it is now: its plan, the lines that count, and what those name."""

    plan: PlanJson
    sha256: str  # of the lines
    index_runs: tuple[FileRef, ...]
    ended: bool


def earlier_runs(loaded: LoadedConfig, parent: PlanJson | None = None, *, fresh: bool = False) -> Earlier:
    """Give the runs that the stages of a run compare with, as they were when it began, or as they are now.

    A run that has begun goes on with what it began with, and one that takes up a `parent` run with what that one did. A
    finished run needs its earlier ones no more: they may be gone. ConfigError for what is no run, or was made with
    other options; FormatError for what was changed or damaged.
    """
    stages = loaded.config.stages
    if not any(_against(stage) for stage in stages):
        return NOTHING_EARLIER
    own = read_plan(loaded.run_dir) if not fresh and (loaded.run_dir / PLAN).is_file() else {}
    if own and _is_finished(loaded.run_dir) and (stored := _as_frozen(stages, own)):
        return stored
    found = _frozen_all(stages, loaded.base, loaded.run_dir, (own, parent or {}))
    engine = loaded.config.engine
    for stage, runs in found.runs.items():
        check_maps(stage, sum(len(run.files) for run in runs), engine.index, spread=engine.executor == "ray")
    return found


def frozen_in(plan: PlanJson, stage: str) -> tuple[EarlierRun, ...]:
    """Give the runs that one of a plan's stages compares with, unread and without their files: they may be gone."""
    places = plan.get("places", {}).get("earlier", {})
    entries = plan.get("recipe", {}).get("earlier", {}).get(stage, ())
    return tuple(_from_json(entry, Path(places.get(entry["name"], entry["name"]))) for entry in entries)


def _against(stage: Stage) -> tuple[str, ...]:
    return stage.earlier_runs if isinstance(stage, OrderedStage) else ()


def _is_finished(run: Path) -> bool:
    return any(line.end for line in iterate_manifest(run))


def _as_frozen(stages: Sequence[Stage], plan: PlanJson) -> Earlier | None:
    """Give the earlier runs as a plan has them, unread; None if the stages name others."""
    runs = {}
    for name, stage in zip(stage_names(stages), stages, strict=True):
        frozen = frozen_in(plan, name)
        if tuple(run.name for run in frozen) != _against(stage):
            return None
        if frozen:
            runs[name] = frozen
    return Earlier(runs)


def _frozen_all(stages: Sequence[Stage], base: Path, own: Path, begun: Sequence[PlanJson]) -> Earlier:
    """Freeze what the stages name; `begun` are plans that have frozen some of it already, the last one counts."""
    runs: dict[str, tuple[EarlierRun, ...]] = {}
    warnings: list[str] = []
    for name, stage in zip(stage_names(stages), stages, strict=True):
        if not isinstance(stage, OrderedStage) or not stage.earlier_runs:
            continue
        folders = _folders(name, stage.earlier_runs, base, own)
        known = {run.name: run for plan in begun for run in frozen_in(plan, name)}
        found = [_frozen(name, stage, typed, folder, known.get(typed)) for typed, folder in folders.items()]
        runs[name] = tuple(run for run, _ in found)
        warnings += _warnings(name, found)
    return Earlier(runs, tuple(warnings))


def _to_json(run: EarlierRun) -> dict[str, object]:
    """Say what is frozen: the lines name the index files with their hashes, and there may be a hundred thousand."""
    return {
        "name": run.name,
        "stage": run.stage,
        "lines": run.lines,
        "manifest_sha256": run.manifest_sha256,
        "documents": run.documents,
    }


def _from_json(entry: PlanJson, folder: Path) -> EarlierRun:
    name, stage, lines = entry["name"], entry["stage"], entry["lines"]
    return EarlierRun(name, folder, stage, lines, entry["manifest_sha256"], (), entry["documents"])


def _folders(stage: str, against: Sequence[str], base: Path, own: Path) -> dict[str, Path]:
    """Give the folders by the names that are typed; ConfigError for a run that is named twice, or is this one."""
    folders = {name: Path(os.path.abspath(base / name)) for name in against}  # noqa: PTH100  # links stay as typed
    seen = {own.resolve(): "it is the folder of this run"}
    for name in against:
        place = _resolved(folders[name], _where(stage, name))
        if place in seen:
            remedy = "name earlier runs, each once"
            raise ConfigError(
                "a run cannot be compared with", where=_where(stage, name), why=seen[place], remedy=remedy
            )
        seen[place] = f"it is the run that is named as {name} before"
    return folders


def _resolved(folder: Path, where: str) -> Path:
    try:
        return folder.resolve()
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle; a null byte
        why, remedy = str(error), _FOLDER
        raise ConfigError("an earlier run is not there", where=where, why=why, remedy=remedy) from error


def _frozen(
    name: str, stage: OrderedStage, typed: str, folder: Path, known: EarlierRun | None
) -> tuple[EarlierRun, _Opened]:
    """Give an earlier run at what is committed of it now, or at what was when this run began."""
    where = _where(name, typed)
    plan = _plan(folder, where)
    lines = _published(folder, where) if known is None else known.lines
    opened = _prefix(folder, plan, lines, where)
    if known is not None and opened.sha256 != known.manifest_sha256:
        raise FormatError(
            "an earlier run is not what it was when this run began",
            where=where,
            why=f"the first {lines} lines of {folder / MANIFEST} have another SHA-256: it was made anew, or edited",
            remedy=f"restore it from a copy, {_ANEW}",
        )
    theirs = matching_stage(name, stage, plan, where)
    files = index_runs_of(theirs, opened.index_runs)
    counts = tuple(documents_of(folder, ref, where) for ref in files)
    return EarlierRun(typed, folder, theirs, lines, opened.sha256, files, sum(counts), counts), opened


def _plan(folder: Path, where: str) -> PlanJson:
    try:
        return read_plan(folder)
    except ConfigError as error:
        raise ConfigError(
            "an earlier run is not there",
            where=where,
            why=f"{error.where}: {error.why}",
            remedy=f"{_FOLDER}; put one that was moved back, or a symbolic link in its place, {_ANEW}",
        ) from error


def _prefix(folder: Path, plan: PlanJson, lines: int, where: str) -> _Opened:
    """Read the first lines of a manifest, checked one by one."""
    digest, count, ended = hashlib.sha256(), 0, False
    runs: list[FileRef] = []
    for raw in _raw_lines(folder / MANIFEST, min(lines, _published(folder, where))):
        line = _decoded(raw, count, folder, where)
        digest.update(raw)
        runs += line.index_runs
        count, ended = count + 1, line.end
    if count < lines:
        why = f"{lines} lines of {folder / MANIFEST} count, {count} are there: it was made anew, or cut"
        raise FormatError("an earlier run lost what it had", where=where, why=why, remedy=f"restore it, {_ANEW}")
    return _Opened(plan, digest.hexdigest(), tuple(runs), ended)


def _published(folder: Path, where: str) -> int:
    try:
        return read_published(folder)
    except FormatError as error:
        why = f"{folder / error.where}: {error.what}: {error.why}"
        raise FormatError("an earlier run is damaged", where=where, why=why, remedy=error.remedy) from error


def _decoded(raw: bytes, number: int, folder: Path, where: str) -> ManifestLine:
    try:
        return ManifestLine.decode(raw[:-1], number)
    except FormatError as error:
        why = f"{folder / MANIFEST}, line {number + 1}: {error.what}: {error.why}"
        remedy = f"restore it from a copy, {_ANEW}"
        raise FormatError("an earlier run is damaged", where=where, why=why, remedy=remedy) from error


def _raw_lines(manifest: Path, count: int) -> Iterator[bytes]:
    if count and manifest.is_file():
        with manifest.open("rb") as file:
            yield from (raw for raw in islice(file, count) if raw.endswith(b"\n"))


def _where(stage: str, name: str) -> str:
    return f"stage {stage}, against: {name}"


def _warnings(stage: str, found: Sequence[tuple[EarlierRun, _Opened]]) -> Iterator[str]:
    """Say what may surprise: runs that are not finished, and runs that were compared with others that are not named."""
    prefix = cache(prefix_sha256)  # two of the runs may have been compared with the same third one
    places = {run.run.resolve(): run.run for run, _ in found}
    order = list(places)
    for number, (run, opened) in enumerate(found):
        if not opened.ended:
            yield (
                f"{_where(stage, run.name)}: it was not finished when this run began; the {run.documents:,} documents "
                f"of its first {run.lines:,} manifest lines count, later ones do not"
            )
        for theirs in frozen_in(opened.plan, run.stage):
            place = _named(theirs, places, prefix)
            if place is not None and order.index(place) > number:
                older = found[order.index(place)][0].name
                yield (
                    f"{_where(stage, run.name)}: it was itself compared with {older}, which is named behind it: the "
                    "oldest run comes first, for of equally similar documents that of the first is named"
                )
            if place is None:
                yield (
                    f"{_where(stage, run.name)}: it was itself compared with {theirs.name}, which is not named here: "
                    f"documents that repeat only those of {theirs.name} stay; name it, too, if they should not"
                )


def _named(theirs: EarlierRun, places: Mapping[Path, Path], prefix: Callable[[Path, int], str]) -> Path | None:
    """Give the place of a run that one of the list was compared with, if it is in the list, too; it may have moved.

    Each look reads a manifest, so the run in the same place is looked at first: there it nearly always is.
    """
    here = Path(os.path.realpath(theirs.run))
    order = sorted(places, key=lambda place: place != here)
    return next((place for place in order if prefix(places[place], theirs.lines) == theirs.manifest_sha256), None)
