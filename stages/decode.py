"""Turn bytes into text: find each file's charset and decode it, with a count of what could not be decoded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, field_validator

from headrace.schemas.arrays import Array, Counts
from headrace.schemas.document import QUARANTINED
from headrace.stages.base import BatchStage, judged
from headrace.stages.decoding.charsets import codec_of
from headrace.stages.decoding.declaration import declared_in
from headrace.stages.reading.columns import runs
from headrace.stages.reading.part import LINE

if TYPE_CHECKING:  # the decoder loads numba and its tables
    from headrace.stages.decoding.decoder import DecodedRows
    from headrace.stages.decoding.line_details import Place

_NATIVE, _PAGE = "row", "html"  # formats: text already, and what declares its charset inside


class Decode(BatchStage):
    """Give every record as text, with the charset it was found to have.

    All rows of a file that are in the unit are judged together: byte order mark, escape codecs, strict UTF-8, then a
    race of all charsets, in which a declared one has a lead but loses to clearly likelier text. Lines in a charset of
    their own are decoded by that. `encoding_detail` names them, and lines that are damaged.
    """

    version: ClassVar[int] = 3
    kind: Literal["decode"] = "decode"
    max_damage: float = Field(
        default=0.02, ge=0, le=1, description="Largest share of a record's characters that may be lost; one always may."
    )
    encoding: str | None = Field(
        default=None, description="Take every input for this charset, marks at its beginning excepted."
    )

    @field_validator("encoding")
    @classmethod
    def _is_known(cls, name: str | None) -> str | None:
        if name is not None and codec_of(name) is None:
            raise ValueError(f"no charset is called {name!r}: gb18030, big5 and windows-1252 are")
        return name

    def process(self, table: pa.Table) -> pa.Table:
        """Replace `data` by `text`, and say which charset it was and what share of it is lost."""
        data: Array = table["data"].combine_chunks()
        result = _decoded(table, data, self.encoding)
        text = result.array()
        if data.null_count:
            text = pc.if_else(data.is_null(), pa.scalar(None, pa.large_string()), text)
        decoded = table.drop_columns(["data", "declared"]).add_column(1, "text", text)
        length = _lengths(text) if result.lost.any() else 1
        damage = result.lost / length
        for name, values in _described(result, table.num_rows).items():
            decoded = decoded.append_column(name, values)
        decoded = decoded.append_column("damage", pa.array(damage, pa.float32()))
        bad = result.lost > np.maximum(1, self.max_damage * length)
        if not result.lost.any():
            return decoded
        return judged(
            decoded,
            [QUARANTINED if b else None for b in bad],
            ["undecodable" if b else None for b in bad],
            pa.array(damage, mask=~bad),
            pa.array(np.full(len(bad), self.max_damage), mask=~bad),
            detail=[_fault(result, row) if b else None for row, b in enumerate(bad)],
        )


def _decoded(table: pa.Table, data: Array, encoding: str | None) -> DecodedRows:
    from headrace.stages.decoding.decoder import decode_rows
    from headrace.stages.decoding.rows import rows_of_array

    firsts, native = [0], []
    for run in runs(table, "path", "member", "format"):
        alone = run["format"][0].as_py() == _NATIVE  # cells of a table have nothing to do with each other
        steps = range(1, run.num_rows + 1) if alone else [run.num_rows]
        native += [alone] * len(steps)
        begin = firsts[-1]
        firsts += [begin + step for step in steps]
    rows = rows_of_array(data, firsts)
    return decode_rows(rows, _declared(table, firsts[:-1]), encoding, _places(table), np.array(native, np.bool_))


def _lengths(text: Array) -> Counts:
    """Count the characters of each text, at least one."""
    lengths: Array = pc.utf8_length(text)  # type: ignore[call-overload]
    counts: Counts = np.maximum(1, lengths.fill_null(0).to_numpy())
    return counts


def _declared(table: pa.Table, rows: list[int]) -> list[str | None]:
    """Give what some rows are said to be in: by their container, or else by the page itself."""
    chosen = table.select(["declared", "format"]).take(pa.array(rows, pa.int64()))
    declared: list[str | None] = chosen["declared"].to_pylist()
    for at, kind in enumerate(chosen["format"].to_pylist()):
        if declared[at] is None and kind == _PAGE:
            declared[at] = declared_in(table["data"][rows[at]].as_py() or b"")
    return declared


def _places(table: pa.Table) -> Callable[[int], Place]:
    """Give the function that says where a row begins in its file."""
    from headrace.stages.decoding.line_details import Place

    lines = table[LINE] if LINE in table.column_names else None

    def place(row: int) -> Place:
        byte: int = table["offset"][row].as_py() or 0
        line = lines[row].as_py() if lines is not None else None
        return Place(line or (None if byte else 1), byte)

    return place


def _described(result: DecodedRows, rows: int) -> dict[str, Array]:
    """Give the columns that tell how the rows were decoded."""
    details = [None] * rows if not result.details else [result.details.get(row) for row in range(rows)]
    return {
        "encoding": pa.array([charset.codec for charset in result.charsets], pa.string()),
        "encoding_method": pa.array([charset.method for charset in result.charsets], pa.string()),
        "encoding_confidence": pa.array([charset.confidence for charset in result.charsets], pa.float32()),
        "encoding_detail": pa.array(details, pa.string()),
    }


def _fault(result: DecodedRows, row: int) -> str:
    """Say what a record that lost too much was taken for, and where the loss is."""
    return f"{result.charsets[row].codec} is the best guess; {result.details.get(row, 'the loss is spread')}"
