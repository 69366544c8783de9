"""The option `mend`: what a person expects where jieba cuts other scripts into code points."""

from __future__ import annotations

import random
import re

import jieba
import numpy as np
import pyarrow as pa
import pytest

from headrace.stages.segmentation.document_words import DocumentWords
from headrace.stages.segmentation.mending import looked_up

jieba.setLogLevel(60)
USERS = "约翰·史密斯\nmachine learning 5 n\n的 话\n不要·的 0\nγ射线 10\n".encode()
OURS = DocumentWords(mend=True, user_dictionary=USERS)
REFERENCE = DocumentWords(mend=True, user_dictionary=USERS, engine="reference")
YES, NO = np.array([True]), np.array([False])


def cut(text: str, words: DocumentWords = OURS) -> str:
    return "|".join(words.lists(pa.array([text]), YES, NO)[0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("我喝café咖啡", "我|喝|café|咖啡"),
        ("Привет世界", "Привет|世界"),
        ("ひらがなとカタカナー", "ひらがなと|カタカナー"),
        ("らーめん", "らーめん"),
        ("ＡＢＣ１２３", "ＡＢＣ１２３"),
        ("한국어", "한국어"),
        ("👨\u200d👩\u200d👧👍🏽❤\ufe0f", "👨\u200d👩\u200d👧|👍🏽|❤\ufe0f"),
        ("🇨🇳🇺🇸🇫", "🇨🇳|🇺🇸|🇫"),
        ("e\u0301te\u0301 的\u0301", "e\u0301te\u0301|的\u0301"),
        ("abc#d", "abc|#|d"),
        ("c# C++ AT&T T恤", "c#|C++|AT&T|T恤"),
        ("aT恤", "aT|恤"),
        ("3.5GHz é3.5%", "3.5GHz|é3.5%"),
        ("约翰·史密斯说", "约翰·史密斯|说"),
        ("学machine learning的machine learnings", "学|machine learning|的|machine|learnings"),
        ("中华人民共和国，不要·的", "中华人民共和国|，|不要|·|的"),
        ("二〇二四", "二|〇|二四"),
        ("γ射线", "γ射线"),
        ("\r\n \u0301", "\u0301"),
    ],
)
def test_words_are_those_that_a_person_expects(text: str, words: str) -> None:
    """Accents, scripts, kana, full width, pictures, flags, torn letters, numbers, and the user's own words."""
    assert cut(text) == words == cut(text, REFERENCE)


def test_nothing_is_mended_unless_it_is_asked() -> None:
    """By default words are jieba's, oddities included."""
    for text in ("café", "abc#d", "ひと", "约翰·史密斯"):
        assert cut(text, DocumentWords(user_dictionary=USERS)) == "|".join(jieba.lcut(text))


ODD = ("约翰·史密斯", "约翰·", "·", "·史", "a b", "a b c", "b c", "[x]", "^", "]-", "\\", "é", "𠀀·", "-")


def test_own_words_are_the_first_and_longest() -> None:
    """As an alternation of all words finds them, the longest first, in texts made of their pieces."""
    draw = random.Random(17)
    own, alternation = looked_up(ODD), re.compile("|".join(map(re.escape, sorted(ODD, key=len, reverse=True))))
    for _ in range(500):
        text = "".join(draw.choice((*ODD, "约", "a", " ", "水", "[")) for _ in range(draw.randint(0, 12)))
        for at in range(len(text) + 1):
            match = alternation.search(text, at)
            assert own.search(text, at) == (match.span() if match else None), (text, at)


def test_many_own_words_cost_no_more_than_few() -> None:
    """At a place are tried the few lengths of words that begin there, however many words there are."""
    texts = [f"第{number}·{number % 977}" for number in range(20_000)]
    own = looked_up(texts)
    assert own.lengths == {"第": (10, 9, 8, 7, 6, 4)}
    text = "第7·第8·" * 10_000 + texts[-1]
    assert own.search(text, 0) == (len(text) - len(texts[-1]), len(text))
