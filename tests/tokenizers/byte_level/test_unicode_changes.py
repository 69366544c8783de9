"""The table of characters that the fast engine knows otherwise is what the libraries say."""

from __future__ import annotations

import pytest
from gigatoken.gigatoken_rs import load_hf_json
from tests.tokenizers.byte_level.made_models import every_pair
from tokenizers import Tokenizer

from headrace.tokenizers.byte_level.unicode_changes import CLASSES, COMPOSED

# Beside letters, digits, signs, marks and white space; with marks of both sides' order.
_PLACES = ("a{}a", "1{}1", "!{}! {}b", "  {}  x", "'{}e", "a\u0301{}", "a{}\u0323", "\u0301{}\u0301")


def members(ranges: tuple[tuple[int, int], ...]) -> set[int]:
    return {point for first, last in ranges for point in range(first, last + 1)}


def known_otherwise(model: bytes, points: list[int]) -> set[int]:
    """Give the code points that the two libraries cut or compose differently in any of the places."""
    fast, library = load_hf_json(model), Tokenizer.from_str(model.decode())
    found: set[int] = set()
    for place in _PLACES:
        texts = [place.replace("{}", chr(point)) for point in points]
        mine = fast.encode_batch(texts, parallel=False).to_list()
        for point, ids, other in zip(points, mine, library.encode_batch_fast(texts), strict=True):
            if ids != other.ids:
                found.add(point)
    return found


def near(points: set[int]) -> list[int]:
    """Give the points with their neighbours, and every 400th of all others."""
    around = {point + step for point in points for step in (-1, 0, 1)} | set(range(0x80, 0x40000, 400))
    return sorted(point for point in around if not 0xD800 <= point < 0xE000)


def test_words_are_cut_differently_at_these_characters_alone() -> None:
    """o200k asks for every class of letters and for marks: exactly the characters of the table differ."""
    table = members(CLASSES)
    assert known_otherwise(every_pair("o200k"), near(table)) == table


def test_nfc_differs_at_no_other_character() -> None:
    """With NFC those of the second table may differ too; its marks all do."""
    classes, composed = members(CLASSES), members(COMPOSED)
    found = known_otherwise(every_pair("qwen3.5", composed=True), near(classes | composed))
    assert found <= classes | composed
    assert classes <= found
    assert len(found - classes) == 120


@pytest.mark.soak
@pytest.mark.parametrize("pattern", ["gpt2", "llama3", "qwen2", "qwen3.5", "o200k", "nemotron"])
def test_every_code_point_outside_the_tables_is_known_alike(pattern: str) -> None:
    """All assigned planes, code point by code point."""
    planes = [*range(0x40000), *range(0xE0000, 0xE0200), *range(0x40000, 0x110000, 97)]
    points = [point for point in planes if not 0xD800 <= point < 0xE000]
    assert known_otherwise(every_pair(pattern), points) <= members(CLASSES)
