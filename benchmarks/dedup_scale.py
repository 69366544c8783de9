"""What the dedup index costs as it grows: in memory, in files beyond a budget, and from that on paper for a billion.

Keys, bands and sketches are made, not signed: a key, 14 bands and a sketch of 2,048 bits a document, as the default has
them; one document in twenty is an earlier one with another band and eighty other bits. They come in units of 2,000 and
are committed forty times. `hot_*`: all stays in memory. `cold_*`: whenever a twentieth of that memory is reached, what
is committed is looked up in sorted runs; `cold_process_bytes_per_document` is what the process grew by at its peak,
without maps. Seconds are of the processor. `merging_*` is what threads beside the asking one used. The files are in the
system's cache: what storage costs is on paper alone, `docs/how-to/dedup-at-scale.md`.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
from benchmarks.harness import Benchmark, Measured, Scale, Target, progress, scratch
from xxhash import xxh3_64

from headrace.schemas.index import IndexOptions
from headrace.schemas.unit import UnitBatch
from headrace.stages.base import RunContext
from headrace.stages.dedup import Dedup
from headrace.stages.deduplication.signatures import KEY, SETS, SIGNATURE, SIGNED, to_columns
from headrace.stages.deduplication.state import DedupState
from headrace.stages.kernels.entries import Entries

TARGETS = {
    "differing_verdicts": Target(0, 0),
    "hot_bytes_per_document": Target(800, 700),
    "disk_bytes_per_document": Target(700, 650),
}
_RULES = Dedup().rules
_WORDS, _MEMBERS, _TURNED = 33, 1_000, 80  # of a sketch, of its set, and bits of a repeat
_UNIT, _EVERY = 2_000, 20  # documents a unit; every how many one repeats another
_COMMITS = 40
_SHARE = 20  # part of the memory of all that the second way may take
_BILLION, _COMMITTED = 10**9, 250_000
_PARTITIONS = (1, 8, 64)
_DIRECTORIES = 2  # bytes of memory a document in files, at most (record 93)


@dataclass(frozen=True, slots=True)
class Size:
    """Documents that are judged in files; the first so many of them are judged in memory, too."""

    documents: int
    hot: int


SIZES: dict[Scale, Size] = {
    "full": Size(10_000_000, 4_000_000),
    "quick": Size(1_000_000, 500_000),
    "tiny": Size(8_000, 8_000),
}


@dataclass(slots=True)
class Way:
    """What one way through the documents took, and what it found."""

    seconds: list[float] = field(default_factory=list)  # a unit, to its verdicts
    merging: float = 0.0
    memory: int = 0  # of the index in memory, at most
    grown: int = 0  # bytes of the process, at most
    dropped: int = 0
    marks: list[int] = field(default_factory=list)  # of the verdicts on each unit
    disk: int = 0
    merged: int = 0

    @property
    def kept(self) -> int:
        """Documents that stayed."""
        return len(self.seconds) * _UNIT - self.dropped

    def rate(self, share: float = 1.0) -> float:
        """Give documents a second, of the last part of the units."""
        last = self.seconds[-max(1, round(share * len(self.seconds))) :]
        return len(last) * _UNIT / sum(last)


def measure(scale: Scale, seed: int) -> Measured:
    """Go through documents in memory, then in files, and work out what a billion would take."""
    size = SIZES[scale]
    with scratch() as folder:
        judged(folder / "warm", seed, 3 * _UNIT, 0)  # compiles
        progress("in memory")
        hot = judged(folder / "hot", seed, size.hot, 10**12)
        progress("in files")
        budget = hot.memory // _SHARE
        cold = judged(folder / "cold", seed, size.documents, budget)
    figures = {
        "differing_verdicts": float(sum(a != b for a, b in zip(hot.marks, cold.marks, strict=False))),
        "hot_documents_per_second": hot.rate(),
        "hot_bytes_per_document": hot.memory / hot.kept,
        "cold_documents_per_second": cold.rate(),
        "cold_last_tenth_documents_per_second": cold.rate(0.1),
        "cold_memory_mb": cold.memory / 1e6,
        "cold_process_bytes_per_document": cold.grown / cold.kept,
        "merging_seconds_per_million": cold.merging / cold.kept * 1e6,
        "disk_bytes_per_document": cold.disk / cold.kept,
        "merged_bytes_per_document": cold.merged / cold.kept,
    }
    described = {"documents": size.documents, "hot": size.hot, "unit": _UNIT, "memory_bytes": budget}
    return Measured(figures | on_paper(figures), described, notes(figures))


def judged(folder: Path, seed: int, documents: int, memory_bytes: int) -> Way:
    """Judge made documents, commit now and then, and measure."""
    way, units = Way(), documents // _UNIT
    state = DedupState(RunContext(folder, "dedup", index=IndexOptions(1, memory_bytes)), _RULES, {"stage": "made"})
    gc.collect()
    before = own_memory()
    began, beside = time.process_time(), time.thread_time()
    for unit, batch in enumerate(made(seed, units)):
        start = time.thread_time()
        verdicts = state.judge(batch).verdicts
        way.seconds.append(time.thread_time() - start)
        way.dropped += _UNIT - verdicts["verdict"].null_count
        way.marks.append(mark(verdicts))
        way.memory = max(way.memory, state.nbytes)
        way.grown = max(way.grown, own_memory() - before)
        if (unit + 1) % max(1, units // _COMMITS) == 0:
            way.disk += sum(ref.bytes for ref in state.flush(unit))
    way.merging = max(0.0, time.process_time() - began - (time.thread_time() - beside))
    way.merged = sum(path.stat().st_size for path in folder.glob("index/merged/**/*") if path.is_file())
    state.close()
    return way


def own_memory() -> int:
    """Give the bytes of the process that no file stands for."""
    used = psutil.Process().memory_info()
    return int(used.rss - getattr(used, "shared", 0))


def made(seed: int, units: int) -> Iterator[UnitBatch]:
    """Give units of keys, bands and sketches; every twentieth document is nearly one of the unit before."""
    chance = np.random.Generator(np.random.SFC64(seed))
    before = np.zeros((_UNIT, _RULES.pieces), np.uint32), np.zeros((_UNIT, _WORDS), np.uint64)
    ones, ends = np.ones(_UNIT, np.bool_), np.arange(_UNIT + 1) * _WORDS
    for unit in range(units):
        bands = np.frombuffer(chance.bytes(4 * _UNIT * _RULES.pieces), np.uint32).reshape(_UNIT, -1).copy()
        sketches = np.frombuffer(chance.bytes(8 * _UNIT * _WORDS), np.uint64).reshape(_UNIT, -1).copy()
        sketches[:, 0] = _MEMBERS
        if unit:
            bands[::_EVERY], sketches[::_EVERY] = before[0][1::_EVERY], before[1][1::_EVERY]
            bands[::_EVERY, 0] += np.uint32(1)
            sketches[::_EVERY, 1:3] ^= np.uint64((1 << _TURNED // 2) - 1)
        keys = np.frombuffer(chance.bytes(16 * _UNIT), np.uint64).reshape(_UNIT, 2)
        entries = Entries(keys, ones, bands, sketches.ravel(), ends)
        ids = pa.array([f"made:{unit:06}.txt#{row}" for row in range(_UNIT)], pa.string())
        yield UnitBatch(unit, pa.table({"doc_id": ids, **to_columns(entries, (KEY, SIGNED, SIGNATURE, SETS))}))
        before = bands, sketches


def mark(verdicts: pa.Table) -> int:
    """Give 64 bits of who repeats whom, and how much."""
    state = xxh3_64()
    for survivor, value in zip(verdicts["survivor"].to_pylist(), verdicts["value"].to_pylist(), strict=True):
        if survivor is None:
            state.update(b"kept")
        else:
            state.update(f"{survivor} {value}".encode())
    return state.intdigest()


def on_paper(figures: dict[str, float]) -> dict[str, float]:
    """Give what a billion kept documents take by what these take, with 1, 8 and 64 partitions.

    A partition asks its sorted runs one after the other. Of each size, a power of four files, none to three stay: 1.5
    on average. All partitions are asked at the same time, each about every document: hours fall with the number of
    runs in one, and core-hours grow with the number of partitions. Files are those of commits of 250,000 documents.
    """
    own = 1 / figures["hot_documents_per_second"]
    asking = 1 / figures["cold_last_tenth_documents_per_second"] - own
    a_run = max(asking, 0.0) / runs_of(_COMMITS)
    disk = figures["disk_bytes_per_document"] + figures["merged_bytes_per_document"]
    found = {"billion_in_memory_gb": figures["hot_bytes_per_document"], "billion_on_disk_gb": disk}
    found["billion_merging_core_hours"] = figures["merging_seconds_per_million"] / 3.6
    for count in _PARTITIONS:
        each = a_run * runs_of(_BILLION / count / _COMMITTED)
        found[f"billion_hours_{count}"] = (own + each) * _BILLION / 3600
        found[f"billion_core_hours_{count}"] = (own + count * each) * _BILLION / 3600
    return found


def runs_of(files: float) -> float:
    """Give how many sorted runs so many files come to."""
    return max(1.0, 1.5 * math.log(files, 4))


def notes(figures: dict[str, float]) -> list[str]:
    """Say what partitions make of a billion's files, and what the figures leave out."""
    disk = figures["disk_bytes_per_document"] + figures["merged_bytes_per_document"]
    parts = [f"{count}: {disk / count:,.0f} GB and {_DIRECTORIES / count:.2g} GB" for count in _PARTITIONS]
    return [
        "a billion, disk and memory of each of K partitions; " + "; ".join(parts),
        "a billion, left out: reads from storage where postings do not fit into memory (docs/how-to/dedup-at-scale.md)",
    ]


BENCHMARK = Benchmark(
    "dedup_scale", "The dedup index in memory and in files, and a billion documents", TARGETS, measure
)

if __name__ == "__main__":
    BENCHMARK.command()
