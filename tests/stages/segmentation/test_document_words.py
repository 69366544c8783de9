"""Words of Chinese and English documents in one batch, beside the packages that both are defined by."""

from __future__ import annotations

import random

import jieba
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headrace.stages.kernels.statistics_spans import END_MARK, PUNCTUATION
from headrace.stages.segmentation.document_words import DocumentWords, EnglishWords
from headrace.stages.statistics.spans import Words

jieba.setLogLevel(60)
PIECES = (
    *"的一是不了中国人學語。，！？…《》“”:;.!?()-'\"%#é　\t\n\r ０ひ😀",
    *("研究生命", "清華大學", "C++", "3.14%", "\r\n", " \u2028", "can't", ":)", "U.S.", "the wheel", "!!", "――"),
)
RULES: tuple[EnglishWords, ...] = ("spacy", "nltk")
ENGINES = {
    rules: (DocumentWords(english_words=rules), DocumentWords(english_words=rules, engine="reference"))
    for rules in RULES
}
OURS = ENGINES["spacy"][0]


def listed(texts: list[str], words: Words) -> list[list[str]]:
    raw = [text.encode() for text in texts]
    bounds = list(zip(words.begins.tolist(), words.ends.tolist(), strict=True))
    firsts = words.firsts.tolist()
    return [[raw[d][begin:end].decode() for begin, end in bounds[firsts[d] : firsts[d + 1]]] for d in range(len(texts))]


def equal(one: Words, other: Words) -> bool:
    names = ("firsts", "begins", "ends", "kinds")
    pairs = [(getattr(one, name), getattr(other, name)) for name in names]
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)


def test_both_languages_stand_in_document_order() -> None:
    """Each document is cut by its own rules, white space left out, wherever it stands in the batch."""
    texts = ["It's 我来到北京清华大学。", "我来到北京清华大学，it's so!\r\n", "", "Go (now)!", "國務院與資訊產業 "]
    chinese, traditional = np.array([0, 1, 1, 0, 1], bool), np.array([0, 0, 0, 0, 1], bool)
    assert listed(texts, OURS.words(pa.array(texts), chinese, traditional)) == [
        ["It", "'s", "我来到北京清华大学", "。"],
        ["我", "来到", "北京", "清华大学", "，", "it", "'", "s", "so", "!"],
        [],
        ["Go", "(", "now", ")", "!"],
        ["國務院", "與", "資訊", "產業"],
    ]


@pytest.mark.parametrize(
    ("word", "kind"),
    [("。", END_MARK | PUNCTUATION), ("，", PUNCTUATION), ("好", 0), ("%-", PUNCTUATION), ("3.14%", 0), ("+", 0)],
)
def test_kinds_say_which_words_are_marks(word: str, kind: int) -> None:
    """A mark that ends sentences, other punctuation, several marks that are one word, and anything else."""
    words = OURS.words(pa.array(["好 " + word]), np.array([True]), np.array([False]))
    assert words.kinds.tolist() == [0, kind]


documents = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@pytest.mark.parametrize("english", RULES)
@given(batch=st.lists(st.tuples(documents, st.booleans(), st.booleans()), max_size=8))
@example(batch=[(".", False, False)])  # the period that ends a text is cut again by the Treebank's rules
def test_the_packages_give_the_same_bounds_and_kinds(
    english: EnglishWords, batch: list[tuple[str, bool, bool]]
) -> None:
    """Whatever the texts and flags, kernels and the packages themselves agree in every array."""
    texts = [text for text, _, _ in batch]
    chinese, traditional = (np.array([row[place] for row in batch], bool) for place in (1, 2))
    column = pa.array(texts, pa.large_string())
    ours, reference = ENGINES[english]
    assert equal(ours.words(column, chinese, traditional), reference.words(column, chinese, traditional))


def test_a_users_words_count_in_both_engines_and_leave_no_trace() -> None:
    """Words added and words taken out; a tokenizer of jieba's own cuts afterwards as before."""
    users = "韩玉赏鉴 3 nz\n研究生 0\n清华大学 0\n".encode()
    texts = ["例如韩玉赏鉴的标题，研究生命的起源，我来到北京清华大学", "研究生命 韩玉赏鉴"]
    flags = np.ones(2, bool), np.zeros(2, bool)
    before = jieba.lcut(texts[0])
    found = [
        DocumentWords(user_dictionary=users, engine=engine).words(pa.array(texts), *flags)
        for engine in ("headrace", "reference")
    ]
    assert equal(*found)
    assert "韩玉赏鉴" in listed(texts, found[0])[1]
    assert jieba.lcut(texts[0]) == before


def test_chunks_slices_and_nulls_are_documents_too() -> None:
    """A column in pieces, a part of a column and missing texts give the words of the texts alone."""
    rng = random.Random(3)
    texts = ["".join(rng.choices(PIECES, k=20)) for _ in range(12)]
    chinese = np.array([k % 3 != 0 for k in range(12)])
    chunked = pa.chunked_array([pa.array(texts[:5], pa.large_string()), pa.array(texts[5:], pa.large_string())])
    whole = OURS.words(chunked, chinese, ~chinese)
    assert listed(texts, whole) == [
        listed([text], OURS.words(pa.array(["x", text, "y"])[1:2], chinese[k : k + 1], ~chinese[k : k + 1]))[0]
        for k, text in enumerate(texts)
    ]
    nothing = OURS.words(pa.array([None, None], pa.string()), np.array([True, False]), np.array([False, False]))
    assert nothing.firsts.tolist() == [0, 0, 0]
    assert OURS.words(pa.array([], pa.string()), np.zeros(0, bool), np.zeros(0, bool)).firsts.tolist() == [0]


@pytest.mark.parametrize("mend", [False, True])
def test_a_text_without_an_end_of_any_kind_takes_no_square_of_it(*, mend: bool) -> None:
    """No mark, only pictures, joined pictures, marks alone, scripts in turns, torn letters: 300,000 end at once."""
    units = ("的", "😀", "👩\u200d", "\u0301", "中A1ひカя😀", "c#", "1.5%")
    texts = [unit * (300_000 // len(unit)) for unit in units]
    words = DocumentWords(mend=mend, user_dictionary="的·的\nя b\n".encode()).words(
        pa.array(texts, pa.large_string()), np.ones(len(texts), bool), np.zeros(len(texts), bool)
    )
    sizes = np.add.reduceat(words.ends - words.begins, words.firsts[:-1])
    assert sizes.tolist() == [len(text.encode()) for text in texts]
