"""The chain that benchmarks run, with every stage real, and the steady part of such a run."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from benchmarks import text
from benchmarks.processes import TreeClock

from headrace.pipeline.events import Event
from headrace.pipeline.executor import Executor
from headrace.pipeline.load import LoadedConfig, load_config
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.summary import RunSummary
from headrace.tokenizers.options import TrainOptions
from headrace.tokenizers.train import train

STAGES = ("decode", "parse", "clean", "dedup", "grade", "normalize")
_CONFIG = """
run: {run}
sources:
  - {{name: text, paths: ["{input}"], authority: 0.8}}
stages:
{stages}
  - {{kind: tokenize, model: "{model}"}}
  - {{kind: write, sequence_length: 2048, shard_tokens: {shard_tokens}}}
"""


@dataclass(frozen=True, slots=True)
class Steady:
    """The part of a run between two units that left the chain: nothing starts and nothing is compiled in it."""

    units: int
    seconds: float
    cpu: Mapping[str, float]  # seconds by role
    summary: RunSummary

    @property
    def ms_per_unit(self) -> float:
        """Wall time for one unit."""
        return 1000 * self.seconds / self.units

    @property
    def cpu_ms_per_unit(self) -> float:
        """CPU time of all processes for one unit."""
        return 1000 * sum(self.cpu.values()) / self.units


def small_model(folder: Path, seed: int, documents: int = 400) -> Path:
    """Train a small tokenizer on documents that are not measured."""
    sample = [document for _, document in itertools.islice(text.mixed(seed + 1000), documents)]
    path = folder / "small.model"
    options = TrainOptions(vocab_size=4000, sample_bytes=1 << 22, threads=2)
    path.write_bytes(train([pa.array(sample, pa.large_string())], options).model)
    return path


def configured(
    folder: Path, run: str, source: Path, model: Path | str, *overrides: str, shard_tokens: int = 4_000_000
) -> LoadedConfig:
    """Give the configuration of a run over the files in `source`, in a run folder of its own."""
    stages = "\n".join(f"  - {{kind: {kind}}}" for kind in STAGES)
    path = folder / f"{run}.yaml"
    values = {"run": folder / run, "input": source, "model": model, "shard_tokens": shard_tokens}
    path.write_text(_CONFIG.format(stages=stages, **values), encoding="utf-8")
    return load_config(path, overrides)


def whole_run(loaded: LoadedConfig) -> RunSummary:
    """Run from nothing to the end, and say if anything was not as it should be."""
    summary = run_pipeline(loaded, fresh=True)
    if summary.state != "done" or summary.struck or summary.incidents:
        raise SystemExit(f"a run that was to be measured ended with {summary.state}, {dict(summary.incidents)}")
    return summary


def steady_run(loaded: LoadedConfig, first: int, units: int, executor: Executor | None = None) -> Steady:
    """Run everything, and measure from the moment when `first` units have left the chain until all `units` have."""
    clock = TreeClock()
    marks: list[tuple[float, dict[str, float]]] = []
    left = itertools.count(1)

    def watch(event: Event) -> None:
        if event.kind == "group" and event.data["group"] == "write" and next(left) in (first, units):
            marks.append((time.perf_counter(), clock.read()))

    if executor is None:
        summary = run_pipeline(loaded, fresh=True, watchers=[watch])
    else:
        summary = run_pipeline(
            loaded, fresh=True, watchers=[watch], start_executor=lambda config, _: (executor, config.workers or 1)
        )
    (begin, before), (end, after) = marks
    cpu = {name: seconds - before.get(name, 0.0) for name, seconds in after.items()}
    return Steady(units - first, end - begin, cpu, summary)


def write_units(folder: Path, units: int, unit_bytes: int, seed: int, *, per_file: int = 4) -> None:
    """Write JSON Lines files that are read as exactly `units` units, each of nearly `unit_bytes`."""
    folder.mkdir()
    lines = text.json_lines(seed)
    for number, begin in enumerate(range(0, units, per_file)):
        limit = min(per_file, units - begin) * unit_bytes
        with (folder / f"{number:04}.jsonl").open("wb") as file:
            for line in lines:
                if file.tell() + len(line) > limit:
                    break
                file.write(line)


@contextmanager
def cluster(object_store_bytes: int) -> Iterator[None]:
    """Start one Ray cluster for all runs of a benchmark, as an embedded run would; they join it."""
    from headrace.pipeline.ray_executor import RayExecutor

    starter = RayExecutor(None, object_store_bytes, dashboard=False)
    try:
        yield
    finally:
        starter.close()
