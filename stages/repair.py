"""Repair: undo what went wrong on the way from the author to the file, and nothing else."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import pyarrow as pa
from pydantic import Field

from headrace.schemas.arrays import with_column
from headrace.stages.base import BatchStage
from headrace.stages.repairing.rounds import repaired_column

REPAIRS = (
    "mojibake",
    "pinyin",
    "look_alikes",
    "script",
    "zero_width",
    "controls",
    "bidi",
    "private_use",
    "line_ends",
    "byte_order_marks",
    "non_characters",
    "marks",
)


class Repair(BatchStage):
    """Mend texts: wrong decoding, pinyin put into pages, look-alikes from PDFs, characters that are no text.

    Each repair has a switch of its name and a count `values.repaired_<name>` for every document. Running it twice
    changes nothing. What cannot be mended stays; `clean` counts it as damage.
    """

    version: ClassVar[int] = 2

    kind: Literal["repair"] = "repair"
    mojibake: bool = Field(
        True, description="Text that was decoded with the wrong charset, Chinese included, is read again. Counts lines."
    )
    pinyin: bool = Field(
        True,
        description="Pages whose traditional characters were given pinyin in parentheses by a copier are restored and "
        "made simplified again. Glosses that are meant stay. Counts annotations.",
    )
    look_alikes: bool = Field(
        True,
        description="Radicals (U+2E80 to U+2FD5) beside Chinese text and compatibility ideographs become the ordinary "
        "characters. Lists of radicals stay.",
    )
    script: Literal["keep", "simplified", "traditional"] = Field(
        "keep", description="simplified, traditional: Chinese is converted by OpenCC's phrases. Counts characters."
    )
    zero_width: bool = Field(
        True,
        description="Characters without a glyph go: U+200B, soft hyphens and such; joiners, selectors and tags only "
        "where they spell nothing.",
    )
    controls: bool = Field(
        True,
        description="C0, DEL and C1 controls and terminal sequences go, and VT and FF between such in a word.",
    )
    bidi: bool = Field(
        True,
        description="Direction overrides, embeddings and isolates go; direction marks where no letter runs right to "
        "left.",
    )
    private_use: Literal["keep", "remove"] = Field(
        "keep", description="Characters without a public meaning. values.private_use counts those that stay."
    )
    line_ends: bool = Field(True, description="CR, CRLF, VT, FF, U+0085, U+2028 and U+2029 become line feeds.")
    byte_order_marks: bool = Field(True, description="U+FEFF goes wherever it stands.")
    non_characters: bool = Field(True, description="Code points that Unicode will never assign go.")
    marks: int | None = Field(
        8, ge=0, description="Combining marks that one letter may carry; further ones go. null: all stay."
    )

    def process(self, table: pa.Table) -> pa.Table:
        """Give the table with mended texts and the counts; no document leaves here."""
        result = repaired_column(self, REPAIRS, table["text"])
        table = with_column(table, "text", result.texts)
        for name, counts in result.places.items():
            table = with_column(table, f"values.repaired_{name}", pa.array(counts, pa.float64()))
        return with_column(table, "values.private_use", pa.array(result.private_use, pa.float64()))


def repaired(text: str, **options: Any) -> tuple[str, dict[str, int]]:
    r"""Give one text mended, and how many places each repair changed; repairs that changed nothing are left out.

    `options` are those of the stage `repair`.

    >>> repaired("doesnâ€™t\r\nwork")
    ('doesn’t\nwork', {'mojibake': 1, 'line_ends': 1})
    >>> repaired("doesnâ€™t\r\nwork", mojibake=False)
    ('doesnâ€™t\nwork', {'line_ends': 1})
    """
    stage = Repair.model_validate(options)
    result = repaired_column(stage, REPAIRS, pa.array([text], pa.large_string()))
    return str(result.texts[0]), {name: int(counts[0]) for name, counts in result.places.items() if counts[0]}
