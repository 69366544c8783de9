"""What the engine costs: the same run under Ray and in one process, and runs whose stages do nothing.

`engine_ms_per_unit` has one unit under way at a time, so that Ray's parallelism cannot hide what it costs;
`overlapped_ms_per_unit` is the same with the default window, and below zero where overlap gains more than Ray costs.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import Benchmark, Measured, Scale, Target, progress, scratch
from benchmarks.runs import Steady, cluster, configured, small_model, steady_run, whole_run, write_units

from headrace.schemas.manifest import MANIFEST

TARGETS = {"engine_ms_per_unit": Target(40, 20), "engine_cpu_overhead": Target(0.25, 0.10)}
_ONE_WORKER = "engine.workers=1"
_MODES = {  # name: overrides
    "inline": ("engine.executor=inline", _ONE_WORKER, "engine.window=1"),
    "one at a time": ("engine.executor=ray", _ONE_WORKER, "engine.window=1"),
    "overlapped": ("engine.executor=ray", _ONE_WORKER, "engine.window=8"),
}
_OBJECT_STORE = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Size:
    """How much is run. The first `skipped` units, the first commit among them, are start-up and are not counted."""

    units: int
    unit_bytes: int
    skipped: int
    shard_tokens: int
    rounds: int
    empty: tuple[tuple[int, int], ...]  # (bytes of a unit, units) of the runs that do nothing


SIZES: dict[Scale, Size] = {
    "full": Size(26, 4_000_000, 6, 4_000_000, 5, ((10_000, 400), (4_000_000, 200), (16_000_000, 80))),
    "quick": Size(12, 4_000_000, 4, 1_500_000, 1, ((10_000, 100), (4_000_000, 50), (16_000_000, 25))),
    "tiny": Size(5, 60_000, 2, 20_000, 1, ((10_000, 8),)),
}


def measure(scale: Scale, seed: int) -> Measured:
    """Measure both kinds of runs on one cluster."""
    size = SIZES[scale]
    with scratch() as folder, cluster(_OBJECT_STORE):
        best = _real_runs(folder, size, seed)
        empty = {unit: _empty_run(folder, unit, units) for unit, units in size.empty}
    notes = [
        f"CPU, ms a unit, {mode}: " + ", ".join(f"{role} {1000 * s / run.units:.1f}" for role, s in run.cpu.items())
        for mode, run in best.items()
    ]
    notes.append("seconds in stages, ms a unit, inline: " + _stage_times(best["inline"], size.units))
    described = {"units": size.units, "unit_bytes": size.unit_bytes, "rounds": size.rounds, "made_of": "zh, en"}
    return Measured({**_engine_figures(best, size), **_empty_figures(empty)}, described, notes)


def _real_runs(folder: Path, size: Size, seed: int) -> dict[str, Steady]:
    """Run all modes in turn, round after round, and give each mode's fastest run."""
    model = small_model(folder, seed)
    for name, units, at in (("input", size.units, seed), ("warm", 2, seed + 1)):
        write_units(folder / name, units, size.unit_bytes, at)
    modes = {mode: (*overrides, f"engine.unit_bytes={size.unit_bytes}") for mode, overrides in _MODES.items()}
    whole_run(configured(folder, "run", folder / "warm", model, *modes["inline"]))  # numba's caches are on disk now
    runs: dict[str, list[Steady]] = {mode: [] for mode in _MODES}
    manifests = set()
    for number in range(size.rounds):
        for mode, overrides in modes.items():
            progress(f"round {number + 1} of {size.rounds}: {mode}")
            loaded = configured(folder, "run", folder / "input", model, *overrides, shard_tokens=size.shard_tokens)
            runs[mode].append(steady_run(loaded, size.skipped, size.units))
            manifests.add((loaded.run_dir / MANIFEST).read_bytes())
    if len(manifests) != 1:
        raise SystemExit("inline and ray did not write the same bytes: nothing to compare")
    return {mode: min(steady, key=lambda run: run.seconds) for mode, steady in runs.items()}


def _engine_figures(best: dict[str, Steady], size: Size) -> dict[str, float]:
    inline, single, overlapped = (best[mode] for mode in _MODES)
    own = 1000 * inline.cpu["driver"] / inline.units  # without the idle cluster beside it
    return {
        "engine_ms_per_unit": single.ms_per_unit - inline.ms_per_unit,
        "engine_cpu_overhead": overlapped.cpu_ms_per_unit / own - 1,
        "overlapped_ms_per_unit": overlapped.ms_per_unit - inline.ms_per_unit,
        "one_at_a_time_cpu_overhead": single.cpu_ms_per_unit / own - 1,
        "inline_ms_per_unit": inline.ms_per_unit,
        "inline_mb_s": size.unit_bytes / 1e3 / inline.ms_per_unit,
    }


def _empty_run(folder: Path, unit_bytes: int, units: int) -> Steady:
    from benchmarks.noop import NoopExecutor, write_empty_units

    progress(f"{units} empty units of {unit_bytes / 1e6:g} MB")
    source = folder / "empty"
    write_empty_units(source, units, unit_bytes)
    workers = os.cpu_count() or 1
    loaded = configured(folder, "run", source, "bytes", f"engine.unit_bytes={unit_bytes}", f"engine.workers={workers}")
    try:
        return steady_run(loaded, max(1, units // 5), units, NoopExecutor(workers))
    finally:
        shutil.rmtree(source)


def _empty_figures(runs: dict[int, Steady]) -> dict[str, float]:
    """Give what a unit costs to pass on, the input rate that this allows, and the rate one supervisor alone allows."""
    figures: dict[str, float] = {}
    for unit_bytes, run in runs.items():
        name = f"{unit_bytes / 1e6:g}mb"
        figures[f"dispatch_ms_per_unit_{name}"] = run.ms_per_unit
        figures[f"supervisor_cpu_ms_per_unit_{name}"] = 1000 * run.cpu["driver"] / run.units
        if unit_bytes >= 1_000_000:
            figures[f"saturates_mb_s_{name}"] = unit_bytes / 1e3 / run.ms_per_unit
            figures[f"supervisor_mb_s_{name}"] = unit_bytes / 1e6 * run.units / run.cpu["driver"]
    return figures


def _stage_times(run: Steady, units: int) -> str:
    return ", ".join(f"{stage} {1000 * s / units:.1f}" for stage, s in run.summary.stage_seconds.items())


BENCHMARK = Benchmark("chain", "What the engine adds to the work of the stages", TARGETS, measure)

if __name__ == "__main__":
    BENCHMARK.command()
