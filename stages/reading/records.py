"""Cut the records of one part out of a file's content: lines, paragraphs, rows, or the whole file as one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Array, Flags
from headrace.schemas.source import Source
from headrace.stages.reading.content import Content
from headrace.stages.reading.cut import LINES, PARAGRAPHS, ROWS, Cutter, Places, filled, line_feeds
from headrace.stages.reading.formats import TAB_ENDINGS, ending
from headrace.stages.reading.part import Fault, Position, Records, Stretch
from headrace.stages.reading.stream import StreamFaultError
from headrace.stages.reading.wide import proxy, width_of

_AHEAD = 1 << 16
_SKIPPED_AT_ONCE = 1 << 20
_DRAIN_FACTOR = 16  # a compressed record this many times over the limit is not unpacked to its end


def cutter_of(file_format: str, path: str, source: Source) -> Cutter | None:
    """Give how the records of a file are cut; None where it is one record."""
    if file_format == "jsonl" or (file_format == "text" and source.records == "lines"):
        return LINES
    if file_format == "text" and source.records == "paragraphs":
        return PARAGRAPHS
    if file_format != "csv":
        return None
    return LINES if ending(path) in TAB_ENDINGS else ROWS  # quotes mean nothing between tabs


def align(content: Content, begin: int, end: int | None, cutter: Cutter) -> bool:
    """Go to the first record that begins in a range; False if none does."""
    before = np.frombuffer(content.before(begin), np.uint8)
    content.move_to(begin)
    safe = cutter.safe(before)
    if not len(safe) or safe[-1] != len(before):
        _skip_record(content, cutter.carry(before), cutter, end)
    return end is None or content.offset < end


def read_stretch(content: Content, source: Source, budget: int, end: int | None, line: int | None) -> Stretch:
    """Read records that begin in the next `budget` bytes (and before `end`), behind so many line feeds."""
    cutter = cutter_of(content.format, content.name, source)
    if cutter is None:
        return _whole(content, source)
    block = _Block(content, source, content.offset, end, line)
    stop = budget if end is None else min(budget, end - content.offset)
    data, safe, closed = _fill(content, stop, cutter, source.max_record_bytes)
    tail = int(safe[-1]) if len(safe) else 0
    if closed:  # a record border at or behind the stop
        content.unread(data[tail:])
        return block.records(data[:tail], safe)
    if content.fault is not None:
        return block.records(data[:tail], safe, fault=content.fault)
    if content.ended():
        return block.records(data, safe)
    rest = proxy(data[tail:], content.wide)
    size, feeds = _skip_record(content, cutter.carry(rest), cutter, None)
    return block.records(data[:tail], safe, skipped=(len(data) - tail + size, len(line_feeds(rest)) + feeds))


class _Block:
    """Bytes of a content that begin and end with records: where they begin, and how many line feeds came before."""

    def __init__(self, content: Content, source: Source, begin: int, end: int | None, line: int | None) -> None:
        self._content, self._source, self._begin, self._end, self._line = content, source, begin, end, line

    def records(
        self,
        data: bytes,
        safe: Places,
        *,
        skipped: tuple[int, int] | None = None,
        fault: StreamFaultError | None = None,
    ) -> Stretch:
        """Give the records; behind them comes a record that was skipped (its size and line feeds), or a fault."""
        content, most = self._content, self._source.max_record_bytes
        starts, lengths, full = _pieces(data, safe, content.wide)
        feeds = line_feeds(proxy(data, content.wide)) * width_of(content.wide)
        lines = None if self._line is None else self._line + 1 + np.searchsorted(feeds, starts)
        places = self._begin + starts
        too_large = full & (lengths > most)
        faults = [
            _too_large(content, self._source, int(places[at]), int(lengths[at]), _at(lines, at))
            for at in np.flatnonzero(too_large).tolist()
        ]
        after = None if self._line is None else self._line + len(feeds)
        behind = (self._begin + len(data), None if after is None else after + 1)
        if skipped:
            faults.append(_too_large(content, self._source, behind[0], skipped[0], behind[1]))
            after = None if after is None else after + skipped[1]
        if fault:
            faults.append(_fault(content, fault, *behind))
        keep = full & ~too_large
        array = _array(data, starts, keep)
        found = _found(content, self._source, array, places[keep], None if lines is None else lines[keep])
        following = None if fault else self._following(after)
        return Stretch(content.path, (found,), tuple(faults), following, content.offset - self._begin)

    def _following(self, line: int | None) -> Position | None:
        past = self._end is not None and self._content.offset >= self._end
        return None if past or self._content.ended() else Position(self._content.offset, 0, line)


def _fill(content: Content, stop: int, cutter: Cutter, most: int) -> tuple[bytes, Places, bool]:
    """Read until a record border lies at or behind `stop`, the content ends, or a record has grown over the limit."""
    width = width_of(content.wide)
    block, want = b"", stop + _AHEAD
    while True:
        block += content.read(want - len(block))
        safe = cutter.safe(proxy(block, content.wide)) * width
        at = int(np.searchsorted(safe, stop))
        if at < len(safe):
            return block, safe[: at + 1], True
        tail = int(safe[-1]) if len(safe) else 0
        if len(block) < want or len(block) - tail > most:
            return block, safe, False
        want = len(block) + max(_AHEAD, len(block) - stop)  # doubled, so that the passes stay linear


def _pieces(data: bytes, safe: Places, wide: str | None) -> tuple[Places, Places, Flags]:
    """Give where each stretch between safe points begins, its length, and whether it holds anything."""
    width = width_of(wide)
    inner = safe[safe < len(data)]
    borders = np.concatenate(([0], inner, [len(data)])) if data else np.zeros(1, np.int64)
    starts, lengths = borders[:-1], np.diff(borders)
    whole = (len(data) // width) * width  # a torn last code unit belongs to the last record
    full = filled(proxy(data, wide), starts[starts < whole] // width, whole // width)
    return starts, lengths, np.concatenate((full, np.ones(len(starts) - len(full), bool)))


def _array(data: bytes, starts: Places, keep: Flags) -> Array:
    borders = np.append(starts, len(data)).astype(np.int64)
    array: Array = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(starts), [None, pa.py_buffer(borders.data), pa.py_buffer(data)]
    )
    return array if keep.all() else array.filter(pa.array(keep))


def _whole(content: Content, source: Source) -> Stretch:
    begin, most = content.offset, source.max_record_bytes
    data = content.read(most + 1)
    faults: tuple[Fault, ...] = ()
    if len(data) > most:
        size = len(data) + content.drain(most * _DRAIN_FACTOR)
        faults = (_too_large(content, source, begin, size, None),)  # at least this size, where unpacking was given up
    elif content.fault is not None:
        faults = (_fault(content, content.fault, begin, None),)
    array = pa.array([] if faults or not data else [data], pa.large_binary())
    found = _found(content, source, array, np.full(len(array), begin, np.int64), np.ones(len(array), np.int64))
    return Stretch(content.path, (found,), faults, None, content.offset - begin)


def _skip_record(content: Content, carry: bytes, cutter: Cutter, until: int | None) -> tuple[int, int]:
    """Read on to the next record border (or the end, or `until`) keeping nothing; give bytes and line feeds skipped."""
    begin, width, feeds = content.offset, width_of(content.wide), 0
    while until is None or content.offset < until:
        data = content.read(_SKIPPED_AT_ONCE)
        if not data:
            break
        if cutter is LINES and width == 1 and b"\n" not in data:
            continue
        block = np.concatenate((np.frombuffer(carry, np.uint8), proxy(data, content.wide)))
        safe = cutter.safe(block)
        ahead = safe[safe > len(carry)] if carry else safe
        stop = int(ahead[0]) if len(ahead) else len(block)
        feeds += len(line_feeds(block[len(carry) : stop]))
        if len(ahead):
            content.unread(data[(stop - len(carry)) * width :])
            break
        carry = cutter.carry(block)
    return content.offset - begin, feeds


def _found(content: Content, source: Source, data: Array, offsets: Places, lines: Places | None) -> Records:
    declared = content.wide or source.encoding
    return Records(content.path, content.format, declared, data, offsets, member=content.member, lines=lines)


def _fault(content: Content, fault: StreamFaultError, offset: int, line: int | None) -> Fault:
    value, threshold = fault.value, fault.threshold
    return Fault(content.path, offset, fault.reason, fault.detail, value, threshold, content.member, line)


def _too_large(content: Content, source: Source, offset: int, size: int, line: int | None) -> Fault:
    detail, most = "longer than the source's max_record_bytes", source.max_record_bytes
    return Fault(content.path, offset, "record_too_large", detail, size, most, content.member, line)


def _at(lines: Places | None, place: int) -> int | None:
    return None if lines is None else int(lines[place])
