"""Memory that does not grow with the input: the peak of all processes of a run, over input of two sizes.

The run is a process of its own, as a user starts it; the peak is of the sum over the driver, Ray's own processes, the
workers and the ordered stages. Shared pages, the object store's above all, count once (PSS).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks import text
from benchmarks.harness import Benchmark, Measured, Scale, Target, progress, scratch
from benchmarks.processes import PeakMemory
from benchmarks.runs import configured, small_model, whole_run

from headrace.schemas.manifest import read_manifest

TARGETS = {"peak_ratio": Target(1.25, 1.10)}
SIZES: dict[Scale, tuple[int, int]] = {
    "full": (200_000_000, 1_000_000_000),
    "quick": (40_000_000, 200_000_000),
    "tiny": (300_000, 600_000),
}
_EVERY_S = 0.2
_OVERRIDES = ("engine.executor=ray", "engine.window=8", "engine.object_store_bytes=500000000")


@dataclass(frozen=True, slots=True)
class Peak:
    """The largest sum of all processes at one moment, and what it was made of."""

    bytes: int
    roles: Mapping[str, int]
    seconds: float
    samples: int
    units: int

    def __str__(self) -> str:
        roles = sorted(self.roles.items(), key=lambda item: -item[1])
        return ", ".join(f"{role} {size / 1e6:.0f}" for role, size in roles)


def measure(scale: Scale, seed: int) -> Measured:
    """Run the small and the large input, one after the other, each removed before the next is made."""
    small, large = SIZES[scale]
    with scratch() as folder:
        model = small_model(folder, seed)
        _fill_caches(folder, model, seed)
        peaks = [_peak(folder, model, size, seed) for size in (small, large)]
    ratio = peaks[1].bytes / peaks[0].bytes
    figures = {
        "peak_ratio": ratio,
        "peak_mb_small": peaks[0].bytes / 1e6,
        "peak_mb_large": peaks[1].bytes / 1e6,
        "seconds_large": peaks[1].seconds,
    }
    described = {"bytes_small": small, "bytes_large": large, "units": [peak.units for peak in peaks]}
    sizes = zip((small, large), peaks, strict=True)
    notes = [f"at the peak over {size / 1e6:g} MB, MB: {peak} ({peak.samples} samples)" for size, peak in sizes]
    return Measured(figures, described, notes)


def _fill_caches(folder: Path, model: Path, seed: int) -> None:
    """Compile the kernels before anything is measured: the compiler's memory is not the pipeline's."""
    text.write_jsonl(folder / "warm", 200_000, seed + 1, files=1)
    whole_run(configured(folder, "warm-run", folder / "warm", model, "engine.executor=inline"))


def _peak(folder: Path, model: Path, size: int, seed: int) -> Peak:
    source = folder / "input"
    progress(f"making {size / 1e6:g} MB")
    text.write_jsonl(source, size, seed)
    loaded = configured(folder, "run", source, model, *_OVERRIDES)
    progress(f"running {size / 1e6:g} MB")
    start = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-m", "headrace", "run", str(loaded.path), *_OVERRIDES],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        with PeakMemory(run.pid, _EVERY_S) as memory:
            _, errors = run.communicate()
        if run.returncode:
            raise SystemExit(f"the run over {size} bytes failed:\n{errors}")
    seconds = time.monotonic() - start
    units = read_manifest(loaded.run_dir)[-1].last + 1
    for done in (source, loaded.run_dir):
        shutil.rmtree(done)
    return Peak(memory.peak, memory.at_peak, seconds, memory.samples, units)


BENCHMARK = Benchmark("memory", "Peak memory does not depend on how much is read", TARGETS, measure)

if __name__ == "__main__":
    BENCHMARK.command()
