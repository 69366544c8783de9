"""What of a run is committed, for those who only look: manifest lines, ledgers, documents files and rows of shards."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headrace.schemas.arrays import Column
from headrace.schemas.durable import canonical_json
from headrace.schemas.errors import ConfigError, FormatError
from headrace.schemas.index import runs_of
from headrace.schemas.ledger import UnitLedger
from headrace.schemas.manifest import ManifestLine, read_manifest
from headrace.schemas.unit import FileRef

PLAN, PLAN_VERSION = "plan.json", 1
FOLDERS = ("shards", "documents", "quarantine", "ledger", "index", "tokenizer", "lists", "spool", "pace", "trainer")
PlanJson = dict[str, Any]  # as it is read from there
_RESTORE = "restore the file from a copy, or start again with --fresh"


@dataclass(frozen=True, slots=True)
class Committed:
    """A run folder, its plan and its published manifest lines."""

    run: Path
    plan: PlanJson
    lines: tuple[ManifestLine, ...]

    @property
    def ended(self) -> bool:
        """The `end` line is there: nothing will be added."""
        return bool(self.lines) and self.lines[-1].end

    @property
    def units(self) -> int:
        """Committed units."""
        return self.lines[-1].last + 1 if self.lines else 0

    @property
    def parent(self) -> str | None:
        """The folder of the run that this one takes up again, if it does."""
        parent: str | None = self.plan.get("places", {}).get("parent")
        return parent

    def ledgers(self) -> Iterator[UnitLedger]:
        """Read the ledgers, unit after unit."""
        for line in self.lines:
            for ref in line.ledgers:
                yield read_ledger(self.run, ref)

    def documents(self) -> Iterator[tuple[int, Path]]:
        """Give the unit and the file of every documents file."""
        for line in self.lines:
            for ref in line.documents:
                yield unit_of(ref), self.run / ref.name

    def line_of(self, unit: int) -> ManifestLine:
        """Give the line that covers a committed unit."""
        return next(line for line in self.lines if line.first <= unit <= line.last)

    def stage(self, kind: str) -> dict[str, Any]:
        """Give the options of the first stage of a kind; empty if the chain has none."""
        return next((stage for stage in self.plan["recipe"]["stages"] if stage["kind"] == kind), {})


def open_committed(run: Path) -> Committed:
    """Open a run folder for reading; ConfigError if it is none."""
    return Committed(run, read_plan(run), tuple(read_manifest(run)))


def plan_bytes(plan: Mapping[str, Any]) -> bytes:
    """Give the content of `plan.json`: the plan's JSON form and its checksum."""
    return canonical_json({**plan, "sum": hashlib.sha256(canonical_json(plan)).hexdigest()}) + b"\n"


def read_plan(run: Path) -> PlanJson:
    """Read `plan.json`; ConfigError if the folder is no run, FormatError if the plan was altered."""
    try:
        plan = json.loads((run / PLAN).read_bytes())
    except (FileNotFoundError, NotADirectoryError) as error:
        why = f"it holds no {PLAN}" if run.is_dir() else "it is a file" if run.exists() else "no such folder"
        raise _no_run(run, why) from error
    except OSError as error:
        raise _no_run(run, f"{PLAN}: {error.strerror}") from error
    except ValueError as error:
        raise FormatError("not a plan", where=str(run / PLAN), why=str(error), remedy=_RESTORE) from error
    return _checked(plan, run)


def _checked(plan: Any, run: Path) -> PlanJson:
    if not isinstance(plan, dict) or not {"identity", "recipe"} <= plan.keys():
        raise _no_run(run, f"its {PLAN} is not one of Headrace")
    if plan.get("version") != PLAN_VERSION:
        why, remedy = f"version {plan.get('version')!r}", "use that release, or start again with --fresh"
        raise FormatError("the plan is of another release", where=str(run / PLAN), why=why, remedy=remedy)
    claimed = plan.pop("sum", None)
    if hashlib.sha256(canonical_json(plan)).hexdigest() != claimed:
        why = "its checksum differs"
        raise FormatError("the plan was altered", where=str(run / PLAN), why=why, remedy=_RESTORE)
    return plan


def _no_run(run: Path, why: str) -> ConfigError:
    remedy = "name the folder that `run:` of the configuration gives"
    return ConfigError("not a run folder", where=str(run), why=why, remedy=remedy)


def check_present(run: Path, lines: Iterable[ManifestLine]) -> None:
    """Raise FormatError if a committed file is gone or has another size; contents are what `verify` is for."""
    lost = [ref.name for line in lines for ref in line.files if not _is_there(run / ref.name, ref.bytes)]
    if lost:
        more = f", and {len(lost) - 1} more files" if len(lost) > 1 else ""
        why = f"the manifest names it{more}"
        remedy = "restore from a copy (`headrace verify` names every file), or start again with --fresh"
        raise FormatError("a committed file is gone or cut", where=str(run / lost[0]), why=why, remedy=remedy)


def _is_there(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False


def index_runs_of(stage: str, refs: Iterable[FileRef]) -> tuple[FileRef, ...]:
    """Give those of a run's index files that one of its stages wrote: their names begin with the stage's."""
    name = re.compile(rf"index/{re.escape(stage)}(?:\.[a-z]\w*)?-\d+-\d+-[0-9a-f]+\.\w+")
    return tuple(ref for ref in refs if name.fullmatch(ref.name))


def unit_of(ref: FileRef) -> int:
    """Give the unit that a documents, ledger or quarantine file is about: its name begins with the number."""
    return int(Path(ref.name).name.partition("-")[0])


def read_ledger(run: Path, ref: FileRef) -> UnitLedger:
    """Read one ledger file."""
    try:
        return UnitLedger.from_json(json.loads((run / ref.name).read_bytes()))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FormatError("not a ledger", where=ref.name, why=str(error), remedy="run `headrace verify`") from error


def read_columns(path: Path, names: Sequence[str]) -> pa.Table:
    """Read some columns of a documents file; those that this unit does not have are left out."""
    with reading(path), pq.ParquetFile(path) as file:
        present = set(file.schema_arrow.names)
        return file.read([name for name in names if name in present])


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Say which file it is that cannot be read."""
    try:
        yield
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        why = " ".join(str(error).split()).rstrip(".")
        raise FormatError(
            "the file cannot be read", where=str(path), why=why, remedy="run `headrace verify`"
        ) from error


def survivors_here(table: pa.Table) -> Column:
    """Give the survivors of a documents file that are documents of the run itself; null where an earlier run has one.

    The two may have the same doc_id: weeks of a crawl often give their files the same names.
    """
    here = pc.is_null(runs_of(table["detail"]))
    own: Column = pc.if_else(here, table["survivor"], pa.scalar(None, pa.string()))
    return own


def where(table: pa.Table, name: str, value: str) -> pa.Table:
    """Give the rows in which a text column holds a value."""
    return table.filter(pc.equal(table[name], pa.scalar(value, pa.string())))
