"""Words of Chinese text, the same as jieba's, as borders in the Arrow buffers of the texts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Array, Bytes, Column, Flags, Offsets, text_array, text_buffers
from headrace.stages.kernels.chinese_words import cut
from headrace.stages.kernels.chinese_words_tables import DICTIONARY, MODEL
from headrace.stages.segmentation.tables import word_tables


@dataclass(frozen=True, slots=True)
class Cuts:
    """Where a batch of texts is cut into words. They fill the texts: white space and punctuation are words as well.

    Word k is `data[borders[k]:borders[k + 1]]`; text i has the words `firsts[i]` to `firsts[i + 1] - 1`. Borders are
    places in bytes of UTF-8, and always between characters. `DocumentWords` leaves white space out.
    """

    data: Bytes
    offsets: Offsets  # of the texts
    borders: Offsets
    firsts: Offsets

    def arrow(self) -> Array:
        """Give a list of strings for each text, without copying."""
        words = text_array(self.data, self.borders)
        buffers = [None, pa.py_buffer(self.firsts.data)]
        return pa.Array.from_buffers(pa.large_list(words.type), len(self.firsts) - 1, buffers, children=[words])


def chinese_words(
    column: Column, *, model: bool = True, user_dictionary: bytes = b"", traditional: Flags | None = None
) -> Cuts:
    """Give the words of each text as `jieba.lcut` (0.42.1) has them; a null counts as an empty text.

    `model` looks for words that the dictionary lacks, as jieba's `HMM` does. `user_dictionary` has jieba's format.
    Texts that are flagged as `traditional` are cut where their simplified form would be (character by character,
    OpenCC), since jieba's dictionary is simplified; borders are places in the text itself.
    """
    data, offsets = text_buffers(column)
    variants = np.zeros(len(offsets) - 1, np.uint8)
    if traditional is not None:
        variants[:] = traditional
    size = int(offsets[-1] - offsets[0])
    borders = np.empty(size + 2, np.int64)  # pages that are never written take no memory
    firsts = np.empty(len(offsets), np.int64)
    method = MODEL if model else DICTIONARY
    count = cut(data, offsets, variants, method, word_tables(user_dictionary), borders, firsts)
    return Cuts(data, offsets, borders[: count + 1], firsts)
