"""The stateless half of `urls`: canonical addresses, and what the lists say about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from xxhash import xxh3_128_digest

from headrace.schemas.arrays import with_column
from headrace.stages.addresses.canonical import Address, canonical
from headrace.stages.addresses.lists import AddressLists, Listed
from headrace.stages.addresses.parameters import Unwanted
from headrace.stages.addresses.state import DETAIL, PAGE, REASON

BLOCKED_URL, BLOCKED_DOMAIN, NOT_ALLOWED, NO_URL = "url_blocked", "domain_blocked", "url_not_allowed", "no_url"
Reason = tuple[str | None, str | None]  # and its detail


@dataclass(frozen=True, slots=True)
class Policy:
    """What is done about addresses; `lists` by role: block, exempt, allow."""

    unwanted: Unwanted
    lists: Mapping[str, AddressLists]
    once: bool
    canonicalize: bool
    needs_url: bool


def with_verdicts(table: pa.Table, policy: Policy) -> pa.Table:
    """Add the values that were measured, and what the ordered half decides by; `url` too, if that is wanted."""
    urls: list[str | None] = table["url"].to_pylist()
    addresses = [canonical(url, policy.unwanted) if url else None for url in urls]
    blocked, allowed = _blocked(addresses, policy), _allowed(addresses, policy)
    measured = {
        "url_valid": [address is not None if url else None for url, address in zip(urls, addresses, strict=True)],
        "url_blocked": [None if a is None else hit is not None for a, hit in zip(addresses, blocked, strict=True)],
        "url_allowed": [None if a is None else hit for a, hit in zip(addresses, allowed, strict=True)],
    }
    for name, values in measured.items():
        numbers = [None if value is None else float(value) for value in values]
        table = with_column(table, f"values.{name}", pa.array(numbers, pa.float64()))
    reasons = [_reason(*row, policy) for row in zip(addresses, blocked, allowed, strict=True)]
    table = table.append_column(REASON, pa.array([reason for reason, _ in reasons], pa.string()))
    table = table.append_column(DETAIL, pa.array([detail for _, detail in reasons], pa.string()))
    pages = [xxh3_128_digest(a.page.encode()) if a and policy.once else None for a in addresses]
    table = table.append_column(PAGE, pa.array(pages, pa.binary(16)))
    if not policy.canonicalize:
        return table
    spelled = [address.url if address else url for url, address in zip(urls, addresses, strict=True)]
    return with_column(table, "url", pa.array(spelled, pa.string()))


def _blocked(addresses: Sequence[Address | None], policy: Policy) -> list[Listed | None]:
    if "block" not in policy.lists:
        return [None] * len(addresses)
    found = policy.lists["block"].listed(addresses)
    if "exempt" not in policy.lists or not any(found):
        return found
    suspects = [address if hit else None for address, hit in zip(addresses, found, strict=True)]
    spared = policy.lists["exempt"].listed(suspects)
    return [None if spare else hit for hit, spare in zip(found, spared, strict=True)]


def _allowed(addresses: Sequence[Address | None], policy: Policy) -> list[bool]:
    if "allow" not in policy.lists:
        return [True] * len(addresses)
    return [hit is not None for hit in policy.lists["allow"].listed(addresses)]


def _reason(address: Address | None, blocked: Listed | None, allowed: bool, policy: Policy) -> Reason:  # noqa: FBT001
    if address is None:
        return (NO_URL, None) if policy.needs_url else (None, None)
    if blocked is not None:
        return BLOCKED_URL if blocked.page else BLOCKED_DOMAIN, f"list {blocked.name}: {blocked.entry}"
    return (None, None) if allowed else (NOT_ALLOWED, address.host or address.url)
