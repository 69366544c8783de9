"""Each kernel beside its plain twin, over texts that trip kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.schemas.arrays import Bytes, Offsets, text_array, text_buffers
from headrace.stages.cleaning import values
from headrace.stages.kernels import plain
from headrace.stages.kernels.characters import brackets, classes, sentence_marks
from headrace.stages.kernels.lines import earlier_copies, line_bounds, trim, without_lines
from headrace.stages.kernels.measures import measure
from headrace.stages.kernels.repeats import repeated_characters
from headrace.stages.kernels.sentences import sentence_counts
from headrace.stages.kernels.spacing import narrow_documents, space_out
from headrace.stages.view import view, views

AWKWARD = {
    "empty": "",
    "one character": "好",
    "one letter": "x",
    "only spaces": " \u3000\t ",
    "only breaks": "\n\r\n\r\x85\u2028\n",
    "only punctuation": "。，！？…——（）“”''.,!?-",
    "only emoji": "👍🏽👨\u200d👩\u200d👧🏴\U000e0067\U000e0062\U000e007f❤\ufe0f",
    "astral Han": "𠀀𪚥𰻞和𫝈",
    "combining": "e\u0301\u0323 각 \u1112\u1161\u11ab İ ſ ﬁ ﷺ ｶﾞ",
    "indented": "  def f(x):\n\treturn x\n\n\n\n　　第一段。\n",
    "damaged": "锟斤拷锟斤\ufffd斤拷锟拷 烫烫屯屯屯屯烫烫烫 ï¿½ï¿x¿½ aaaaa bbbb 哈哈哈哈哈哈\n好 好 好 好 好",
    "noise": "asdfg rhythms were catchphrase QWERTYUIOP poiuyt strengths xzxzxz ss1ss ÉÀs",
    "mixed": "Headrace 用 Python 3.11 写成。It reads GBK, too: “你好，世界！” (really)",
}
LONG = ("长江后浪推前浪。\n", "哈", "abcdefghij", "\x1b](", "\x1b[0")
TRICKY = " \t\n\r\x85\u2028\u3000\u00a0\x1b[]0;m\x07\\ＡＢａ１，。！？.!?…“”）)(「」ﾞ锟斤拷烫屯\ufffdï½¿\u200b\u0301"
PLAIN = "asdfgheXYZ12的一是了我"
texts = st.text(st.one_of(st.sampled_from(TRICKY), st.sampled_from(PLAIN), st.characters(codec="utf-8")), max_size=50)


@dataclass(frozen=True)
class Pair:
    """A kernel as a function of a whole column, and its twin as a function of one text."""

    kernel: Callable[[Bytes, Offsets], list[Any]]
    twin: Callable[[str], Any]


def strings(result: tuple[Bytes, Offsets]) -> list[str]:
    array = text_array(*result)
    array.validate(full=True)
    return array.to_pylist()


def rows(counts: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in np.asarray(counts).tolist()]


def line_copies(data: Bytes, offsets: Offsets) -> list[Any]:
    bounds, firsts = line_bounds(data, offsets)
    begins, sizes, lettered = trim(data, bounds, classes())
    copies = earlier_copies(data, begins, sizes, firsts, lettered)
    kept = strings(without_lines(data, bounds, firsts, np.zeros(len(sizes), np.bool_)))
    assert kept == strings((data, offsets))
    return [part.tolist() for part in np.split(copies, firsts[1:-1])] if len(firsts) > 1 else []


PAIRS = {
    "view": Pair(lambda data, offsets: strings(views(text_array(data, offsets))), view),
    "narrow": Pair(lambda data, offsets: strings(narrow_documents(data, offsets)), plain.narrow),
    "space_out": Pair(
        lambda data, offsets: strings(space_out(data, offsets, classes(), 1)), lambda text: plain.space_out(text, 1)
    ),
    "sentences": Pair(
        lambda data, offsets: rows(sentence_counts(data, offsets, classes(), sentence_marks(), brackets())),
        plain.sentence_counts,
    ),
    "line_copies": Pair(line_copies, plain.line_copies),
    "measure": Pair(
        lambda data, offsets: rows(
            measure(data, offsets, classes(), values.consonants(), values.keys(), values.function_words())
        ),
        lambda text: tuple(plain.measure(text, set(values.FUNCTION_WORDS.split()), values.KEYBOARD)),
    ),
    "repeated_characters": Pair(
        lambda data, offsets: rows(repeated_characters(data, offsets, classes(), 3)),
        lambda text: plain.repeated_characters(text, 3),
    ),
}


def agree(pair: Pair, given_texts: list[str]) -> None:
    buffers = text_buffers(pa.array(given_texts, pa.large_string()))
    assert pair.kernel(*buffers) == [pair.twin(text) for text in given_texts]


@pytest.mark.parametrize("name", PAIRS)
def test_a_kernel_gives_what_its_twin_gives(name: str) -> None:
    """On awkward texts, one by one and all in one buffer, kernel and twin agree."""
    for text in AWKWARD.values():
        agree(PAIRS[name], [text])
    agree(PAIRS[name], list(AWKWARD.values()))


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.timeout(60)
def test_a_million_characters_cost_their_number_not_its_square(name: str) -> None:
    """Long texts give what the twin gives; on a million characters, a quadratic kernel would not end in a minute."""
    agree(PAIRS[name], [text * (2_000 // len(text)) for text in LONG])
    texts = pa.array([text * (1_000_000 // len(text)) for text in LONG], pa.large_string())
    assert len(PAIRS[name].kernel(*text_buffers(texts))) == len(LONG)


@pytest.mark.parametrize("name", PAIRS)
@given(sample=st.lists(texts, max_size=6))
@settings(max_examples=150, deadline=None)
def test_a_kernel_gives_what_its_twin_gives_on_any_text(name: str, sample: list[str]) -> None:
    """On random texts kernel and twin agree."""
    agree(PAIRS[name], sample)


@pytest.mark.parametrize("name", PAIRS)
def test_a_kernel_respects_slices_and_chunks(name: str) -> None:
    """A sliced array and a chunked column give the same as a fresh array."""
    column = pa.array(["x", *AWKWARD.values(), "y"], pa.large_string())
    inner = column.slice(1, len(AWKWARD))
    expected = [PAIRS[name].twin(text) for text in AWKWARD.values()]
    assert PAIRS[name].kernel(*text_buffers(inner)) == expected
    assert PAIRS[name].kernel(*text_buffers(pa.chunked_array([inner.slice(0, 3), inner.slice(3)]))) == expected


def test_the_view_folds_every_code_point_like_its_twin() -> None:
    """For each code point there is, the tables give what normalization, case folding and the simplified forms give."""
    every = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    agree(PAIRS["view"], every)


def test_empty_columns_and_nulls_are_no_special_case() -> None:
    """A column without rows gives no rows; a null counts as an empty text."""
    data, offsets = text_buffers(pa.chunked_array([], pa.large_string()))
    assert (len(data), offsets.tolist()) == (0, [0])
    assert strings(views(pa.array([None, "Ａ"], pa.large_string()))) == ["", "a"]
