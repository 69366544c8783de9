"""The central directory of a zip archive, read in pieces: an archive of any size needs little memory.

Structures are those of the ZIP File Format Specification 6.3.10 (APPNOTE.TXT): 4.3.12 to 4.3.16, and 4.5.3 for zip64.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headrace.stages.reading.content import Content

LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_END64, _LOCATOR64 = b"PK\x06\x06", b"PK\x06\x07"
_END_SIZE, _LOCATOR_SIZE, _CENTRAL_SIZE = 22, 20, 46
_LONGEST_COMMENT = 0xFFFF
_PIECE = 1 << 20
_FULL16, _FULL32 = 0xFFFF, 0xFFFFFFFF
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_ZIP64_FIELD = 1


@dataclass(frozen=True, slots=True)
class Listed:
    """A member as the directory lists it."""

    name: bytes
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    attributes: int  # of the system that wrote it: of Unix the mode, in the upper half
    begin: int  # of its own header


@dataclass(frozen=True, slots=True)
class Directory:
    """Where the directory is, and what is to be added to the places in it (a zip may have a program in front)."""

    begin: int
    end: int
    members: int
    shift: int


def find_directory(content: Content) -> Directory | None:
    """Find the directory from the end of a seekable archive; None where there is none that can be believed."""
    size = content.size or 0
    tail_at = max(0, size - _END_SIZE - _LONGEST_COMMENT - _LOCATOR_SIZE)
    content.move_to(tail_at)
    tail = content.read(size - tail_at)
    at = tail.rfind(END)
    while at >= 0:
        found = _directory(content, tail, at, tail_at)
        if found is not None:
            return found
        at = tail.rfind(END, 0, at)
    return None


def _directory(content: Content, tail: bytes, at: int, tail_at: int) -> Directory | None:
    if len(tail) - at < _END_SIZE:
        return None
    _, disk, _, _, members, length, begin, _ = struct.unpack_from("<4s4H2LH", tail, at)
    end = tail_at + at
    if _FULL16 in (disk, members) or _FULL32 in (length, begin):
        wide = _directory64(content, tail, at)
        if wide is not None:
            members, length, begin, end = wide
    shift = end - length - begin
    if shift < 0 or length < members * _CENTRAL_SIZE or end - length < 0:
        return None
    if members:
        content.move_to(end - length)
        if content.read(len(CENTRAL)) != CENTRAL:
            return None
    return Directory(end - length, end, members, shift)


def _directory64(content: Content, tail: bytes, at: int) -> tuple[int, int, int, int] | None:
    if at < _LOCATOR_SIZE or tail[at - _LOCATOR_SIZE :][:4] != _LOCATOR64:
        return None
    end_at = struct.unpack_from("<Q", tail, at - _LOCATOR_SIZE + 8)[0]
    if end_at > (content.size or 0):
        return None
    content.move_to(end_at)
    record = content.read(56)
    if len(record) < 56 or record[:4] != _END64:
        return None
    members, length, begin = struct.unpack_from("<3Q", record, 32)
    return members, length, begin, end_at


def listed(content: Content, directory: Directory) -> Iterator[Listed]:
    """Give the members that the directory lists, one by one; it ends early where the directory is damaged.

    Between two of them the content may be moved.
    """
    at, piece, first = directory.begin, b"", directory.begin
    while at < directory.end:
        if at - first + _CENTRAL_SIZE + 3 * _FULL16 > len(piece) and first + len(piece) < directory.end:
            content.move_to(at)
            first, piece = at, content.read(min(_PIECE, directory.end - at))
        taken = _listed(piece, at - first, directory.shift)
        if taken is None:
            return
        member, length = taken
        at += length
        yield member


def _listed(piece: bytes, at: int, shift: int) -> tuple[Listed, int] | None:
    if len(piece) - at < _CENTRAL_SIZE:
        return None
    fields = _CENTRAL.unpack_from(piece, at)
    signature, _, _, flags, method, _, _, crc, packed, size, *lengths, _, _, attributes, begin = fields
    length = _CENTRAL_SIZE + sum(lengths)
    if signature != CENTRAL or at + length > len(piece):
        return None
    name_at = at + _CENTRAL_SIZE
    name = piece[name_at : name_at + lengths[0]]
    extra = piece[name_at + lengths[0] : name_at + lengths[0] + lengths[1]]
    size, packed, begin = zip64_values(extra, size, packed, begin)
    return Listed(name, flags, method, crc, packed, size, attributes, begin + shift), length


def zip64_values(extra: bytes, *values: int) -> list[int]:
    """Replace what does not fit into 32 bits by what the extra field says, in its order."""
    wanted = [at for at, value in enumerate(values) if value == _FULL32]
    found, at = list(values), 0
    while wanted and at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == _ZIP64_FIELD:
            field = extra[at + 4 : at + 4 + length]
            for place, (value,) in zip(wanted, struct.iter_unpack("<Q", field[: len(field) // 8 * 8]), strict=False):
                found[place] = value
            break
        at += 4 + length
    return found


def extents(content: Content, directory: Directory, most: int) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
    """Look at up to `most` members: which lie over another one, and how much they say to unpack to, added up."""
    begins, ends, sizes = array("q"), array("q"), array("d")
    for number, member in enumerate(listed(content, directory)):
        if number >= most:
            break
        limit = 1 << 62
        begins.append(min(member.begin, limit))
        ends.append(min(member.begin + 30 + len(member.name) + member.packed, limit))
        sizes.append(float(member.size))
    begin, end = np.array(begins, np.int64), np.array(ends, np.int64)
    order = np.argsort(begin, kind="stable")
    following = np.append(begin[order][1:], directory.begin)
    over = np.zeros(len(begin), bool)
    over[order] = end[order] > following
    return over, np.cumsum(np.where(over, 0.0, np.array(sizes, np.float64)))
