"""Cut the records of one part out of a file's content: lines, paragraphs, rows, or the whole file as one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from headrace.schemas.source import Source
from headrace.stages.reading.content import Content
from headrace.stages.reading.cut import LINES, PARAGRAPHS, ROWS, Cutter, Places, filled
from headrace.stages.reading.formats import TAB_ENDINGS, ending
from headrace.stages.reading.part import Fault, Records, Stretch
from headrace.stages.reading.wide import proxy, width_of

_AHEAD = 1 << 16
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
        _skip_record(content, cutter.carry(before), cutter)
    return end is None or content.offset < end


def read_stretch(content: Content, source: Source, budget: int, end: int | None) -> Stretch:
    """Read records that begin in the next `budget` bytes (and before `end`)."""
    cutter = cutter_of(content.format, content.file.path, source)
    if cutter is None:
        return _whole(content, source)
    begin = content.offset
    stop = budget if end is None else min(budget, end - begin)
    block, safe, closed = _fill(content, stop, cutter, source.max_record_bytes)
    tail = int(safe[-1]) if len(safe) else 0
    if closed:  # a record border at or behind the stop
        content.unread(block[tail:])
        return _stretch(content, source, block[:tail], safe, begin, (), _following(content, end))
    if content.fault is not None:
        fault = Fault(content.file.path, begin + tail, content.fault.reason, content.fault.detail)
        return _stretch(content, source, block[:tail], safe, begin, (fault,), None)
    if content.ended():
        return _stretch(content, source, block, safe, begin, (), None)
    size = len(block) - tail + _skip_record(content, cutter.carry(proxy(block[tail:], content.wide)), cutter)
    large = _too_large(content, source, begin + tail, size)
    return _stretch(content, source, block[:tail], safe, begin, (large,), _following(content, end))


def _following(content: Content, end: int | None) -> int | None:
    past = end is not None and content.offset >= end
    return None if past or content.ended() else content.offset


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


def _stretch(
    content: Content,
    source: Source,
    data: bytes,
    safe: Places,
    begin: int,
    faults: tuple[Fault, ...],
    following: int | None,
) -> Stretch:
    width = width_of(content.wide)
    inner = safe[safe < len(data)]
    borders = np.concatenate(([0], inner, [len(data)])) if data else np.zeros(1, np.int64)
    starts, lengths = borders[:-1], np.diff(borders)
    whole = (len(data) // width) * width  # a torn last code unit belongs to the last record
    full = filled(proxy(data, content.wide), starts[starts < whole] // width, whole // width)
    full = np.concatenate((full, np.ones(len(starts) - len(full), bool)))
    fits = lengths <= source.max_record_bytes
    large = [
        _too_large(content, source, begin + int(at), int(size))
        for at, size in zip(starts[full & ~fits], lengths[full & ~fits], strict=True)
    ]
    array: pa.Array[Any] = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(starts), [None, pa.py_buffer(borders.astype(np.int64).data), pa.py_buffer(data)]
    )
    keep = full & fits
    if not keep.all():
        array = array.filter(pa.array(keep))
    records = Records(content.file.path, content.format, content.wide or source.encoding, array, begin + starts[keep])
    return Stretch(records, (*large, *faults), following, content.offset - begin)


def _whole(content: Content, source: Source) -> Stretch:
    begin, most = content.offset, source.max_record_bytes
    data = content.read(most + 1)
    faults: tuple[Fault, ...] = ()
    if len(data) > most:
        size = len(data) + content.drain(most * _DRAIN_FACTOR)
        faults = (_too_large(content, source, begin, size),)  # at least this size, where unpacking was given up
    elif content.fault is not None:
        faults = (Fault(content.file.path, begin, content.fault.reason, content.fault.detail),)
    array = pa.array([] if faults or not data else [data], pa.large_binary())
    offsets = np.full(len(array), begin, np.int64)
    records = Records(content.file.path, content.format, content.wide or source.encoding, array, offsets)
    return Stretch(records, faults, None, content.offset - begin)


def _skip_record(content: Content, carry: bytes, cutter: Cutter) -> int:
    """Read on to the next record border (or the end) without keeping anything; give the number of bytes skipped."""
    begin, width = content.offset, width_of(content.wide)
    while True:
        data = content.read(_AHEAD)
        if not data:
            return content.offset - begin
        block = np.concatenate((np.frombuffer(carry, np.uint8), proxy(data, content.wide)))
        safe = cutter.safe(block)
        ahead = safe[safe > len(carry)] if carry else safe
        if len(ahead):
            content.unread(data[(int(ahead[0]) - len(carry)) * width :])
            return content.offset - begin
        carry = cutter.carry(block)


def _too_large(content: Content, source: Source, offset: int, size: int) -> Fault:
    detail = "longer than the source's max_record_bytes"
    return Fault(content.file.path, offset, "record_too_large", detail, size, source.max_record_bytes)
