"""The engine `reference` measures in plain Python what the kernels measure, for every published preset and formula."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest
from tests.stages.filtering.test_published_mandarin import PROSE, adversarial
from tests.stages.statistics.test_count import drawn
from tests.stages.statistics.test_refinedweb import PIECES

from headrace.stages.filtering.presets import PRESETS
from headrace.stages.filtering.reference_published import PlainPublished
from headrace.stages.segmentation.document_words import DocumentWords
from headrace.stages.statistics.shares import VALUES, Formulae
from headrace.stages.statistics.statistics import Statistics

PUBLISHED = ("gopher", "c4", "fineweb", "fineweb2_cmn", "refinedweb", "bigscience_zh")


def texts() -> list[str]:
    draw = random.Random(51)
    lines = ["".join(draw.choice(PIECES) for _ in range(draw.randint(0, 20))) for _ in range(80)]
    return [*lines, *drawn(52, 60), *adversarial(53, 40), PROSE, "", "\n"]


@pytest.mark.parametrize("formulae", ["headrace", "datatrove", "dclm", "dolma"])
@pytest.mark.parametrize("chinese", [0, 1])
def test_values_and_texts_are_the_same(formulae: Formulae, chinese: int) -> None:
    """To the last bit, of Chinese and of English words."""
    column = pa.array(texts(), pa.large_string())
    flags = np.full(len(column), chinese, np.bool_)
    cut = DocumentWords()
    words = cut.words(column, flags, np.zeros(len(column), np.bool_))

    def again(lines: pa.Array | pa.ChunkedArray) -> object:
        some = np.full(len(lines), chinese, np.bool_)
        return cut.words(lines, some, np.zeros(len(lines), np.bool_))

    fast, plain = (kind(column, words, formulae, again) for kind in (Statistics, PlainPublished))  # type: ignore[arg-type]
    for name in VALUES:
        assert fast[name].tolist() == plain[name].tolist(), name
    for name in PUBLISHED:
        preset = PRESETS[name]()
        expected = preset.measured(plain)
        for value, found in preset.measured(fast).items():
            assert found.tolist() == expected[value].tolist(), value
        kept, same = preset.kept(fast), preset.kept(plain)
        assert (kept is None) == (same is None)
        assert kept is None or same is None or kept.to_pylist() == same.to_pylist()
