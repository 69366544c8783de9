"""What the tables say of a code point is true of every rule and symbol."""

from __future__ import annotations

import numpy as np
import pytest
import sentencepiece
from tests.tokenizers.model_bytes import charsmap
from tests.tokenizers.normalizing.awkward import table

from headrace.tokenizers.kernels.normalize_tables import FOLLOWS, LOOKED_UP, SHORT, STARTS, Tables
from headrace.tokenizers.normalizing.charsmap import read_charsmap
from headrace.tokenizers.normalizing.tables import build_tables


def built(rule: str, *symbols: str, squeeze: bool = True) -> Tables:
    return build_tables(read_charsmap(table(rule)), [symbol.encode() for symbol in symbols], squeeze=squeeze)


@pytest.mark.parametrize("rule", ["nmt_nfkc", "nfkc_cf"])
def test_every_rule_of_the_library_is_known(rule: str) -> None:
    """Code points that no rule begins with are plain; short replacements are the rules'; all second ones follow."""
    listed: dict[str, str] = dict(sentencepiece.SentencePieceNormalizer(rule_name=rule).Decompile())
    tables = built(rule)
    firsts, seconds = {ord(key[0]) for key in listed}, {ord(key[1]) for key in listed if len(key) > 1}
    assert len(listed) > 5000
    surrogates = set(range(0xD800, 0xE000))
    assert set(np.flatnonzero(tables.kind & (STARTS | LOOKED_UP | SHORT)).tolist()) == firsts | surrogates
    assert set(np.flatnonzero(tables.kind & FOLLOWS).tolist()) == seconds
    assert set(np.flatnonzero(tables.kind & STARTS).tolist()) == {ord(key[0]) for key in listed if len(key) > 1}
    for key, written in listed.items():
        if len(key) == 1 and tables.kind[ord(key)] & SHORT:
            word = int(tables.short[ord(key)])
            assert (word & 0xFFFFFF).to_bytes(3, "little")[: word >> 24] == written.encode()
    assert tables.longest >= 3 * max(len(written.encode()) for written in listed.values())


def test_symbols_that_change_nothing_are_left_out() -> None:
    """Where no rule touches a symbol it is not looked for, unless a space in it could be dropped."""
    assert len(built("identity", "<x>", "a b").bounds) == 2
    assert len(built("identity", "<x>", "a b", squeeze=False).bounds) == 1
    assert built("nmt_nfkc", "\u4e2d\u6587", "#").symbols.tobytes() == b""
    assert built("nmt_nfkc", "\uff01", "\u4e2d").symbols.tobytes() == "\uff01".encode()


def test_a_symbol_of_one_character_stays_as_it_is() -> None:
    """A full-width letter that is a symbol is written as itself, against its rule, without a look-up."""
    tables = built("nmt_nfkc", "\uff21", "\u2581")
    assert tables.kind[0xFF21] == SHORT
    assert int(tables.short[0xFF21]).to_bytes(4, "little") == "\uff21".encode() + b"\3"
    assert built("made", "\n").kind[ord("\n")] == SHORT


def test_a_rule_that_ends_inside_a_character_is_refused() -> None:
    """A table made by hand, whose key is half a character, is not taken for one of characters."""
    units = np.zeros((3, 256), np.uint32)
    units[0, 0] = 256 << 10
    units[1, 0xE4] = 0xE4 | 1 << 8 | (0x1E4 ^ 0x200) << 10
    units[2, 0] = 1 << 31
    blob = units.nbytes.to_bytes(4, "little") + units.astype("<u4").tobytes() + b"x\0"
    with pytest.raises(ValueError, match="ends inside a character"):
        build_tables(read_charsmap(blob), [], squeeze=True)


def test_a_table_is_read_from_the_bytes_of_any_rule() -> None:
    """The library's own tables pass all checks, and none is an empty one."""
    assert len(read_charsmap(b"").trie) == 0
    for rule in ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf"):
        assert len(read_charsmap(charsmap(rule)).trie) % 256 == 0
