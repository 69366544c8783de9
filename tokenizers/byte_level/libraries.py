"""The reference for ids: tokenizers for `tokenizer.json`, tiktoken for rank files."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

import numpy as np
import orjson
import tiktoken
from tokenizers import Tokenizer

from headrace.schemas.errors import FormatError
from headrace.tokenizers.byte_level.engines import LibraryEngine, WideIds
from headrace.tokenizers.byte_level.tokenizer_json import Outline


def from_tokenizer_json(data: bytes, allowed: tuple[str, ...], where: str) -> tuple[LibraryEngine, Tokenizer]:
    """Load with tokenizers; texts are neither cut short nor padded, whatever the file says."""
    try:
        model = Tokenizer.from_str(_allowing(data, allowed).decode())
    except Exception as error:  # the library raises nothing narrower
        raise FormatError(
            "tokenizers does not take this tokenizer.json",
            where=where,
            why=str(error),
            remedy="save the model again, or give the file of another model",
        ) from error
    model.no_truncation()
    model.no_padding()
    model.encode_special_tokens = True  # the text of special tokens is read as plain text

    def encode(text: str) -> WideIds:
        return np.array(model.encode(text, add_special_tokens=False).ids, np.uint32)

    return LibraryEngine(f"tokenizers {version('tokenizers')}", encode), model


def check_ids(model: Tokenizer, outline: Outline, where: str) -> None:
    """Refuse a file whose added tokens get other ids from the library than the file says."""
    for token in outline.added_tokens:
        given = model.token_to_id(token.content)
        if given != token.id:
            raise FormatError(
                f"the added token {token.content!r} has id {token.id} in the file, but tokenizers gives it {given}",
                where=where,
                why="the library counts on from the vocabulary's last id",
                remedy="correct the ids of `added_tokens`, so that they follow the vocabulary without a gap",
            )


def from_ranks(
    ranks: Mapping[bytes, int], pattern: str, special: Mapping[str, int], allowed: tuple[str, ...], where: str
) -> LibraryEngine:
    """Load with tiktoken."""
    try:
        model = tiktoken.Encoding("ranks", pat_str=pattern, mergeable_ranks=dict(ranks), special_tokens=dict(special))
    except Exception as error:  # a wrong pattern is a ValueError, a wrong id an AssertionError
        raise FormatError(
            "tiktoken does not take this rank file with these options",
            where=where,
            why=str(error) or type(error).__name__,
            remedy="correct `pattern` and `special_tokens`: ids must be distinct and not those of ranks",
        ) from error

    def encode(text: str) -> WideIds:
        ids: WideIds = model.encode_to_numpy(text, allowed_special=set(allowed), disallowed_special=())
        return ids

    return LibraryEngine(f"tiktoken {version('tiktoken')}", encode)


def _allowing(data: bytes, allowed: tuple[str, ...]) -> bytes:
    """Give the file with the allowed special tokens as ordinary ones."""
    if not allowed:
        return data
    file = orjson.loads(data)
    for token in file["added_tokens"]:
        token["special"] = token["special"] and token["content"] not in allowed
    return orjson.dumps(file)
