"""Files of ranks as tiktoken reads them: a line per token, its bytes in base64 and its rank.

They hold neither the pattern that cuts words nor the special tokens. Of published files these are known by their
SHA-256; for others the user gives them.
"""

from __future__ import annotations

import binascii
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from headrace.schemas.errors import ConfigError, FormatError
from headrace.tokenizers.byte_level.alphabet import spell
from headrace.tokenizers.byte_level.fast_form import AddedToken, FastModel, NotFast, fast_form
from headrace.tokenizers.byte_level.options import ByteLevelOptions
from headrace.tokenizers.byte_level.patterns import CL100K, GPT2, KNOWN_OF_TIKTOKEN, LLAMA3, O200K, PATTERNS
from headrace.tokenizers.kernels.rank_merges import NO_PAIR, last_merges

_FIRST_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,2} [0-9]+\r?(\n|\Z)")
_MOST_IDS = 1 << 24  # room is kept for every id below the last one; published models have up to 300,000
_NEITHER = "a rank file holds neither the pattern that cuts words nor special tokens"


@dataclass(frozen=True, slots=True)
class RankFile:
    """The tokens by their bytes, how words are cut, and the special tokens by their text."""

    ranks: Mapping[bytes, int]
    pattern: str
    special: Mapping[str, int]
    vocabulary_size: int


@dataclass(frozen=True, slots=True)
class Published:
    """What is known of a published file."""

    pattern: str
    special: Mapping[str, int]
    vocabulary_size: int


_END = "<|endoftext|>"
_FILL = {"<|fim_prefix|>": 100258, "<|fim_middle|>": 100259, "<|fim_suffix|>": 100260}
_LLAMA3 = {"<|begin_of_text|>": 128000, "<|end_of_text|>": 128001, "<|start_header_id|>": 128006}
# By SHA-256 of the file: OpenAI's as in tiktoken 0.14.0, Llama 3's `tokenizer.model` (2,183,982 bytes).
PUBLISHED: Mapping[str, Published] = MappingProxyType(
    {
        "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930": Published(GPT2, {_END: 50256}, 50257),
        "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069": Published(GPT2, {_END: 50256}, 50281),
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": Published(
            CL100K, {_END: 100257, **_FILL, "<|endofprompt|>": 100276}, 100277
        ),
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": Published(
            O200K, {_END: 199999, "<|endofprompt|>": 200018}, 200019
        ),
        "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55": Published(
            LLAMA3, {**_LLAMA3, "<|end_header_id|>": 128007, "<|eot_id|>": 128009}, 128256
        ),
    }
)


def is_rank_file(data: bytes) -> bool:
    """Say whether the file begins as a rank file does."""
    return _FIRST_LINE.match(data) is not None


def rank_file(data: bytes, options: ByteLevelOptions, where: str) -> RankFile:
    """Read a rank file; FormatError names the line that is wrong, ConfigError asks for what the file does not hold."""
    ranks = _ranks(data, where)
    published = PUBLISHED.get(hashlib.sha256(data).hexdigest())
    if options.pattern is None and published is None:
        raise ConfigError(
            f"the pattern of this rank file is not known ({len(ranks)} tokens)",
            where=where,
            why=_NEITHER,
            remedy="give the tokenizer.json of the model, "
            f"or set `byte_level.pattern` ({', '.join(PATTERNS)}, or an expression) and `byte_level.special_tokens`",
        )
    pattern = (
        PATTERNS.get(options.pattern, options.pattern) if options.pattern else published.pattern if published else ""
    )
    special = options.special_tokens or (published.special if published else {})
    _refuse_taken(set(ranks.values()), special, where)
    size = max([*ranks.values(), *special.values()]) + 1
    return RankFile(ranks, pattern, special, max(size, published.vocabulary_size if published else 0))


def fast_model(file: RankFile, allowed: tuple[str, ...]) -> FastModel:
    """Give the model in the fast engine's form, or raise NotFast."""
    pattern = KNOWN_OF_TIKTOKEN.get(file.pattern)
    if pattern is None:
        raise NotFast(f"gigatoken does not know the pattern {file.pattern!r}")
    tokens = sorted(file.ranks, key=file.ranks.__getitem__)
    merges = _merges(tokens)
    vocabulary = {spell(token): file.ranks[token] for token in tokens}
    added = [
        AddedToken(id=file.special[text], content=text, special=True, normalized=False) for text in sorted(allowed)
    ]
    data = fast_form(vocabulary, merges, pattern, added, whole_words=False, composed=False)
    return FastModel(data, token_bytes(file), composed=False)


def token_bytes(file: RankFile) -> dict[int, bytes]:
    """Give the bytes of every token, special ones too, by their id."""
    special = {token: text.encode() for text, token in file.special.items()}
    return {rank: token for token, rank in file.ranks.items()} | special


def _merges(tokens: list[bytes]) -> list[tuple[str, str]]:
    offsets = np.zeros(len(tokens) + 1, np.int64)
    np.cumsum([len(token) for token in tokens], out=offsets[1:])
    sizes = last_merges(np.frombuffer(b"".join(tokens), np.uint8), offsets)
    if (sizes == NO_PAIR).any():
        token = tokens[int(np.argmax(sizes == NO_PAIR))]
        raise NotFast(f"no merges of lower rank lead to its token {token!r}")
    return [
        (spell(token[:size]), spell(token[size:])) for token, size in zip(tokens, sizes.tolist(), strict=True) if size
    ]


def _ranks(data: bytes, where: str) -> dict[bytes, int]:
    ranks: dict[bytes, int] = {}
    taken: set[int] = set()
    for number, line in enumerate(data.splitlines(), 1):
        if not line:
            continue
        try:
            text, rank_text = line.split(b" ")
            token, rank = binascii.a2b_base64(text, strict_mode=True), _number(rank_text)
        except ValueError as error:
            raise _broken(where, f"line {number} is not a token and its rank: {line[:60]!r}") from error
        if token in ranks or rank in taken or not token:
            raise _broken(where, f"line {number} repeats a token or rank, or is empty: {line[:60]!r}")
        if rank >= _MOST_IDS:
            raise _broken(where, f"line {number} has a rank above {_MOST_IDS}: {line[:60]!r}")
        ranks[token] = rank
        taken.add(rank)
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        raise _broken(where, f"{len(missing)} of the 256 bytes have no token, the first is {missing[0]:#04x}")
    return ranks


def _refuse_taken(ranks: set[int], special: Mapping[str, int], where: str) -> None:
    for text, token in special.items():
        if token in ranks or not 0 <= token < _MOST_IDS:
            raise ConfigError(
                f"the special token {text!r} cannot have id {token}",
                where=where,
                why=f"the ranks go up to {max(ranks)}, and ids to {_MOST_IDS}",
                remedy="correct `special_tokens`",
            )


def _number(digits: bytes) -> int:
    if not digits.isdigit() or len(digits) > 12:
        raise ValueError("no rank")
    return int(digits)


def _broken(where: str, why: str) -> FormatError:
    return FormatError("this is not a whole rank file", where=where, why=why, remedy="fetch the file again")
