"""Measured numbers are written the same everywhere."""

from __future__ import annotations

import pytest

from headrace.pipeline import wording
from headrace.schemas.numerals import exact


@pytest.mark.parametrize("number", [0.1 + 0.2, 1 / 3, 1200.0, -7.0, 999_999_999_999_999.0, 1e15, 1e300, 5e-324])
def test_a_number_can_be_typed_again(number: float) -> None:
    """Nothing is lost, and whole numbers have no point."""
    assert float(exact(number)) == number
    assert exact(number).lstrip("-").isdigit() == (number.is_integer() and abs(number) < 1e15)


def test_pages_and_details_write_alike() -> None:
    """There is one way: what a detail says can be found in the report."""
    assert wording.exact is exact
