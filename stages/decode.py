"""Turn bytes into text: find each file's charset and decode it, with a count of what could not be decoded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from headrace.schemas.document import QUARANTINED
from headrace.stages.base import BatchStage, judged
from headrace.stages.decoding.charset import Charset, find_charset
from headrace.stages.decoding.declaration import declared_in
from headrace.stages.kernels.arrays import Array, Counts
from headrace.stages.reading.columns import bytes_of, runs

_UTF8 = Charset("utf-8", "utf-8", 1.0)
_NATIVE = Charset("utf-8", "native", 1.0)
_ESCAPE, _TILDE, _BRACE = 0x1B, 0x7E, 0x7B
_BOM, _BOM_BYTES, _LOST = "\ufeff", b"\xef\xbb\xbf", "\ufffd"


class Decode(BatchStage):
    """Give every record as text, with the charset it was found to have.

    All rows of a file that are in the unit are judged together: byte order mark, escape codecs, strict UTF-8, then the
    declared charset beside a detector. Declarations lie, so one that gives odder text than the detector's choice loses.
    """

    version: ClassVar[int] = 1
    kind: Literal["decode"] = "decode"
    max_damage: float = Field(
        default=0.02, ge=0, le=1, description="Largest share of a record's characters that may be lost; one always may."
    )

    def process(self, table: pa.Table) -> pa.Table:
        """Replace `data` by `text`, and say which charset it was and what share of it is lost."""
        pieces = list(_decoded(table))
        text = pa.concat_arrays([p.text for p in pieces]) if pieces else pa.array([], pa.large_string())
        lost = np.concatenate([p.lost for p in pieces]) if pieces else np.zeros(0, np.int64)
        named = _with_charsets(table.drop_columns(["data", "declared"]).add_column(1, "text", text), pieces)
        if not lost.any():
            return named.append_column("damage", pa.array(np.zeros(len(lost)), pa.float32()))
        length = np.array([max(1, len(t or "")) for t in text.to_pylist()])
        damage, bad = lost / length, lost > np.maximum(1, self.max_damage * length)
        return judged(
            named.append_column("damage", pa.array(damage, pa.float32())),
            [QUARANTINED if b else None for b in bad],
            ["undecodable" if b else None for b in bad],
            pa.array(damage, mask=~bad),
            pa.array(np.full(len(bad), self.max_damage), mask=~bad),
            detail=[
                f"{c} is the best guess" if b else None for b, c in zip(bad, named["encoding"].to_pylist(), strict=True)
            ],
        )


@dataclass(frozen=True, slots=True)
class _Decoded:
    text: Array
    charset: Charset
    lost: Counts  # characters that could not be decoded, by row


def _decoded(table: pa.Table) -> Iterator[_Decoded]:
    """Decode a table in one cast where it is all UTF-8, else file by file."""
    if not table.num_rows:
        return
    kinds = set(table["format"].unique().to_pylist())
    text = None if "row" in kinds and len(kinds) > 1 else _plain_utf8(table)
    if text is not None:
        yield _Decoded(text, _NATIVE if "row" in kinds else _UTF8, np.zeros(len(text), np.int64))
        return
    for rows in runs(table, "path", "member", "format"):
        yield _file(rows)


def _plain_utf8(table: pa.Table) -> Array | None:
    """Give the texts by one cast that checks them, or None where something else needs a look."""
    data: Array = table["data"].combine_chunks()
    if _suspicious(data):
        return None
    try:
        return data.cast(pa.large_string())
    except pa.ArrowInvalid:
        return None


def _suspicious(data: Array) -> bool:
    """Look for what legal UTF-8 may hold and still be something else: escapes, NUL (UTF-16), byte order marks."""
    code = bytes_of(data)
    if (code == 0).any() or (code == _ESCAPE).any():
        return True
    if ((code[:-1] == _TILDE) & (code[1:] == _BRACE)).any():
        return True
    return bool(pc.any(pc.starts_with(data, pattern=_BOM_BYTES)).as_py())  # type: ignore[call-overload]


def _file(rows: pa.Table) -> _Decoded:
    """Decode the rows of one file with the one charset that they have together."""
    native = rows["format"][0].as_py() == "row"
    text = _plain_utf8(rows)
    if text is not None:
        return _Decoded(text, _NATIVE if native else _UTF8, np.zeros(len(text), np.int64))
    data: list[bytes | None] = rows["data"].to_pylist()
    charset = _NATIVE if native else _charset(rows, b"".join(row for row in data if row))
    pairs = [_text(row, charset.codec) for row in data]
    lost = np.array([n for _, n in pairs], np.int64)
    return _Decoded(pa.array([text for text, _ in pairs], pa.large_string()), charset, lost)


def _charset(rows: pa.Table, data: bytes) -> Charset:
    declared: str | None = rows["declared"][0].as_py()
    if rows["format"][0].as_py() == "html":
        declared = declared or declared_in(data)
    return find_charset(data, declared)


def _text(row: bytes | None, codec: str) -> tuple[str | None, int]:
    if row is None:
        return None, 0
    try:
        text, lost = row.decode(codec), 0
    except UnicodeDecodeError:
        text = row.decode(codec, "replace")
        lost = text.count(_LOST) - (row.count(_LOST.encode()) if codec == "utf-8" else 0)
    return text.lstrip(_BOM), lost


def _with_charsets(table: pa.Table, pieces: list[_Decoded]) -> pa.Table:
    owner: npt.NDArray[np.int64] = np.repeat(np.arange(len(pieces)), [len(p.text) for p in pieces])
    named: dict[str, Array] = {
        "encoding": pa.array([p.charset.codec for p in pieces], pa.string()),
        "encoding_method": pa.array([p.charset.method for p in pieces], pa.string()),
        "encoding_confidence": pa.array([p.charset.confidence for p in pieces], pa.float32()),
    }
    for name, values in named.items():
        table = table.append_column(name, values.take(owner))
    return table
