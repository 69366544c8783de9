"""The kernels of Chinese words beside their plain twin and beside jieba itself."""

from __future__ import annotations

import random

import jieba
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jieba import finalseg

from headrace.stages.kernels.chinese_words_plain import Knowledge, words_of
from headrace.stages.kernels.chinese_words_tables import ASCII_OF_WORDS
from headrace.stages.segmentation.lexicon import lexicon
from headrace.stages.segmentation.words import chinese_words

jieba.setLogLevel(60)
DICTIONARY = lexicon()
WORDS = [word for word in DICTIONARY.frequencies if len(word) > 1]
EMITTED = sorted(finalseg.emit_P["S"])
ODD_WORDS = ["C++", "c#", "AT&T", "4S店", "IC卡", "T恤", "QQ号", "3.14%", "1.", ".5%", "%%", "a.b", "1.2.3", "a_-b"]
SPACES = ["\r\n", "\r", "\n", "\r\r\n", " ", "\t", "\x0b", "\x1c", "\x85", "\xa0", "\u3000", "\u2028", "\ufeff", "\0"]
ODD = "，。！？《》“…—·∶〇γé한ひカ０Ａ％龥鿕鿖鿿䶵㐀𠮷😀\u200d"

pieces = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(WORDS).map(lambda word: word[:2]),
    st.characters(min_codepoint=0x4DF0, max_codepoint=0x9FFF),
    st.sampled_from(EMITTED),
    st.text("的一是不了在人有我他这中大来上个国", min_size=1, max_size=6),
    st.text(ASCII_OF_WORDS, min_size=1, max_size=5),
    st.sampled_from([*ODD_WORDS, *SPACES, *ODD]),
    st.characters(codec="utf-8"),
)
texts = st.lists(pieces, max_size=40).map("".join)


def known(split: frozenset[str] = frozenset()) -> Knowledge:
    model = finalseg.start_P, finalseg.trans_P, finalseg.emit_P, finalseg.MIN_FLOAT
    return Knowledge(DICTIONARY.frequencies, DICTIONARY.total, split, *model)


def cut(documents: list[str], *, model: bool) -> list[list[str]]:
    words: list[list[str]] = chinese_words(pa.array(documents, pa.string()), model=model).arrow().to_pylist()
    return words


@pytest.mark.parametrize("model", [True, False])
@given(documents=st.lists(texts, max_size=8))
def test_the_words_are_those_of_the_twin_and_of_jieba(*, model: bool, documents: list[str]) -> None:
    """Whatever the text, kernel, twin and package give the same words, with the model and without."""
    wanted = [jieba.lcut(text, HMM=model) for text in documents]
    assert [words_of(text, known(), model=model) for text in documents] == wanted
    assert cut(documents, model=model) == wanted


@pytest.mark.parametrize("model", [True, False])
def test_thousands_of_made_up_texts_are_cut_as_jieba_does(*, model: bool) -> None:
    """Words, pieces of words, rare characters and signs in any order: no document differs."""
    rng = random.Random(5)
    makers = (
        lambda: rng.choice(WORDS),
        lambda: rng.choice(WORDS)[: rng.randint(1, 3)],
        lambda: chr(rng.randint(0x4E00, 0x9FD5)),
        lambda: rng.choice(EMITTED),
        lambda: "".join(rng.choices(ASCII_OF_WORDS, k=rng.randint(1, 5))),
        lambda: rng.choice([*ODD_WORDS, *SPACES, *ODD]),
    )
    documents = []
    for _ in range(2000):
        chosen = rng.sample(makers, rng.randint(1, len(makers)))
        documents.append("".join(rng.choice(chosen)() for _ in range(rng.randint(0, 60))))
    got = cut(documents, model=model)
    assert [text for text, words in zip(documents, got, strict=True) if words != jieba.lcut(text, HMM=model)] == []


@pytest.mark.parametrize("model", [True, False])
@pytest.mark.parametrize(
    "text", ["", "好", "\r", "\r\n", "a", "%", "。", "😀", "鿖", "a" * 5000, "𠮷" * 700, "Ab-" * 900]
)
def test_the_least_and_odd_texts(text: str, *, model: bool) -> None:
    """Nothing, one character, one kind of character over and over."""
    assert cut([text, "", text], model=model) == [jieba.lcut(text, HMM=model), [], jieba.lcut(text, HMM=model)]


@pytest.mark.parametrize("model", [True, False])
def test_long_runs_end_where_pieces_do(*, model: bool) -> None:
    """Runs longer than a piece, and separators around its end, change no word."""
    unit = "研究生命的起源乒乓球拍卖完了C++语言鿕孖b.c"
    documents = [unit * 200, *("，".join([unit * 90, "x" * shift, unit * 3] * 3) for shift in range(12))]
    documents += ["，".join(unit[:size] for size in range(1, 20)) * 30]
    assert cut(documents, model=model) == [jieba.lcut(text, HMM=model) for text in documents]


def test_a_million_characters_without_a_sign_take_no_square_of_it() -> None:
    """A run as long as that ends at once, as do repetitions of rare characters: nothing is quadratic."""
    documents = ["的" * 1_000_000, "鿕" * 1_000_000, "中华人民共和国" * 140_000]
    words = cut(documents, model=True)
    assert ["".join(text) for text in words] == documents
    assert words[2][:2] == ["中华人民共和国", "中华人民共和国"]
