"""Training a SentencePiece model: the same texts and options give the same bytes, on any machine.

The texts are already normalized by the chain, so the model normalizes nothing: white space, line breaks and full-width
forms come back from `decode` as they were. One character does not: U+2581, the library's own mark for a space.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import sentencepiece

from headrace.schemas.errors import HeadraceError
from headrace.tokenizers.base import TextColumn
from headrace.tokenizers.coverage import choose_characters, without_rare
from headrace.tokenizers.options import TrainOptions

_SPECIALS = {"unk_id": 0, "bos_id": 1, "eos_id": 2, "pad_id": 3}
_OWN_PIECES = ["\n", "\t"]  # lines are trained on one by one, so these would never be learnt
_CONTROLS = r"[\x00-\x08\x0b-\x1f\x7f-\x9f]"
_ERRORS_ONLY = 2  # the library's log level
_REMEDY = "lower `vocab_size`, raise `sample_bytes`, or give a finished `model`"


@dataclass(frozen=True, slots=True)
class Trained:
    """A model file's bytes, and the share of the sample's characters that have an id of their own."""

    model: bytes
    character_coverage: float


def train(texts: Iterable[TextColumn], options: TrainOptions) -> Trained:
    """Train on columns of texts; HeadraceError says what to change when the sample cannot give such a model."""
    lines = list(training_lines(texts, options.max_sentence_bytes))
    if not any(line.strip(b"\t") for line in lines):
        raise HeadraceError(
            "there is no text to train a tokenizer on",
            where="stage tokenize",
            why="no document was kept before it",
            remedy="see in the report what the stages before it dropped, or give a finished `model`",
        )
    coverage = choose_characters(lines, options.character_coverage, characters_allowed(options))
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=without_rare(lines, coverage), model_writer=model, **_arguments(options)
        )
    except (RuntimeError, OSError) as error:
        raise HeadraceError(
            "the tokenizer could not be trained", where="stage tokenize", why=str(error), remedy=_REMEDY
        ) from error
    return Trained(model.getvalue(), coverage.share)


def _arguments(options: TrainOptions) -> dict[str, Any]:
    return {
        "vocab_size": options.vocab_size,
        "model_type": options.model_type,
        "byte_fallback": options.byte_fallback,
        "split_digits": options.split_digits,
        "num_threads": options.threads,
        "max_sentence_length": options.max_sentence_bytes,
        "character_coverage": 1.0,  # rare characters are gone already
        "hard_vocab_limit": False,  # a small sample gives fewer pieces instead of an error
        "normalization_rule_name": "identity",
        "add_dummy_prefix": False,
        "remove_extra_whitespaces": False,
        "allow_whitespace_only_pieces": True,
        "user_defined_symbols": _OWN_PIECES,
        "minloglevel": _ERRORS_ONLY,
        **_SPECIALS,
    }


def training_lines(texts: Iterable[TextColumn], size: int) -> Iterator[bytes]:
    """Give the lines of the texts without control characters, in pieces of at most `size` bytes, no empty ones."""
    for column in texts:
        clean = pc.replace_substring_regex(column, _CONTROLS, "")
        for text in clean.cast(pa.large_binary()).to_pylist():
            for line in text.split(b"\n"):
                yield from _pieces(line, size)


def _pieces(line: bytes, size: int) -> Iterator[bytes]:
    begin = 0
    while len(line) - begin > size:
        end = begin + size
        while line[end] & 0xC0 == 0x80:  # not inside a character
            end -= 1
        yield line[begin:end]
        begin = end
    if begin < len(line):
        yield line[begin:]


def characters_allowed(options: TrainOptions) -> int:
    """Give how many characters may have an id of their own: half of what the fixed pieces leave of the vocabulary.

    Chinese needs some 7,000 characters for 99.95 %; with few ids, longer pieces are worth more than the rarest of them,
    which are spelled in bytes.
    """
    byte_pieces = 256 if options.byte_fallback else 0
    return (options.vocab_size - len(_SPECIALS) - len(_OWN_PIECES) - byte_pieces) // 2
