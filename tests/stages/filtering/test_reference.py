"""The engine `reference`: spaCy, jieba and plain Python, beside which the kernels' values are held."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.stages.conftest import documents
from tests.stages.filtering.test_published_mandarin import PROSE

from headrace.stages.filter import Filter
from headrace.stages.filtering.chinese.counted import Counted
from headrace.stages.filtering.chinese.reference import PlainCounted
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


SPAM = "加★微★信领彩金！！赶快扫码，名额有限，限时优惠￥9元，联系电话13812345678 qq群1234567 http://www.example.com/a "
OF_ALL_KINDS = (
    ("zh", "Hans", PROSE),
    ("zh", "Hans", "首页|关于我们|联系我们|上一篇 下一篇 版权所有 京ICP备12345678号\n" * 3),
    ("zh", "Hans", SPAM * 4),
    ("zh", "Hans", "锟斤拷锟斤拷 鐨勪腑鍥界殑 ?????? &#20182;&#20182;&#20182; ï¿½ä¸\xadæ–‡ 警方判处涉案"),
    ("zh", "Hant", "他說：「走吧。」老人已經走了三十年，從來沒有覺得厭倦。"),
    ("lzh", "Hant", "子曰：學而時習之，不亦說乎？有朋自遠方來，不亦樂乎？人不知而不慍，不亦君子乎？"),
    ("yue", "Hant", "佢哋喺度食嘢，我唔知點解佢冇嚟。呢個係我嘅屋企，你哋幾時嚟呀？"),
    ("zh", "Hans", "床前明月光，疑是地上霜。\n举头望明月，低头思故乡。"),
    ("zh", "Hans", "轻轻的我走了\n正如我轻轻的来\n我轻轻的招手\n作别西天的云彩"),
    ("de", "Latn", "Die Mühle läuft. Sie mahlt das Korn. http://www.example.com/a\n" * 5),
    ("ru", "Cyrl", "Вода течёт вниз, колесо вращается."),
    ("en", "Latn", "The mill turns, and the water runs down to the river."),
    (None, None, "水流下山，轮子转了。好书。"),
    ("zh", "Hans", ""),
    ("fr", "Latn", ""),
)


def test_no_value_of_any_kind_of_chinese_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modern and literary Chinese, Cantonese, verse and other languages: without the kernels all is the same."""
    languages, scripts, texts = zip(*OF_ALL_KINDS, strict=True)
    table = documents(list(texts), language=list(languages), script=list(scripts))
    fast = Filter(record="all").process(table)
    for name in ("lines", "phrases", "marks", "signs", "repeated", "top", "verse"):
        assert name in vars(PlainCounted)
        monkeypatch.setattr(Counted, name, property(lambda _, name=name: pytest.fail(f"a kernel counted {name}")))
    slow = Filter(record="all", engine="reference").process(table)
    assert [name for name in fast.column_names if not fast[name].equals(slow[name])] == []
    assert set(fast["profile"].to_pylist()) == {"zh", "lzh", "yue", "verse", "en", "*"}


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
