"""A model in the form that the fast engine loads: a `tokenizer.json` with nothing in it that the engine passes over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson
from pydantic import BaseModel, ConfigDict


class AddedToken(BaseModel):
    """A token that is found in the text before words are cut; without `special` it is an ordinary one."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: int
    content: str
    special: bool = False
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = True


@dataclass(frozen=True, slots=True)
class FastModel:
    """A model for the fast engine, without special tokens; `composed`: texts are first brought to NFC."""

    data: bytes
    tokens: dict[int, bytes]
    composed: bool


class NotFast(Exception):
    """The fast engine would not give the library's ids; the message says why, after "because"."""


def fast_form(
    vocabulary: Mapping[str, int],
    merges: Sequence[tuple[str, str]] | Sequence[str],
    pattern: str,
    added: Sequence[AddedToken],
    *,
    whole_words: bool,
    composed: bool,
) -> bytes:
    """Write the file. `whole_words`: a word of the vocabulary is one token, whatever the merges say."""
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated"}
    last = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    model = {"type": "BPE", "ignore_merges": whole_words, "vocab": vocabulary, "merges": merges}
    return orjson.dumps(
        {
            "version": "1.0",
            "normalizer": {"type": "NFC"} if composed else None,
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, last]},
            "added_tokens": [token.model_dump() for token in added],
            "model": model,
        }
    )
