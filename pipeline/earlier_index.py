"""Which index of an earlier run a stage can ask: the one that was made with the same options, and its files."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
from pydantic import ValidationError

from headrace.pipeline.committed import PlanJson
from headrace.pipeline.config import IndexConfig
from headrace.schemas.errors import ConfigError, FormatError
from headrace.schemas.unit import FileRef
from headrace.stages.base import OrderedStage
from headrace.stages.deduplication.runs import rows_in

_SHOWN, _ABSENT = 3, ...
_MAPS = Path("/proc/sys/vm/max_map_count")
_SHARE_OF_MAPS = 0.8  # the rest is for libraries, the run's own index files and merged ones


def matching_stage(name: str, stage: OrderedStage, plan: PlanJson, where: str) -> str:
    """Give the stage of an earlier run whose index has the same parameters; of several, the one of this name.

    ConfigError says what differs where none has.
    """
    others = _stages_of_kind(stage.kind, plan)
    if not others:
        why = f"its stages are {', '.join(other['kind'] for other in plan['recipe']['stages'])}"
        remedy = f"name a run whose chain has a stage {stage.kind}"
        raise ConfigError("an earlier run has no index to compare with", where=where, why=why, remedy=remedy)
    differing = {other: _differing(stage, dump, plan["versions"].get(other)) for other, dump in others.items()}
    equal = [other for other, words in differing.items() if not words]
    if equal:
        return name if name in equal else equal[0]
    words = differing.get(name) or next(iter(differing.values()))
    raise ConfigError(
        "an earlier run compared by other options",
        where=where,
        why="; ".join([*words[:_SHOWN], *([f"and {len(words) - _SHOWN} more"] if len(words) > _SHOWN else [])]),
        remedy="give the stage the options of that run, or run that input again with these",
    )


def documents_of(run: Path, ref: FileRef, where: str) -> int:
    """Count the documents in an index file of an earlier run; FormatError names it if it is gone, cut or no index."""
    path, remedy = (
        run / ref.name,
        "restore it from a copy, or leave the run out (`against`, --against) and start over with --fresh",
    )
    try:
        size = path.stat().st_size
        if size != ref.bytes:
            raise FormatError(
                "an index file of an earlier run is damaged",
                where=where,
                why=f"{path} has {size:,} bytes, the manifest says {ref.bytes:,}",
                remedy=remedy,
            )
        return rows_in(path)
    except FileNotFoundError as error:
        what = "an index file of an earlier run is missing"
        raise FormatError(what, where=where, why=str(path), remedy=remedy) from error
    except (OSError, pa.ArrowException) as error:
        what, why = "an index file of an earlier run cannot be read", f"{path}: {error}"
        raise FormatError(what, where=where, why=why, remedy=remedy) from error


def check_maps(stage: str, files: int, index: IndexConfig, *, spread: bool) -> None:
    """Refuse more index files than the processes that ask them may map: it would be found out hours later.

    `spread`: partitions are processes of their own. Where nobody knows a limit there is none.
    """
    try:
        limit = int(_MAPS.read_text())
    except (OSError, ValueError):
        return
    parts, needed = index.partitions if spread else 1, math.ceil(files / (_SHARE_OF_MAPS * limit))
    if needed > parts:
        raise ConfigError(
            "earlier runs have more index files than a process may map",
            where=f"stage {stage}, against",
            why=f"{files:,} files are asked by {parts} process(es), and vm.max_map_count is {limit:,} here",
            remedy=f"set engine.index.partitions to {needed} or more, with the executor ray, or raise vm.max_map_count",
        )


def _stages_of_kind(kind: str, plan: PlanJson) -> dict[str, Mapping[str, object]]:
    """Give the options of a run's stages of one kind, by their names."""
    same = [dump for dump in plan["recipe"]["stages"] if dump["kind"] == kind]
    return {kind if number == 1 else f"{kind}.{number}": dump for number, dump in enumerate(same, 1)}


def _differing(stage: OrderedStage, dump: Mapping[str, object], version: int | None) -> list[str]:
    """Say in what the index of another stage differs; nothing if it can be asked."""
    if version != stage.version:
        return [f"it was made with version {version} of {stage.kind}, and this release has version {stage.version}"]
    try:
        other = type(stage).model_validate(dump)
    except ValidationError:
        return ["it was made by another release, with options that this one does not know"]
    there, here = other.index_parameters, stage.index_parameters
    if _finds_near(there) != _finds_near(here):
        both = "near duplicates", "only exact ones"
        return ["it finds {} there, {} here".format(*(both if _finds_near(there) else reversed(both)))]
    return list(_unlike("", there, here))


def _finds_near(parameters: Mapping[str, object]) -> bool:
    options = parameters.get("stage")
    return isinstance(options, Mapping) and any(options.get(name) is not None for name in ("minhash", "simhash"))


def _written(value: object) -> str:
    """Write a value as a configuration does."""
    if isinstance(value, Mapping):
        return "given"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _unlike(at: str, there: object, here: object) -> Iterator[str]:
    if isinstance(there, Mapping) and isinstance(here, Mapping):
        for key in [*there, *(key for key in here if key not in there)]:
            yield from _unlike(f"{at}.{key}" if at else str(key), there.get(key, _ABSENT), here.get(key, _ABSENT))
    elif there != here:
        both = (f"{_written(value)} {place}" for value, place in ((there, "there"), (here, "here")) if value != _ABSENT)
        yield f"{at.removeprefix('stage.')} is {' and '.join(both)}"
