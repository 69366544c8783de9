from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.tokenizers.byte_level.made_models import trained, trained_ranks
from tests.tokenizers.samples import AWKWARD, TEXTS, column, small_model

from headrace.schemas.errors import ConfigError, FormatError
from headrace.tokenizers.byte_level.options import ByteLevelOptions
from headrace.tokenizers.load import load


def test_bytes_needs_no_file() -> None:
    """The word "bytes" gives the byte tokenizer."""
    assert load("bytes").vocabulary_size == 259


def test_a_path_gives_the_model_in_it(tmp_path: Path) -> None:
    """Path and string give the same model; its hash is the file's."""
    path = tmp_path / "a.model"
    path.write_bytes(small_model())
    assert load(path).sha256 == load(str(path)).sha256
    assert 259 < load(path).vocabulary_size <= 400


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """A wrong path gives the file, the cause and what to change."""
    with pytest.raises(
        FormatError, match=r"no\.model: the tokenizer model cannot be read: No such file.*Correct `model`"
    ):
        load(tmp_path / "no.model")


def test_content_decides_not_the_name(tmp_path: Path) -> None:
    """A tokenizer.json, ranks and a SentencePiece model, each under another's name, are what they hold."""
    files = {"a.model": trained("gpt2"), "tokenizer.json": trained_ranks("gpt2"), "b.tiktoken": small_model()}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    json = load(tmp_path / "a.model")
    ranks = load(tmp_path / "tokenizer.json", options=ByteLevelOptions(pattern="gpt2"))
    pieces = load(tmp_path / "b.tiktoken")
    assert [type(tokenizer).__name__ for tokenizer in (json, ranks, pieces)] == [
        "ByteLevelTokenizer",
        "ByteLevelTokenizer",
        "KernelTokenizer",
    ]
    assert json.eos_id is not None and ranks.eos_id is None


def test_each_engine_gives_the_same_ids(tmp_path: Path) -> None:
    """`reference` runs the library; ids and hash are those of the fast engine, for each kind of file."""
    texts = column([*AWKWARD, *TEXTS[:3]])
    for data in (small_model("unigram"), small_model("bpe"), trained("qwen2", composed=True)):
        path = tmp_path / "model"
        path.write_bytes(data)
        fast, reference = load(path, tables=tmp_path), load(path, engine="reference")
        assert fast.sha256 == reference.sha256
        for mine, library in zip(fast.encode(texts), reference.encode(texts), strict=True):
            assert mine.dtype == library.dtype and np.array_equal(mine, library)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"#version: 0.2\nh e\n", r"this file holds merges alone: .*Give the tokenizer\.json"),
        (b'{"a": 0}', r"not a whole tokenizer\.json: model: Field required.*not vocab\.json"),
        (b'\n {\n "vocab": {"a": 0}}', r"not a whole tokenizer\.json: model: Field required"),
        (b"\xef\xbb\xbf{}", r"not a whole tokenizer\.json"),
        (b"\n{\n\x05<unk>", "SentencePiece"),
        (b"", "SentencePiece"),
        (b"plain text\n", "SentencePiece"),
    ],
)
def test_files_beside_the_right_one_are_named(data: bytes, message: str, tmp_path: Path) -> None:
    """merges.txt, vocab.json, an empty file and plain text each give one message with the file and what to do."""
    path = tmp_path / "m"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=message) as caught:
        load(path)
    assert str(caught.value).startswith(str(path)) and caught.value.remedy


def test_options_are_refused_where_they_mean_nothing(tmp_path: Path) -> None:
    """A SentencePiece model holds its own pattern and special tokens."""
    path = tmp_path / "m.model"
    path.write_bytes(small_model())
    with pytest.raises(ConfigError, match="read as a SentencePiece model"):
        load(path, options=ByteLevelOptions(pattern="gpt2"))
