"""Copying 32 bytes at once does to each byte what its twin does to one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tokenizers.model_bytes import Flags, with_flags
from tests.tokenizers.normalizing.awkward import RULES, SYMBOLS, table

from headrace.schemas.arrays import Bytes, read_only
from headrace.schemas.compiled import kernel
from headrace.tokenizers.kernels.normalize_lanes import copy_lanes
from headrace.tokenizers.kernels.normalize_plain import copied_lanes
from headrace.tokenizers.kernels.normalize_tables import Tables
from headrace.tokenizers.model_file import read_model
from headrace.tokenizers.normalizing.normalizer import normalizer_of

_LANES = 32
TABLES = [
    normalizer_of(read_model(with_flags(table(rule), symbols, Flags()), "m.model"), "m.model").tables
    for rule in RULES
    for symbols in SYMBOLS
]


@kernel
def copied(data: Bytes, out: Bytes, tables: Tables) -> int:
    """Copy the first 32 bytes; give the bits of stops and spaces."""
    return copy_lanes(data, 0, out, 0, tables.stops, tables.swaps, np.uint64(tables.hold))


def by_kernel(text: bytes, tables: Tables) -> tuple[bytes, list[bool], list[bool]]:
    out = np.zeros(_LANES, np.uint8)
    bits = int(copied(read_only(np.frombuffer(text, np.uint8)), out, tables))
    flags = [bool(bits >> place & 1) for place in range(2 * _LANES)]
    return out.tobytes(), flags[:_LANES], flags[_LANES:]


@pytest.mark.parametrize("engine", [by_kernel, copied_lanes])
def test_new_lines_become_spaces_and_controls_stop(engine: object) -> None:
    """Under nmt_nfkc a line feed is written as a space; a control character, and a letter before an accent, stop."""
    tables = TABLES[RULES.index("nmt_nfkc") * len(SYMBOLS)]
    text = "a\nb\x07 e\u0301".encode() + b"." * 24
    assert callable(engine)
    made, stopped, spaces = engine(text, tables)
    assert made[:5] == b"a b\x07 "
    assert [place for place, stop in enumerate(stopped) if stop] == [3, 5, 6, 7, 31]
    assert [place for place, space in enumerate(spaces) if space] == [1, 4]


@given(st.binary(min_size=_LANES, max_size=_LANES), st.sampled_from(TABLES))
def test_kernel_and_twin_agree_on_any_bytes(text: bytes, tables: Tables) -> None:
    """What is written, where it stops and where spaces are is the same for any bytes and the tables of any rules."""
    assert by_kernel(text, tables) == copied_lanes(text, tables)


@pytest.mark.parametrize("number", range(len(TABLES)))
def test_kernel_and_twin_agree_on_every_byte(number: int) -> None:
    """Each of the 256 bytes is treated alike by both."""
    for begin in range(0, 256, _LANES):
        text = bytes(range(begin, begin + _LANES))
        assert by_kernel(text, TABLES[number]) == copied_lanes(text, TABLES[number])
