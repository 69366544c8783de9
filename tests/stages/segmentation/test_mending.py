"""The option `mend`: what a person expects where jieba cuts other scripts into code points."""

from __future__ import annotations

import jieba
import numpy as np
import pyarrow as pa
import pytest

from headrace.stages.segmentation.document_words import DocumentWords

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
