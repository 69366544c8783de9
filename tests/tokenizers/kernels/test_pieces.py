"""The parts of the kernels of SentencePiece models, each by itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tokenizers.piece_models import MODELS, plain_model

from headrace.schemas.arrays import Bytes
from headrace.schemas.compiled import kernel
from headrace.tokenizers.kernels.double_array import double_array
from headrace.tokenizers.kernels.piece_tables import BASE, CHECK, PIECE, PieceTables
from headrace.tokenizers.kernels.pieces_plain import units_of
from headrace.tokenizers.kernels.units import KNOWN, Block, list_units, new_block, pair_bit
from headrace.tokenizers.model_file import read_model
from headrace.tokenizers.table_building import build_tables, pair_bits

TABLES = {name: build_tables(read_model(data, name)) for name, data in MODELS.items()}
PLAIN = {name: plain_model(data) for name, data in MODELS.items()}
texts = st.lists(st.one_of(st.text("abc水中xy \n1", max_size=90), st.text(max_size=9)), max_size=9).map("".join)


@kernel
def list_from(data: Bytes, at: int, end: int, tables: PieceTables, block: Block) -> int:
    return list_units(data, at, end, tables, block)


@kernel
def bit_of(before: int, after: int, bits: int) -> int:
    return pair_bit(before, after, bits)


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=40)
@given(text=texts)
def test_no_piece_goes_over_a_cut(name: str, text: str) -> None:
    """Units are the text, in order, and each bound between two is one where no piece holds both characters."""
    data = np.frombuffer(text.encode() + bytes(96), np.uint8)
    block, size, at = new_block(), len(text.encode()), 0
    bounds = {0}
    while at < size:
        count = list_from(data, at, size, TABLES[name], block)
        assert count > 0
        for unit, fate in enumerate(block.fates[:count].tolist()):
            begin, end = int(block.begins[unit]), int(block.begins[unit + 1])
            assert begin < end
            if fate <= KNOWN:
                assert PLAIN[name].ids[data[begin:end].tobytes().decode()] == KNOWN - fate
        bounds |= set(block.begins[: count + 1].tolist())
        at = int(block.begins[count])
    assert at == size
    allowed = np.cumsum([0, *(len(unit.encode()) for unit in units_of(text, PLAIN[name]))])
    assert bounds <= set(allowed.tolist())


def test_units_are_not_just_whole_texts() -> None:
    """Words are cut at spaces, and Chinese where no piece joins two characters."""
    data = np.frombuffer("ab 水中xx".encode() + bytes(96), np.uint8)
    block = new_block()
    count = list_from(data, 0, 11, TABLES["near ties"], block)
    assert block.begins[: count + 1].tolist() == [0, 2, 3, 9, 10, 11]


@given(st.sets(st.lists(st.integers(2, 40), min_size=1, max_size=5).map(tuple), min_size=1, max_size=300))
def test_the_double_array_holds_the_keys_and_nothing_else(keys: set[tuple[int, ...]]) -> None:
    """Each key leads to its number, and each key with one item more or another one leads nowhere, or to its own."""
    ordered = sorted(keys)
    flat = np.array([item for key in ordered for item in key], np.int32)
    begins = np.cumsum([0, *map(len, ordered)])
    nodes = double_array(flat, begins, np.arange(len(ordered), dtype=np.int32), 41)
    numbers = {key: number for number, key in enumerate(ordered)}
    others = {(*key[:cut], item) for key in ordered for cut in range(len(key)) for item in (2, 17, 40)}
    for key in sorted(keys | others | {(*key, 2) for key in keys}):
        assert _found(nodes, key) == numbers.get(key, -1)


def _found(nodes: np.ndarray, key: tuple[int, ...]) -> int:
    node = key[0]
    for item in key[1:]:
        child = int(nodes[node, BASE]) + item
        if nodes[child, CHECK] != node:
            return -1
        node = child
    return int(nodes[node, PIECE])


@given(st.integers(0, 65_535), st.integers(0, 65_535), st.integers(6, 24))
def test_the_bitmap_is_asked_where_it_was_written(before: int, after: int, bits: int) -> None:
    """The kernel asks for the bit that the builder sets."""
    written = pair_bits(np.array([before], np.int64), np.array([after], np.int64), 1 << bits)
    assert bit_of(before, after, 1 << bits) == written[0]
