"""The kernels beside the library on every file of the corpus, whatever its bytes are, and on many random texts."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import sentencepiece

from headrace.tokenizers.sentencepiece_kernels import KernelTokenizer

_IDENTITY = {"normalization_rule_name": "identity", "remove_extra_whitespaces": False, "split_digits": True}
_GIVEN = {"user_defined_symbols": ["<sep>", "的的", "  ", "ab"]}
OPTIONS: dict[str, dict[str, object]] = {
    "unigram": {"model_type": "unigram", "byte_fallback": True, **_IDENTITY},
    "bpe": {"model_type": "bpe", "byte_fallback": True, **_IDENTITY},
    "unigram, no bytes, no prefix": {"model_type": "unigram", "add_dummy_prefix": False, **_IDENTITY},
    "bpe, no bytes, no prefix": {"model_type": "bpe", "add_dummy_prefix": False, **_IDENTITY},
    "unigram of nmt_nfkc, pieces of a user": {"model_type": "unigram", **_GIVEN},
    "bpe of nmt_nfkc, pieces of a user": {"model_type": "bpe", "byte_fallback": True, **_GIVEN},
    "bpe of suffixes": {"model_type": "bpe", "treat_whitespace_as_suffix": True, "byte_fallback": True},
    "unigram of suffixes": {"model_type": "unigram", "treat_whitespace_as_suffix": True},
}
_TRAINED_ON = 200_000  # bytes of each language
_READ = 5_000  # bytes of a file
_RANDOM_TEXTS = 100_000
_BATCH = 2000


@cache
def trained(name: str, corpus: Path) -> bytes:
    """Give a model trained on English and Chinese."""
    lines = [line for language in ("en", "zh") for line in _lines(corpus / language)]
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=written,
        vocab_size=3000,
        character_coverage=0.98,
        hard_vocab_limit=False,
        minloglevel=2,
        num_threads=2,
        **OPTIONS[name],
    )
    return written.getvalue()


def _lines(folder: Path) -> Iterator[str]:
    left = _TRAINED_ON
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            text = path.read_bytes()[: _READ * 4].decode("utf-8", "ignore").replace("\0", "")
            left -= len(text.encode())
            yield from (line for line in text.split("\n") if line)
        if left < 0:
            return


def differing(
    tokenizer: KernelTokenizer, engine: sentencepiece.SentencePieceProcessor, texts: list[bytes]
) -> list[int]:
    """Give the numbers of the texts whose ids are not the library's, the first or the second time."""
    expected = engine.encode(texts, return_type="numpy", num_threads=1)
    column = pa.array(texts, pa.large_binary()).view(pa.large_string())
    wrong: set[int] = set()
    for _ in range(2):
        ids, offsets = tokenizer.encode(column)
        wrong |= {i for i, own in enumerate(expected) if not np.array_equal(own, ids[offsets[i] : offsets[i + 1]])}
    return sorted(wrong)


@pytest.mark.parametrize("name", OPTIONS)
def test_every_file_of_the_corpus_has_the_ids_of_the_library(name: str, corpus: Path) -> None:
    """Zero files differ, cold and warm, one by one and joined to a megabyte, read as UTF-8 whatever they are."""
    paths = [path for path in sorted(corpus.rglob("*")) if path.is_file()]
    files = [path.read_bytes()[:_READ] for path in paths]
    joined = b"\n".join(files)[: 1 << 20]
    model = trained(name, corpus)
    engine = sentencepiece.SentencePieceProcessor(model_proto=model)
    wrong = differing(KernelTokenizer(model, name), engine, [*files, joined])
    assert [paths[i].name for i in wrong if i < len(paths)] == []
    assert wrong == []


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", OPTIONS)
def test_random_texts_have_the_ids_of_the_library(name: str, corpus: Path) -> None:
    """Zero of 100,000 random texts differ: pieces, characters of all planes, broken bytes, marks, NUL, and runs."""
    model = trained(name, corpus)
    engine = sentencepiece.SentencePieceProcessor(model_proto=model)
    tokenizer, generator = KernelTokenizer(model, name), random.Random(11)
    pieces = [engine.id_to_piece(i).replace("\u2581", " ").encode() for i in range(engine.get_piece_size())]
    for _ in range(_RANDOM_TEXTS // _BATCH):
        texts = [_random_text(generator, pieces) for _ in range(_BATCH)]
        texts.append(b"".join(texts))
        assert [texts[i] for i in differing(tokenizer, engine, texts)] == []


def _random_text(generator: random.Random, pieces: list[bytes]) -> bytes:
    kind = generator.random()
    if kind < 0.4:
        return b"".join(generator.choices(pieces, k=generator.randrange(40)))
    if kind < 0.7:
        planes = [(1, 0x7F), (0x80, 0x7FF), (0x4E00, 0x9FFF), (0x1F300, 0x1F6FF), (0xD800, 0xDFFF), (0xE000, 0x10FFFF)]
        points = (chr(generator.randint(*generator.choice(planes))) for _ in range(generator.randrange(60)))
        return "".join(points).encode("utf-8", "surrogatepass")
    if kind < 0.8:
        return generator.randbytes(generator.randrange(80))
    runs = [b"a", b"ab", "的".encode(), "\u2581".encode(), b" ", b"\t", b"0", b"\0", b"--", b"\xff", "😀".encode()]
    return b"".join(generator.choice(runs) * generator.randrange(90) for _ in range(generator.randrange(4)))
