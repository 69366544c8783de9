from __future__ import annotations

from pathlib import Path

import pytest
from tests.tokenizers.samples import small_model

from headrace.schemas.errors import FormatError
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
