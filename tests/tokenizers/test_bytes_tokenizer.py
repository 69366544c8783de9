from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from headrace.tokenizers.bytes_tokenizer import BytesTokenizer

BYTES = BytesTokenizer()


@given(st.lists(st.text(max_size=8), max_size=6), st.integers(0, 3), st.integers(0, 6))
def test_ids_are_the_bytes_of_each_text(texts: list[str], begin: int, count: int) -> None:
    """Also for a slice of a column, the ids of a text are its UTF-8 bytes, and decode gives it back."""
    column = pa.array(texts, pa.large_string()).slice(begin, count)
    ids, offsets = BYTES.encode(column)
    actual = [ids[a:b] for a, b in pairwise(offsets)]
    assert ids.dtype == np.uint16
    assert [a.tolist() for a in actual] == [list(text.encode()) for text in column.to_pylist()]
    assert [BYTES.decode(a) for a in actual] == column.to_pylist()


def test_special_ids_are_no_text() -> None:
    """Padding, begin and end are left out of the text, and a cut character shows as U+FFFD."""
    ids = np.array([257, 65, 0xE4, 0xB8, 258, 256], np.uint16)
    assert BYTES.decode(ids) == "A�"
    assert max(BYTES.pad_id, BYTES.bos_id or 0, BYTES.eos_id or 0) < BYTES.vocabulary_size
