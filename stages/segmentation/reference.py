"""The words of documents by the packages themselves, one document at a time: slow, and what all else must equal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from headrace.schemas.arrays import Column, Flags
from headrace.stages.kernels.characters import simplified
from headrace.stages.kernels.chinese_words_tables import FIRST_HAN, LAST_HAN
from headrace.stages.segmentation.lexicon import lexicon
from headrace.stages.segmentation.mending import mended_by_twin
from headrace.stages.statistics.spans import Words, kinds

if TYPE_CHECKING:
    import jieba


def reference_english(column: Column, cut: Callable[[str], list[str]]) -> Words:
    """Give the words of a text column as a function cuts each document."""
    texts = _texts(column)
    return _as_bounds(texts, [cut(text) for text in texts])


def reference_chinese(column: Column, traditional: Flags, user_dictionary: bytes, *, mend: bool) -> Words:
    """Give the words of a text column as jieba cuts each document; a traditional one is cut as its simplified form."""
    tokenizer, split = _tokenizer(user_dictionary)
    texts = _texts(column)
    with _split(split):
        lists = [
            _of_sizes(text, tokenizer.lcut(folded(text))) if other else tokenizer.lcut(text)
            for text, other in zip(texts, traditional.tolist(), strict=True)
        ]
    return _as_bounds(texts, [mended_by_twin(words, user_dictionary) for words in lists] if mend else lists)


def folded(text: str) -> str:
    """Give the simplified form, character by character, as far as words may hold it."""
    return text.translate(_folds())


@cache
def _folds() -> dict[int, int]:
    inside = range(FIRST_HAN, LAST_HAN + 1)
    return {old: new for old, new in simplified().items() if old in inside and new in inside}


@lru_cache(maxsize=4)
def _tokenizer(user_dictionary: bytes) -> tuple[jieba.Tokenizer, frozenset[str]]:
    """Give a tokenizer of jieba's, which has no types, and the words that its model must split."""
    import jieba

    words = lexicon(user_dictionary)
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = words.frequencies, words.total
    tokenizer.initialized = True
    return tokenizer, words.split


@contextmanager
def _split(words: frozenset[str]) -> Iterator[None]:
    """Let jieba split these words alone; it keeps them for all tokenizers of the process."""
    from jieba import finalseg

    before = set(finalseg.Force_Split_Words)
    finalseg.Force_Split_Words.clear()
    finalseg.Force_Split_Words.update(words)
    try:
        yield
    finally:
        finalseg.Force_Split_Words.clear()
        finalseg.Force_Split_Words.update(before)


def _texts(column: Column) -> list[str]:
    return [text or "" for text in column.to_pylist()]


def _of_sizes(text: str, words: Sequence[str]) -> list[str]:
    """Give a text in words as long as others."""
    ends = np.cumsum([0, *map(len, words)]).tolist()
    return [text[begin:end] for begin, end in pairwise(ends)]


def _as_bounds(texts: Sequence[str], lists: Sequence[Sequence[str]]) -> Words:
    """Give words in the order of their texts as bounds, white space left out."""
    firsts, begins, ends, sorts = [0], [], [], []
    for text, words in zip(texts, lists, strict=True):
        at = size = 0
        for word in words:
            if word.isspace():
                continue
            place = text.index(word, at)
            size += len(text[at:place].encode())
            begins.append(size)
            size += len(word.encode())
            ends.append(size)
            sorts += kinds([word])
            at = place + len(word)
        firsts.append(len(begins))
    bounds = np.array(begins, np.int32), np.array(ends, np.int32), np.array(sorts, np.uint8)
    return Words(np.array(firsts, np.int64), *bounds)
