from __future__ import annotations

import pytest
import tiktoken
from tests.tokenizers.byte_level.made_texts import hard_texts
from tokenizers import pre_tokenizers

from headrace.tokenizers.byte_level.alphabet import alphabet, spell, unspell
from headrace.tokenizers.byte_level.patterns import KNOWN_OF_TIKTOKEN


def test_bytes_are_spelled_as_tokenizers_spells_them() -> None:
    """Each of the 256 bytes has a character of its own, the one of the library; spelling goes both ways."""
    assert sorted(alphabet()) == sorted(pre_tokenizers.ByteLevel.alphabet())
    step = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    for text in ("a b\n", "中é\x00", "\U0010ffff"):
        assert spell(text.encode()) == "".join(piece for piece, _ in step.pre_tokenize_str(text))
    every = bytes(range(256))
    assert unspell(spell(every)) == every
    assert [unspell(text) for text in ("a b", "中", "\x80")] == [None, None, None]


@pytest.mark.parametrize("pattern", [text for text, known in KNOWN_OF_TIKTOKEN.items() if text != known])
def test_other_spellings_of_a_pattern_cut_alike(pattern: str) -> None:
    """A pattern that runs as another one gives the same cuts in tiktoken."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    pairs = {bytes([left, right]): 256 * left + right + 256 for left in range(256) for right in range(256)}
    this, other = (
        tiktoken.Encoding("pairs", pat_str=text, mergeable_ranks=ranks | pairs, special_tokens={})
        for text in (pattern, KNOWN_OF_TIKTOKEN[pattern])
    )
    for text in hard_texts(seed=21, documents=300).to_pylist():
        assert this.encode_ordinary(text) == other.encode_ordinary(text)
