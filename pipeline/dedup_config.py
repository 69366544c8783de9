"""The configuration of `headrace dedup`: read, parse, drop repetitions, write; nothing else changes the texts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from headrace.pipeline.config import PipelineConfig
from headrace.pipeline.config_errors import describe
from headrace.pipeline.listing import literal_folder
from headrace.pipeline.load import LoadedConfig
from headrace.pipeline.plan import check_writable
from headrace.pipeline.plugins import load_builtins
from headrace.pipeline.run_as_input import check_no_run
from headrace.pipeline.run_folder import RESOLVED
from headrace.schemas.errors import ConfigError
from headrace.stages.reading.file_names import typed
from headrace.stages.reading.location import is_uri, local_path

SIMHASH = "simhash"
INPUT = "input"  # the source of what is on disks


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person asks of `headrace dedup`; None: as the stage has it. Paths begin at the current folder."""

    inputs: tuple[str, ...]
    out: Path
    threshold: float | None = None
    scheme: str | None = None
    exact_only: bool = False
    keep: str | None = None
    compare: bool = False
    against: tuple[str, ...] = ()
    source: Mapping[str, object] | None = None  # of every source
    engine: Mapping[str, object] | None = None
    format: str = "parquet"


def dedup_config(wanted: Wanted) -> LoadedConfig:
    """Give the configuration of a run that only removes repetitions; ConfigError for what does not go together.

    The order of the inputs makes no difference: sources go by their names, and their paths by their bytes. The run
    keeps it as `config.resolved.yaml` and can be run from there: inputs have absolute paths, and earlier runs are named
    from the folder of this one, so that all runs may be moved together, and verdicts tell of no machine.
    """
    load_builtins()
    out = Path(os.path.abspath(wanted.out))  # noqa: PTH100  # links stay as typed
    check_writable(out, "name another folder by --out")
    _check_apart(wanted.inputs, wanted.out)
    value: dict[str, object] = {
        "run": str(out),
        "sources": list(_sources(wanted.inputs, wanted.source or {})),
        "stages": list(_stages(wanted, out)),
        "on_drop_band": "ignore",  # how much repeats is what one wants to know, not what one expects
        "engine": dict(wanted.engine or {}),
    }
    try:
        config = PipelineConfig.model_validate(value)
    except ValidationError as error:
        faults = [describe(e, value) for e in error.errors(include_url=False)]
        raise ConfigError("\n".join(dict.fromkeys(faults)), remedy="see `headrace dedup --help`") from error
    return LoadedConfig(config, (), out, out / RESOLVED)


def _check_apart(inputs: Sequence[str], out: Path) -> None:
    """Refuse a result in the very folder that is read, or around it; in a folder below it, it is no input."""
    for name in inputs:
        if not name or is_uri(name):
            continue
        if Path(local_path(name)).resolve() == out.resolve() and out.is_dir():
            check_no_run(out, INPUT)
            why, remedy = f"{name} is INPUT, too", f"name another folder, which may lie below it: {out / 'clean'}"
            raise ConfigError("the result would lie among its input", where=f"--out {out}", why=why, remedy=remedy)
        if _lies_in(literal_folder(typed(_absolute(name))), out):
            why = f"{name} lies in it, and what lies in the folder of the result is no input"
            remedy = "name another folder by --out, beside that of INPUT or below it"
            raise ConfigError("the result would lie around its input", where=f"--out {out}", why=why, remedy=remedy)


def _lies_in(folder: Path, out: Path) -> bool:
    """Say whether a folder is another one or lies in it, as it is written or behind links."""
    return folder.is_relative_to(_absolute(str(out))) or folder.resolve().is_relative_to(out.resolve())


def _absolute(name: str) -> str:
    return os.path.abspath(local_path(name))  # noqa: PTH100  # links stay as typed


def _sources(inputs: Sequence[str], options: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Give a source for what is on disks, and one for each store, by name: not in the order of the inputs."""
    paths: dict[str, set[str]] = {}
    for name in inputs:
        if is_uri(name):
            scheme, _, rest = name.partition("://")
            paths.setdefault(_source_name(f"{scheme}-{rest.partition('/')[0]}"), set()).add(name)
        else:
            paths.setdefault(INPUT, set()).add(_absolute(name) if name else name)
    for source in sorted(paths):
        yield {"name": source, "paths": sorted(paths[source], key=os.fsencode), **options}


def _source_name(store: str) -> str:
    return "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-" for letter in store)


def _stages(wanted: Wanted, out: Path) -> Iterator[dict[str, object]]:
    yield {"kind": "decode"}
    yield {"kind": "parse"}
    if wanted.keep == "best" or wanted.compare:
        yield {"kind": "grade"}  # all grades go on
    keep = {**({"keep": wanted.keep} if wanted.keep else {}), **({"compare": True} if wanted.compare else {})}
    earlier = [os.path.relpath(run, out) for run in wanted.against]
    yield {"kind": "dedup", **_finding(wanted), **keep, **({"against": earlier} if earlier else {})}
    yield {"kind": "write", "format": wanted.format}


def _finding(wanted: Wanted) -> dict[str, object]:
    if wanted.exact_only:
        if wanted.threshold is not None or wanted.scheme is not None:
            why = "--exact-only finds no near duplicates, which --threshold and --scheme are about"
            raise ConfigError("the options do not go together", why=why, remedy="leave out one of them")
        return {"minhash": None}
    if wanted.scheme == SIMHASH:
        if wanted.threshold is not None:
            why = "simhash compares by differing bits, not by a threshold"
            remedy = "leave out --threshold; `simhash.bits` is an option of the stage dedup in a configuration"
            raise ConfigError("--threshold and --scheme simhash do not go together", why=why, remedy=remedy)
        return {"simhash": {}}
    minhash: dict[str, object] = {} if wanted.scheme is None else {"scheme": wanted.scheme}
    if wanted.threshold is not None:
        minhash["threshold"] = wanted.threshold
    return {"minhash": minhash} if minhash else {}
