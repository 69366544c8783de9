"""Compare a record with the digests in its header: bytes that changed since they were written are told."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

_ALGORITHMS = frozenset(("md5", "sha1", "sha224", "sha256", "sha384", "sha512"))
_BASE32 = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "0123456789ABCDEFGHIJKLMNOPQRSTUV")


def holds(fields: Mapping[str, str], block: bytes, payloads: Callable[[], list[bytes]]) -> bool | None:
    """Say whether a record is what its digest says; None where it has none that is known.

    The block's digest covers the payload too, so one is enough. Writers disagree on what the payload of an HTTP
    response is (with or without chunks and content codings): any of `payloads` will do.
    """
    if digest := _known(fields.get("warc-block-digest", "")):
        return _equal(digest, block)
    if digest := _known(fields.get("warc-payload-digest", "")):
        return any(_equal(digest, payload) for payload in payloads())
    return None


def _known(text: str) -> tuple[str, str] | None:
    name, _, value = text.partition(":")
    name = name.strip().lower().replace("-", "")
    return (name, value.strip()) if name in _ALGORITHMS and value.strip() else None


def _equal(digest: tuple[str, str], data: bytes) -> bool:
    name, value = digest
    computed = hashlib.new(name, data, usedforsecurity=False).digest()
    return _number(value, 8 * len(computed)) == int.from_bytes(computed)


def _number(value: str, bits: int) -> int | None:
    """Give the number that hexadecimal digits or the letters of base 32 (RFC 4648) stand for."""
    letters = value.rstrip("=").upper()
    try:
        if 4 * len(letters) == bits:
            return int(letters, 16)
        return int(letters.translate(_BASE32), 32) >> (5 * len(letters) - bits)
    except ValueError:
        return None
