"""Byte-level models made at test time: trained ones, and one whose ids show every cut."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from functools import cache

import orjson
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from headrace.tokenizers.byte_level.alphabet import alphabet
from headrace.tokenizers.byte_level.patterns import GPT2, LLAMA3, NEMOTRON, O200K, QWEN2, QWEN35

PATTERNS = {
    "gpt2": GPT2,
    "llama3": LLAMA3,
    "qwen2": QWEN2,
    "qwen3.5": QWEN35,
    "o200k": O200K,
    "nemotron": NEMOTRON,
}
_SENTENCES = (
    "The wheel sets the pace, the channel never runs dry and it's never overflowing: 1,234,567 times.",
    "Don't you'll we've I'D  HTTPServer2 camelCase snake_case x = 3.14159;  // comment\n\n    return 0;\n",
    "数据预处理是大模型训练的第一步。清洗、去重、分级，缺一不可。２０２６年１２月，“引用”。",
    "Ça va très bien à Zürich — naïve café, Ελληνικά, русский язык, हिन्दी में, ไทย 😀👩‍👩‍👧 한국어 日本語テキスト",
    "\ttabs\tand   runs of spaces     \r\n\r\nand line ends\n",
)


def cut_by(pattern: str) -> pre_tokenizers.PreTokenizer:
    """Give the pre-tokenizer that published files have for this pattern."""
    split = pre_tokenizers.Split(Regex(pattern), "isolated")
    return pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


@cache
def trained(pattern: str, *, size: int = 700, composed: bool = False) -> bytes:
    """Give a small trained tokenizer.json with an end token, a padding token and an ordinary added one."""
    tokenizer = Tokenizer(models.BPE(ignore_merges=pattern == "llama3"))
    tokenizer.pre_tokenizer = cut_by(PATTERNS[pattern])
    tokenizer.decoder = decoders.ByteLevel()
    if composed:
        tokenizer.normalizer = normalizers.NFC()
    trainer = trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(_SENTENCES * 3, trainer)
    tokenizer.add_special_tokens(["<|endoftext|>", "<|pad|>"])
    tokenizer.add_tokens([AddedToken("<tool>", normalized=False)])
    return tokenizer.to_str().encode()


@cache
def every_pair(pattern: str, *, composed: bool = False) -> bytes:
    """Give a model that merges any two bytes of a word, so that two words and one word never have the same ids."""
    letters = alphabet()
    pairs = [(left, right) for left in letters for right in letters]
    words = [*letters, *(left + right for left, right in pairs)]
    frame = Tokenizer(models.BPE())
    frame.pre_tokenizer = cut_by(PATTERNS[pattern])
    if composed:
        frame.normalizer = normalizers.NFC()
    vocabulary = {word: token for token, word in enumerate(words)}
    return changed_model(frame.to_str().encode(), vocab=vocabulary, merges=pairs)


def rank_lines(ranks: Mapping[bytes, int]) -> bytes:
    """Give a rank file."""
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())


@cache
def trained_ranks(pattern: str) -> bytes:
    """Give the trained model's tokens as a rank file: bytes first, then in the order of merges."""
    merges = orjson.loads(trained(pattern))["model"]["merges"]
    place = {character: byte for byte, character in enumerate(alphabet())}
    words = [*alphabet(), *("".join(merge) for merge in merges)]
    return rank_lines({bytes(place[character] for character in word): rank for rank, word in enumerate(words)})


@cache
def pair_ranks() -> bytes:
    """Give a rank file of all bytes and all pairs of bytes."""
    pairs = [bytes([left, right]) for left in range(256) for right in range(256)]
    return rank_lines({token: rank for rank, token in enumerate([*(bytes([byte]) for byte in range(256)), *pairs])})


def changed(data: bytes, **fields: object) -> bytes:
    """Give the file with some of its top-level fields replaced."""
    return orjson.dumps({**orjson.loads(data), **fields})


def changed_model(data: bytes, **fields: object) -> bytes:
    """Give the file with some fields of its `model` replaced."""
    file = orjson.loads(data)
    return orjson.dumps({**file, "model": {**file["model"], **fields}})
