"""The whole job against datatrove's: read, filter, deduplicate, tokenize; the same documents, one process each.

Start-up is reported apart: for Headrace the time until the first event of a run, with everything imported and compiled
kernels loaded; for datatrove its imports, word models and executors. Both tokenizers have the same pieces. The filters
are not the same yet: ours are those of `clean`, datatrove's are Gopher quality, Gopher repetition and FineWeb.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow as pa
import sentencepiece
from benchmarks import text
from benchmarks.harness import Benchmark, Measured, Scale, Target, progress, scratch
from benchmarks.runs import configured, small_model, whole_run

from headrace.pipeline.events import read_events

TARGETS = {"vs_datatrove_chain": Target(20, 50)}
_ROOT = Path(__file__).parents[1]
_PEER = _ROOT / ".bench-env" / "datatrove" / "bin" / "python"
_SCRIPT = Path(__file__).parent / "peers" / "datatrove_chain.py"
_ONE_THREAD = {"RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
_INLINE = ("engine.executor=inline", "engine.window=1")


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes of input, and how often each side runs over it."""

    bytes: int
    rounds: int
    peer_rounds: int


SIZES: dict[Scale, Size] = {
    "full": Size(4_000_000, 7, 5),
    "quick": Size(1_000_000, 5, 1),
    "tiny": Size(100_000, 1, 0),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run of one side: seconds of work and before it, seconds by step, and what it counted."""

    seconds: float
    startup: float
    steps: Mapping[str, float]
    counts: Mapping[str, int]
    version: str


def measure(scale: Scale, seed: int) -> Measured:
    """Run both sides over the same files."""
    size = SIZES[scale]
    with scratch() as folder:
        model = small_model(folder, seed)
        documents = _write_by_language(folder / "input", size.bytes, seed)
        _write_by_language(folder / "warm", 100_000, seed + 1)
        startup = _startup(folder, model)
        ours = [_ours(folder, model) for _ in range(size.rounds)]
        peers = _peers(folder, model, size)
    best = min(ours, key=lambda outcome: outcome.seconds)
    figures = {"headrace_seconds": best.seconds, "headrace_startup_seconds": startup}
    versions, notes = {}, [f"headrace: {_listed(best)}"]
    if peers:
        peer = min(peers, key=lambda outcome: outcome.seconds)
        _check_same_input(documents, best, peer)
        figures |= {
            "vs_datatrove_chain": peer.seconds / best.seconds,
            "datatrove_seconds": peer.seconds,
            "datatrove_startup_seconds": peer.startup,
        }
        versions = {"datatrove": peer.version}
        notes.append(f"datatrove: {_listed(peer)}")
    else:
        notes.append("datatrove: absent (`make bench-env` installs it)")
    described = {"bytes": size.bytes, "documents": documents, "rounds": size.rounds, "peer_rounds": len(peers)}
    return Measured(figures, described, notes, versions)


def _write_by_language(folder: Path, total_bytes: int, seed: int) -> int:
    """Write one file a language, since datatrove has to be told; give the number of documents."""
    count = 0
    for language in text.LANGUAGES:
        (folder / language).mkdir(parents=True)
        written = 0
        with (folder / language / "documents.jsonl").open("wb") as file:
            for line in text.json_lines(seed, languages=(language,)):
                written += file.write(line)
                count += 1
                if written >= total_bytes // len(text.LANGUAGES):
                    break
    return count


def _startup(folder: Path, model: Path) -> float:
    """Give what a run takes in a fresh process beyond what it takes in a warm one."""
    loaded = configured(folder, "run", folder / "warm", model, *_INLINE)
    whole_run(loaded)  # compiles the kernels, if they are not in numba's cache
    start = time.perf_counter()
    whole_run(loaded)
    warm = time.perf_counter() - start
    start = time.perf_counter()
    command = [sys.executable, "-m", "headrace", "run", str(loaded.path), "--fresh", *_INLINE]
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start - warm


def _ours(folder: Path, model: Path) -> Outcome:
    threads = pa.cpu_count()
    pa.set_cpu_count(1)
    try:
        loaded = configured(folder, "run", folder / "input", model, *_INLINE)
        summary = whole_run(loaded)
    finally:
        pa.set_cpu_count(threads)
    at = {event["kind"]: event["at"] for event in read_events(loaded.run_dir)}
    counts = {"read": summary.counts[0].received, "kept": summary.counts[-1].received, "tokens": summary.tokens}
    return Outcome(
        at["ended"] - at["started"], at["started"], summary.stage_seconds, counts, metadata.version("headrace")
    )


def _peers(folder: Path, model: Path, size: Size) -> list[Outcome]:
    if not (_PEER.exists() and _PEER.parents[1].joinpath("installed").exists()):
        return []
    vocabulary = folder / "vocabulary.json"
    vocabulary.write_text(json.dumps(_pieces(model), ensure_ascii=False), encoding="utf-8")
    outcomes = []
    for number in range(size.peer_rounds):
        progress(f"datatrove, round {number + 1} of {size.peer_rounds}")
        work = folder / f"datatrove-{number}"
        work.mkdir()
        outcomes.append(_peer(folder / "input", work, vocabulary))
    return outcomes


def _peer(source: Path, work: Path, vocabulary: Path) -> Outcome:
    start = time.perf_counter()
    command = [_PEER, _SCRIPT, source, work, vocabulary]
    done = subprocess.run(command, env={**os.environ, **_ONE_THREAD}, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"datatrove failed:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    seconds = found["wall"]
    return Outcome(seconds, time.perf_counter() - start - seconds, found["seconds"], found["counts"], found["version"])


def _pieces(model: Path) -> Sequence[tuple[str, float]]:
    engine = sentencepiece.SentencePieceProcessor(model_file=str(model))
    return [(engine.id_to_piece(number), engine.get_score(number)) for number in range(engine.get_piece_size())]


def _check_same_input(documents: int, ours: Outcome, peer: Outcome) -> None:
    if not ours.counts["read"] == peer.counts["read"] == documents:
        raise SystemExit(f"of {documents} documents {ours.counts['read']} and {peer.counts['read']} were read")


def _listed(outcome: Outcome) -> str:
    steps = ", ".join(f"{name} {seconds:.2f}" for name, seconds in outcome.steps.items())
    return f"{dict(outcome.counts)}; seconds: {steps}"


BENCHMARK = Benchmark("whole_job", "The whole job, as many times faster than datatrove's", TARGETS, measure)

if __name__ == "__main__":
    BENCHMARK.command()
