"""What is done to many bytes at once is allowed for each of them."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from headrace.tokenizers.kernels.normalize_tables import FOLLOWS, LOOKED_UP, SHORT, STARTS
from headrace.tokenizers.normalizing.ascii_lanes import Lanes, lanes_of

ASCII = 128
KINDS = st.sampled_from([0, 0, 0, 0, STARTS, FOLLOWS, SHORT, SHORT | STARTS, LOOKED_UP, LOOKED_UP | SHORT])
WRITTEN = st.one_of(
    st.integers(0, 127).map(lambda byte: 1 << 24 | byte), st.sampled_from([0, 2 << 24 | 0x6161, 1 << 24 | ord(" ")])
)


def outcome(lanes: Lanes, byte: int) -> int | None:
    """Give what a byte is written as, None where a copy stops at it."""
    made = byte
    for first, behind, bits, more in lanes.swaps[:, 0].reshape(-1, 4).tolist():
        if first <= byte <= first + behind:
            made = (byte & bits) + more & 0xFF
    ranges = lanes.stops[:, 0].reshape(-1, 2).tolist()
    return None if any(first <= made <= first + behind for first, behind in ranges) else made


@settings(max_examples=100)
@given(
    arrays.arrays(np.uint8, ASCII, elements=KINDS, fill=st.just(0)),
    arrays.arrays(np.uint32, ASCII, elements=WRITTEN),
    arrays.arrays(np.bool_, ASCII, elements=st.booleans(), fill=st.just(False)),
)
@example(np.full(ASCII, SHORT, np.uint8), np.arange(ASCII, dtype=np.uint32)[::-1] | 1 << 24, np.zeros(ASCII, np.bool_))
@example(np.eye(1, ASCII, dtype=np.uint8)[0] * SHORT, np.full(ASCII, 1 << 24 | 1, np.uint32), np.zeros(ASCII, np.bool_))
def test_no_byte_is_copied_that_must_be_looked_at(
    kind: np.ndarray[tuple[int], np.dtype[np.uint8]],
    short: np.ndarray[tuple[int], np.dtype[np.uint32]],
    open_ended: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> None:
    """A byte that a copy does not stop at is one that stays, or one whose replacement is what is written."""
    lanes = lanes_of(kind, short, open_ended)
    for byte in range(ASCII):
        made = outcome(lanes, byte)
        if made is None:
            continue
        assert not open_ended[byte]
        assert not kind[byte] & LOOKED_UP
        assert (1 << 24 | made) == short[byte] if kind[byte] & SHORT else made == byte
    assert all(outcome(lanes, byte) is None for byte in range(ASCII, 256))
    assert lanes.hold == bool((kind & STARTS).any())


def test_lower_case_and_line_ends_are_written_at_once() -> None:
    """The rules that matter for speed, capitals and white space, need no stop; what is taken out does."""
    kind, short = np.zeros(ASCII, np.uint8), np.zeros(ASCII, np.uint32)
    for byte, target in ((9, 32), (10, 32), (13, 32), *((capital, capital + 32) for capital in range(65, 91))):
        kind[byte], short[byte] = SHORT, 1 << 24 | target
    for byte in (*range(1, 9), 11, 12, *range(14, 32), 127):
        kind[byte] = SHORT  # taken out
    lanes = lanes_of(kind, short, np.zeros(ASCII, np.bool_))
    assert [outcome(lanes, byte) for byte in b"\t\n\rAZ az09~"] == [*b"   az az09~"]
    assert {byte for byte in range(ASCII) if outcome(lanes, byte) is None} == {
        *range(1, 9),
        11,
        12,
        *range(14, 32),
        127,
    }
