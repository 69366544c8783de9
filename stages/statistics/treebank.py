"""English words by the rules of the Penn Treebank, as NLTK's word tokenizer cuts a whole text.

Its expressions look at white space in two places alone: the period that ends the text, with brackets and quotes behind
it, is a word, and a quoted clitic such as 's' is parted otherwise before a space than before the end of a line. All
else is known of a run without white space, so that each is cut once; such stretches are cut again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from headrace.schemas.arrays import Column
from headrace.stages.statistics.spans import Cut, Spans, Words, replaced

if TYPE_CHECKING:
    from nltk.tokenize import NLTKWordTokenizer

_CLOSERS = "])}>\"'»”’"  # may stand behind the period that ends a text
_SEPARATORS = re.compile(r"[\x1c-\x1f]")  # white space to Python, but not to NLTK's expressions
_QUOTED = re.compile(r"'[sSmMdD]'(?=[^\S ]|\Z)")  # the last quote is parted before a space, and then the first one too
_BESIDE = "x"  # a word that no rule touches, between which runs are cut
_TOGETHER = 2000  # runs that NLTK sees at a time
_ENDS, _SHORT = 1 << 12, 100  # ends of texts that are remembered, and the characters of such a one
_QUOTES = ("``", "''")  # what it writes for a straight double quote


class Treebank(Spans):
    """Runs by number, with their words by NLTK's rules."""

    def words(self, column: Column) -> Words:
        """Give the words of a text column, as NLTK's `NLTKWordTokenizer` cuts each text; quotes are those of the text.

        A straight quote is one word of the text's own bytes, for which NLTK writes two backticks or two straight marks.
        """
        words = super().words(column)
        again = [(row, *stretch) for row, text in enumerate(column.to_pylist()) for stretch in to_cut_again(text or "")]
        if not again:
            return words
        rows, begins, ends, texts = zip(*again, strict=True)
        parts = [self._known(text) for text in texts]
        return replaced(words, np.array(rows), np.array(begins, np.int32), np.array(ends, np.int32), parts)

    def cut(self, runs: Sequence[str]) -> Iterator[list[str]]:
        """Give the words of each run; joined again they are the run."""
        for first in range(0, len(runs), _TOGETHER):
            group = runs[first : first + _TOGETHER]
            words = iter(cut_treebank(" ".join((_BESIDE, *group, _BESIDE)))[1:])
            for run in group:
                row, size = [], 0
                while size < len(run):
                    row.append(next(words))
                    size += len(row[-1])
                yield row

    def edges(self, run: str, words: Sequence[str]) -> tuple[int, int, int]:
        """Give nothing that a run's neighbours may join with: there are no such rules."""
        return 0, 0, 0

    def _known(self, text: str) -> Cut:
        """Give the words of a stretch of a text."""
        return self.found(text.encode(), end_words(text) if len(text) <= _SHORT else words_behind(text))


@lru_cache(maxsize=_ENDS)
def end_words(text: str) -> tuple[bytes, ...]:
    """Give the words of the end of a text, as `words_behind` does."""
    return words_behind(text)


def words_behind(text: str) -> tuple[bytes, ...]:
    """Give the words of a text that stands behind others."""
    return tuple(word.encode() for word in cut_treebank(f"{_BESIDE} {text}")[1:])


def to_cut_again(text: str) -> list[tuple[int, int, str]]:
    """Give the stretches of a text that its runs alone do not tell, with the bytes at which they begin and end."""
    if _SEPARATORS.search(text):
        return [(0, len(text.encode()), text)]
    places = [(run_begin(text, match.start()), match.end()) for match in _QUOTED.finditer(text)]
    out = []
    size = at = 0
    for begin, end in places + last_sentence(text):
        size += len(text[at:begin].encode())
        out.append((size, size + len(text[begin:end].encode()), text[begin:end]))
        size, at = out[-1][1], end
    return out


def last_sentence(text: str) -> list[tuple[int, int]]:
    """Give where the last run begins of a text that ends in a period, closing marks behind it aside, and its end."""
    core = len(text)
    while core and (text[core - 1] in _CLOSERS or text[core - 1].isspace()):
        core -= 1
    return [(run_begin(text, core - 1), len(text))] if core and text[core - 1] == "." else []


def run_begin(text: str, at: int) -> int:
    """Give where the run without white space begins that a character is in."""
    while at and not text[at - 1].isspace():
        at -= 1
    return at


def cut_treebank(text: str) -> list[str]:
    """Give the words of a whole text by NLTK, as they stand in the text."""
    out: list[str] = []
    at = 0
    for word in tokenizer().tokenize(text):
        while text[at].isspace():
            at += 1
        size = len(word)
        if word in _QUOTES and not text.startswith(word, at):
            size = 1 if text[at] == '"' else 2
        out.append(text[at : at + size])
        at += size
    return out


@cache
def tokenizer() -> NLTKWordTokenizer:
    """Load NLTK's tokenizer, which has no types, once a process."""
    from nltk.tokenize.destructive import NLTKWordTokenizer

    return NLTKWordTokenizer()
