"""From what a configuration says to a tokenizer."""

from __future__ import annotations

from pathlib import Path

from headrace.tokenizers.base import Tokenizer
from headrace.tokenizers.bytes_tokenizer import BytesTokenizer

BYTES = "bytes"  # the model-free tokenizer's name in a configuration


def load(model: str | Path) -> Tokenizer:
    """Give the byte tokenizer for "bytes", else the SentencePiece model in that file."""
    if model == BYTES:
        return BytesTokenizer()
    from headrace.tokenizers.sentencepiece_model import from_file

    return from_file(Path(model))
