"""Document statistics beside datatrove's filters: how many times as fast, and how many counts differ.

Both see the same English documents and compute all that Gopher quality, Gopher repetition, FineWeb and C4 need.
`warm` is with a memory of runs that has met these documents, `cold` with one that is empty at the start; datatrove cuts
the words of a text once for all its filters. Figures that begin with `zh_` are those of Chinese documents, with jieba's
words and the filters of FineWeb2 for Mandarin, which leave C4 out. Differing values are counted over both languages.
Seconds are those of one core; the best of the rounds counts.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from benchmarks import text
from benchmarks.harness import Benchmark, Measured, Scale, Target, progress, scratch
from benchmarks.pii import len_utf8, take

from headrace.schemas.arrays import Array, Counts
from headrace.stages.segmentation.document_words import DocumentWords
from headrace.stages.statistics.count import C4Settings, Settings, c4_counts, counts
from headrace.stages.statistics.shares import shares
from headrace.stages.statistics.spans import Spans
from headrace.stages.statistics.stop_words import MANDARIN_STOPS

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
    """Time ours, then datatrove over the same documents, and compare all counts, for English and for Chinese."""
    size = SIZES[scale]
    english, chinese = (take(text.documents(language, seed), size.bytes) for language in ("en", "zh"))
    figures, found = timed_english(english, size)
    zh_figures, zh_found = timed_chinese(chinese, size)
    theirs = datatrove(english, size.peer_rounds, "eng") if size.peer_rounds else None
    zh_theirs = datatrove(chinese, size.peer_rounds, "cmn_Hani") if theirs else None
    total = sum(map(len_utf8, english)) / 1e6
    notes = [] if theirs else ["datatrove is absent: make bench-env"]
    versions = {}
    if theirs and zh_theirs:
        versions["datatrove"] = theirs["version"]
        figures["warm_vs_datatrove"] = theirs["seconds"] * figures["warm_mb_s"] / total
        figures["cold_vs_datatrove"] = theirs["seconds"] * figures["cold_mb_s"] / total
        figures["datatrove_mb_s"] = total / theirs["seconds"]
        zh_total = sum(map(len_utf8, chinese)) / 1e6
        zh_figures["zh_warm_vs_datatrove"] = zh_theirs["seconds"] * zh_figures["zh_warm_mb_s"] / zh_total
        compared = (theirs["values"], found), (zh_theirs["values"], zh_found)
        figures["differing_values"] = float(sum(differing(*pair) for pair in compared))
        figures["compared_values"] = float(sum(map(len, theirs["values"] + zh_theirs["values"])))
    measured = {"documents": len(english), "zh_documents": len(chinese), "mb": round(total, 2)}
    return Measured(figures | zh_figures, measured, notes, versions)


def timed_english(documents: list[str], size: Size) -> tuple[dict[str, float], dict[str, Counts]]:
    """Give how fast ours is, warm and cold, and all counts."""
    column = pa.array(documents, pa.large_string())
    total = sum(map(len_utf8, documents)) / 1e6
    statistics(Spans(), column.slice(0, 2))  # compiles
    memory = Spans()
    cold = best(lambda: statistics(Spans(), column), min(2, size.rounds))
    found = statistics(memory, column)
    warm = best(lambda: statistics(memory, column), size.rounds)
    return {"warm_mb_s": total / warm, "cold_mb_s": total / cold, "runs": float(memory.count)}, found


def timed_chinese(documents: list[str], size: Size) -> tuple[dict[str, float], dict[str, Counts]]:
    """Give how fast ours is with jieba's words, and all counts."""
    column = pa.array(documents, pa.large_string())
    chinese_statistics(column.slice(0, 2))
    found = chinese_statistics(column)
    seconds = best(lambda: chinese_statistics(column), size.rounds)
    return {"zh_warm_mb_s": sum(map(len_utf8, documents)) / 1e6 / seconds}, found


def statistics(memory: Spans, column: Array) -> dict[str, Counts]:
    """Give all counts of English documents, once shares are made of them too."""
    words = memory.words(column)
    found = counts(column, words, Settings())
    shares(found, "datatrove")
    return found | dict(c4_counts(column, memory.words, C4Settings(), words)[0])


def chinese_statistics(column: Array) -> dict[str, Counts]:
    """Give the counts of Chinese documents, once shares are made of them too."""
    chinese = np.ones(len(column), np.bool_)
    found = counts(column, DocumentWords().words(column, chinese, ~chinese), Settings(MANDARIN_STOPS))
    shares(found, "datatrove")
    return found


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


def datatrove(documents: list[str], rounds: int, language: str) -> dict[str, Any] | None:
    """Give what the peer says, or nothing if it is absent."""
    if not _PYTHON.is_file():
        return None
    progress(f"datatrove, {language}")
    with scratch() as folder:
        path = folder / "texts.json"
        path.write_text(json.dumps(documents), encoding="utf-8")
        command = [_PYTHON, _SCRIPT, path, str(rounds), language]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


BENCHMARK = Benchmark("filters", "Document statistics beside datatrove's filters, value by value", TARGETS, measure)
if __name__ == "__main__":
    BENCHMARK.command()
