"""The kernels of language beside their plain twins, and the model's scores beside py3langid itself."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.schemas.arrays import read_only, text_array, text_buffers
from headrace.stages.kernels import language_plain as plain
from headrace.stages.kernels import language_scan
from headrace.stages.kernels.language_lines import keywords, traits
from headrace.stages.kernels.language_sample import sample
from headrace.stages.languages.find import tables
from headrace.stages.languages.model import model, named, probabilities
from headrace.stages.languages.scripts import LATIN, SCRIPTS

TEXTS = {
    "empty": "",
    "blank": " \n\t\r\n\u3000\u2028 ",
    "Chinese": "今天天气很好。\n學而時習之，不亦說乎？\n唔係佢哋嘅嘢，図書館で発売された。",
    "English": "The wheel turns, and it is good. Don't stop! See http://a.org/x?y=1，看https://b.cn。www.c.com ok\n",
    "code": "import os\ndef f(x):\n    return x.y(1, 'a')  # 注释\n\n#include <a.h>\nint main() {\n\tx = 你好;\n}\nend",
    "rows": "| a | b |\n|---|---|\n姓名\t年龄\t城市\n1,2,3,4\nOne, two, three, four\nand so on it goes here\n",
    "astral": "𠀀𠀁 𝒜 👍🏽 \U000e0067 e\u0301 각 \u1112\u1161 ｶﾞ ＡＢＣ１２",
    "one long line": "水车 x=f(y); caf\u00e9 " * 60 + "if (a[1]) { b(); } " * 90 + "词 and some words of prose " * 50,
    "long without a place to cut": "x=1;" * 600 + "\u00e9" * 600 + "一" + "é=" * 700,
    "addresses": "http:// http:/ https: www. wwww.x.y hhttp://z\nhttp\nw",
}
PIECES = (
    *(
        "的",
        "之乎",
        "國",
        "国",
        "嘅",
        "図",
        "か",
        "한",
        "the ",
        "Wheel",
        "https://x.y/z",
        "www.",
        " ",
        "\n",
        "\t",
        "    ",
    ),
    *(
        "{",
        "}",
        "(",
        ")",
        ";",
        "=",
        "_",
        ".",
        ", ",
        "|",
        "'",
        "def ",
        "import",
        "#",
        "１",
        "7",
        "é",
        "Ж",
        "\u3000",
        "\r",
        "👍",
    ),
)
texts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def check_scan(documents: list[str]) -> None:
    data, offsets = text_buffers(pa.array(documents, pa.large_string()))
    letters = np.zeros((len(documents), len(SCRIPTS)), np.int64)
    counts = language_scan.scan(data, offsets, tables(), traits(), keywords(), letters)
    for row, text in enumerate(documents):
        expected, scripts = plain.scan(text, tables())
        assert counts[row].tolist() == expected, text
        assert letters[row, : len(scripts)].tolist() == scripts, text


@pytest.mark.parametrize("name", TEXTS)
def test_the_scan_agrees_with_its_twin(name: str) -> None:
    """Each text gives the counts that the readable code gives, between others and in a slice."""
    check_scan(["好", TEXTS[name], "x y", TEXTS[name]])


def test_a_long_text_is_looked_up_in_part() -> None:
    """Beyond some length only every n-th pair is looked up, by twin and kernel alike."""
    check_scan([TEXTS["Chinese"] * 1000])


@settings(max_examples=150, deadline=None)
@given(st.lists(texts, max_size=4))
def test_the_scan_agrees_with_its_twin_on_any_text(documents: list[str]) -> None:
    """Texts made of what trips it give the same counts."""
    check_scan(documents)


def check_sample(text: str, limit: int) -> None:
    data, offsets = text_buffers(pa.array(["好", text], pa.large_string()))
    counts, letters = plain.scan(text, tables())
    rows = (np.array([1]), np.array([LATIN]), np.array([letters[LATIN]]), np.array([counts[language_scan.CODE_BYTES]]))
    made = sample(data, offsets, *map(read_only, rows), limit, tables().scripts, traits(), keywords())
    stride = max(1, -(-letters[LATIN] // limit))
    assert text_array(*made).to_pylist() == [plain.sample(text, LATIN, stride, tables())]
    assert len(made[0]) <= 2 * (limit + 256)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("limit", [64, 2048])
def test_the_sample_agrees_with_its_twin(name: str, limit: int) -> None:
    """Words of the main script, from all over a long text."""
    check_sample(TEXTS[name], limit)
    check_sample(TEXTS[name] * 30, limit)


@settings(max_examples=100, deadline=None)
@given(texts, st.sampled_from([1, 64, 500]))
def test_the_sample_agrees_with_its_twin_on_any_text(text: str, limit: int) -> None:
    """Texts made of what trips it give the same sample."""
    check_sample(text, limit)


@pytest.mark.parametrize(
    "text",
    [
        "The channel leads water to the wheel of the mill.",
        "Der Kanal führt das Wasser zum Rad der Mühle.",
        "Вода течёт по каналу к колесу мельницы.",
        "Το νερό ρέει στον τροχό του μύλου.",
        "L’eau coule vers la roue du moulin. " * 20,
        "Дан је леп и сунце сија, dan je lep i sunce sija.",
        "x",
        "THE WHEEL TURNS",
        "e\u0301te\u0301 a\u0300 la plage",
    ],
)
def test_the_model_gives_what_its_package_gives(text: str) -> None:
    """Language and probability are py3langid's, among the languages that characters do not settle."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    package = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    package.set_languages(set(model().labels) - {"zh", "yue", "wuu", "ja", "ko"})
    name, probability = package.classify(text)
    names, sure = named(pa.array([text], pa.large_string()))
    assert names.tolist() == [name]
    assert sure[0] == pytest.approx(probability, rel=1e-3)


def test_probabilities_sum_to_one() -> None:
    """Also where a language has two columns, and where a text has no feature at all."""
    points = np.zeros((2, len(model().labels)), np.float32)
    points[1, model().labels.index("sr")] = 50
    shares = probabilities(points, np.array([0.0, 100.0]))
    assert shares.sum(axis=1) == pytest.approx([1, 1])
    assert (shares[:, len(model().labels) - 1 - model().labels[::-1].index("sr")] == 0).all()
