"""Bytes to text: `decode` for one value, `decode_rows` for many files at once."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from headrace.stages.decoding.charset import NUMBER_OF, Charset, find_charsets
from headrace.stages.decoding.charsets import CP950, ESCAPING, NUMBERED, codec_of
from headrace.stages.decoding.escapes import decode_escapes
from headrace.stages.decoding.lines import FIRST, Place, by_line, detail, looks_mixed
from headrace.stages.decoding.model_cache import charset_model
from headrace.stages.decoding.rows import Rows, rows_of_bytes
from headrace.stages.kernels.arrays import Array, Bytes, Counts, Flags, Offsets, text_array
from headrace.stages.kernels.charset_model import BEYOND, FIRST_PAGE, JAPANESE, UTF_8, Model
from headrace.stages.kernels.charset_transcode import LAYOUT, LOST_CODES, MOST_BYTES, transcode

_BOM, _LOST = "\ufeff", "\ufffd"
_RUNNER_UP = 20  # times less must be lost by the second charset of a race for it to win after all
_DAMAGE = 2400  # centinats that each loss outside the sample counts, as in the race
_COIN_TOSS = 0.5
_WEB_LAYOUT = 300  # centinats by which the web's layout of Big5 is likelier than CP950's


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
    """Rows as UTF-8: row r is `utf8[offsets[r]:offsets[r + 1]]`, unless `instead` has another text for it.

    By row: its charset, the codes lost, and what is odd about which lines.
    """

    utf8: Bytes
    offsets: Offsets
    instead: dict[int, bytes]
    charsets: list[Charset]
    lost: Counts
    details: dict[int, str]

    def text(self, row: int) -> str:
        """Give one row's text."""
        replaced = self.instead.get(row)
        return (
            self.utf8[self.offsets[row] : self.offsets[row + 1]].tobytes() if replaced is None else replaced
        ).decode()

    def array(self) -> Array:
        """Give all texts as an Arrow array."""
        plain = text_array(self.utf8[: self.offsets[-1]], self.offsets)
        if not self.instead:
            return plain
        others = pa.array([text.decode() for text in self.instead.values()], pa.large_string())
        order = np.arange(len(plain))
        order[list(self.instead)] = len(plain) + np.arange(len(others))
        return pa.concat_arrays([plain, others]).take(pa.array(order))


def decode(data: bytes, declared: str | None = None, encoding: str | None = None) -> Decoded:
    """Give bytes as text, whatever charset they are in; never an error, only damage.

    `declared` is what the text is said to be (an HTTP header, a <meta>): it is weighed, not believed. `encoding` is
    believed, marks at the beginning excepted; a LookupError says that no such charset is known.

    >>> found = decode("数据预处理是训练大模型的第一步。".encode("gbk"))
    >>> found.text, found.encoding, found.method
    ('数据预处理是训练大模型的第一步。', 'gb18030', 'detected')
    """
    rows = decode_rows(rows_of_bytes(data), [declared], encoding)
    text, charset, lost = rows.text(0), rows.charsets[0], int(rows.lost[0])
    damage = lost / max(1, len(text)) if lost else 0.0
    return Decoded(text, charset.codec, charset.method, charset.confidence, damage, lost, rows.details.get(0))


def decode_rows(
    rows: Rows,
    declared: Sequence[str | None],
    encoding: str | None = None,
    places: Sequence[Place] | None = None,
    native: Flags | None = None,
) -> DecodedRows:
    """Decode rows, those of a group by one charset.

    `declared` (a charset or None) and `native` (should be UTF-8 already) are about groups; `places` says where rows
    stand in their file, for the details. An unknown `encoding` raises a LookupError.
    """
    model = charset_model()
    groups = find_charsets(rows, declared, native, model)
    if encoding is not None:
        groups = _forced(rows, groups, encoding)
    groups, utf8, offsets, notes = _transcoded(rows, groups, model)
    owners = np.repeat(np.arange(len(groups)), np.diff(rows.firsts)).tolist()
    result = DecodedRows(utf8, offsets, {}, [groups[group] for group in owners], notes[:, LOST_CODES], {})
    _read_by_codecs(rows, result, model)
    odd = np.flatnonzero(looks_mixed(notes)).tolist()
    if odd:
        _read_by_lines(rows, odd, result, places, model)
    return result


def _forced(rows: Rows, groups: list[Charset], encoding: str) -> list[Charset]:
    """Put one charset in the place of all but marks and native text."""
    codec = codec_of(encoding)
    if codec is None:
        raise LookupError(f"unknown charset: {encoding}")
    forced = Charset(codec, "forced", 1.0)
    return [charset if charset.method in ("bom", "native") else forced for charset in groups]


def _transcoded(rows: Rows, groups: list[Charset], model: Model) -> tuple[list[Charset], Bytes, Offsets, Counts]:
    """Transcode what kernels can, and once more where a race's second loses much less than its winner."""
    out = np.empty(MOST_BYTES * int((rows.ends - rows.begins).sum()) + 4, np.uint8)
    offsets, notes = _by_kernel(rows, groups, model, out)
    if notes[:, LOST_CODES].any() or notes[:, LAYOUT].any():
        better = [_reconsidered(rows, group, charset, notes, model) for group, charset in enumerate(groups)]
        if better != groups:
            groups = better
            offsets, notes = _by_kernel(rows, groups, model, out)
    return groups, out, offsets, notes


def _by_kernel(rows: Rows, groups: list[Charset], model: Model, out: Bytes) -> tuple[Offsets, Counts]:
    """Transcode the rows of all groups; those whose charset no kernel knows come out empty."""
    numbers = np.array([_number(charset) for charset in groups], np.int64)
    by_row = np.repeat(numbers, np.diff(rows.firsts))
    ends = np.where(by_row < 0, rows.begins, rows.ends) if (numbers < 0).any() else rows.ends
    return transcode(rows.data, rows.begins, ends, np.maximum(by_row, 0), model, out)


def _number(charset: Charset) -> int:
    number = NUMBER_OF.get(charset.codec, -1)
    return -1 if UTF_8 < number < FIRST_PAGE else number


def _reconsidered(rows: Rows, group: int, charset: Charset, notes: Counts, model: Model) -> Charset:
    """Give a group's charset, or another one that loses much less or whose layout of Big5 gives likelier text."""
    first, last = int(rows.firsts[group]), int(rows.firsts[group + 1])
    lost, vendor = notes[first:last, LOST_CODES].sum(), notes[first:last, LAYOUT].any()
    if charset.second and lost * _DAMAGE > charset.lead:
        other = replace(charset, codec=charset.second, second=None, confidence=_COIN_TOSS)
        if _number(other) >= 0:
            theirs = _alone(rows, first, last, other, model)[1][:, LOST_CODES].sum()
            if theirs * _RUNNER_UP < lost:
                return other
    if vendor:
        other = replace(charset, codec=CP950)
        texts = [_alone(rows, first, last, one, model)[0] for one in (charset, other)]
        web, other_layout = (_kana_score(text, model) for text in texts)
        return other if other_layout > web + _WEB_LAYOUT else charset
    return charset


def _alone(rows: Rows, first: int, last: int, charset: Charset, model: Model) -> tuple[str, Counts]:
    """Transcode a few rows; give their text and notes."""
    out = np.empty(MOST_BYTES * int((rows.ends[first:last] - rows.begins[first:last]).sum()) + 4, np.uint8)
    numbers = np.full(last - first, _number(charset), np.int64)
    offsets, notes = transcode(rows.data, rows.begins[first:last], rows.ends[first:last], numbers, model, out)
    return out[: offsets[-1]].tobytes().decode(), notes


def _kana_score(text: str, model: Model) -> int:
    """Give how likely the characters of a text are in Japanese: only the kana differ between the layouts of Big5."""
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    return int(model.character_logs[JAPANESE][np.minimum(points, BEYOND)].sum(dtype=np.int64))


def _read_by_codecs(rows: Rows, result: DecodedRows, model: Model) -> None:
    """Decode the rows whose charset no kernel knows: UTF-16, UTF-32, escapes, rare charsets that were declared."""
    for row, charset in enumerate(result.charsets):
        if _number(charset) < 0:
            text, lost = _text(rows.row(row), charset.codec, model)
            result.instead[row] = text.lstrip(_BOM).encode("utf-8", "replace")
            result.lost[row] = lost
            if lost:
                result.details[row] = f"{lost} codes lost" if lost > 1 else "1 code lost"


def _text(data: bytes, codec: str, model: Model) -> tuple[str, int]:
    """Decode by a codec of Python; a cut last character is left out and counted."""
    if codec in ESCAPING:
        return decode_escapes(data, codec, model)
    decoder = codecs.getincrementaldecoder(codec)
    strict = decoder()
    try:
        text, lost = strict.decode(data), 0
    except UnicodeDecodeError:
        strict = decoder("replace")
        text = strict.decode(data)
        lost = text.count(_LOST) - decoder("ignore").decode(data).count(_LOST)
    return text, lost + bool(strict.getstate()[0])


def _read_by_lines(
    rows: Rows, odd: list[int], result: DecodedRows, places: Sequence[Place] | None, model: Model
) -> None:
    """Decode rows line by line where their file's charset lost something or gives odd text."""
    numbers = [_number(result.charsets[row]) for row in odd]
    fixed = [result.charsets[row].method in ("forced", "native") for row in odd]
    for row, mended in zip(odd, by_line(rows, odd, numbers, fixed, model), strict=True):
        if not mended.lines:
            continue
        charset = result.charsets[row]
        result.details[row] = detail(mended.lines, places[row] if places else FIRST, NUMBERED)
        if mended.mixed:
            codec = NUMBERED[mended.codec] if mended.codec is not None else charset.codec
            result.charsets[row] = replace(charset, codec=codec, method="lines")
            result.instead[row] = mended.text
            result.lost[row] = mended.lost
