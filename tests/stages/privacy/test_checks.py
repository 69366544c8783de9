"""Check digits, dates and ranges, beside the examples of the standards and beside the standard library."""

from __future__ import annotations

import ipaddress
import random

import pytest
from tests.stages.privacy import generated

from headrace.stages.privacy import checks


def test_examples_of_the_standards() -> None:
    """GB 11643-1999 and GB 32100-2015 print these; the last is the usual example of Luhn's formula."""
    assert checks.is_resident_id("11010519491231002x")
    assert checks.is_resident_id("440524188001010014") is False  # its second example: born in 1880
    assert checks.is_credit_code("91350100m000100y43")
    assert checks.luhn("4992739871" + "6") is True
    assert checks.luhn("4992739871" + "7") is False


@pytest.mark.parametrize(
    ("make", "check"),
    [
        (generated.resident, checks.is_resident_id),
        (generated.card, checks.is_card),
        (generated.credit_code, checks.is_credit_code),
    ],
)
def test_one_wrong_character_is_noticed(make: object, check: object) -> None:
    """Numbers whose check was computed another way pass; with one digit changed they do not."""
    rng = random.Random(3)
    for _ in range(300):
        number = make(rng).lower()  # type: ignore[operator]
        assert check(number)  # type: ignore[operator]
        place = rng.randrange(8, len(number) - 1)
        digit = str((int(number[place]) + 1) % 10) if number[place].isdigit() else None
        assert digit is None or not check(number[:place] + digit + number[place + 1 :])  # type: ignore[operator]


def test_public_addresses_are_those_of_the_standard_library() -> None:
    """Beside `ipaddress` only multicast differs, which it calls global, and blocks that one of us knows later."""
    rng = random.Random(5)
    known = ipaddress.ip_network("192.88.99.0/24")
    for _ in range(20_000):
        address = ipaddress.IPv4Address(rng.getrandbits(32))
        if address in known or address.is_multicast:
            continue
        assert checks.is_public_4(str(address)) == address.is_global, address


@pytest.mark.parametrize("block", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "203.0.113.0/24"])
def test_borders_of_blocks(block: str) -> None:
    """The first and last address of a special block are not public, their neighbours are."""
    network = ipaddress.IPv4Network(block)
    assert not checks.is_public_4(str(network[0]))
    assert not checks.is_public_4(str(network[-1]))
    assert checks.is_public_4(str(network[0] - 1))
    assert checks.is_public_4(str(network[-1] + 1))


@pytest.mark.parametrize("text", ["1.2.3.04", "01.2.3.4", "256.1.1.1", "1.2.3.999"])
def test_addresses_that_are_none(text: str) -> None:
    """Numbers have no leading zeros and end at 255."""
    assert not checks.is_public_4(text)


@pytest.mark.parametrize(
    ("digits", "valid"),
    [
        ("442079460958", True),
        ("14155550132", True),
        ("11155550132", False),
        ("8613812345678", True),
        ("85221234567", True),
        ("8522123456", False),
        ("999123456789", False),
        ("3581234567", True),
        ("35811111111", False),
    ],
)
def test_international_numbers(digits: str, valid: bool) -> None:  # noqa: FBT001
    """The calling code exists, and as many digits follow as its plan has."""
    assert checks.is_international(digits) is valid


@pytest.mark.parametrize(
    ("code", "valid"), [("10", True), ("21", True), ("26", False), ("755", True), ("321", False), ("105", False)]
)
def test_area_codes(code: str, valid: bool) -> None:  # noqa: FBT001
    """Two digits from a list, or three that can be one."""
    assert checks.is_area(code) is valid
