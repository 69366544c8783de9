"""What of a run is committed, for those who only look: manifest lines, ledgers, documents files and rows of shards."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headrace.schemas.errors import ConfigError, FormatError
from headrace.schemas.ledger import UnitLedger
from headrace.schemas.manifest import ManifestLine, read_manifest
from headrace.schemas.unit import FileRef

PLAN = "plan.json"


@dataclass(frozen=True, slots=True)
class Committed:
    """A run folder, its plan and its published manifest lines."""

    run: Path
    plan: dict[str, Any]
    lines: tuple[ManifestLine, ...]

    @property
    def ended(self) -> bool:
        """The `end` line is there: nothing will be added."""
        return bool(self.lines) and self.lines[-1].end

    @property
    def units(self) -> int:
        """Committed units."""
        return self.lines[-1].last + 1 if self.lines else 0

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


def read_plan(run: Path) -> dict[str, Any]:
    """Read `plan.json`; ConfigError if there is none."""
    try:
        plan: dict[str, Any] = json.loads((run / PLAN).read_bytes())
    except FileNotFoundError as error:
        why = f"it holds no {PLAN}" if run.is_dir() else "no such folder"
        remedy = "name the folder that `run:` of the configuration gives"
        raise ConfigError("not a run folder", where=str(run), why=why, remedy=remedy) from error
    except ValueError as error:
        raise FormatError(
            "not a plan", where=str(run / PLAN), why=str(error), remedy="start again with --fresh"
        ) from error
    return plan


def unit_of(ref: FileRef) -> int:
    """Give the unit that a documents, ledger or quarantine file is about: its name begins with the number."""
    return int(Path(ref.name).name.partition("-")[0])


def read_ledger(run: Path, ref: FileRef) -> UnitLedger:
    """Read one ledger file."""
    try:
        return UnitLedger.from_json(json.loads((run / ref.name).read_bytes()))
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError("not a ledger", where=ref.name, why=str(error), remedy="run `headrace verify`") from error


def read_columns(path: Path, names: Sequence[str]) -> pa.Table:
    """Read some columns of a documents file; those that this unit does not have are left out."""
    with pq.ParquetFile(path) as file:
        present = set(file.schema_arrow.names)
        return file.read([name for name in names if name in present])


def where(table: pa.Table, name: str, value: str) -> pa.Table:
    """Give the rows in which a text column holds a value."""
    return table.filter(pc.equal(table[name], pa.scalar(value, pa.string())))
