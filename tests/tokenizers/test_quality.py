from __future__ import annotations

from tests.tokenizers.samples import CHINESE, ENGLISH, column, small_model

from headrace.tokenizers.quality import measure
from headrace.tokenizers.sentencepiece_model import from_bytes


def test_characters_a_token_are_counted_by_language() -> None:
    """A text with many Han characters counts as Chinese, any other as English; the ratio is characters over tokens."""
    tokenizer = from_bytes(small_model(), "here")
    quality = measure(tokenizer, [column([ENGLISH, CHINESE]), column([])])
    expected = {
        "en": len(ENGLISH) / len(tokenizer.encode(column([ENGLISH]))[0]),
        "zh": len(CHINESE) / len(tokenizer.encode(column([CHINESE]))[0]),
    }
    assert quality.characters_per_token == expected
    assert (quality.documents, quality.lossy_documents, quality.byte_share) == (2, 0, 0.0)


def test_bytes_and_losses_are_counted() -> None:
    """A character without an id costs byte tokens; a text that comes back changed is lossy."""
    quality = measure(from_bytes(small_model(), "here"), [column(["😀", "a\u2581b"])])
    assert quality.lossy_documents == 1
    assert 0 < quality.byte_share < 1
    assert quality.to_json()["byte_share"] == round(quality.byte_share, 6)


def test_no_text_has_no_ratio() -> None:
    """Nothing is divided by zero."""
    assert measure(from_bytes(small_model(), "here"), []).characters_per_token == {}
