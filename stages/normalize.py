"""Normalize: one spelling for the same text (NFC, widths, white space, case), before it is tokenized."""

from __future__ import annotations

from typing import ClassVar, Literal

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from headrace.schemas.arrays import Array, Column, text_array, text_buffers, with_column
from headrace.stages.base import BatchStage
from headrace.stages.kernels.characters import MANY_MARKS, classes, composing, marks_in_order, unsettled


class Normalize(BatchStage):
    """Bring texts into one spelling; running it twice changes nothing. Chinese punctuation stays Chinese."""

    version: ClassVar[int] = 1

    kind: Literal["normalize"] = "normalize"
    widths: Literal["half", "keep"] = Field(
        "half", description="half: full-width ASCII letters and digits become ordinary ones. keep: they stay."
    )
    case: Literal["keep", "lower"] = Field("keep", description="lower: letters become lower case, one by one.")
    white_space: Literal["collapse", "keep"] = Field(
        "collapse",
        description="collapse: one space between words, no spaces at line ends, indentation stays but for ideographic "
        "spaces, every line break is a line feed. keep: white space stays as it is.",
    )
    max_blank_lines: int = Field(1, ge=0, description="More blank lines in a row become this many (collapse).")

    def process(self, table: pa.Table) -> pa.Table:
        """Give the table with changed texts; no document leaves here."""
        return with_column(table, "text", self.normalized(table["text"]))

    def normalized(self, texts: Column) -> Array:
        """Give the normalized texts: case and widths first, since both can make characters that NFC joins."""
        from headrace.stages.kernels.spacing import narrow_documents, space_out

        if self.case == "lower":
            texts = pc.utf8_lower(texts)
        data, offsets = text_buffers(texts)
        if self.widths == "half":
            data, offsets = narrow_documents(data, offsets)
        if self.white_space == "collapse":
            data, offsets = space_out(data, offsets, classes(), self.max_blank_lines)
        return composed(text_array(data, offsets))


def composed(texts: Array) -> Array:
    """Bring texts into NFC; the library sees only those that may not be."""
    from headrace.stages.kernels.spacing import flag_documents

    chosen = pa.array(flag_documents(*text_buffers(texts), unsettled()))
    if not pc.any(chosen).as_py():
        return texts
    forms = pc.call_function("utf8_normalize", [_in_order(texts.filter(chosen))], pc.Utf8NormalizeOptions("NFC"))
    changed: Array = pc.replace_with_mask(texts, chosen, forms)
    return changed


def _in_order(texts: Array) -> Array:
    """Sort long runs of marks before the library does, in the square of their number."""
    from headrace.stages.kernels.marks import flag_runs

    long = pa.array(flag_runs(*text_buffers(texts), composing(), MANY_MARKS))
    if not pc.any(long).as_py():
        return texts
    ordered = [marks_in_order(str(text), "NFC") for text in texts.filter(long).to_pylist()]
    changed: Array = pc.replace_with_mask(texts, long, pa.array(ordered, texts.type))
    return changed
