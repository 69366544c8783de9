"""What 64 bytes of text are, at once: where characters and words begin, and which characters they are.

A number of 64 bits says something of 64 bytes: bit i of the byte i places behind the first. What is written goes to the
front, without gaps and without a branch: a processor with AVX-512 moves 64 bytes so at once, others one by one, so that
a loop over the characters may be faster there. Whole vectors are read and written, so there must be `BEHIND` bytes
behind a text, and `LANES` places behind what is written.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba import types
from numba.core import cgutils

from headrace.schemas.compiled import part
from headrace.schemas.lanes import Numba, emitted, pointer_to

LANES = 64
BEHIND = 72
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_HALF = 32  # places that are written at once: seldom do more of 64 bytes begin something
_BIT, _BYTE, _INT, _LONG = (ir.IntType(bits) for bits in (1, 8, 32, 64))
_TEXT, _FLAGS = ir.VectorType(_BYTE, LANES), ir.VectorType(_BIT, LANES)
_POINTS, _PLACES = ir.VectorType(_INT, _HALF), ir.VectorType(_LONG, _HALF)


def _at(context: Numba, builder: Numba, kind: Numba, array: Numba, place: Numba, *, loaded: Numba) -> Numba:
    return builder.bitcast(pointer_to(context, builder, kind, array, [place]), loaded.as_pointer())


def _text(context: Numba, builder: Numba, kind: Numba, data: Numba, at: Numba) -> Numba:
    return builder.load(_at(context, builder, kind, data, at, loaded=_TEXT), align=1)


def _all(kind: Numba, value: int) -> Numba:
    return ir.Constant(kind, [value] * kind.count)


def _between(builder: Numba, text: Numba, first: str, last: str) -> Numba:
    begun = builder.sub(text, _all(_TEXT, ord(first)))
    return builder.icmp_unsigned("<=", begun, _all(_TEXT, ord(last) - ord(first)))


def _in_front(builder: Numba, text: Numba, bits: Numba) -> Numba:
    """Move the bytes whose bits are set to the front; what is behind them is anything."""
    kind = ir.FunctionType(_TEXT, [_TEXT, _FLAGS, _TEXT])
    codegen: Numba = cgutils  # not typed
    move = codegen.get_or_insert_function(builder.module, kind, "llvm.experimental.vector.compress.v64i8")
    return builder.call(move, [text, builder.bitcast(bits, _FLAGS), ir.Constant(_TEXT, ir.Undefined)])


def _write(context: Numba, builder: Numba, kind: Numba, out: Numba, to: Numba, count: Numba, halves: Numba) -> None:
    """Emit writing the first half, and the other one if there is something in it."""
    builder.store(halves(0), _at(context, builder, kind, out, to, loaded=_PLACES), align=8)
    with builder.if_then(builder.icmp_unsigned(">", count, _LONG(_HALF)), likely=False):
        after = builder.add(to, _LONG(_HALF))
        builder.store(halves(1), _at(context, builder, kind, out, after, loaded=_PLACES), align=8)


def _half(builder: Numba, text: Numba, number: int, kind: Numba) -> Numba:
    lanes = ir.Constant(_POINTS, [number * _HALF + lane for lane in range(_HALF)])
    return builder.zext(builder.shuffle_vector(text, text, lanes), kind)


@emitted
def moves_bytes(_typing: Numba) -> Numba:
    """Tell whether this processor moves 64 bytes to the front at once; known when a kernel is compiled."""

    def emit(_context: Numba, _builder: Numba, _signature: Numba, _arguments: Numba) -> Numba:
        return _BIT(bool(get_host_cpu_features().get("avx512vbmi2")))

    return types.boolean(), emit


@emitted
def eight_bytes(_typing: Numba, data: Numba, at: Numba) -> Numba:
    """Give the eight bytes from a place on as a number, the first as the lowest byte."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        return builder.load(_at(context, builder, signature.args[0], *arguments, loaded=_LONG), align=1)

    return types.uint64(data, types.intp), emit


@emitted
def write_four(_typing: Numba, value: Numba, out: Numba, to: Numba) -> Numba:
    """Write four bytes, the lowest one first."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        value, out, to = arguments
        builder.store(value, _at(context, builder, signature.args[1], out, to, loaded=_INT), align=1)
        return context.get_dummy_value()

    return types.void(types.uint32, out, types.intp), emit


@emitted
def bits_from(_typing: Numba, data: Numba, at: Numba, limit: Numba) -> Numba:
    """Tell which bytes are at least as large as a limit."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        first = builder.insert_element(ir.Constant(_TEXT, ir.Undefined), builder.trunc(arguments[2], _BYTE), _INT(0))
        limits = builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(_INT, LANES), [0] * LANES))
        text = _text(context, builder, signature.args[0], *arguments[:2])
        return builder.bitcast(builder.icmp_unsigned(">=", text, limits), _LONG)

    return types.uint64(data, types.intp, types.int64), emit


@emitted
def word_bits(_typing: Numba, data: Numba, at: Numba) -> Numba:
    """Tell which bytes are letters and digits of ASCII."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        text = _text(context, builder, signature.args[0], *arguments)
        letters = _between(builder, builder.or_(text, _all(_TEXT, ord("a") - ord("A"))), "a", "z")
        return builder.bitcast(builder.or_(letters, _between(builder, text, "0", "9")), _LONG)

    return types.uint64(data, types.intp), emit


@emitted
def lead_bits(_typing: Numba, data: Numba, at: Numba) -> Numba:
    """Tell which bytes begin a character."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        text = _text(context, builder, signature.args[0], *arguments)
        return builder.bitcast(builder.icmp_signed(">=", text, _all(_TEXT, 0xC0 - 0x100)), _LONG)

    return types.uint64(data, types.intp), emit


@emitted
def bit_count(_typing: Numba, bits: Numba) -> Numba:
    """Give how many bits are set."""

    def emit(_context: Numba, builder: Numba, _signature: Numba, arguments: Numba) -> Numba:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), emit


@emitted
def lowest_bit(_typing: Numba, bits: Numba) -> Numba:
    """Give the number of the lowest bit that is set, 64 if none is."""

    def emit(_context: Numba, builder: Numba, _signature: Numba, arguments: Numba) -> Numba:
        return builder.cttz(arguments[0], _BIT(0))

    return types.int64(types.uint64), emit


@part
def lowest_bits(count: int) -> np.uint64:
    """Give a number with so many bits set, one to 64 of them."""
    return _ALL >> np.uint64(LANES - count)


@emitted
def write_places(_typing: Numba, bits: Numba, at: Numba, out: Numba, to: Numba) -> Numba:
    """Write the places of the bits that are set, of which the first one is `at`, and give how many they are."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        bits, at, out, to = arguments
        numbers = _in_front(builder, ir.Constant(_TEXT, [*range(LANES)]), bits)
        first = builder.insert_element(ir.Constant(_PLACES, ir.Undefined), at, _INT(0))
        begun, count = builder.shuffle_vector(first, first, _all(_POINTS, 0)), builder.ctpop(bits)

        def places(half: int) -> Numba:
            return builder.add(_half(builder, numbers, half, _PLACES), begun)

        _write(context, builder, signature.args[2], out, to, count, places)
        return count

    return types.int64(types.uint64, types.int64, out, types.intp), emit


@emitted
def write_characters(_typing: Numba, data: Numba, at: Numba, bits: Numba, out: Numba, to: Numba) -> Numba:
    """Write the code points of the characters that begin where bits are set, none of four bytes; give their number."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        data, at, bits, out, to = arguments
        places, count = (builder.add(at, _LONG(byte)) for byte in range(3)), builder.ctpop(bits)
        texts = [_text(context, builder, signature.args[0], data, place) for place in places]
        fronts = [_in_front(builder, text, bits) for text in texts]

        def points(half: int) -> Numba:
            return builder.zext(_decoded(builder, *(_half(builder, front, half, _POINTS) for front in fronts)), _PLACES)

        _write(context, builder, signature.args[3], out, to, count, points)
        return count

    return types.int64(data, types.intp, types.uint64, out, types.intp), emit


def _decoded(builder: Numba, lead: Numba, second: Numba, third: Numba) -> Numba:
    """Give the code points of characters of one, two, or three bytes, whatever is in those that they do not have."""

    def low(value: Numba, mask: int, shift: int) -> Numba:
        return builder.shl(builder.and_(value, _all(_POINTS, mask)), _all(_POINTS, shift))

    two = builder.or_(low(lead, 31, 6), low(second, 63, 0))
    three = builder.or_(builder.or_(low(lead, 15, 12), low(second, 63, 6)), low(third, 63, 0))
    longer = builder.select(builder.icmp_unsigned("<", lead, _all(_POINTS, 0xE0)), two, three)
    return builder.select(builder.icmp_unsigned("<", lead, _all(_POINTS, 0x80)), lead, longer)
