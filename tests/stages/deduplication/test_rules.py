"""Options come to the numbers of their scheme, or to those that are given."""

from __future__ import annotations

import pytest
from datasketch import MinHashLSH

from headrace.stages.deduplication.bands import bands_for, meeting_probability
from headrace.stages.deduplication.options import MinHash, SimHash
from headrace.stages.deduplication.rules import rules_of, scheme_of, shingling_of
from headrace.stages.deduplication.schemes import SCHEMES, Name
from headrace.stages.deduplication.shingles import Shingling


@pytest.mark.parametrize("name", SCHEMES)
def test_without_numbers_a_scheme_has_its_own(name: Name) -> None:
    """The preset is what its makers use, whole."""
    assert scheme_of(MinHash(scheme=name)) == SCHEMES[name]


def test_given_numbers_take_the_place_of_the_schemes() -> None:
    """Bands, rows, seed and shingles; the size of a preset's shingle is not that of another kind of shingle."""
    scheme = scheme_of(MinHash(scheme="nemo", bands=25, rows=5, seed=0, shingles="words"))
    assert (scheme.bands, scheme.rows, scheme.slots, scheme.seed) == (25, 5, 125, 0)
    assert scheme.shingling == Shingling("words", 5)
    assert shingling_of(MinHash(scheme="nemo", shingle_size=20)) == Shingling("characters", 20)
    assert shingling_of(SimHash(shingles="chinese_words", shingle_size=2)) == Shingling("chinese_words", 2)


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("name", SCHEMES)
def test_another_threshold_has_other_bands(name: Name, threshold: float) -> None:
    """Pairs as similar as it meet nine times in ten: with the bands of 0.8 one in twenty of them would at 0.5."""
    scheme = scheme_of(MinHash(scheme=name, threshold=threshold))
    assert (scheme.bands, scheme.rows) == bands_for(threshold)
    assert meeting_probability(threshold, scheme.bands, scheme.rows) >= 0.9


@pytest.mark.parametrize(("threshold", "slots"), [(0.8, 128), (0.5, 128), (0.7, 256), (0.95, 64)])
def test_slots_are_cut_as_datasketch_cuts_them(threshold: float, slots: int) -> None:
    """The bands and rows are datasketch's, and what they leave over counts in the estimate, as it does there."""
    theirs, ours = MinHashLSH(threshold, slots), scheme_of(MinHash(threshold=threshold, slots=slots))
    assert (ours.bands, ours.rows, ours.slots) == (theirs.b, theirs.r, slots)


def test_rules_say_what_the_index_compares() -> None:
    """64-bit values are two pieces; fingerprints are near by bits, or by shingles where these verify."""
    wide = rules_of(MinHash(scheme="datatrove"), "signature", exact=True)
    assert (wide.pieces, wide.policy.rows, wide.policy.width) == (224, 16, 2)
    by_bits, by_sets = (rules_of(SimHash(bits=4, threshold=0.7), v, exact=True) for v in ("signature", "exact"))
    assert (by_bits.threshold, by_sets.threshold) == (1 - 4 / 64, 0.7)
    assert (by_bits.policy.bits, len(by_bits.masks)) == (4, by_bits.bands)
    by_sketch = rules_of(MinHash(scheme="datatrove"), "sketch", exact=True)
    assert (by_sketch.bands, by_sketch.pieces, by_sketch.policy.rows, by_sketch.sets) == (14, 28, 2, True)
    assert rules_of(None, "exact", exact=True).bands == 0
