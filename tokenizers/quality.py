"""What a model does to texts: characters a token, tokens that spell single bytes, texts that come back changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from headrace.tokenizers.base import TextColumn
from headrace.tokenizers.sentencepiece_model import SentencePieceTokenizer

_HAN = r"\p{Han}"
_MOSTLY = 0.3  # a text with this share of Han characters counts as Chinese


@dataclass(frozen=True, slots=True)
class Quality:
    """Figures of a model on a set of texts."""

    documents: int
    characters_per_token: dict[str, float]  # zh: texts with many Han characters; en: all others
    byte_share: float  # share of tokens that spell a character without an id
    lossy_documents: int  # texts that decode(encode(text)) changes

    def to_json(self) -> dict[str, Any]:
        """Give the JSON form, shares with six digits."""
        ratios = {language: round(ratio, 6) for language, ratio in sorted(self.characters_per_token.items())}
        return {
            "documents": self.documents,
            "characters_per_token": ratios,
            "byte_share": round(self.byte_share, 6),
            "lossy_documents": self.lossy_documents,
        }


def measure(tokenizer: SentencePieceTokenizer, texts: Iterable[TextColumn]) -> Quality:
    """Encode and decode the texts, and sum up."""
    is_byte = byte_pieces(tokenizer)
    characters, tokens = {"zh": 0, "en": 0}, {"zh": 0, "en": 0}
    documents = spelled = lossy = 0
    for column in texts:
        ids, offsets = tokenizer.encode(column)
        lengths = np.asarray(pc.utf8_length(column))
        chinese = np.asarray(pc.count_substring_regex(column, _HAN)) > lengths * _MOSTLY
        for language, rows in (("zh", chinese), ("en", ~chinese)):
            characters[language] += int(lengths[rows].sum())
            tokens[language] += int(np.diff(offsets)[rows].sum())
        spelled += int(is_byte[ids].sum())
        documents += len(column)
        lossy += sum(
            tokenizer.decode(ids[offsets[row] : offsets[row + 1]]) != text
            for row, text in enumerate(column.to_pylist())
        )
    ratios = {language: characters[language] / tokens[language] for language in tokens if tokens[language]}
    return Quality(documents, ratios, spelled / max(1, sum(tokens.values())), lossy)


def byte_pieces(tokenizer: SentencePieceTokenizer) -> NDArray[np.bool_]:
    """Say for every id whether it stands for one byte of a character without an id."""
    engine = tokenizer.engine
    return np.array([engine.is_byte(piece) for piece in range(tokenizer.vocabulary_size)], np.bool_)
