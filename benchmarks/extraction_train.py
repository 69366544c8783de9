"""Fit the weights of the extractor: `python -m benchmarks.extraction_train [--folds] [--write]`.

It learns from the tuning half of the gold pages (blocks labelled by hand: number of blocks, those of the main text,
those that may be either), from the tuning halves of two collections with a reference text, and from pages made for it.
The measured half is never opened. The regression is logistic, with ridge penalty, by Newton's method.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt
from benchmarks.extraction_gold import BOOKS, Score, book_text, decoded, gold_pages, half_of, html_folder
from benchmarks.extraction_made import made_pages

from headrace.stages.kernels.extraction_model import CHARACTERS
from headrace.stages.kernels.extraction_tree import weighed
from headrace.stages.parsing.extraction.containers import NAMES as SECOND_NAMES
from headrace.stages.parsing.extraction.containers import second_look
from headrace.stages.parsing.extraction.features import NAMES as FIRST_NAMES
from headrace.stages.parsing.extraction.features import Look, look
from headrace.stages.parsing.extraction.headrace import extracted
from headrace.stages.parsing.extraction.pages import Blocks, blocks_of
from headrace.stages.parsing.extraction.tags import TAGS
from headrace.stages.parsing.extraction.weights import FILE, Weights

Array = npt.NDArray[np.float64]
LABELS = Path(__file__).with_name("extraction_labels.json")
_FOLDS = 5
_PENALTY = 100.0
_PAGE_WEIGHT = 150.0  # blocks of a long page count less, so that no page counts more than so many
_WITHOUT_HINTS = 0.3  # weight of copies without what class names say, so that nothing leans on them alone
_SQUEEZE = re.compile(r"[\s|*]+")
_MARKUP = re.compile(r"<[^>]*>")
_LEAST_QUOTED, _QUOTED = 16, 40
_MISTAKEN = ("bug-1255978", "hukumusume")  # their reference holds players of videos, or the whole page
_MADE_WEIGHT = 0.2


@dataclass(frozen=True, slots=True)
class Example:
    """A page with labels; the weight of a block that may be either is 0."""

    name: str
    blocks: Blocks
    seen: Look
    labels: Array
    weights: Array


def examples() -> Iterator[Example]:
    """Give all pages to learn from."""
    labels = json.loads(LABELS.read_text(encoding="utf-8"))
    for page in gold_pages("tuning"):
        count, main, either = labels[page.name]
        blocks = blocks_of(page.page)
        if len(blocks) != count:
            raise SystemExit(f"{page.name} has {len(blocks)} blocks, labels are of {count}: label it anew")
        yield _example(page.name, blocks, _numbers(main), 2.0, _numbers(either))
    for name, page, reference in _referenced():
        blocks = blocks_of(page)
        main = [n for n in range(len(blocks)) if reference.holds(blocks.text_of(n))]
        yield _example(name, blocks, main, 0.5, _open_questions(blocks, main))
    for made in made_pages():
        blocks = blocks_of(made.page)
        main, either = (_spelled(pieces) for pieces in (made.main, made.either))
        texts = [_SQUEEZE.sub("", blocks.text_of(n)) for n in range(len(blocks))]
        either_numbers = [n for n, text in enumerate(texts) if text in either]
        yield _example(
            made.name, blocks, [n for n, text in enumerate(texts) if text in main], _MADE_WEIGHT, either_numbers
        )


def _spelled(pieces: Sequence[str]) -> frozenset[str]:
    """Give the texts of pieces of markup, as blocks have them."""
    return frozenset(_SQUEEZE.sub("", html.unescape(_MARKUP.sub("", piece))) for piece in pieces)


def _example(name: str, blocks: Blocks, main: Sequence[int], weight: float, either: Sequence[int] = ()) -> Example:
    labels = np.zeros(len(blocks))
    labels[list(main)] = 1
    weights = weight * np.minimum(1, 0.3 + blocks.column(CHARACTERS) / 100) * min(1, _PAGE_WEIGHT / len(blocks))
    weights[list(either)] = 0
    return Example(name, blocks, look(blocks), labels, weights)


def _open_questions(blocks: Blocks, main: Sequence[int]) -> list[int]:
    """Give what references have in another way than we do: the heading, captions, and cells, which editions wrap."""
    tags, held = [TAGS[tag] for tag in blocks.tags.tolist()], set(main)
    cells = {n for n, tag in enumerate(tags) if tag in ("td", "th")} - held
    return [n for n, tag in enumerate(tags) if n == blocks.heading or tag == "figcaption" or n in cells]


def _numbers(ranges: str) -> list[int]:
    """Take ranges apart.

    >>> _numbers("3 5-7")
    [3, 5, 6, 7]
    """
    bounds = [part.split("-") for part in ranges.split()]
    return [number for bound in bounds for number in range(int(bound[0]), int(bound[-1]) + 1)]


class _Reference:
    """A text that tells which blocks are part of it: long ones by their beginning or end, short ones as a line."""

    def __init__(self, text: str) -> None:
        self._all = _SQUEEZE.sub("", text)
        self._lines = {_SQUEEZE.sub("", line).lstrip("-") for line in text.split("\n")}

    def holds(self, text: str) -> bool:
        squeezed = _SQUEEZE.sub("", text)
        if len(squeezed) < _LEAST_QUOTED:
            return squeezed in self._lines
        return squeezed[:_QUOTED] in self._all or squeezed[-_QUOTED:] in self._all


def _referenced() -> Iterator[tuple[str, str, _Reference]]:
    """Give the tuning halves of what has a reference: pages by folder, chapters of books by file."""
    for folder in sorted((html_folder() / "readability").iterdir()):
        if half_of(folder.name) != "tuning" or folder.name in _MISTAKEN:
            continue
        if len(list(folder.glob("*.html"))) == 2:
            expected = blocks_of(decoded((folder / "expected.html").read_bytes()))
            text = "\n".join(expected.text_of(n) for n in range(len(expected)))
            yield folder.name, decoded((folder / "source.html").read_bytes()), _Reference(text)
    for book in BOOKS:
        reference = _Reference(book_text(book))
        for path in sorted((html_folder() / book).glob("*.html")):
            if half_of(path.name) == "tuning" and "index" not in path.name:
                yield path.name, decoded(path.read_bytes()), reference


def fitted(features: Array, labels: Array, weights: Array) -> Array:
    """Give the weights of a logistic regression on standardized features, for features as they are."""
    mean, deviation = features.mean(axis=0), features.std(axis=0) + 1e-6
    mean[0], deviation[0] = 0, 1  # the first is always 1: the intercept
    scaled = (features - mean) / deviation
    ridge = np.full(features.shape[1], _PENALTY)
    ridge[0] = 1e-3
    found = np.zeros(features.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(scaled @ found, -30, 30)))
        slope = scaled.T @ (weights * (labels - chance)) - ridge * found
        curve = (scaled * (weights * chance * (1 - chance))[:, None]).T @ scaled + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        found += step
        if np.abs(step).max() < 1e-4:
            break
    found /= deviation
    found[0] -= found @ mean - found[0] * mean[0]
    return found


def trained(pages: Sequence[Example]) -> Weights:
    """Fit the first look, then the second on scores that the first gives for pages it has not seen."""
    pages = [*pages, *(_without_hints(page) for page in pages)]
    firsts = [fitted(*_joined([p for n, p in enumerate(pages) if n % _FOLDS != fold])) for fold in range(_FOLDS)]
    second = [
        replace(
            page,
            seen=replace(
                page.seen, features=second_look(page.blocks, page.seen, _scores(page, firsts[n % _FOLDS])).features
            ),
        )
        for n, page in enumerate(pages)
    ]
    return Weights(np.round(fitted(*_joined(pages)), 4), np.round(fitted(*_joined(second)), 4))


def _scores(page: Example, weights: Array) -> Array:
    return weighed(page.seen.features, weights)


def _joined(pages: Sequence[Example]) -> tuple[Array, Array, Array]:
    return (
        np.concatenate([page.seen.features.T for page in pages]),
        np.concatenate([page.labels for page in pages]),
        np.concatenate([page.weights for page in pages]),
    )


def _without_hints(page: Example) -> Example:
    hinting = np.array([name.startswith("hint ") for name in FIRST_NAMES])
    features = np.where(hinting[:, None], 0.0, page.seen.features)
    return replace(page, seen=replace(page.seen, features=features), weights=page.weights * _WITHOUT_HINTS)


def tried(pages: Sequence[Example]) -> Score:
    """Score each gold page of the tuning half with weights that were fitted without it."""
    gold = {page.name: page for page in gold_pages("tuning")}
    score = Score()
    for fold in range(_FOLDS):
        rest = [page for n, page in enumerate(pages) if n % _FOLDS != fold or page.name not in gold]
        weights = trained(rest)
        for n, page in enumerate(pages):
            if n % _FOLDS == fold and page.name in gold:
                text = extracted(page.blocks, weights)
                score = score.plus(gold[page.name], text)
                for segment in gold[page.name].wanted:
                    if segment not in text:
                        click.echo(f"missed {page.name}: {segment}")
                for segment in gold[page.name].unwanted:
                    if segment in text:
                        click.echo(f"kept   {page.name}: {segment}")
    return score


@click.command(help=__doc__)
@click.option("--folds", is_flag=True, help="Score the tuning half by five-fold cross-validation.")
@click.option("--write", is_flag=True, help="Write the weights into the package.")
def main(*, folds: bool, write: bool) -> None:
    """Fit the weights and say how well they do on what they were fitted to."""
    pages = list(examples())
    if folds:
        score = tried(pages)
        click.echo(f"five-fold: F1 {score.f1:.3f}, precision {score.precision:.3f}, recall {score.recall:.3f}")
    weights = trained(pages)
    score = Score()
    for page in gold_pages("tuning"):
        score = score.plus(page, extracted(blocks_of(page.page), weights))
    click.echo(f"fitted to: F1 {score.f1:.3f}, precision {score.precision:.3f}, recall {score.recall:.3f}")
    if write:
        FILE.write_text(weights.spelled(FIRST_NAMES, SECOND_NAMES), encoding="utf-8")


if __name__ == "__main__":
    main()
