"""Words as borders in Arrow buffers, with a user's words, of traditional text, and of real text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import jieba
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jieba import finalseg

from headrace.schemas.arrays import read_only
from headrace.schemas.errors import ConfigError
from headrace.stages.kernels.characters import simplified
from headrace.stages.segmentation.lexicon import Lexicon, lexicon
from headrace.stages.segmentation.reference import folded
from headrace.stages.segmentation.tables import built_tables, word_tables
from headrace.stages.segmentation.words import chinese_words

jieba.setLogLevel(60)
USER_WORDS = """\ufeff云计算 5
石墨烯
凯特琳 nz
李小福 2 nr
创新办 3 i
easy_install 3 eng
台中
C++17 10
的 0
自然语言 0
鿕孖 0
研究生 0
一 个 3
韩玉赏鉴 3 nz
韩玉赏鉴 3 nz
"""
SENTENCES = [
    "李小福是创新办主任也是云计算方面的专家；什么是八一双鹿，石墨烯和凯特琳",
    "例如我输入一个带“韩玉赏鉴”的标题，easy_install C++17 台中",
    "研究生命的起源，自然语言处理，鿕孖鿕孖，一 个",
    "黄巧玲说阿瓦达索命是个好咒语，杭研大厦",
]


@pytest.fixture
def users_jieba(tmp_path: Path) -> Iterator[jieba.Tokenizer]:
    """Give jieba with the user's words; what it keeps for all tokenizers is put back."""
    (tmp_path / "words.txt").write_text(USER_WORDS, encoding="utf-8")
    tokenizer = jieba.Tokenizer()
    before = set(finalseg.Force_Split_Words)
    tokenizer.load_userdict(str(tmp_path / "words.txt"))
    yield tokenizer
    finalseg.Force_Split_Words.clear()
    finalseg.Force_Split_Words.update(before)


@pytest.mark.parametrize("model", [True, False])
def test_a_users_words_count_as_in_jieba(users_jieba: jieba.Tokenizer, *, model: bool) -> None:
    """Words with and without a frequency, twice, taken out, with a space: found and split as jieba does."""
    data = USER_WORDS.encode()
    mine = lexicon(data)
    assert (mine.frequencies, mine.total) == (users_jieba.FREQ, users_jieba.total)
    words = chinese_words(pa.array(SENTENCES), model=model, user_dictionary=data)
    assert words.arrow().to_pylist() == [users_jieba.lcut(text, HMM=model) for text in SENTENCES]


def test_a_user_dictionary_of_other_bytes_is_refused() -> None:
    """A dictionary in GBK is no silent garbage: the message names the line."""
    with pytest.raises(ConfigError, match="line 2: the user dictionary is not UTF-8"):
        lexicon("a 1\n中文 3\n".encode("gbk"))


def test_a_user_dictionary_that_the_tables_cannot_hold_is_refused() -> None:
    """More different frequencies than an entry has numbers for are no wrong words: the message says the most."""
    characters = [chr(0x4E00 + number) for number in range(400)]
    words = dict(zip(map("".join, product(characters, repeat=2)), range(1, 1 << 17), strict=False))
    with pytest.raises(ConfigError, match=r"too large: 131,072 different frequencies"):
        built_tables(Lexicon(words, sum(words.values())))


def test_borders_are_places_in_the_buffer_of_the_texts() -> None:
    """Of a slice of a column nothing is copied, and places count from the buffer's begin; a null is an empty text."""
    column = pa.array(["不看", "我来到北京", "", "清华大学"], pa.large_string())[1:]
    words = chinese_words(column)
    assert words.borders.tolist() == [6, 9, 15, 21, 33]
    assert words.firsts.tolist() == [0, 3, 3, 4]
    assert words.arrow().to_pylist() == [["我", "来到", "北京"], [], ["清华大学"]]
    assert chinese_words(pa.array([None, "北京"])).arrow().to_pylist() == [[], ["北京"]]
    assert chinese_words(pa.array([], pa.string())).arrow().to_pylist() == []


def test_each_text_alone_gives_the_same_words() -> None:
    """Neighbours in a batch do not matter."""
    batch = chinese_words(pa.array(SENTENCES)).arrow().to_pylist()
    assert [chinese_words(pa.array([text])).arrow().to_pylist()[0] for text in SENTENCES] == batch


def test_traditional_text_is_cut_as_its_simplified_form() -> None:
    """Borders are places in the text itself, and flags choose text by text."""
    text = "我來到北京清華大學，國務院與資訊產業"
    words = chinese_words(pa.array([text, text]), traditional=np.array([True, False])).arrow().to_pylist()
    assert words[0] == ["我", "來到", "北京", "清華大學", "，", "國務院", "與", "資訊", "產業"]
    assert list(map(len, words[0])) == list(map(len, jieba.lcut(folded(text))))
    assert words[1] == jieba.lcut(text)


@pytest.mark.parametrize("model", [True, False])
@given(
    text=st.text(
        st.one_of(st.sampled_from(sorted(map(chr, simplified()))), st.sampled_from("，。a1的一國學生")), max_size=60
    )
)
def test_any_traditional_text_has_the_borders_of_its_simplified_form(*, model: bool, text: str) -> None:
    """Character by character, the model on and off, as jieba cuts the simplified form."""
    flags = np.array([True])
    words = chinese_words(pa.array([text]), model=model, traditional=flags).arrow().to_pylist()[0]
    assert list(map(len, words)) == list(map(len, jieba.lcut(folded(text), HMM=model)))
    assert "".join(words) == text


def test_tables_are_kept_and_the_same_when_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second process reads what the first has built; both are frozen."""
    monkeypatch.setenv("HEADRACE_CACHE", str(tmp_path))
    built = word_tables.__wrapped__(b"")
    assert len(list(tmp_path.iterdir())) == 1
    read = word_tables.__wrapped__(b"")
    for one, other in zip(built, read, strict=True):
        assert np.array_equal(one, other)
        assert one.dtype == other.dtype and not one.flags.writeable
        assert not read_only(one).flags.writeable


@pytest.mark.parametrize("model", [True, False])
def test_real_texts_are_cut_as_jieba_does(corpus: Path, *, model: bool) -> None:
    """Manuals, novels, poems, pages and garbled text of the corpus: no document has another word."""
    documents = [text for folder in ("zh", "mojibake", "bugs") for text in some_texts(corpus / folder)]
    assert len(documents) > 20
    got = chinese_words(pa.array(documents), model=model).arrow().to_pylist()
    assert [text for text, words in zip(documents, got, strict=True) if words != jieba.lcut(text, HMM=model)] == []


def some_texts(folder: Path) -> list[str]:
    """Give the beginnings of every so many of a folder's files, so that all kinds are there and it takes seconds."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path.read_bytes()[:20_000].decode(errors="replace") for path in files[:: max(1, len(files) // 25)]]
