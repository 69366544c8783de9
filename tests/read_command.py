"""What `headrace read` gives: as rows in this process, or from a process of its own with what that cost."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headrace.pipeline.cli_rows import as_json
from headrace.pipeline.read_files import read_rows, stage
from headrace.schemas.source import Source

Row = dict[str, Any]
# VmHWM begins anew with each program; ru_maxrss of a child would begin with its parent's memory.
_CHILD = """
import sys
from headrace.pipeline.cli import main
try:
    main(["read", "--json", *sys.argv[2:]])
finally:
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    open(sys.argv[1], "w").write(peak.split()[1])
"""


def rows_of(path: Path, **options: object) -> list[Row]:
    """Read a file or a folder as `headrace read` does: each row as its JSON line has it."""
    stages = [stage("decode"), stage("parse"), stage("repair")]
    source = Source.model_validate({"name": "read", "paths": ("-",), **options})
    return [as_json(row) for row in read_rows(str(path), source, stages)]


def places(rows: list[Row], kind: str) -> list[tuple[str, int]]:
    """Give reason and offset of the rows of a kind: `error` or `dropped`."""
    return [(row[kind]["reason"], row["offset"]) for row in rows if kind in row]


@dataclass(frozen=True, slots=True)
class Measured:
    """What a process of its own printed, how it ended, and its peak memory in bytes."""

    rows: list[Row]
    exit_code: int
    peak_bytes: int


def measured(path: Path, scratch: Path, *arguments: str) -> Measured:
    """Run `headrace read --json` in a process of its own; `scratch` is a folder for what it prints."""
    output, costs = scratch / "output.jsonl", scratch / "costs"
    with output.open("wb") as file:
        command = [sys.executable, "-c", _CHILD, str(costs), *arguments, str(path)]
        done = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, check=False)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    with output.open("rb") as file:
        rows = [json.loads(line) for line in file]
    return Measured(rows, done.returncode, int(costs.read_text()) << 10)
