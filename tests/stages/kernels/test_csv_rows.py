"""Row ends of CSV: the kernel beside a plain twin, beside what the csv module writes, and with quotes gone astray."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.stages.kernels.csv_rows import BARE, CLOSING, FIELD, MOST_LINES, QUOTED, row_ends

FIELDS = st.text(st.sampled_from('a",;\n\r|清 '), max_size=6)
SMALL = settings(deadline=None, max_examples=200, derandomize=True)


def ends_of(data: bytes, most_lines: int = MOST_LINES) -> tuple[list[int], int]:
    """Run the kernel."""
    ends, state = row_ends(np.frombuffer(data, np.uint8), most_lines)
    return ends.tolist(), state


def plain(data: bytes, most_lines: int) -> tuple[list[int], int]:
    """Find row ends the slow way: one byte after the other, back to the opening quote where nothing closes it."""
    found, state, at, opened = [], FIELD, 0, 0
    while at < len(data):
        sign = data[at : at + 1]
        divides = sign in (b",", b";", b"\t") or (sign == b"|" and data[at - 1 : at] < b"\x80")
        if state == QUOTED:
            state = CLOSING if sign == b'"' else QUOTED
        elif sign == b"\n" or divides:
            state = FIELD
        elif state == CLOSING:
            state = BARE if sign == b"\r" else QUOTED
        elif state == FIELD and sign == b'"':
            state, opened = QUOTED, at
        else:
            state = BARE
        if sign == b"\n" and state == FIELD:
            found.append(at + 1)
        elif sign == b"\n" and data.count(b"\n", opened, at + 1) > most_lines:
            state, at = BARE, opened
        at += 1
    return found, state


@SMALL
@given(text=st.text(st.sampled_from('ab",;|\t\n\r清'), max_size=60), most_lines=st.integers(0, 4))
@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_the_kernel_is_its_plain_twin(encoding: str, text: str, most_lines: int) -> None:
    """Any bytes give the same ends and the same last state."""
    data = text.encode(encoding)
    assert ends_of(data, most_lines) == plain(data, most_lines)


@SMALL
@given(rows=st.lists(st.lists(FIELDS, min_size=1, max_size=3), min_size=1, max_size=5), mark=st.booleans())
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_rows_end_where_they_were_written(delimiter: str, rows: list[list[str]], mark: bool) -> None:  # noqa: FBT001
    """What the csv module quotes is never cut, with and without a byte order mark."""
    data, wanted = b"\xef\xbb\xbf" * mark, []
    for row in rows:
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerow(row)
        data += out.getvalue().encode()
        wanted.append(len(data))
    assert ends_of(data) == (wanted, FIELD)


def test_a_stray_quote_costs_its_row() -> None:
    """Inside a field it is a sign; at a field's begin it holds lines only up to the next quote that closes one."""
    assert ends_of(b'a,5" pipe\nb,c\n')[0] == [10, 14]
    assert ends_of(b'a,"x" y\nb,"c"\nd\n')[0] == [14, 16]
    assert ends_of(b'a,"x\nb\nc\nd\n', 2)[0] == [5, 7, 9, 11]
    assert ends_of(b'a,"x""\n')[1] == QUOTED
    assert ends_of(b'a,"x"')[1] == CLOSING
