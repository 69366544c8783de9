"""How byte-level vocabularies spell bytes: one printable character a byte (Radford et al. 2019, "GPT-2")."""

from __future__ import annotations

from functools import cache


@cache
def alphabet() -> str:
    """Give the characters that stand for the bytes 0 to 255: printable Latin-1 itself, U+0100 on for the rest."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return "".join(chr(byte if byte in printable else next(others)) for byte in range(256))


@cache
def _bytes_of() -> dict[int, int]:
    return {ord(character): byte for byte, character in enumerate(alphabet())}


@cache
def _characters_of() -> dict[int, str]:
    return dict(enumerate(alphabet()))


def spell(token: bytes) -> str:
    """Give the spelling of a token's bytes."""
    return token.decode("latin-1").translate(_characters_of())


def unspell(spelling: str) -> bytes | None:
    """Give the bytes that a spelling stands for, or None when a character of it stands for no byte."""
    try:
        return spelling.translate(_bytes_of()).encode("latin-1") if _spelled(spelling) else None
    except UnicodeEncodeError:
        return None


def _spelled(spelling: str) -> bool:
    """Say whether every character stands for a byte: some of Latin-1, as the space, stand for none."""
    return _bytes_of().keys() >= set(map(ord, spelling))
