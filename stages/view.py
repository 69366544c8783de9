"""The view: the form of a text in which two spellings of the same words are equal. Dedup and statistics work on it.

NFKC, case-folded, traditional characters as simplified ones, control and format characters left out, white space
collapsed. The text itself is never changed by it.
"""

from __future__ import annotations

import unicodedata

import pyarrow as pa
import pyarrow.compute as pc

from headrace.stages.kernels.arrays import Array, Bytes, Column, Flags, Offsets, text_array, text_buffers
from headrace.stages.kernels.characters import classes, fold_normalized, folding


def view(text: str) -> str:
    r"""Give the match form of one text.

    >>> view("　ＨＥＡＤ　race\n漢字 ")
    'head race 汉字'
    """
    return " ".join(fold_normalized(unicodedata.normalize("NFKC", text)).split())


def views(column: Column) -> tuple[Bytes, Offsets]:
    """Give the match forms of a text column as bytes and offsets: what `view` gives, some hundred times faster."""
    from headrace.stages.kernels.fold import fold, view_bounds

    data, offsets = text_buffers(column)
    table = folding()
    most, joined = view_bounds(data, offsets, table.folded, table.starts, table.longer, table.joins)
    if joined.any():
        data, offsets = text_buffers(_normalized(text_array(data, offsets), joined))
        most, _ = view_bounds(data, offsets, table.folded, table.starts, table.longer, table.joins)
    return fold(data, offsets, table.folded, table.starts, table.longer, classes(), int(most.sum()))


def _normalized(texts: Array, chosen: Flags) -> Array:
    """Bring the chosen texts into NFKC by the library: the few in which characters join with their neighbours."""
    mask = pa.array(chosen)
    forms = [unicodedata.normalize("NFKC", str(text)) for text in texts.filter(mask).to_pylist()]
    changed: Array = pc.replace_with_mask(texts, mask, pa.array(forms, pa.large_string()))
    return changed
