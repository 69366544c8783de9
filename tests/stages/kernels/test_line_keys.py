"""Keys and letters of lines: the kernels beside their plain twins, and the twin beside the hash's own check."""

from __future__ import annotations

import struct

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.schemas.arrays import text_array, text_buffers
from headrace.stages.kernels.characters import classes
from headrace.stages.kernels.line_keys import letter_counts, line_keys
from headrace.stages.kernels.plain_line_keys import plain_key, plain_letters

TEXTS = ["", "a", "1", "…", "清洗", "กขค", "café 2", "---|", "イロハ", "12345678", "123456789", "é" * 8, "x" * 33]


def test_the_twin_passes_the_hash_s_own_check() -> None:
    """SMHasher's verification value of MurmurHash3_x64_128: 255 keys, hashed again, begin with these 32 bits."""
    hashes = b"".join(struct.pack("<2Q", *plain_key(bytes(range(size)), 256 - size)) for size in range(256))
    assert plain_key(hashes)[0] & 0xFFFFFFFF == 0x6384BA69


@given(texts=st.lists(st.one_of(st.text(max_size=40), st.sampled_from(TEXTS)), max_size=5), cut=st.integers(0, 2))
def test_the_kernels_are_their_plain_twins(texts: list[str], cut: int) -> None:
    """Any texts give the same keys and letters, in a slice of an array too."""
    data, offsets = text_buffers(pa.array(texts, pa.large_string()).slice(cut))
    keys = [plain_key(text.encode()) for text in texts[cut:]]
    assert line_keys(data, offsets).tolist() == [list(key) for key in keys]
    assert letter_counts(data, offsets, classes()).tolist() == [plain_letters(text, classes()) for text in texts[cut:]]


@pytest.mark.parametrize("text", TEXTS)
def test_lines_of_every_length_have_keys_of_their_own(text: str) -> None:
    """A text, its beginnings and it with zero bytes behind are all different."""
    forms = [text[:end] for end in range(len(text) + 1)] + [text + "\0" * more for more in range(1, 20)]
    data, offsets = text_buffers(pa.array(forms, pa.large_string()))
    assert len(np.unique(line_keys(data, offsets), axis=0)) == len(forms)
    assert text_array(data, offsets).to_pylist() == forms
