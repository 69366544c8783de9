"""Shingles and signatures beside their plain twins and beside datasketch itself."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from datasketch import MinHash as Reference
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.stages.kernels import plain_minhash
from headrace.stages.kernels.arrays import Counts, Signatures, text_buffers
from headrace.stages.kernels.characters import classes
from headrace.stages.kernels.minhash import EMPTY, permutations, shingle_sets, sign_documents

UNITS = ("auto", "characters", "words")
VIEWS = (
    "",
    "x",
    "好",
    "床前明月光，疑是地上霜。举头望明月，低头思故乡。",
    "the wheel sets the pace and the channel never runs dry",
    "我们用 python 3.11 和 arrow 写了一个流程",
    "!!! ???",
    "👍👍🏽❤",
    "𠀀𪚥𰻞",
    "la la la la la la la",
    "กังหันน้ำเป็นตัวกำหนดจังหวะ",
)
views = st.text(st.one_of(st.sampled_from("ab c好的。!"), st.characters(codec="utf-8")), max_size=40)


def signed(texts: list[str], unit: str, size: int, slots: int, seed: int = 1) -> tuple[Signatures, Counts]:
    data, offsets = text_buffers(pa.array(texts, pa.large_string()))
    return sign_documents(data, offsets, classes(), UNITS.index(unit), size, *permutations(slots, seed))


def agree(texts: list[str], unit: str, size: int) -> None:
    found, counts = signed(texts, unit, size, 16)
    a, b = (values.tolist() for values in permutations(16, 1))
    hashes = [plain_minhash.shingle_hashes(text, unit, size) for text in texts]
    assert counts.tolist() == [len(values) for values in hashes]
    assert found.tolist() == [plain_minhash.signature(values, a, b) for values in hashes]
    data, offsets = text_buffers(pa.array(texts, pa.large_string()))
    sets, ends = shingle_sets(data, offsets, classes(), UNITS.index(unit), size, counts)
    assert [part.tolist() for part in np.split(sets, ends[1:-1])] == [sorted(set(values)) for values in hashes]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("size", [1, 5])
def test_signatures_are_those_of_the_plain_twin(unit: str, size: int) -> None:
    """Shingles, signatures and shingle sets of awkward views, in every unit."""
    agree(list(VIEWS), unit, size)


@pytest.mark.parametrize("unit", UNITS)
@given(st.lists(views, min_size=1, max_size=4))
@settings(max_examples=80, deadline=None)
def test_signatures_are_those_of_the_plain_twin_on_any_view(unit: str, texts: list[str]) -> None:
    """The same on random views."""
    agree(texts, unit, 3)


@pytest.mark.parametrize("seed", [1, 42])
def test_signatures_are_those_of_datasketch(seed: int) -> None:
    """Fed the same 32-bit hashes, datasketch 2 (affine32) gives every value that the kernel gives."""
    texts = [view * times for view in VIEWS for times in (1, 3)] + ["".join(map(chr, range(0x4E00, 0x9000)))]
    found, _ = signed(texts, "auto", 5, 112, seed)
    for text, signature in zip(texts, found, strict=True):
        reference = Reference(num_perm=112, seed=seed, hashfunc=lambda value: value, scheme="affine32")
        hashes = plain_minhash.shingle_hashes(text, "auto", 5)
        if hashes:
            reference.update_batch(hashes)
        assert signature.tolist() == reference.hashvalues.tolist()


def test_an_empty_view_has_no_shingles() -> None:
    """Its signature is all ones, which no other view has."""
    found, counts = signed(["", "a"], "auto", 5, 8)
    assert counts.tolist() == [0, 1]
    assert (found[0] == EMPTY).all()
    assert not (found[1] == EMPTY).any()


@pytest.mark.timeout(60)
def test_a_million_characters_are_signed_in_blocks() -> None:
    """Long views cost their length; the blocks of the kernel leave no seam."""
    text = "".join(chr(0x4E00 + i * 7919 % 20000) for i in range(20_000))
    agree([text], "auto", 5)
    _, counts = signed([text * 50, "哈" * 1_000_000, "word " * 200_000], "auto", 5, 112)
    assert counts.tolist() == [999_996, 999_996, 199_996]
