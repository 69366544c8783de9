"""Tables of a model in a file: built once, mapped by all, built again when anything is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.tokenizers.piece_models import MODELS
from tests.tokenizers.samples import TEXTS, column, small_model

from headrace.tokenizers.model_file import read_model
from headrace.tokenizers.sentencepiece_kernels import KernelTokenizer
from headrace.tokenizers.table_building import build_tables
from headrace.tokenizers.table_file import tables_of


@pytest.mark.parametrize("name", MODELS)
def test_mapped_tables_are_those_that_were_built(name: str, tmp_path: Path) -> None:
    """The first call writes one file, the second one reads it, and both give what is built without a file."""
    model = read_model(MODELS[name], name)
    first, second = tables_of(model, tmp_path), tables_of(model, tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    for made, kept, mapped in zip(build_tables(model), first, second, strict=True):
        assert np.array_equal(made.view(np.uint8), kept.view(np.uint8))
        assert np.array_equal(made.view(np.uint8), mapped.view(np.uint8))
        assert made.dtype == mapped.dtype
        assert not mapped.flags.writeable
        assert mapped.ctypes.data % 4 == 0


@pytest.mark.parametrize("damage", ["cut", "bit", "head", "empty", "other"])
def test_a_file_that_is_not_whole_is_built_again(damage: str, tmp_path: Path) -> None:
    """A file cut short, with a wrong bit, another head, or of another kind is replaced, and the ids are right."""
    data = small_model("bpe")
    expected, _ = KernelTokenizer(data, "m", tmp_path).encode(column(TEXTS))
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    wrong = {
        "cut": whole[:-1],
        "bit": whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:],
        "head": whole.replace(b'version\\":1', b'version\\":2', 1),
        "empty": b"",
        "other": b"[]\n",
    }[damage]
    path.write_bytes(wrong)
    ids, _ = KernelTokenizer(data, "m", tmp_path).encode(column(TEXTS))
    assert np.array_equal(ids, expected)
    assert path.read_bytes() == whole


def test_a_folder_that_is_missing_is_done_without(tmp_path: Path) -> None:
    """Where nothing can be written the tables are built, and the ids are the same."""
    data = small_model("unigram")
    expected, _ = KernelTokenizer(data, "m").encode(column(TEXTS))
    ids, _ = KernelTokenizer(data, "m", tmp_path / "missing").encode(column(TEXTS))
    assert np.array_equal(ids, expected)
    assert not (tmp_path / "missing").exists()
