"""Lines in another charset than their file's, and lines that lost something: found and decoded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from headrace.schemas.arrays import Bytes, Counts, Flags, Offsets, read_only
from headrace.stages.decoding.batch import NOBODY, Batch, decoded_as, judged
from headrace.stages.decoding.ebcdic import ebcdic_page
from headrace.stages.decoding.line_details import Line
from headrace.stages.decoding.rows import Rows
from headrace.stages.kernels.charset_facts import HIGH
from headrace.stages.kernels.charset_model import FIRST_PAGE, UTF_8, Model
from headrace.stages.kernels.charset_race import CODEC, SCORE
from headrace.stages.kernels.charset_transcode import FOREIGN, LOST_CODES, STRAIN, SUSPECT

_FAVOUR = 800  # centinats by which a line's charset must be likelier than its file's
# What a page must give for a line to be believed: centinats a byte beyond ASCII, and what is counted before any byte.
_LEAST_LIKELY, _PRIOR = -800, -400
_FAVOUR_IN_MIXED = 300  # the same, once other lines of the file are known to be in another charset
_FEW, _LAST_SIGN = 6, 0x40  # bytes that are a word at least; what comes behind in ASCII are mostly letters
_CALMER = 3  # times less strain must be in a line by its own charset
_MOST_LINES = 1 << 16  # lines in one call; each takes two hundred bytes of notes
_TOLD = 100  # odd lines of a row that are told; others are counted
_NEWLINE = 10
_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Mended:
    """A row decoded line by line: its text, how many codes are lost, and the lines that are worth telling.

    `codec` is the charset of its lines, and `mixed` says that some have another; a single line gives the row its own.
    """

    text: str
    lost: int
    lines: list[Line]
    more: int  # lines that are counted, and told no more
    mixed: bool
    codec: int


class _Piece(NamedTuple):
    """Some lines of a row: which of the chosen ones, where they begin and end, and how many lines are before."""

    chosen: int
    begin: int
    end: int
    before: int
    lines: int


def by_line(
    rows: Rows, chosen: Sequence[int], numbers: Sequence[int], fixed: Sequence[bool], model: Model
) -> list[Mended]:
    """Decode chosen rows line by line, by the row's charset, and by another where that is clearly likelier.

    `numbers` are the charsets of the chosen rows, and `fixed` says for which no other may be taken.
    """
    mended: list[list[Mended]] = [[] for _ in chosen]
    for pieces in _batches(_pieces(rows, chosen)):
        for piece, part in zip(pieces, _mend(rows, pieces, numbers, fixed, model), strict=True):
            begin = piece.begin - int(rows.begins[chosen[piece.chosen]])
            lines = [replace(line, number=line.number + piece.before, begin=line.begin + begin) for line in part.lines]
            mended[piece.chosen].append(replace(part, lines=lines))
    return [_joined(parts) for parts in mended]


def _pieces(rows: Rows, chosen: Sequence[int]) -> Iterator[_Piece]:
    """Cut rows of very many lines, so that memory stays bounded."""
    for at, row in enumerate(chosen):
        begin, end = int(rows.begins[row]), int(rows.ends[row])
        feeds = np.flatnonzero(rows.data[begin : end - 1] == _NEWLINE) + begin + 1
        borders = [begin, *feeds[_MOST_LINES - 1 :: _MOST_LINES].tolist(), end]
        for number, (first, last) in enumerate(pairwise(borders)):
            before = number * _MOST_LINES
            yield _Piece(at, first, last, before, min(_MOST_LINES, len(feeds) + 1 - before))


def _batches(pieces: Iterable[_Piece]) -> Iterator[list[_Piece]]:
    """Gather pieces that are decoded in one call."""
    batch: list[_Piece] = []
    lines = 0
    for piece in pieces:
        if batch and lines + piece.lines > _MOST_LINES:
            yield batch
            batch, lines = [], 0
        batch.append(piece)
        lines += piece.lines
    if batch:
        yield batch


def _joined(parts: list[Mended]) -> Mended:
    """Put the pieces of one row together."""
    if len(parts) == 1:
        return parts[0]
    lines = [line for part in parts for line in part.lines]
    return Mended(
        text="".join(part.text for part in parts),
        lost=sum(part.lost for part in parts),
        lines=lines[:_TOLD],
        more=sum(part.more for part in parts) + len(lines[_TOLD:]),
        mixed=any(part.mixed for part in parts),
        codec=parts[0].codec,
    )


def _mend(
    rows: Rows, pieces: list[_Piece], numbers: Sequence[int], fixed: Sequence[bool], model: Model
) -> list[Mended]:
    """Decode pieces, all in one call of the kernel."""
    lines, firsts = _lines(rows, pieces)
    expected = np.repeat(np.array([numbers[piece.chosen] for piece in pieces], np.int64), np.diff(firsts))
    may_change = np.repeat(np.array([not fixed[piece.chosen] for piece in pieces], np.bool_), np.diff(firsts))
    batch = _decoded(lines, firsts, expected, may_change, model)
    begins = [piece.begin for piece in pieces]
    spans = zip(firsts[:-1].tolist(), firsts[1:].tolist(), begins, strict=True)
    return [_mended(batch, expected, *span) for span in spans]


def _decoded(lines: Rows, firsts: Offsets, expected: Counts, may_change: Flags, model: Model) -> Batch:
    """Decode lines by the charset that is expected of each, or by another; correct what is expected."""
    batch = decoded_as(lines, expected, model)
    suspects = np.flatnonzero((batch.notes[:, SUSPECT] > 0) & may_change)
    if not len(suspects):
        return batch
    codecs = expected.copy()
    codecs[suspects] = _accepted(_part(lines, suspects), batch.notes[suspects], expected[suspects], model)
    _judge_rest(lines, firsts, codecs, expected, model)
    rest = np.flatnonzero(_beside_others(codecs, expected, firsts) & (batch.facts[:, HIGH] > 0))
    if len(rest):
        codecs[rest] = _among(_part(lines, rest), batch.notes[rest], expected[rest], codecs, model)
    return batch if (codecs == batch.found[:, CODEC]).all() else decoded_as(lines, codecs, model)


def _mended(batch: Batch, expected: Counts, first: int, last: int, begin: int) -> Mended:
    """Gather the lines of one row, which begins at a byte."""
    lost, codecs = batch.notes[first:last, LOST_CODES], batch.found[first:last, CODEC]
    other = codecs != expected[first:last]
    odd = np.flatnonzero(other | (lost > 0))
    told = [
        Line(at + 1, int(batch.rows.begins[first + at]) - begin, int(lost[at]), int(codecs[at]) if other[at] else None)
        for at in odd[:_TOLD].tolist()
    ]
    text = str(batch.utf8[batch.offsets[first] : batch.offsets[last]].data, "utf-8")
    codec = int(codecs[0] if last - first == 1 else expected[first])
    return Mended(text, int(lost.sum()), told, len(odd) - len(told), bool(other.any()), codec)


def _lines(rows: Rows, pieces: list[_Piece]) -> tuple[Rows, Offsets]:
    """Cut pieces behind each line feed; each line is a group. Also give the number of each piece's first line."""
    begins, ends, firsts = [_NONE], [_NONE], [0]
    for piece in pieces:
        feeds = np.flatnonzero(rows.data[piece.begin : piece.end - 1] == _NEWLINE) + piece.begin + 1
        begins += [np.array([piece.begin]), feeds]
        ends += [feeds, np.array([piece.end])]
        firsts.append(firsts[-1] + len(feeds) + 1)
    return _groups_of_one(rows.data, np.concatenate(begins), np.concatenate(ends)), np.array(firsts, np.int64)


def _part(lines: Rows, chosen: Counts) -> Rows:
    return _groups_of_one(lines.data, lines.begins[chosen], lines.ends[chosen])


def _groups_of_one(data: Bytes, begins: Offsets, ends: Offsets) -> Rows:
    firsts = read_only(np.arange(len(begins) + 1, dtype=np.int64))
    return Rows(data, read_only(begins), read_only(ends), firsts, int((ends - begins).sum()))


def _accepted(lines: Rows, notes: Counts, expected: Counts, model: Model) -> Counts:
    """Give the charset of each suspect line: another one only if it loses less, or the text gets much calmer."""
    batch = judged(lines, expected, _FAVOUR, model, proofs=False)
    found, theirs = batch.found[:, CODEC], batch.notes
    wide = (found > UTF_8) & (found < FIRST_PAGE)  # a line of UTF-16 cannot stand between lines of bytes
    noise = wide | _noise(lines, found, batch.found[:, SCORE], expected, model)
    fewer = theirs[:, LOST_CODES] < notes[:, LOST_CODES]
    calmer = theirs[:, STRAIN] * _CALMER <= notes[:, STRAIN]
    foreign = (notes[:, FOREIGN] > 0) & (found == UTF_8)
    as_whole = theirs[:, LOST_CODES] == notes[:, LOST_CODES]
    return np.where(~noise & (fewer | (as_whole & (calmer | foreign))), found, expected)


def _judge_rest(lines: Rows, firsts: Offsets, codecs: Counts, expected: Counts, model: Model) -> None:
    """Find the charset of rows in single-byte pages again, without the lines that are in another one.

    Pages of a language differ in few letters, and lines of UTF-8 may have spoken for the wrong one.
    """
    for first, last in pairwise(firsts.tolist()):
        own = first + np.flatnonzero(codecs[first:last] == expected[first:last])
        if expected[first] < FIRST_PAGE or not 0 < len(own) < last - first:
            continue
        number = judged(_part(lines, own).as_one(), np.array([NOBODY]), 0, model, proofs=True).found[0, CODEC]
        if number >= FIRST_PAGE:
            codecs[own] = number
            expected[first:last] = number


def _beside_others(codecs: Counts, expected: Counts, firsts: Offsets) -> Flags:
    """Flag the lines of rows in which other lines turned out to be in another charset."""
    others = np.add.reduceat(codecs != expected, firsts[:-1]) > 0
    flags: Flags = np.repeat(others, np.diff(firsts)) & (codecs == expected)
    return flags


def _among(lines: Rows, notes: Counts, expected: Counts, codecs: Counts, model: Model) -> Counts:
    """Give the charset of inconspicuous lines in rows that are mixed: short ones are read by either without a sign."""
    batch = judged(lines, expected, _FAVOUR_IN_MIXED, model, proofs=False)
    found = batch.found[:, CODEC]
    known = np.isin(found, codecs) & ((found < FIRST_PAGE) | (expected == UTF_8))
    return np.where(known & (batch.notes[:, LOST_CODES] <= notes[:, LOST_CODES]), found, expected)


def _noise(lines: Rows, found: Counts, scores: Counts, expected: Counts, model: Model) -> Flags:
    """Flag the lines that a single-byte page reads, as it reads anything, without giving a likely text.

    Between lines of UTF-8 a line in such a page is common, between lines of a double-byte charset it is damage.
    """
    flags: Flags = (found >= FIRST_PAGE) & (expected < FIRST_PAGE) & (expected != UTF_8)
    for at in np.flatnonzero((found >= FIRST_PAGE) & (expected == UTF_8)).tolist():
        line = lines.data[lines.begins[at] : lines.ends[at]]
        if ebcdic_page(line.tobytes()):
            flags[at] = True
            continue
        plain = line[line < 0x80]
        beyond = int(scores[at]) - int(model.ascii_logs[plain].sum(dtype=np.int64))
        high = len(line) - len(plain)
        flags[at] = beyond < _LEAST_LIKELY * high + _PRIOR or high < _FEW > int((plain > _LAST_SIGN).sum())
    return flags
