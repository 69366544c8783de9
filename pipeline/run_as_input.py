"""Runs among the input: of what a run has written only its shards are texts to read, and tokens are not even that."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from headrace.pipeline.committed import FOLDERS, PLAN, PlanJson, read_plan
from headrace.schemas.errors import ConfigError, FormatError
from headrace.schemas.manifest import FIRST_PASS, MANIFEST, PUBLISHED
from headrace.schemas.shard import OF_TEXT

_BESIDE_PLAN = (MANIFEST, PUBLISHED)  # a folder with a plan and one of these is a run
_SHARDS = FOLDERS[0]
_PARTS = {*FOLDERS, FIRST_PASS}


def looks_like_run(names: Collection[str]) -> bool:
    """Say whether a folder that holds these names is one of a run."""
    return PLAN in names and any(name in names for name in _BESIDE_PLAN)


def check_no_run(folder: Path, source: str, *, parts: bool = True) -> None:
    """Raise ConfigError if a folder that a source names is a run, or a part of one (`parts`) that is no text it kept.

    A person's own folder in that of a run is input like any other.
    """
    place = folder.resolve()
    run = _run_around(place)
    inside = run and place.relative_to(run).parts[:1]
    if run is None or (inside and not (parts and inside[0] in _PARTS)):
        return
    try:
        plan = read_plan(run)
    except FormatError:  # a run all the same
        plan = {}
    except ConfigError:  # somebody else's `plan.json`
        return
    texts = _holds_texts(plan)
    if inside == (_SHARDS,) and texts:
        return
    what = "an input is a part of a run" if inside else "an input is the folder of a run"
    raise ConfigError(what, where=f"source {source}", why=_why(folder, texts), remedy=_remedy(run, texts))


def _why(folder: Path, texts: bool) -> str:  # noqa: FBT001
    if not texts:
        return f"{folder} holds no texts that were kept: that run has written token ids"
    return f"{folder} holds dropped texts and other records, not only what was kept"


def _remedy(run: Path, texts: bool) -> str:  # noqa: FBT001
    if texts:
        return f"name {run / _SHARDS}, where the kept texts are"
    return "name what that run has read, or a run that ends in `write` with `format: parquet`"


def _run_around(place: Path) -> Path | None:
    """Give the nearest run that a folder is or lies in; a first pass is a part of its run."""
    run = next((path for path in (place, *place.parents) if _is_run(path)), None)
    return run.parent if run and run.name == FIRST_PASS and _is_run(run.parent) else run


def _is_run(folder: Path) -> bool:
    return looks_like_run([name for name in (PLAN, *_BESIDE_PLAN) if (folder / name).is_file()])


def _holds_texts(plan: PlanJson) -> bool:
    """Say whether the shards of a run are texts; where its plan cannot be read they are taken for that."""
    stages = plan.get("recipe", {}).get("stages", [])
    formats = [stage["format"] for stage in stages if stage["kind"] == "write"]
    return not formats or formats[-1] in OF_TEXT
