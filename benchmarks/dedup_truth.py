"""Which pairs of texts are how similar, by exhaustive comparison; and how an answer stands to that."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from benchmarks import dedup_planted

from headrace.schemas.arrays import Bytes, Counts, Floats, Hashes, Offsets
from headrace.stages.deduplication.shingles import Shingles, Shingling, shingle_sets
from headrace.stages.deduplication.sketches import sketches_of
from headrace.stages.deduplication.verify import measured
from headrace.stages.deduplication.verify import sketched as by_sketch
from headrace.stages.view import views

LEAST = 0.5  # similarity of the pairs that are known
_AUTO = Shingling()
_CORPUS = ("debian-copyright", "pep-revisions", "docs-cn-revisions")


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of numbers, the lower one first, each once, and their similarity: exact, or what a tool says."""

    members: Offsets
    similarities: Floats


@dataclass(frozen=True, slots=True)
class Known:
    """Views, their sets of shingles, and all pairs that are at least half alike.

    `given` are such pairs by the definition of shingles of those who made the set, if they give them.
    """

    name: str
    data: Bytes
    offsets: Offsets
    sets: Shingles
    pairs: Pairs
    given: Pairs | None = None

    @property
    def truth(self) -> Pairs:
        """The pairs that come with the set, or those that were measured."""
        return self.given or self.pairs

    @property
    def texts(self) -> list[str]:
        """The views as text."""
        raw = self.data.tobytes()
        bounds = self.offsets.tolist()
        return [raw[begin:end].decode() for begin, end in itertools.pairwise(bounds)]


@dataclass(frozen=True, slots=True)
class Score:
    """Pairs that an answer names, those of them that are true, and all that are true; scores add up."""

    named: int = 0
    right: int = 0
    true: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(self.named + other.named, self.right + other.right, self.true + other.true)

    @property
    def precision(self) -> float:
        """Share of the named pairs that are true; 1 if none is named."""
        return self.right / self.named if self.named else 1.0

    @property
    def recall(self) -> float:
        """Share of the true pairs that are named."""
        return self.right / self.true if self.true else 1.0


def planted(language: str, seed: int, count: int) -> Known:
    """Give new documents with a changed copy of each, all in one set."""
    originals, copies = dedup_planted.planted(language, seed, count)
    return known(f"planted {language}", [*originals, *copies])


def corpus(folder: Path) -> list[Known]:
    """Give the sets of revisions and of licences with the pairs that come with them."""
    return [_of_folder(folder / "dup" / name) for name in _CORPUS if (folder / "dup" / name / "pairs.tsv").is_file()]


def _of_folder(folder: Path) -> Known:
    paths = sorted(path for path in folder.iterdir() if path.name != "pairs.tsv")
    numbers = {path.name: number for number, path in enumerate(paths)}
    with (folder / "pairs.tsv").open(encoding="utf-8") as file:
        rows = [
            (numbers[row["a"]], numbers[row["b"]], float(row["jaccard"]))
            for row in csv.DictReader(file, delimiter="\t")
        ]
    given = Pairs(np.array([sorted(row[:2]) for row in rows], np.int64), np.array([row[2] for row in rows]))
    return replace(known(folder.name, [path.read_text(encoding="utf-8") for path in paths]), given=given)


def known(name: str, texts: list[str], shingling: Shingling = _AUTO) -> Known:
    """Compare the views of texts, each with each."""
    data, offsets = views(pa.array(texts, pa.large_string()))
    sets = shingle_sets(data, offsets, shingling)
    return Known(name, data, offsets, sets, alike(sets))


def alike(sets: Shingles) -> Pairs:
    """Give every pair of sets that are at least half alike.

    Of n values of a set at least half are in any such other, so the two share one among the n // 2 + 1 that are rarest
    in all (prefix filtering, Chaudhuri et al. 2006): none is missed.
    """
    sizes, owners = sets.counts(), np.repeat(np.arange(len(sets.ends) - 1), sets.counts())
    _, which, counts = np.unique(sets.values, return_inverse=True, return_counts=True)
    order = np.lexsort((which, counts[which], owners))  # within each set: from the rarest on
    rare = np.arange(len(order)) - sets.ends[owners] <= sizes[owners] // 2
    pairs = equal_pairs(sets.values[order][rare], owners[rare])
    similarities = measured(sets, sets, pairs)
    return Pairs(pairs[similarities >= LEAST], similarities[similarities >= LEAST])


def equal_pairs(values: Hashes, owners: Counts) -> Offsets:
    """Give each pair of owners that have a value in common, once; an owner has a value once."""
    order = np.argsort(values, kind="stable")
    values, owners = values[order], owners[order]
    parts, step = [np.zeros((0, 2), np.int64)], 1
    begins = np.arange(len(values))
    while True:
        begins = begins[begins + step < len(values)]
        begins = begins[values[begins] == values[begins + step]]  # only these have one still further on
        if not len(begins):
            return np.unique(np.concatenate(parts), axis=0)
        parts.append(np.sort(np.stack([owners[begins], owners[begins + step]], axis=1), axis=1))
        step += 1


def scored(answer: Pairs, truth: Pairs, threshold: float) -> Score:
    """Count what an answer's pairs from a threshold on are worth."""
    named = _numbered(answer.members[answer.similarities >= threshold])
    true = _numbered(truth.members[truth.similarities >= threshold])
    return Score(len(named), int(np.isin(named, true).sum()), len(true))


def exactly(answer: Pairs, sets: Shingles) -> Pairs:
    """Give the same pairs with their exact similarity."""
    return Pairs(answer.members, measured(sets, sets, answer.members))


def sketched(answer: Pairs, sets: Shingles) -> Pairs:
    """Give the same pairs with the similarity that sketches of the sets tell."""
    sketches = sketches_of(sets)
    return Pairs(answer.members, by_sketch(sketches, sketches, answer.members))


def _numbered(members: Offsets) -> Counts:
    return members[:, 0] << 32 | members[:, 1]


def table(heading: str, scores: Mapping[str, Mapping[float, Score]]) -> list[str]:
    """Lay out precision and recall in percent by tool and threshold."""
    thresholds = next(iter(scores.values()), {})
    lines = [
        f"{heading}: precision/recall in percent at a similarity of",
        _line("", [f"{at:.2f}" for at in thresholds]),
    ]
    for name, row in scores.items():
        lines.append(_line(name, [f"{100 * one.precision:.1f}/{100 * one.recall:.1f}" for one in row.values()]))
    return lines


def _line(name: str, cells: Iterable[str]) -> str:
    return f"{name:<22}" + "".join(f"{cell:>12}" for cell in cells)
