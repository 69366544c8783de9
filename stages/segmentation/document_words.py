"""The words of documents, Chinese and English ones together: what filters, grading and reports count."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import pairwise
from typing import Literal
from unicodedata import category

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Array, Classes, Column, Flags, read_only
from headrace.stages.kernels.chinese_words_bounds import WHITE, word_bounds
from headrace.stages.kernels.statistics_flags import SPACE
from headrace.stages.kernels.statistics_spans import END_MARK, PUNCTUATION
from headrace.stages.segmentation.mending import mended
from headrace.stages.segmentation.reference import reference_chinese, reference_english
from headrace.stages.segmentation.words import chinese_words
from headrace.stages.statistics.characters import flags
from headrace.stages.statistics.spacy_rules import cut_text, rules
from headrace.stages.statistics.spans import Spans, Words
from headrace.stages.statistics.treebank import Treebank, cut_treebank

Engine = Literal["headrace", "reference"]
EnglishWords = Literal["spacy", "nltk"]


class DocumentWords:
    """Cuts documents into words, white space left out; what it has learnt of English serves the next batch."""

    def __init__(
        self,
        *,
        english_words: EnglishWords = "spacy",
        user_dictionary: bytes = b"",
        mend: bool = False,
        engine: Engine = "headrace",
    ) -> None:
        """Choose by whose rules.

        Chinese words are `jieba.lcut`'s, with the words of `user_dictionary` (jieba's format, UTF-8). English words are
        those of spaCy's blank English, or of NLTK's tokenizer (the Penn Treebank's rules). `mend` takes jieba's
        oddities out: runs of letters in any script, of kana, and characters of several code points stay whole, and the
        user's words may hold any character. `reference` asks these packages document by document, and gives the same.
        """
        self._user_dictionary, self._mend = user_dictionary, mend
        self._english = _english(english_words, engine)
        self._engine = engine

    def words(self, column: Column, chinese: Flags, traditional: Flags) -> Words:
        """Give the words of each document of a text column, in its order; a null has none.

        Documents flagged as `chinese` are cut as Chinese, those of them that are `traditional` where their simplified
        form would be; all others are cut as English. Bounds are places in the document itself.
        """
        texts = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        if chinese.all():
            return self._chinese(texts, traditional)
        if not chinese.any():
            return self._english(texts)
        ours = self._chinese(texts.filter(pa.array(chinese)), traditional[chinese])
        theirs = self._english(texts.filter(pa.array(~chinese)))
        return _in_order(chinese, ours, theirs)

    def lists(self, column: Column, chinese: Flags, traditional: Flags) -> list[list[str]]:
        """Give the same words as strings: to look at, not for many documents."""
        words = self.words(column, chinese, traditional)
        texts = [(text or "").encode() for text in column.to_pylist()]
        bounds = list(zip(words.begins.tolist(), words.ends.tolist(), strict=True))
        return [
            [text[begin:end].decode() for begin, end in bounds[first:behind]]
            for text, (first, behind) in zip(texts, pairwise(words.firsts.tolist()), strict=True)
        ]

    def _chinese(self, texts: Array, traditional: Flags) -> Words:
        if self._engine == "reference":
            return reference_chinese(texts, traditional, self._user_dictionary, mend=self._mend)
        cuts = chinese_words(texts, traditional=traditional, user_dictionary=self._user_dictionary)
        if self._mend:
            cuts = mended(cuts, self._user_dictionary)
        return Words(*word_bounds(cuts.data, cuts.offsets, cuts.borders, cuts.firsts, word_kinds()))


def _english(english_words: EnglishWords, engine: Engine) -> Callable[[Column], Words]:
    if engine == "reference":
        return partial(reference_english, cut=cut_text if english_words == "spacy" else cut_treebank)
    return (Spans() if english_words == "spacy" else Treebank()).words


def _in_order(chosen: Flags, ours: Words, theirs: Words) -> Words:
    """Give the words of the documents chosen and of all others, in the order of the documents."""
    counts = np.empty(len(chosen), np.int64)
    counts[chosen], counts[~chosen] = np.diff(ours.firsts), np.diff(theirs.firsts)
    firsts = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    of_chosen = np.repeat(chosen, counts)
    begins, ends = np.empty(len(of_chosen), np.int32), np.empty(len(of_chosen), np.int32)
    kinds = np.empty(len(of_chosen), np.uint8)
    begins[of_chosen], begins[~of_chosen] = ours.begins, theirs.begins
    ends[of_chosen], ends[~of_chosen] = ours.ends, theirs.ends
    kinds[of_chosen], kinds[~of_chosen] = ours.kinds, theirs.kinds
    return Words(firsts, begins, ends, kinds)


@cache
def word_kinds() -> Classes:
    """Give the kind that each code point has as a word: a mark that ends sentences, punctuation, or white space."""
    table = np.zeros(0x110000, np.uint8)
    table[[point for point in range(len(table)) if category(chr(point))[0] == "P"]] = PUNCTUATION
    table[[ord(mark) for mark in rules().marks]] |= END_MARK
    table[flags() & SPACE != 0] = WHITE
    return read_only(table)
