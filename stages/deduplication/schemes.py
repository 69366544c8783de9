"""MinHash schemes: how hashes become signatures, with the permutations and the parameters of those who made them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from headrace.schemas.arrays import Bytes, Counts, Hashes, Offsets, Signatures
from headrace.stages.deduplication.shingles import Pieces, Shingles, Shingling, pieces
from headrace.stages.kernels.minhash_affine import sign_affine32, sign_affine61
from headrace.stages.kernels.minhash_fast import sign_fast

Name = Literal["datasketch", "datasketch_legacy", "datatrove", "nemo", "fss"]
Values = Signatures | Hashes
Signer = Callable[[Shingles], Values]
_ALL, _LOW = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0xFFFFFFFF)
_MERSENNE_61, _MERSENNE_31 = (1 << 61) - 1, (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Scheme:
    """How views are signed. Signatures of two schemes, seeds or shinglings cannot be compared.

    datasketch: `affine32` of datasketch 2, its default. datasketch_legacy: the only one of datasketch 1. datatrove: the
    same formula over 64-bit hashes. nemo: the same over 32-bit hashes, with the permutations and parameters of NeMo
    Curator (its shingles have another hash). fss: fast similarity sketches, whose estimate varies less.
    """

    name: Name
    bands: int
    rows: int
    seed: int
    shingling: Shingling
    spare: int = 0  # values behind the bands, which only the estimate of the similarity looks at

    def __post_init__(self) -> None:
        if self.bands < 1 or self.rows < 1:
            raise ValueError(f"a signature has at least one band of one row, not {self.bands} of {self.rows}")

    @property
    def slots(self) -> int:
        """Values a signature."""
        return self.bands * self.rows + self.spare


SCHEMES: dict[Name, Scheme] = {
    "datasketch": Scheme("datasketch", 14, 8, 1, Shingling()),
    "datasketch_legacy": Scheme("datasketch_legacy", 14, 8, 1, Shingling()),
    "datatrove": Scheme("datatrove", 14, 8, 1, Shingling("words", 5)),
    "nemo": Scheme("nemo", 20, 13, 42, Shingling("characters", 24)),
    "fss": Scheme("fss", 14, 8, 1, Shingling()),
}


@dataclass(frozen=True, slots=True)
class Signed:
    """Signatures of views, a row each, and how many shingles each view has; a view without any has all ones.

    Values are uint32, and uint64 with the scheme datatrove.
    """

    values: Values
    counts: Counts


def signatures(data: Bytes, offsets: Offsets, scheme: Scheme) -> Signed:
    """Sign views."""
    return sign_pieces(pieces(data, offsets, scheme.shingling), len(offsets) - 1, scheme)


def sign_pieces(parts: Pieces, count: int, scheme: Scheme) -> Signed:
    """Sign as many views by their shingles, which come in pieces."""
    values: Values = np.empty((count, scheme.slots), np.uint32)
    if scheme.name == "datatrove":
        values = np.empty((count, scheme.slots), np.uint64)
    counts = np.zeros(count, np.int64)
    sign = signer(scheme)
    for views, shingles in parts:
        counts[views] = shingles.counts()
        values[views] = sign(shingles)
    return Signed(values, counts)


def signer(scheme: Scheme) -> Signer:
    """Give what signs the shingles of texts, a row for each; repeats among shingles change nothing."""
    a, b = draw(scheme)
    match scheme.name:
        case "datasketch":
            return partial(_affine32, a.astype(np.uint32), b.astype(np.uint32))
        case "datatrove":
            return partial(_affine61, a, b, _ALL)
        case "datasketch_legacy" | "nemo":
            return partial(_narrow_affine61, a, b)
        case "fss":
            return partial(_fast, scheme.slots, np.uint64(scheme.seed))


def draw(scheme: Scheme) -> tuple[Hashes, Hashes]:
    """Draw a scheme's permutations, factors and addends, as those who made it do; fss has none."""
    random, slots = np.random.RandomState(scheme.seed), scheme.slots
    match scheme.name:
        case "datasketch":
            odd = random.randint(0, 1 << 31, slots, dtype=np.uint32) * np.uint32(2) + np.uint32(1)  # so a bijection
            return odd.astype(np.uint64), random.randint(0, 1 << 32, slots, dtype=np.uint32).astype(np.uint64)
        case "datatrove":
            factors = random.randint(1, _MERSENNE_61, slots, np.uint64)
            return factors, random.randint(0, _MERSENNE_61, slots, np.uint64)
        case "datasketch_legacy":
            return _in_pairs(random, slots, _MERSENNE_61, np.uint64)
        case "nemo":
            return _in_pairs(random, slots, _MERSENNE_31, np.uint32)
        case "fss":
            return np.zeros(0, np.uint64), np.zeros(0, np.uint64)


def _in_pairs(
    random: np.random.RandomState, slots: int, prime: int, kind: type[np.uint64] | type[np.uint32]
) -> tuple[Hashes, Hashes]:
    pairs = [(random.randint(1, prime, dtype=kind), random.randint(0, prime, dtype=kind)) for _ in range(slots)]
    a, b = np.array(pairs, np.uint64).reshape(slots, 2).T.copy()
    return a, b


def _affine32(a: Signatures, b: Signatures, shingles: Shingles) -> Signatures:
    out = np.empty((len(shingles.ends) - 1, len(a)), np.uint32)
    sign_affine32(shingles.values, shingles.ends, a, b, out)
    return out


def _affine61(a: Hashes, b: Hashes, mask: np.uint64, shingles: Shingles) -> Hashes:
    out = np.empty((len(shingles.ends) - 1, len(a)), np.uint64)
    sign_affine61(shingles.values, shingles.ends, a, b, mask, out)
    return out


def _narrow_affine61(a: Hashes, b: Hashes, shingles: Shingles) -> Signatures:
    return _affine61(a, b, _LOW, shingles).astype(np.uint32)


def _fast(slots: int, seed: np.uint64, shingles: Shingles) -> Signatures:
    out = np.empty((len(shingles.ends) - 1, slots), np.uint32)
    sign_fast(shingles.values, shingles.ends, seed, out)
    return out
