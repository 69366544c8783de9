"""Bytes to text: `decode` for one value, `decode_rows` for many files at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Array, Counts, Flags, text_array
from headrace.stages.decoding.at_once import told_at_once
from headrace.stages.decoding.batch import NOBODY, ONE_NOBODY, Batch, decoded_as, judged
from headrace.stages.decoding.charset import (
    FAVOUR,
    KERNEL_READS,
    NUMBER_OF,
    Charset,
    forced_charsets,
    found_charsets,
    number_of,
    plain_charset,
)
from headrace.stages.decoding.charsets import NUMBERED, codec_of
from headrace.stages.decoding.line_details import FIRST, Place, detail
from headrace.stages.decoding.lines import by_line
from headrace.stages.decoding.model_cache import charset_model
from headrace.stages.decoding.python_codecs import python_text
from headrace.stages.decoding.rows import Rows, rows_of_bytes
from headrace.stages.decoding.second_look import looked_again
from headrace.stages.kernels.charset_model import Model
from headrace.stages.kernels.charset_race import CODEC
from headrace.stages.kernels.charset_transcode import LOST_CODES, SUSPECT


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text and how it came about; `damage` is the share of its characters that is lost, shown as U+FFFD.

    `lost` counts these, and a last character that was cut, which is left out. `detail` names lines that are damaged or
    in another charset.
    """

    text: str
    encoding: str
    method: str
    confidence: float
    damage: float
    lost: int
    detail: str | None


@dataclass(frozen=True, slots=True)
class DecodedRows:
    """The texts of rows; by row: its charset and the codes lost, and for some what is odd about which lines."""

    batch: Batch
    instead: dict[int, str]  # texts that are not the kernel's
    charsets: list[Charset]
    lost: Counts
    details: dict[int, str]

    def text(self, row: int) -> str:
        """Give one row's text."""
        return self.instead[row] if row in self.instead else self.batch.text(row)

    def array(self) -> Array:
        """Give all texts as an Arrow array."""
        plain = text_array(self.batch.utf8[: self.batch.offsets[-1]], self.batch.offsets)
        if not self.instead:
            return plain
        others = pa.array(list(self.instead.values()), pa.large_string())
        order = np.arange(len(plain))
        order[list(self.instead)] = len(plain) + np.arange(len(others))
        return pa.concat_arrays([plain, others]).take(pa.array(order, pa.int64()))


def decode(data: bytes, declared: str | None = None, encoding: str | None = None) -> Decoded:
    """Give bytes as text, whatever charset they are in; never an error, only damage.

    `declared` is what the text is said to be (an HTTP header, a <meta>): it is weighed, not believed. `encoding` is
    believed, marks at the beginning excepted; a LookupError says that no such charset is known.

    >>> found = decode("数据预处理是训练大模型的第一步。".encode("gbk"))
    >>> found.text, found.encoding, found.method
    ('数据预处理是训练大模型的第一步。', 'gb18030', 'detected')
    """
    model, undeclared = charset_model(), declared is None and encoding is None
    told = told_at_once(data, model) if undeclared else None
    if told:
        return Decoded(*told, 0.0, 0, None)
    rows = rows_of_bytes(data)
    if undeclared:
        batch = judged(rows, ONE_NOBODY, FAVOUR, model, proofs=True)
        charset = plain_charset(batch)
        if charset is not None:  # most texts: nothing lost, nothing odd
            return Decoded(batch.text(0), charset.codec, charset.method, charset.confidence, 0.0, 0, None)
        groups = found_charsets(batch, [None], None, model)
    else:
        batch, groups = _judged(rows, [declared], encoding, None, model)
    found = _settled(batch, groups, lambda row: FIRST, model)
    text, charset, lost = found.text(0), found.charsets[0], int(found.lost[0])
    damage = lost / max(1, len(text)) if lost else 0.0
    return Decoded(text, charset.codec, charset.method, charset.confidence, damage, lost, found.details.get(0))


def decode_rows(
    rows: Rows,
    declared: Sequence[str | None],
    encoding: str | None = None,
    places: Callable[[int], Place] = lambda row: FIRST,
    native: Flags | None = None,
) -> DecodedRows:
    """Decode rows, those of a group by one charset.

    `declared` (a charset or None) and `native` (should be UTF-8 already) are about groups; `places` says where a
    row stands in its file, for the details. An unknown `encoding` raises a LookupError.
    """
    model = charset_model()
    batch, groups = _judged(rows, declared, encoding, native, model)
    return _settled(batch, groups, places, model)


def _judged(
    rows: Rows, declared: Sequence[str | None], encoding: str | None, native: Flags | None, model: Model
) -> tuple[Batch, list[Charset]]:
    """Let the kernel decode rows, by what it finds or by what is forced; give the charset of each group."""
    if encoding is not None:
        codec = codec_of(encoding)
        if codec is None:
            raise LookupError(f"no charset is called {encoding!r}: gb18030, big5 and windows-1252 are")
        batch = decoded_as(rows, np.full(rows.groups, number_of(codec), np.int64), model)
        return batch, forced_charsets(batch, codec, native)
    said = [codec_of(name) if name else None for name in declared]
    favoured = np.array([NUMBER_OF.get(name or "", NOBODY) for name in said], np.int64)
    batch = judged(rows, favoured, FAVOUR, model, proofs=True)
    return batch, found_charsets(batch, said, native, model)


def _settled(batch: Batch, groups: list[Charset], places: Callable[[int], Place], model: Model) -> DecodedRows:
    """Decode again where Python knows better than the kernel, then what needs a codec of Python, then odd lines."""
    rows = batch.rows
    if [number_of(charset.codec) for charset in groups] != batch.found[:, CODEC].tolist():
        batch = _again(rows, groups, model)
    suspects = batch.suspects
    if suspects:
        better = looked_again(batch, groups, model)
        if better != groups:
            groups, batch = better, _again(rows, better, model)
    charsets = groups
    if rows.groups < len(rows.begins):
        owners = np.repeat(np.arange(rows.groups), np.diff(rows.firsts))
        charsets = [groups[group] for group in owners.tolist()]
    result = DecodedRows(batch, {}, charsets, batch.notes[:, LOST_CODES], {})
    _read_by_python(result, model)
    if suspects:
        _read_by_lines(result, np.flatnonzero(batch.notes[:, SUSPECT]).tolist(), places, model)
    return result


def _again(rows: Rows, groups: list[Charset], model: Model) -> Batch:
    return decoded_as(rows, np.array([number_of(charset.codec) for charset in groups], np.int64), model)


def _read_by_python(result: DecodedRows, model: Model) -> None:
    """Decode the rows whose charset the kernel does not know."""
    for row, charset in enumerate(result.charsets):
        if charset.codec not in KERNEL_READS:
            result.instead[row], lost = python_text(result.batch.rows.row(row), charset.codec, model)
            result.lost[row] = lost
            if lost:
                result.details[row] = f"{lost} codes lost" if lost > 1 else "1 code lost"


def _read_by_lines(result: DecodedRows, suspects: list[int], places: Callable[[int], Place], model: Model) -> None:
    """Decode suspect rows line by line: their file's charset lost something or gives odd text."""
    charsets = [result.charsets[row] for row in suspects]
    numbers = [number_of(charset.codec) for charset in charsets]
    fixed = [charset.method in ("forced", "native", "utf-8") for charset in charsets]
    mended = by_line(result.batch.rows, suspects, numbers, fixed, model)
    for row, charset, found in zip(suspects, charsets, mended, strict=True):
        if not found.lines:
            continue
        result.details[row] = detail(found.lines, places(row), NUMBERED, found.more)
        if found.mixed:
            result.charsets[row] = replace(charset, codec=NUMBERED[found.codec], method="lines")
            result.instead[row] = found.text
            result.lost[row] = found.lost
