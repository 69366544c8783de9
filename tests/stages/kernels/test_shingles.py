"""Shingles beside their plain twin: what is a word, what is a character, and where a piece or a stretch ends."""

from __future__ import annotations

import jieba
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.schemas.arrays import text_buffers
from headrace.stages.deduplication.shingles import Shingles, Shingling, Unit, pieces, shingle_sets, shingles
from headrace.stages.kernels import plain_signatures as plain
from headrace.stages.kernels.characters import HAN, LATIN, classes
from headrace.stages.kernels.shingles import unspaced

UNITS: tuple[Unit, ...] = ("auto", "characters", "words", "chinese_words")
VIEWS = (
    "",
    "x",
    "好",
    "床前明月光，疑是地上霜。举头望明月，低头思故乡。",
    "the wheel sets the pace and the channel never runs dry",
    "我们用 python 3.11 和 arrow 写了一个流程",
    "an english sentence of which one word 世界 is chinese",
    "incomprehensibilities of pneumonoultramicroscopicsilicovolcanoconiosis, eight888, sixteen_16161616",
    "!!! ???",
    "，。，。",
    "👍👍🏽❤",
    "𠀀𪚥𰻞",
    "la la la la la la la",
    "กังหันน้ำเป็นตัวกำหนดจังหวะ",
    "café naïve ångström ﬀ ½ x² дом дом",
    "word " * 60 + "é" + " word" * 60,
    "a" * 255 + "é" + "b" * 255 + "世",
    "ab" * 128 + " " + "cd" * 127 + "文 ef",
    "- - -",
    "春 眠 不 觉 晓",
    "两行 之间 的 line breaks 和 空格 " * 12,
    "👍 好 𠀀 的 " * 20,
    "世" * 21 + " " + "界" * 21 + "  " + "字" * 40 + "👍 ",
)
views = st.text(st.one_of(st.sampled_from("ab c好的。!_9é"), st.characters(codec="utf-8")), max_size=60)


def found(texts: list[str], unit: Unit, size: int) -> Shingles:
    return shingles(*text_buffers(pa.array(texts, pa.large_string())), Shingling(unit, size))


def wanted(text: str, unit: Unit, size: int) -> list[int]:
    jieba.setLogLevel(60)
    words = jieba.lcut(text) if unit == "chinese_words" and plain.by_characters(text) else []
    return plain.shingle_hashes(text, unit, size, words)


def agree(texts: list[str], unit: Unit, size: int) -> None:
    result = found(texts, unit, size)
    expected = [wanted(text, unit, size) for text in texts]
    assert [result.of(i).tolist() for i in range(len(texts))] == expected
    assert result.counts().tolist() == [len(values) for values in expected]
    sets = shingle_sets(*text_buffers(pa.array(texts, pa.large_string())), Shingling(unit, size))
    assert [sets.of(i).tolist() for i in range(len(texts))] == [sorted(set(values)) for values in expected]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("size", [1, 2, 5, 8, 9, 24])
def test_shingles_are_those_of_the_plain_twin(unit: Unit, size: int) -> None:
    """Awkward views in every unit, summed and rolled, with and without repeats."""
    agree(list(VIEWS), unit, size)


@pytest.mark.parametrize("unit", UNITS)
@given(st.lists(views, min_size=1, max_size=5))
@settings(max_examples=80, deadline=None)
def test_shingles_are_those_of_the_plain_twin_on_any_view(unit: Unit, texts: list[str]) -> None:
    """The same on random views."""
    agree(texts, unit, 3)


@pytest.mark.parametrize("unit", UNITS)
def test_a_text_has_the_same_shingles_wherever_it_lies(unit: Unit) -> None:
    """Behind other texts, in a slice of a column, in a later piece, and at any place of a machine word."""
    texts = [view for shift in range(9) for view in ("x" * shift, *VIEWS)]
    column = pa.array(["头" * 100_000, *texts, "end " * 70_000, *texts], pa.large_string())
    data, offsets = text_buffers(column.slice(1))
    result = shingles(data, offsets, Shingling(unit, 3))
    alone = {view: found([view], unit, 3).values.tolist() for view in dict.fromkeys(texts)}
    for place, text in enumerate([*texts, None, *texts]):
        if text is not None:
            assert result.of(place).tolist() == alone[text]


def test_pieces_cover_all_views_once() -> None:
    """Pieces end near a quarter of a MiB, a longer text is one of its own, and empty ones are in some piece too."""
    texts = ["", "a b c " * 40_000, "", "短文", "d e " * 200_000, *["f g h i j k"] * 30_000, ""]
    data, offsets = text_buffers(pa.array(texts, pa.large_string()))
    covered = [(views.start, views.stop) for views, _ in pieces(data, offsets, Shingling())]
    assert covered[0][0] == 0 and covered[-1][1] == len(texts) and len(covered) > 3
    assert [stop for _, stop in covered[:-1]] == [start for start, _ in covered[1:]]
    assert list(pieces(*text_buffers(pa.array([], pa.large_string())), Shingling())) == []


def test_a_short_text_is_one_shingle() -> None:
    """Texts shorter than a shingle are compared whole, so that equal ones are found; an empty one has no shingle."""
    texts = ["今天好", "今天好", "hi there", "hi there", "hi you", "", "好", "hi there!", "今天好！"]
    result = found(texts, "auto", 5)
    assert result.counts().tolist() == [1, 1, 1, 1, 1, 0, 1, 1, 1]
    assert len({*result.values.tolist()}) == 6


@pytest.mark.parametrize("size", [1, 5, 9, 24])
def test_white_space_is_no_character(size: int) -> None:
    """Wherever it stands, in long texts and in those of fewer characters than a shingle; words are as they were."""
    joined = [view.replace(" ", "") for view in VIEWS]
    spaced = [" ".join(view) for view in joined]
    for text, one, other in zip(joined, spaced, VIEWS, strict=True):
        values = found([one, text, other], "characters", size)
        assert values.of(0).tolist() == values.of(1).tolist() == values.of(2).tolist()
        assert len(values.of(0)) == max(len(text) - size + 1, min(len(text), 1))
    assert found(["床前 明月"], "auto", size).values.tolist() == found(["床前明月"], "auto", size).values.tolist()
    assert found(["a bc de fg hi"], "auto", 2).values.tolist() != found(["ab cd ef gh i"], "auto", 2).values.tolist()


@pytest.mark.parametrize("size", [2, 5, 9])
def test_texts_of_fewer_words_are_taken_with_their_signs(size: int) -> None:
    """One word less than a shingle has: signs count; as many words: they do not, and what is alike is found."""
    texts = [" ".join(["one"] * count) + sign for count in (size - 1, size) for sign in ("", "!", "?", " !")]
    for unit in ("auto", "words", "chinese_words"):
        result = found(texts, unit, size)
        assert result.counts().tolist() == [1] * len(texts)
        assert len({*result.values[:4].tolist()}) == 4
        assert len({*result.values[4:].tolist()}) == 1


def test_lead_bytes_say_what_the_table_says() -> None:
    """The short cut for Chinese and English rests on these classes of characters."""
    kinds = classes()
    assert (kinds[0x5000:0xA000] == HAN).all()
    assert (kinds[:0x800] > 0).any() and not np.isin(kinds[:0x800], (HAN, HAN + 1)).any()
    letters = [point for point in range(128) if kinds[point] == LATIN]
    assert "".join(map(chr, letters)) == "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@given(st.lists(st.text(st.sampled_from("ab1 好的한ไé。"), max_size=12).map(lambda t: t * 40), max_size=4))
@settings(max_examples=100, deadline=None)
def test_auto_takes_by_characters_what_the_twin_does(texts: list[str]) -> None:
    """Half of the letters, counted by bytes where these settle it, and by characters where they do not."""
    data, offsets = text_buffers(pa.array(texts, pa.large_string()))
    assert unspaced(data, offsets, classes()).tolist() == [plain.by_characters(text) for text in texts]


@pytest.mark.parametrize("share", [0.4, 0.5, 0.6])
def test_long_texts_are_counted_in_parts(share: float) -> None:
    """No sum overflows: texts that are twice as long as a part, near the border between both units."""
    count = 60_000
    texts = ["字" * round(share * count) + end + "a" * round((1 - share) * count) for end in ("", "，" * 70_000)]
    data, offsets = text_buffers(pa.array(texts, pa.large_string()))
    assert unspaced(data, offsets, classes()).tolist() == [share >= 0.5] * 2


@pytest.mark.timeout(60)
def test_millions_of_characters_cost_their_length() -> None:
    """Long views of one item and of many."""
    result = found(["哈" * 1_000_000, "word " * 200_000, "x" * 1_000_000], "auto", 5)
    assert result.counts().tolist() == [999_996, 199_996, 1]


def test_a_shingle_has_items() -> None:
    """A size of nothing is refused."""
    with pytest.raises(ValueError, match="at least one item"):
        Shingling("auto", 0)
