"""MinHash by affine permutations: of each view the smallest value that each of many permutations gives to its hashes.

`sign_affine32` is the scheme of datasketch 2: a hash is mixed once, and permutation k takes it to a[k] * hash + b[k]
modulo 2 to the 32nd. `sign_affine61` is that of datasketch 1 and of datatrove: the product wraps at 2 to the 64th, is
taken modulo the prime 2 to the 61st - 1, and of the value those bits are kept that a mask has.

The inner loop runs over the hashes, many in a vector: over the permutations it is three times slower. Blocks of hashes
are filled up with their last hash, which changes no minimum, since what is left over after whole vectors would be done
one by one, and takes longer than all the vectors of a short text. Arrays are filled place by place: to assign a slice
costs seconds, once, of compiling the messages of errors that cannot happen.
"""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Hashes, Offsets, Signatures
from headrace.schemas.compiled import kernel, part

_BLOCK = 4096  # hashes that stay in the first cache while all permutations pass over them
_VECTOR = 64  # hashes that one step of a loop takes at most
_PRIME = np.uint64((1 << 61) - 1)
_LOW = np.uint64(0xFFFFFFFF)


@kernel
def sign_affine32(values: Hashes, ends: Offsets, a: Signatures, b: Signatures, out: Signatures) -> None:
    """Write the signature of each view, of the lower halves of its hashes; of no hashes it is all ones."""
    mixed = np.empty(_BLOCK, np.uint32)
    for document in range(len(ends) - 1):
        for slot in range(len(a)):
            out[document, slot] = np.uint32(0xFFFFFFFF)
        for begin in range(ends[document], ends[document + 1], _BLOCK):
            size = min(_BLOCK, ends[document + 1] - begin)
            for i in range(size):
                mixed[i] = mix32(np.uint32(values[begin + i] & _LOW))
            filled = filled_size(size)
            for i in range(size, filled):
                mixed[i] = mixed[size - 1]
            lower32(mixed[:filled], a, b, out[document])


@part
def filled_size(size: int) -> int:
    """Give the next number that vectors divide."""
    return (size + _VECTOR - 1) // _VECTOR * _VECTOR


@part
def mix32(value: np.uint32) -> np.uint32:
    """Spread a value over its 32 bits (the finalizer of MurmurHash3)."""
    value ^= value >> np.uint32(16)
    value = np.uint32(value * np.uint32(0x85EBCA6B))
    value ^= value >> np.uint32(13)
    value = np.uint32(value * np.uint32(0xC2B2AE35))
    return np.uint32(value ^ (value >> np.uint32(16)))


@part
def lower32(mixed: Signatures, a: Signatures, b: Signatures, signature: Signatures) -> None:
    """Lower each slot of a signature to the smallest value of its permutation."""
    for slot in range(len(a)):
        factor, addend, least = a[slot], b[slot], signature[slot]
        for i in range(len(mixed)):
            least = min(least, np.uint32(np.uint32(factor * mixed[i]) + addend))
        signature[slot] = least


@kernel
def sign_affine61(values: Hashes, ends: Offsets, a: Hashes, b: Hashes, mask: np.uint64, out: Hashes) -> None:
    """Write the signature of each view; `mask` says which bits count, of hashes and of values. Of no hashes: it."""
    masked = np.empty(_BLOCK, np.uint64)
    for document in range(len(ends) - 1):
        for slot in range(len(a)):
            out[document, slot] = mask
        for begin in range(ends[document], ends[document + 1], _BLOCK):
            size = min(_BLOCK, ends[document + 1] - begin)
            for i in range(size):
                masked[i] = values[begin + i] & mask
            filled = filled_size(size)
            for i in range(size, filled):
                masked[i] = masked[size - 1]
            lower61(masked[:filled], a, b, mask, out[document])


@part
def lower61(masked: Hashes, a: Hashes, b: Hashes, mask: np.uint64, signature: Hashes) -> None:
    """Lower each slot of a signature to the smallest value of its permutation.

    The remainder of 64 bits: both parts are added, which is at most 7 too much; less the prime it wraps where it was
    no more than the remainder, so the smaller one is right.
    """
    for slot in range(len(a)):
        factor, addend, least = a[slot], b[slot], signature[slot]
        for i in range(len(masked)):
            product = factor * masked[i] + addend
            folded = (product & _PRIME) + (product >> np.uint64(61))
            least = min(least, min(folded, folded - _PRIME) & mask)
        signature[slot] = least
