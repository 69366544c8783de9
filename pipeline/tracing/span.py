"""From a token of a document to the characters of its text that the token stands for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import sentencepiece

from headrace.pipeline.exporting.rows import Ids
from headrace.schemas.errors import FormatError, HeadraceError
from headrace.stages.tokenize_text import TokenizeStage
from headrace.tokenizers.base import Tokenizer
from headrace.tokenizers.load import BYTES, load
from headrace.tokenizers.sentencepiece_model import from_file

_LOST = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class Span:
    """Characters [begin, end) of a text. A token that is a part of a character has that character."""

    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Speller:
    """The run's tokenizer, as far as it can be loaded here: SentencePiece's own engine, or the one of `tokenize`."""

    engine: sentencepiece.SentencePieceProcessor | None
    tokenizer: Tokenizer | None

    @classmethod
    def of(cls, model: Path | None, stage: TokenizeStage | None) -> Speller:
        """Load the model of a run; the byte tokenizer has no file."""
        try:
            if model is not None:
                return cls(from_file(model).engine, None)
        except FormatError:
            pass  # a model of another kind, which the stage knows
        try:
            bound = stage.bound(model) if stage and model else None
            return cls(None, bound.tokenizer if bound else load(model or BYTES))
        except HeadraceError:  # its library is not installed here: the place of a token is known all the same
            return cls(None, None)

    def piece(self, number: int) -> str:
        """Give the piece of an id, as the model spells it."""
        if self.engine:
            return str(self.engine.id_to_piece(number))
        return self.tokenizer.decode(np.array([number], np.uint32)) if self.tokenizer else ""

    def span(self, text: str, ids: Ids, index: int) -> Span | None:
        """Give the characters of token `index` of a text with these ids; None for special ids, or if not known.

        SentencePiece itself says which bytes a piece came from, normalization included. For other tokenizers the text
        is found again in what the ids decode to.
        """
        if self.engine:
            return _mapped(self.engine, text, ids, index)
        return _decoded(self.tokenizer, text, ids, index) if self.tokenizer else None


def _mapped(engine: sentencepiece.SentencePieceProcessor, text: str, ids: Ids, index: int) -> Span | None:
    """Let the library say where each piece comes from.

    Of the bytes of a character the last one has its place, the others an empty one. Other empty places stand for no
    character: a space that the model puts in front.
    """
    utf8 = text.encode()
    found = engine.encode(utf8, return_type="offset_mapping", return_bytes=True)
    pieces, places = np.asarray(found["ids"]), found["offsets"]
    for before in range(len(ids) - len(pieces) + 1):  # a begin id may stand before them, an end id behind
        if np.array_equal(pieces, ids[before : before + len(pieces)]):
            break
    else:
        return None
    number = index - before
    if not 0 <= number < len(places):
        return None
    while engine.is_byte(int(pieces[number])) and places[number][0] == places[number][1] and number + 1 < len(places):
        number += 1
    begin, end = (len(utf8[:place].decode()) for place in places[number])
    return Span(begin, end) if begin < end else None


def _decoded(tokenizer: Tokenizer, text: str, ids: Ids, index: int) -> Span | None:
    """Compare what the ids up to the token decode to, without it and with it."""
    begin, end = (_reached(text, tokenizer.decode(ids[:count])) for count in (index, index + 1))
    if begin is None or end is None:
        return None
    whole, partly = end
    return Span(begin[0], whole + partly) if begin[0] < whole + partly else None


def _reached(text: str, decoded: str) -> tuple[int, int] | None:
    """Give how many characters were decoded, and 1 if a part of the next one was; None if it is another text."""
    if text.startswith(decoded):
        return len(decoded), 0
    whole = decoded.rstrip(_LOST)
    return (len(whole), 1) if len(whole) < len(decoded) and text.startswith(whole) else None
