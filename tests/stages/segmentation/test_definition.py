"""The page that defines words, sentences, lines and paragraphs says what the stages measure."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import jieba
import numpy as np
import pyarrow as pa
import pytest
import spacy

from headrace.schemas.arrays import text_buffers
from headrace.schemas.document import DOCUMENT_SCHEMA
from headrace.stages.base import conform
from headrace.stages.cleaning.values import text_values
from headrace.stages.grade import Grade
from headrace.stages.kernels.characters import brackets, classes, sentence_marks
from headrace.stages.kernels.sentences import SENTENCES, sentence_counts
from headrace.stages.segmentation.document_words import DocumentWords
from headrace.stages.segmentation.reference import folded
from headrace.stages.statistics.statistics import Statistics

jieba.setLogLevel(60)
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "words.md"
CHINESE = ["他说：“走吧。”我们走了！\n\n我来到北京清华大学，共３５０人。", "", "目录\r\n第一章 3.14%\n\n\n第二章"]
TRADITIONAL = ["國務院與資訊產業。\n她說：「我們走了！」", "一個人"]
ENGLISH = ["It's 5km, isn't it?\n\nYes (so they say). See U.S. law :)", "no mark here\n\tand none here"]
TEXTS = [*CHINESE, *TRADITIONAL, *ENGLISH]
IS_CHINESE = np.array([True] * 5 + [False] * 2)
IS_TRADITIONAL = np.array([False] * 3 + [True] * 2 + [False] * 2)
COLUMN = pa.array(TEXTS, pa.large_string())


def test_the_examples_of_the_page_give_what_it_says() -> None:
    """A reader who copies them sees the same."""
    blocks = re.findall(r"^```pycon\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    example = doctest.DocTestParser().get_doctest("".join(blocks), {}, PAGE.name, str(PAGE), 0)
    assert len(example.examples) > 12
    assert doctest.DocTestRunner(verbose=False).run(example).failed == 0


@pytest.mark.parametrize("engine", ["headrace", "reference"])
def test_a_filters_words_are_those_of_the_packages(engine: str) -> None:
    """What filter counts of a document are the words of jieba, of jieba on the simplified form, and of spaCy."""
    english = spacy.blank("en")
    lists = [
        *map(jieba.lcut, CHINESE),
        *(jieba.lcut(folded(text)) for text in TRADITIONAL),
        *([word.text for word in english(text)] for text in ENGLISH),
    ]
    expected = [[word for word in words if not word.isspace()] for words in lists]
    words = DocumentWords(engine="reference" if engine == "reference" else "headrace")
    found = Statistics(COLUMN, words.words(COLUMN, IS_CHINESE, IS_TRADITIONAL))
    assert found.count("words").tolist() == list(map(len, expected))
    assert found.count("word_characters").tolist() == [sum(map(len, row)) for row in expected]
    assert words.lists(COLUMN, ~IS_CHINESE, ~IS_CHINESE)[0] == [w.text for w in english(TEXTS[0]) if not w.is_space]


def test_grade_and_clean_count_the_same_sentences() -> None:
    """The share of completeness that grade gives for sentences follows from the number that clean stores."""
    counts = sentence_counts(*text_buffers(COLUMN), classes(), sentence_marks(), brackets())[:, SENTENCES]
    assert counts.tolist() == [3, 0, 0, 2, 0, 3, 0]
    assert text_values(*text_buffers(COLUMN), 10)["sentences"].tolist() == counts.tolist()
    blank = pa.table({"text": COLUMN, "authority": pa.nulls(len(TEXTS), DOCUMENT_SCHEMA.field("authority").type)})
    one, ten = (Grade(full_sentences=full).scores(conform(blank))["completeness"] for full in (1, 10))
    assert np.allclose(one - ten, 0.3 * (np.minimum(1, counts) - np.minimum(1, counts / 10)))


def test_lines_and_paragraphs_are_those_of_the_page() -> None:
    """What the page says in words, said in Python, gives what filter counts."""
    found = Statistics(COLUMN, DocumentWords().words(COLUMN, IS_CHINESE, IS_TRADITIONAL))
    assert found.count("lines").tolist() == [len(text.splitlines()) for text in TEXTS]
    assert found.count("full_lines").tolist() == [sum(bool(x.strip()) for x in text.split("\n")) for text in TEXTS]
    assert found.count("paragraphs").tolist() == [len(re.split(r"\n{2,}", text.strip())) for text in TEXTS]
