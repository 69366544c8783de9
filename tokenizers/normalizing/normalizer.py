"""The text that a SentencePiece model cuts, made from the text that was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headrace.schemas.arrays import Bytes, Offsets, read_only
from headrace.schemas.errors import FormatError
from headrace.tokenizers.kernels.normalize import normalize_texts
from headrace.tokenizers.kernels.normalize_tables import Manner, Tables
from headrace.tokenizers.model_file import ModelFile, Rules
from headrace.tokenizers.normalizing.charsmap import read_charsmap
from headrace.tokenizers.normalizing.tables import build_tables

BEHIND = 96  # zero bytes behind the last text, for readers of many bytes at once
_WIDEST_SPACE = 3


@dataclass(frozen=True, slots=True, eq=False)
class Normalizer:
    """The rules of a model, ready for use: byte for byte what sentencepiece 0.2.3 makes of any bytes."""

    tables: Tables
    rules: Rules
    suffix: bool

    def normalize(self, data: Bytes, offsets: Offsets, *, folded: bool = False) -> tuple[Bytes, Offsets]:
        """Give the normalized texts, packed; those of text i are data[offsets[i]:offsets[i + 1]], from 0 on.

        With `folded` every U+2581, which the library writes for a space, is one byte 0x20 in place of three, whether it
        came from a space or was in the text: nothing is lost, as no other space is left. That needs
        `escape_whitespaces`. Bytes that are no UTF-8 become U+FFFD. In the memory behind the last text are `BEHIND`
        zeros.
        """
        if folded and not self.rules.escape_whitespaces:
            raise ValueError("without escape_whitespaces spaces and U+2581 are two things: they cannot be folded")
        return _run(data, offsets, self.tables, self.manner(folded=folded))

    def manner(self, *, folded: bool) -> Manner:
        """Say how white space is written."""
        return Manner(
            mark=self.rules.escape_whitespaces,
            folded=folded,
            squeeze=self.rules.remove_extra_whitespaces,
            before=self.rules.add_dummy_prefix and not self.suffix,
            behind=self.rules.add_dummy_prefix and self.suffix,
        )


def normalizer_of(model: ModelFile, where: str) -> Normalizer:
    """Give what a model does to text before it is cut; FormatError names `where` when its rules are broken."""
    return _normalizer(model.normalizer, model.user_defined, where, suffix=model.treat_whitespace_as_suffix)


def denormalizer_of(model: ModelFile, where: str) -> Normalizer | None:
    """Give what a model does to text after decoding; None when it has no rules for that."""
    if model.denormalizer is None or not model.denormalizer.charsmap:
        return None
    return _normalizer(model.denormalizer, (), where, suffix=False)


def _normalizer(rules: Rules, symbols: Sequence[bytes], where: str, *, suffix: bool) -> Normalizer:
    try:
        tables = build_tables(read_charsmap(rules.charsmap), symbols, squeeze=rules.remove_extra_whitespaces)
    except ValueError as error:
        raise FormatError(
            f"the normalization rules ({rules.name or 'without a name'}) of this model cannot be used",
            where=where,
            why=str(error),
            remedy="train the model again, or take one that sentencepiece itself loads",
        ) from error
    return Normalizer(tables, rules, suffix)


def _run(data: Bytes, offsets: Offsets, tables: Tables, manner: Manner) -> tuple[Bytes, Offsets]:
    """Let the kernel write until it is done, into twice the room whenever that is used up."""
    data, offsets = read_only(data), read_only(offsets)
    ends = np.zeros(len(offsets), np.int64)
    out = np.empty(_room(int(offsets[-1] - offsets[0]), len(ends), tables, manner), np.uint8)
    done = normalize_texts(data, offsets, 0, out, ends, tables, manner)
    while done < len(offsets) - 1:
        more = np.empty(2 * len(out), np.uint8)
        more[: ends[done]] = out[: ends[done]]
        out = more
        done = normalize_texts(data, offsets, done, out, ends, tables, manner)
    size = int(ends[-1])
    out[size : size + BEHIND] = 0
    return out[:size], ends


def _room(size: int, texts: int, tables: Tables, manner: Manner) -> int:
    """Give the bytes that almost any text fits in: a half more where spaces take three, else an eighth."""
    widened = size // 2 if manner.mark and not manner.folded else size // 8
    return size + widened + _WIDEST_SPACE * texts + max(tables.longest, BEHIND)
