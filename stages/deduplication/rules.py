"""What the options come to: a scheme or a layout of bits, and the numbers that the index decides by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from headrace.schemas.arrays import Hashes, read_only
from headrace.stages.deduplication.bands import bands_for, optimal_bands
from headrace.stages.deduplication.options import MinHash, SimHash
from headrace.stages.deduplication.schemes import SCHEMES, Scheme
from headrace.stages.deduplication.shingles import Shingling
from headrace.stages.deduplication.simhash import Layout, layout_for
from headrace.stages.kernels.entries import SETS, SIGNATURE, SKETCH, Policy
from headrace.stages.kernels.simhash import BITS

Near = MinHash | SimHash
Verify = Literal["sketch", "signature", "exact"]
_BY: dict[Verify, int] = {"signature": SIGNATURE, "sketch": SKETCH, "exact": SETS}
_EXPECTED = 10**7  # kept documents that the tables of SimHash are laid out for; more of them cost time, no verdict
_SIZE = 5
_THRESHOLD = 0.8  # which the presets' bands are for


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides a verdict: which keys there are, how signatures are banded, and how similar is too similar."""

    exact: bool
    bands: int = 0  # 0: no signatures
    rows: int = 0
    slots: int = 0  # values a signature; those behind the bands count in the estimate alone
    width: int = 1  # pieces of 32 bits a value
    threshold: float = 1.0
    by: int = SIGNATURE  # what similarity is taken from
    layout: Layout | None = None  # of SimHash

    @property
    def pieces(self) -> int:
        """Pieces of 32 bits a signature."""
        return self.slots * self.width

    @property
    def sets(self) -> bool:
        """Whether shingle sets are kept, as they are or as sketches."""
        return self.by != SIGNATURE

    @property
    def policy(self) -> Policy:
        """The same for the kernel."""
        bits = self.layout.k if self.layout else 0
        return Policy(self.exact, self.bands, self.rows * self.width, self.width, bits, self.threshold, self.by)

    @property
    def masks(self) -> Hashes:
        """The bits of each band of SimHash."""
        keys = self.layout.keys if self.layout else []
        return read_only(np.array([self.layout.mask(key) for key in keys if self.layout], np.uint64))


def rules_of(near: Near | None, verify: Verify, *, exact: bool) -> Rules:
    """Give the rules that options come to."""
    if near is None:
        return Rules(exact)
    by = _BY[verify]
    if isinstance(near, SimHash):
        layout = layout_for(near.bits, _EXPECTED)
        threshold = 1 - near.bits / BITS if by == SIGNATURE else near.threshold or _THRESHOLD
        return Rules(exact, len(layout.keys), 0, 1, 2, threshold, by, layout)
    scheme = scheme_of(near)
    if by == SKETCH:  # a band is a hash of two pieces
        return Rules(exact, scheme.bands, 1, scheme.bands, 2, near.threshold, by)
    width = 2 if scheme.name == "datatrove" else 1
    return Rules(exact, scheme.bands, scheme.rows, scheme.slots, width, near.threshold, by)


def scheme_of(options: MinHash) -> Scheme:
    """Give the scheme with the numbers that are given in place of its own."""
    preset = SCHEMES[options.scheme]
    bands, rows, spare = preset.bands, preset.rows, 0
    if options.bands and options.rows:
        bands, rows = options.bands, options.rows
    elif options.threshold != _THRESHOLD and not options.slots:
        bands, rows = bands_for(options.threshold)
    if options.slots:
        bands, rows = optimal_bands(options.threshold, options.slots)
        spare = options.slots - bands * rows
    seed = preset.seed if options.seed is None else options.seed
    return replace(preset, bands=bands, rows=rows, spare=spare, seed=seed, shingling=shingling_of(options))


def shingling_of(options: Near) -> Shingling:
    """Give what the options mean by a shingle."""
    preset = Shingling() if isinstance(options, SimHash) else SCHEMES[options.scheme].shingling
    size = options.shingle_size or (preset.size if options.shingles is None else _SIZE)
    return Shingling(options.shingles or preset.unit, size)
