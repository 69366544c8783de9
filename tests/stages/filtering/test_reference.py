"""The engine `reference`: spaCy, jieba and plain Python, beside which the kernels' values are held."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.stages.conftest import documents

from headrace.stages.filter import Filter
from headrace.stages.filtering.reference import sentences, words_of
from headrace.stages.kernels.statistics_spans import END_MARK, PUNCTUATION
from headrace.stages.statistics.spans import Spans

LONGEST = 4000  # characters of a document: plain Python is slow
EACH = 20  # documents of a language


def texts_of(folder: Path) -> list[str]:
    """Give the beginnings of some files of UTF-8, chosen by their order alone."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    found = []
    for file in files[:: max(1, len(files) // (2 * EACH))]:
        try:
            found.append(file.read_bytes().decode()[:LONGEST])
        except UnicodeDecodeError:
            continue
    return found[:EACH]


@pytest.mark.parametrize("compat", ["headrace", "datatrove"])
def test_no_value_of_the_corpus_differs(corpus: Path, compat: str) -> None:
    """English and Chinese documents: all values, verdicts and details of published presets are the same."""
    english, chinese = texts_of(corpus / "en"), texts_of(corpus / "zh")
    assert min(len(english), len(chinese)) >= 10
    table = documents([*english, *chinese], language=["en"] * len(english) + ["zh"] * len(chinese))
    options = {
        "profiles": {"en": ["gopher", "c4", "fineweb"], "zh": ["fineweb2_cmn"]},
        "rules": {"long_lines": "c4_long_lines > 1e9", "words": "words_and_marks > 1e9 and symbol_share > 1e9"},
        "compat": compat,
    }
    fast, slow = (
        Filter.model_validate({**options, "engine": engine}).process(table) for engine in ("headrace", "reference")
    )
    assert [name for name in fast.column_names if not fast[name].equals(slow[name])] == []
    assert len([name for name in fast.column_names if name.startswith("values.")]) > 35


def test_words_come_back_as_texts() -> None:
    """Bounds in bytes are words in characters."""
    texts = ["Die Mühle (1723) läuft.", "", "好 书"]
    table = documents(texts)
    assert words_of(texts, Spans().words(table["text"])) == [
        ["Die", "Mühle", "(", "1723", ")", "läuft", "."],
        [],
        ["好", "书"],
    ]


@pytest.mark.parametrize(
    ("kinds", "count"),
    [
        ([], 0),
        ([0], 1),
        ([END_MARK | PUNCTUATION], 1),
        ([0, END_MARK | PUNCTUATION, 0], 2),
        ([0, END_MARK | PUNCTUATION, PUNCTUATION, END_MARK, 0, 0], 2),
        ([PUNCTUATION, 0, END_MARK, 0, END_MARK, 0], 3),
    ],
)
def test_sentences_begin_behind_marks_and_their_punctuation(kinds: list[int], count: int) -> None:
    """As spaCy's sentencizer has them."""
    assert sentences(kinds) == count
