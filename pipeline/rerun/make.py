"""Run a finished run again from what `parse` gave, with some options changed: the input is not read.

Each unit of the parent is a split of its own, so that the rerun has the parent's units in the parent's order, whatever
the number of lanes. The parent is read and never written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from headrace.pipeline.committed import Committed, open_committed, read_ledger, unit_of
from headrace.pipeline.load import LoadedConfig
from headrace.pipeline.packs import stage_names
from headrace.pipeline.plan import Plan, check_chain, compared, make_groups, recipe
from headrace.pipeline.plugins import Plugin, load_builtins, read_plugin
from headrace.pipeline.rerun.chain import configured
from headrace.pipeline.rerun.settings import Wanted, changed
from headrace.pipeline.run_folder import RESOLVED, check_apart
from headrace.pipeline.yaml_lines import read_yaml
from headrace.schemas.durable import sha256_file
from headrace.schemas.errors import ConfigError
from headrace.schemas.manifest import MANIFEST
from headrace.schemas.source import InputFile, Split

_NOT_OUTPUT = ("drop_band", "on_drop_band", "engine.", "pace", "loader", "trainer")
_LANES = 64  # of one unit each at a time: more than any window admits
_FULL = "full"
_FIRST_VERSION = 2  # of the stage `write`: earlier ones did not store what `parse` gave


@dataclass(frozen=True, slots=True)
class Rerun:
    """A run that is ready to be started: its configuration, its plan, and the first stage that may judge otherwise."""

    loaded: LoadedConfig
    plan: Plan
    first: str


def make_rerun(
    run: Path, wanted: Wanted, folder: Path | None = None, executor: str | None = None, *, fresh: bool = False
) -> Rerun:
    """Check everything and give the rerun of a run; ConfigError before anything is touched.

    `folder` is by default RUN-rerun-STAGE, beside RUN, with the first stage that may judge otherwise.
    """
    load_builtins()
    parent = _whole(run)
    plugins = tuple(_plugins(parent))
    change = changed(parent, wanted, plugins)
    first = change.names[change.first]
    folder = folder or run.absolute().with_name(f"{run.absolute().name}-rerun-{first}")
    check_apart(folder, run)
    loaded, unchanged = configured(parent, change, plugins, folder, wanted, executor)
    check_chain(loaded.config)
    plan = _planned(parent, loaded, unchanged, _origin(parent, wanted, first))
    return Rerun(loaded, compared(plan, loaded, parent.plan, fresh=fresh), first)


def _whole(run: Path) -> Committed:
    parent = open_committed(run)
    if not parent.ended:
        why = f"units from {parent.units} on are not committed"
        raise ConfigError("the run is not finished", where=str(run), why=why, remedy="finish it first: `headrace run`")
    record, version = parent.stage("write").get("record"), parent.plan["versions"].get("write", 0)
    if record != _FULL or version < _FIRST_VERSION:
        why = f"it has `record: {record}`" if record != _FULL else "an older release wrote it"
        remedy = (
            "run the pipeline again with `record: full` in its stage write; limits on stored values can be tried "
            "without that: `headrace what-if`"
        )
        raise ConfigError("the run did not keep what it read", where=str(run), why=why, remedy=remedy)
    return parent


def _plugins(parent: Committed) -> Iterator[Plugin]:
    names = read_yaml(parent.run / RESOLVED).value.get("plugins", ())
    return (read_plugin(Path(parent.plan["places"]["base"]) / name) for name in names)


def _origin(parent: Committed, wanted: Wanted, first: str) -> dict[str, object]:
    """Give what makes this rerun another than others: the run, byte for byte, and what was asked for."""
    return {
        "of": parent.plan["identity"],
        "manifest": sha256_file(parent.run / MANIFEST),
        "first": first,
        "settings": [text for text in wanted.settings if not text.startswith(_NOT_OUTPUT)],
        "keep_tokenizer": wanted.keep_tokenizer,
    }


def _planned(
    parent: Committed, loaded: LoadedConfig, unchanged: Mapping[str, str], origin: Mapping[str, object]
) -> Plan:
    stages = loaded.config.stages
    names = stage_names(stages)
    splits = tuple(_splits(parent))
    places = {**parent.plan["places"], "base": str(loaded.base), "parent": str(parent.run.absolute())}
    return Plan(
        splits,
        tuple(tuple(range(lane, len(splits), _LANES)) for lane in range(min(_LANES, len(splits)))),
        make_groups(names[2:], stages[2:]),
        names,
        {**recipe(loaded), "rerun": dict(origin)},
        {name: stage.version for name, stage in zip(names, stages, strict=True)},
        places,
        sum(f.bytes for split in splits for f in split.files),
        listing=tuple(parent.plan["inputs"]),
        unchanged=unchanged,
    )


def _splits(parent: Committed) -> Iterator[Split]:
    """Give a split for each unit; its source is that of its files."""
    root = str(parent.run.absolute())
    for line in parent.lines:
        quarantine = {unit_of(ref): ref for ref in line.quarantine}
        for ledger, documents in zip(line.ledgers, line.documents, strict=True):
            unit = unit_of(ledger)
            refs = [ledger, documents, *([quarantine[unit]] if unit in quarantine else [])]
            source = read_ledger(parent.run, ledger).files[0].path.partition(":")[0]
            files = tuple(InputFile(ref.name, ref.bytes, 0) for ref in refs)
            yield Split(unit, source, root, files, hashes=tuple(ref.sha256 for ref in refs))
