"""Bands and rows beside datasketch's optimizer."""

from __future__ import annotations

import pytest
from datasketch.lsh import _optimal_param

from headrace.stages.deduplication.bands import bands_for, meeting_probability, optimal_bands


@pytest.mark.parametrize("slots", [1, 2, 16, 112, 128, 260])
@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.2, 0.8)])
@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
def test_bands_are_those_of_datasketch(slots: int, weights: tuple[float, float]) -> None:
    """Each threshold gives its bands and rows, value by value."""
    for threshold in (0.0, 0.1, 0.3, 0.5, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0):
        assert optimal_bands(threshold, slots, weights) == _optimal_param(threshold, slots, *weights)


def test_published_settings() -> None:
    """The probabilities that datatrove gives for its 14 bands of 8 rows."""
    found = [round(meeting_probability(s, 14, 8), 3) for s in (0.7, 0.75, 0.8, 0.85)]
    assert found == [0.565, 0.772, 0.924, 0.988]
    assert meeting_probability(0.0, 14, 8) == 0 and meeting_probability(1.0, 14, 8) == 1


@pytest.mark.parametrize(("threshold", "slots"), [(-0.1, 128), (1.1, 128), (0.5, 0)])
def test_what_cannot_be_is_refused(threshold: float, slots: int) -> None:
    """A threshold is a share, and a signature has slots."""
    with pytest.raises(ValueError, match=r"threshold|slot"):
        optimal_bands(threshold, slots)


@pytest.mark.parametrize("threshold", [0.05, 0.3, 0.5, 0.7, 0.8, 0.9, 0.99, 1.0])
def test_bands_are_cut_so_that_pairs_as_similar_as_the_threshold_meet(threshold: float) -> None:
    """Nine in ten of them, within 128 values, with the most rows that do."""
    bands, rows = bands_for(threshold)
    assert bands * rows <= 128
    assert meeting_probability(threshold, bands, rows) >= 0.9
    assert rows == 128 or meeting_probability(threshold, 128 // (rows + 1), rows + 1) < 0.9
