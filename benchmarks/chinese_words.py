"""Words of Chinese text beside jieba, whose words they must be, and rjieba, the fastest port of it.

Texts are new documents of real sentences. Headrace gives the words' borders over an Arrow column, the peers give lists
of str: what it takes to make those is in their time, since they give nothing else. Seconds are those of one thread,
best of the rounds, which alternate. Before anything is timed each document, and files of the corpus, are cut by jieba
and by Headrace, with the model of unknown words and without; one that differs in a word is counted.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import metadata
from itertools import islice
from pathlib import Path
from types import ModuleType

import jieba
import pyarrow as pa
from benchmarks import text
from benchmarks.harness import Benchmark, Measured, Scale, Target, progress

from headrace.stages.segmentation.words import chinese_words

TARGETS = {
    "vs_jieba": Target(100, 150),
    "vs_rjieba": Target(4, 6),
    "differing_documents": Target(0, 0),
}
_FOLDERS = ("zh", "mojibake", "html", "bugs", "bad/unicode")
_SHAPE = text.Shape(exact=0, near=0)
_WARM_SEED = 1_000_003  # of texts that are not measured
_ENVIRONMENT = Path(__file__).parents[1] / ".bench-env" / "chinese_words"
METHODS = {"": True, "_dictionary": False}  # suffix of a figure, and whether the model is on


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes of the texts that are timed, rounds, and every how many of the corpus's files are compared."""

    bytes: int
    rounds: int
    every: int


SIZES: dict[Scale, Size] = {
    "full": Size(2_000_000, 7, 1),
    "quick": Size(600_000, 5, 12),
    "tiny": Size(20_000, 1, 400),
}


def measure(scale: Scale, seed: int) -> Measured:
    """Compare the words, then the seconds."""
    jieba.setLogLevel(60)
    size, port = SIZES[scale], _port()
    timed = _documents(seed, size.bytes)
    beside = [*timed, *_corpus_texts(size.every)]
    progress(f"comparing {len(beside)} documents")
    wanted = {model: [jieba.lcut(document, HMM=model) for document in beside] for model in METHODS.values()}
    figures: dict[str, float] = {"differing_documents": _differing(wanted, lambda model: _ours(beside, model))}
    if port:
        figures["rjieba_differing_documents"] = _differing(wanted, lambda model: [port.cut(t, model) for t in beside])
    warm = _documents(_WARM_SEED, size.bytes // 10)
    for suffix, model in METHODS.items():
        progress("timing" + suffix)
        _seconds(warm, model, 1, port)
        seconds = _seconds(timed, model, size.rounds, port)
        figures |= {f"vs_{peer}{suffix}": seconds[peer] / seconds["headrace"] for peer in seconds if peer != "headrace"}
        total = sum(len(document.encode()) for document in timed) / 1e6
        figures |= {f"mb_s{suffix}_{name}": total / value for name, value in seconds.items()}
    notes = [] if port else ["absent: rjieba is not installed (make bench-env)"]
    versions = {"jieba": metadata.version("jieba")} | ({"rjieba": _release(port)} if port else {})
    described = {"compared": len(beside), "timed": len(timed), "timed_bytes": size.bytes, "rounds": size.rounds}
    return Measured(figures, described, notes, versions)


def _documents(seed: int, size: int) -> list[str]:
    made, total = [], 0
    for document in text.documents("zh", seed, _SHAPE):
        made.append(document)
        total += len(document.encode())
        if total >= size:
            return made
    raise AssertionError("documents never end")


def _corpus_texts(every: int) -> list[str]:
    """Give every so many of the corpus's files as they are, broken bytes replaced; none if there is no corpus."""
    folder = text.corpus_folder()
    if folder is None:
        return []
    files = sorted(path for name in _FOLDERS for path in (folder / name).rglob("*") if path.is_file())
    return [path.read_bytes().decode(errors="replace") for path in islice(files, 0, None, every)]


def _ours(documents: list[str], model: bool) -> list[list[str]]:  # noqa: FBT001  # as the peers take it
    words: list[list[str]] = chinese_words(pa.array(documents, pa.string()), model=model).arrow().to_pylist()
    return words


def _differing(wanted: dict[bool, list[list[str]]], cut: Callable[[bool], Iterable[list[str]]]) -> int:
    """Count documents in which any word differs, with the model or without."""
    differ = {
        number
        for model, documents in wanted.items()
        for number, (words, right) in enumerate(zip(cut(model), documents, strict=True))
        if list(words) != right
    }
    return len(differ)


def _seconds(documents: list[str], model: bool, rounds: int, port: ModuleType | None) -> dict[str, float]:  # noqa: FBT001  # as the peers take it
    """Give the least seconds of each, in turns."""
    column = pa.array(documents, pa.large_string())
    runs: dict[str, Callable[[], object]] = {
        "headrace": lambda: chinese_words(column, model=model),
        "jieba": lambda: [jieba.lcut(document, HMM=model) for document in documents],
    }
    if port:
        runs["rjieba"] = lambda: [port.cut(document, model) for document in documents]
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            begin = time.thread_time()
            run()
            best[name] = min(best[name], time.thread_time() - begin)
    return best


def _port() -> ModuleType | None:
    """Import rjieba, from its environment of the same Python."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    sys.path.append(str(_ENVIRONMENT / "lib" / version / "site-packages"))  # behind everything of our own
    try:
        return importlib.import_module("rjieba")
    except ImportError:
        return None
    finally:
        sys.path.pop()


def _release(port: ModuleType) -> str:
    folder = Path(str(port.__file__)).parents[1]
    return next(iter(metadata.distributions(name="rjieba", path=[str(folder)]))).version


BENCHMARK = Benchmark("chinese_words", "the words of jieba, a hundred times as fast", TARGETS, measure)

if __name__ == "__main__":
    BENCHMARK.command()
