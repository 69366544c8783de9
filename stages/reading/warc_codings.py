"""Unpack one content coding of an HTTP body in bounded memory; what a damaged or cut body gives is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import brotli
import zstandard
from isal import isal_zlib

from headrace.stages.reading.warc_unpack import ISAL_ERROR, ZSTD_PIECE, ZSTD_WINDOW

_PIECE = 1 << 14
_OUTPUT = 1 << 20
_GZIP, _ZLIB, _RAW = 31, 15, -15  # what zlib calls wbits
_BROKEN = (ISAL_ERROR, zstandard.ZstdError, brotli.error)

Pieces = Iterator[tuple[bytes, bool]]  # output, and whether the coding ends with it


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What a coding gave; `whole`: up to its own end."""

    data: bytes
    whole: bool


def unpacked(data: bytes, coding: str, most: int) -> Unpacked:
    """Undo gzip, deflate, br or zstd; more than `most` bytes say that there is more than that."""
    if coding == "deflate":  # zlib's format by the standard, bare deflate by many servers
        first = _collected(_inflated(data, _ZLIB), most)
        return first if first.data else _collected(_inflated(data, _RAW), most)
    return _collected(_CODINGS[coding](data), most)


def _collected(pieces: Pieces, most: int) -> Unpacked:
    kept: list[bytes] = []
    size, whole = 0, False
    try:
        for piece, ends in pieces:
            kept.append(piece)
            size, whole = size + len(piece), ends
            if size > most:
                break
    except _BROKEN:
        whole = False
    return Unpacked(b"".join(kept), whole)


def _gunzipped(data: bytes) -> Pieces:
    return _inflated(data, _GZIP)


def _inflated(data: bytes, wbits: int) -> Pieces:
    """Unpack zlib's formats; gzip members may follow each other."""
    rest, inflater = memoryview(data), isal_zlib.decompressobj(wbits)
    while rest:
        piece = rest[:_PIECE]
        output = inflater.decompress(piece, _OUTPUT)
        left = len(inflater.unused_data if inflater.eof else inflater.unconsumed_tail)
        rest = rest[len(piece) - left :]
        yield output, inflater.eof
        if inflater.eof:
            if wbits != _GZIP or bytes(rest[:2]) != b"\x1f\x8b":
                return
            inflater = isal_zlib.decompressobj(wbits)
    while output := inflater.decompress(b"", _OUTPUT):
        yield output, inflater.eof


def _unbrotlied(data: bytes) -> Pieces:
    unpacker = brotli.Decompressor()
    for at in range(0, len(data), _PIECE):
        yield unpacker.process(data[at : at + _PIECE], output_buffer_limit=_OUTPUT), unpacker.is_finished()
        while not unpacker.can_accept_more_data():
            yield unpacker.process(b"", output_buffer_limit=_OUTPUT), unpacker.is_finished()


def _unzstded(data: bytes) -> Pieces:
    unpacker = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW).decompressobj()
    for at in range(0, len(data), ZSTD_PIECE):
        yield unpacker.decompress(data[at : at + ZSTD_PIECE]), unpacker.eof
        if unpacker.eof:
            return


_CODINGS: dict[str, Callable[[bytes], Pieces]] = {"gzip": _gunzipped, "br": _unbrotlied, "zstd": _unzstded}
