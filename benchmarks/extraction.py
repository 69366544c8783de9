"""Main text of web pages: how much of it is found, how much else is kept, and how fast, beside other extractors.

All extractors get the same decoded text and take turns, each with all pages; a page counts with the best of its rounds.
Pages of the half that is measured were never learnt from. Two Chinese books are compared with their text editions.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.extraction_gold import BOOKS, GoldPage, Score, all_text, book_pages, book_text, gold_pages, similarity
from benchmarks.extraction_made import made_pages
from benchmarks.harness import Benchmark, Measured, Scale, Target, progress

from headrace.stages.parsing.extraction.engines import by_headrace

TARGETS = {"f1_minus_best_peer": Target(-0.02, 0), "pages_vs_trafilatura_fast": Target(1.5, 4)}
OURS = "headrace"
_FAST = "trafilatura fast"
_PEERS = (
    *(_FAST, f"{_FAST}, text", "trafilatura", "readability-lxml", "resiliparse", "jusText"),
    "selectolax, all text",
)
_ENVIRONMENT = Path(__file__).parents[1] / ".bench-env" / "extraction"
_SCRIPT = Path(__file__).parent / "peers" / "extraction_pages.py"
_WARM_PAGES = 5
_CALLS = 10


@dataclass(frozen=True, slots=True)
class Size:
    """How often each page is timed, and whether the pages are those of the corpus."""

    rounds: int
    corpus: bool = True


SIZES: dict[Scale, Size] = {"full": Size(15), "quick": Size(5), "tiny": Size(1, corpus=False)}


class Peers:
    """Other extractors in a process of their own."""

    def __init__(self, process: subprocess.Popen[str], pages: Sequence[str]) -> None:
        self._process = process
        self.versions: dict[str, str] = self._ask([*pages])

    def _ask(self, question: object) -> object:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def extract(self, name: str, page: int) -> tuple[float, str]:
        """Give the seconds and the text of one peer on one page."""
        seconds, text = self._ask([name, page])
        return seconds, text


@contextmanager
def peers_of(pages: Sequence[str]) -> Iterator[Peers]:
    """Start the peers: those of `make bench-env`, else what is installed beside us."""
    ready = (_ENVIRONMENT / "installed").exists()
    python = str(_ENVIRONMENT / "bin" / "python") if ready else sys.executable
    with subprocess.Popen([python, str(_SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Peers(process, pages)
        finally:
            process.terminate()


def measure(scale: Scale, seed: int) -> Measured:
    """Score and time all extractors over the same pages."""
    size = SIZES[scale]
    pages = gold_pages("measured") if size.corpus else _made_gold()
    warm = gold_pages("tuning") if size.corpus else pages
    start = time.perf_counter()
    by_headrace(warm[0].page)
    first_page = time.perf_counter() - start
    _check_repeatable(pages)
    with peers_of([page.page for page in (*pages, *warm)]) as peers:
        scores, seconds = _run(pages, warm, peers, size.rounds)
        versions = peers.versions
    figures = _figures(scores, seconds, len(pages))
    figures["first_page_seconds"] = first_page
    notes = [_row(name, scores[name], len(pages) / seconds[name]) for name in scores]
    notes += [f"{name}: absent (`make bench-env` installs it)" for name in _absent(versions)]
    if size.corpus:
        figures |= _book_figures()
    described = {"pages": len(pages), "rounds": size.rounds, "characters": sum(len(page.page) for page in pages)}
    return Measured(figures, described, notes, versions)


def _run(
    pages: Sequence[GoldPage], warm: Sequence[GoldPage], peers: Peers, rounds: int
) -> tuple[dict[str, Score], dict[str, float]]:
    """Let all take turns; give the scores and the seconds over all pages, each page with the best of its rounds."""
    names = (OURS, *peers.versions)
    for number in range(min(_WARM_PAGES, len(warm))):
        by_headrace(warm[number].page)
        for name in peers.versions:
            peers.extract(name, len(pages) + number)
    best = {name: [float("inf")] * len(pages) for name in names}
    scores = {name: Score() for name in names}
    for turn in range(rounds):
        progress(f"round {turn + 1} of {rounds}")
        for name in names:
            for number, page in enumerate(pages):
                seconds, text = _ours(page.page) if name == OURS else peers.extract(name, number)
                best[name][number] = min(best[name][number], seconds)
                if turn == 0:
                    scores[name] = scores[name].plus(page, text)
    return scores, {name: sum(times) for name, times in best.items()}


def _ours(page: str) -> tuple[float, str]:
    start = time.perf_counter()
    text = by_headrace(page)
    return time.perf_counter() - start, text


def _check_repeatable(pages: Sequence[GoldPage]) -> None:
    """Refuse to go on if a page gives another text at any of ten calls."""
    first = [by_headrace(page.page) for page in pages]
    for _ in range(_CALLS - 1):
        if [by_headrace(page.page) for page in pages] != first:
            raise SystemExit("the same page gave two texts")


def _figures(scores: Mapping[str, Score], seconds: Mapping[str, float], pages: int) -> dict[str, float]:
    ours = scores[OURS]
    figures = {"f1": ours.f1, "precision": ours.precision, "recall": ours.recall}
    figures["pages_per_second"] = pages / seconds[OURS]
    peers = [score.f1 for name, score in scores.items() if name != OURS]
    if peers:
        figures["best_peer_f1"] = max(peers)
        figures["f1_minus_best_peer"] = ours.f1 - max(peers)
    if _FAST in seconds:
        figures["pages_vs_trafilatura_fast"] = seconds[_FAST] / seconds[OURS]
    return figures


def _book_figures() -> dict[str, float]:
    """Compare books with their text editions: precision, and recall as a share of what all text of the pages reaches.

    The corpus has a part of the chapters, so that all text of its pages has no recall of 1.
    """
    figures = {}
    for book in BOOKS:
        pages, edition = book_pages(book), book_text(book)
        precision, recall = similarity([by_headrace(page) for page in pages], edition)
        _, most = similarity([all_text(page) for page in pages], edition)
        name = book.replace("-", "_")
        figures |= {f"{name}_precision": precision, f"{name}_recall": recall / most}
    return figures


def _row(name: str, score: Score, pages_per_second: float) -> str:
    return (
        f"{name:22} F1 {score.f1:.3f}  precision {score.precision:.3f}  recall {score.recall:.3f}"
        f"  {pages_per_second:8.0f} pages/s"
    )


def _absent(versions: Mapping[str, str]) -> list[str]:
    return [name for name in _PEERS if name not in versions]


def _made_gold() -> list[GoldPage]:
    """Give made pages as gold, for a run without the corpus: their pieces are the segments."""
    made = [page for number, page in enumerate(made_pages()) if number % 24 == 0]
    return [
        GoldPage(page.name, page.page, tuple(piece for piece in page.main if "<" not in piece)[:3], ())
        for page in made[:4]
    ]


BENCHMARK = Benchmark("extraction", "Main text of web pages, beside other extractors", TARGETS, measure)

if __name__ == "__main__":
    BENCHMARK.command()
