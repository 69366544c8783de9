"""Document statistics beside datatrove's filters: how many times as fast, and how many counts differ.

Both see the same English documents and compute all that Gopher quality, Gopher repetition, FineWeb and C4 need.
`warm` is with a memory of runs that has met these documents, `cold` with one that is empty at the start; datatrove cuts
the words of a text once for all its filters. Seconds are those of one core; the best of the rounds counts.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from benchmarks import text
from benchmarks.harness import Benchmark, Measured, Scale, Target, progress, scratch
from benchmarks.pii import len_utf8, take

from headrace.stages.kernels.arrays import Array, Counts
from headrace.stages.statistics.count import C4Settings, Settings, c4_counts, counts
from headrace.stages.statistics.shares import shares
from headrace.stages.statistics.spans import Spans

TARGETS = {
    "warm_vs_datatrove": Target(80, 100),
    "cold_vs_datatrove": Target(10, 15),
    "differing_values": Target(0, 0),
}
_ROOT = Path(__file__).parents[1]
_SCRIPT = Path(__file__).parent / "peers" / "datatrove_statistics.py"
_PYTHON = _ROOT / ".bench-env" / "datatrove" / "bin" / "python"


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes of documents, and rounds of ours and of datatrove, of which there are none without it."""

    bytes: int
    rounds: int
    peer_rounds: int


SIZES: dict[Scale, Size] = {
    "full": Size(16_000_000, 7, 2),
    "quick": Size(2_000_000, 5, 1),
    "tiny": Size(50_000, 1, 0),
}


def measure(scale: Scale, seed: int) -> Measured:
    """Time ours warm and cold, then datatrove over the same documents, and compare all counts."""
    size = SIZES[scale]
    documents = take(text.documents("en", seed), size.bytes)
    column = pa.array(documents, pa.large_string())
    total = sum(map(len_utf8, documents)) / 1e6
    statistics(Spans(), column.slice(0, 2))  # compiles
    memory = Spans()
    cold = best(lambda: statistics(Spans(), column), min(2, size.rounds))
    found = statistics(memory, column)
    warm = best(lambda: statistics(memory, column), size.rounds)
    figures = {"warm_mb_s": total / warm, "cold_mb_s": total / cold, "runs": float(memory.count)}
    versions, notes = {}, []
    theirs = datatrove(documents, size.peer_rounds) if size.peer_rounds else None
    if theirs is None:
        notes.append("datatrove is absent: make bench-env")
    else:
        versions["datatrove"] = theirs["version"]
        figures["warm_vs_datatrove"] = theirs["seconds"] / warm
        figures["cold_vs_datatrove"] = theirs["seconds"] / cold
        figures["datatrove_mb_s"] = total / theirs["seconds"]
        figures["differing_values"] = float(differing(theirs["values"], found))
        figures["compared_values"] = float(sum(map(len, theirs["values"])))
    return Measured(figures, {"documents": len(documents), "mb": round(total, 2)}, notes, versions)


def statistics(memory: Spans, column: Array) -> dict[str, Counts]:
    """Give all counts, once shares are made of them too."""
    words = memory.words(column)
    found = counts(column, words, Settings())
    shares(found, "datatrove")
    return found | dict(c4_counts(column, memory.words, C4Settings(), words)[0])


def best(run: Callable[[], object], rounds: int) -> float:
    """Give the fewest seconds of a core that a run took."""
    seconds = []
    for _ in range(rounds):
        begun = time.process_time()
        run()
        seconds.append(time.process_time() - begun)
    return min(seconds)


def differing(theirs: list[dict[str, int]], ours: dict[str, Counts]) -> int:
    """Count the values that are not the same."""
    return sum(ours[name][row] != value for row, values in enumerate(theirs) for name, value in values.items())


def datatrove(documents: list[str], rounds: int) -> dict[str, Any] | None:
    """Give what the peer says, or nothing if it is absent."""
    if not _PYTHON.is_file():
        return None
    progress("datatrove")
    with scratch() as folder:
        path = folder / "texts.json"
        path.write_text(json.dumps(documents), encoding="utf-8")
        done = subprocess.run([_PYTHON, _SCRIPT, path, str(rounds)], capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


BENCHMARK = Benchmark("filters", "Document statistics beside datatrove's filters, value by value", TARGETS, measure)
if __name__ == "__main__":
    BENCHMARK.command()
