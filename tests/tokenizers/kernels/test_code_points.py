from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from tests.tokenizers.byte_level.made_texts import hard_texts

from headrace.schemas.arrays import Flags, text_buffers
from headrace.tokenizers.kernels import code_points, code_points_plain

TextsWith = Callable[..., Flags]
RANGES = ((0xE9, 0xEA), (0x7FD, 0x7FD), (0x4E00, 0x4E01), (0x1F600, 0x1F64F))


def flags(texts_with: TextsWith, texts: pa.Array) -> list[bool]:
    firsts, lasts = np.array(RANGES, np.uint32).T.copy()
    leads = np.array([0xC3, 0xC3, 0xDF, 0xE4, 0xF0], np.uint8)
    return texts_with(*text_buffers(texts), firsts, lasts, leads).tolist()


@pytest.mark.parametrize("texts_with", [code_points.texts_with, code_points_plain.texts_with])
def test_the_ends_of_ranges_count(texts_with: TextsWith) -> None:
    """First and last code point of a range are found, their neighbours are not, wherever in the text they stand."""
    inside = ["é", "ê", "\u07fd", "一", "丁", "\U0001f600", "\U0001f64f", "x" * 5000 + "一", "é" + "y" * 9000]
    outside = ["", "a", "è", "ë", "\u07fc", "\u07fe", "丂", "\u4dff", "\U0001f5ff", "\U0001f650", "z" * 9000]
    assert flags(texts_with, pa.array(inside, pa.large_string())) == [True] * len(inside)
    assert flags(texts_with, pa.array(outside, pa.large_string())) == [False] * len(outside)


def test_kernel_and_plain_python_agree() -> None:
    """On hard texts, whole and as a slice of a column, both give the same."""
    texts = hard_texts(seed=3, documents=3000)
    found = flags(code_points.texts_with, texts)
    assert found == flags(code_points_plain.texts_with, texts)
    assert flags(code_points.texts_with, texts[100:200]) == found[100:200]
    assert 100 < sum(found) < 2900
