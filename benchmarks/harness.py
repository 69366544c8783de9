"""What every benchmark shares: its arguments, its table, its one line of JSON, and what it ran on."""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

import click
import psutil
from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).parent / "results"
_PACKAGES = ("headrace", "ray", "pyarrow", "numpy", "numba", "sentencepiece")

Scale = Literal["full", "quick", "tiny"]


@dataclass(frozen=True, slots=True)
class Target:
    """What a figure must reach (floor) and should reach (goal); which of the two is larger says which way is better."""

    floor: float
    goal: float

    def verdict(self, figure: float) -> str:
        """Say how a figure stands to both.

        >>> Target(40, 20).verdict(30), Target(20, 50).verdict(60), Target(40, 20).verdict(41)
        ('floor met', 'goal met', 'MISSED')
        """
        sign = 1 if self.goal >= self.floor else -1
        if sign * figure >= sign * self.goal:
            return "goal met"
        return "floor met" if sign * figure >= sign * self.floor else "MISSED"


@dataclass(frozen=True, slots=True)
class Measured:
    """What a benchmark found: figures by key, what they were measured on, and what a reader should know besides."""

    figures: Mapping[str, float]
    input: Mapping[str, Any]
    notes: Sequence[str] = ()
    versions: Mapping[str, str] = field(default_factory=dict)  # of peers


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A claim with its targets. `measure` gets the scale and the seed."""

    name: str
    claim: str
    targets: Mapping[str, Target]
    measure: Callable[[Scale, int], Measured]

    @property
    def command(self) -> click.Command:
        """The command line."""
        command = click.command(help=self.claim)(self._run)
        for option in (
            click.option("--seed", default=1, show_default=True, help="Which new documents are made."),
            click.option("--json", "as_json", is_flag=True, help="Print the JSON line alone."),
            click.option("--quick", "scale", flag_value="quick", help="Less input, in under 50 seconds."),
            click.option("--tiny", "scale", flag_value="tiny", hidden=True, help="As good as no input: for tests."),
        ):
            command = option(command)
        return command

    def _run(self, *, scale: Scale | None, as_json: bool, seed: int) -> None:
        scale = scale or "full"
        measured = self.measure(scale, seed)
        result = {
            "name": self.name,
            "figures": {key: rounded(value) for key, value in measured.figures.items()},
            "versions": {**versions(), **measured.versions},
            "machine": machine(),
            "input": {"scale": scale, "seed": seed, **measured.input},
        }
        if not as_json:
            self._print(measured)
        if scale == "full":
            RESULTS.mkdir(exist_ok=True)
            text = json.dumps({**result, "notes": list(measured.notes)}, indent=1, ensure_ascii=False) + "\n"
            (RESULTS / f"{self.name}.json").write_text(text, encoding="utf-8")
        click.echo(json.dumps(result, ensure_ascii=False))

    def _print(self, measured: Measured) -> None:
        table = Table(title=self.claim, title_justify="left")
        for heading in ("figure", "measured", "floor", "goal", ""):
            table.add_column(heading, justify="left" if heading in ("figure", "") else "right")
        for key, value in measured.figures.items():
            target = self.targets.get(key)
            bounds = (f"{target.floor:g}", f"{target.goal:g}", target.verdict(value)) if target else ("", "", "")
            table.add_row(key, f"{rounded(value):g}", *bounds)
        console = Console()
        console.print(table)
        for note in measured.notes:
            console.print(note, markup=False, highlight=False)


def rounded(value: float) -> float:
    """Keep four significant digits: more would claim what no benchmark knows."""
    return float(f"{value:.4g}")


def versions() -> dict[str, str]:
    """Give the versions of what the figures depend on."""
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in _PACKAGES}}


def machine() -> dict[str, Any]:
    """Say what this ran on, and how busy it was: figures of a loaded machine mean little."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "system": f"{platform.system()} {platform.release()}",
        "load_1min": round(os.getloadavg()[0], 1),
    }


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


@contextmanager
def scratch() -> Iterator[Path]:
    """Give a folder for input and runs, and remove it; TMPDIR says where, and it should be a disk."""
    with tempfile.TemporaryDirectory(prefix="headrace-bench-") as name:
        yield Path(name)


def progress(text: str) -> None:
    """Say on stderr what is being done; stdout is for the result."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr)
