"""FineWeb2's rules for Mandarin: every count, value and verdict is datatrove's, where it is installed."""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.datatrove_python import python_of_datatrove
from tests.stages.filtering.test_published import DATATROVE, ROOT, differing, judged

from headrace.schemas.arrays import Counts
from headrace.stages.filtering.fineweb2_cmn import Fineweb2Cmn
from headrace.stages.segmentation.document_words import DocumentWords
from headrace.stages.statistics.count import NAMES
from headrace.stages.statistics.statistics import Statistics

SCRIPT = ROOT / "benchmarks" / "peers" / "datatrove_mandarin.py"
PIECES = (
    *(
        "今天天气很好",
        "我们去公园",
        "。",
        "，",
        "！",
        "？",
        "；",
        "：“",
        "”",
        "……",
        "…",
        "「",
        "」",
        "『', ",
        "》",
        "——",
        "·",
        "・",
    ),
    *(
        "的",
        "於",
        "為",
        "了",
        "是",
        "他們",
        "他们",
        "与此同时",
        "北京大学",
        "一八九八年",
        "ABC",
        "abc def",
        "1.5",
        "３０％",
        "#",
        "...",
    ),
    *(
        "\n",
        "\n\n",
        "\n\n\n",
        " ",
        "\u3000",
        "\t",
        "\r\n",
        "\u2028",
        "\x1c",
        "\u200b",
        "\ufeff",
        "• ",
        "- ",
        "|",
        "(",
        ")",
    ),
    *(
        "𠮷野家",
        "㐂",
        "锟斤拷",
        "烫烫烫",
        "😀",
        "👨‍👩‍👧",
        "éa",
        "ｶﾞ",
        "ひらがな",
        "안녕",
        "http://example.com/a?b=c",
        "a@b.cn",
        "&nbsp;",
    ),
    *("水" * 40, "哈" * 9, "---", "\x00", "２０２４年０５月", "第三章　", "%", "℃", "①", "Ⅳ"),
)
PROSE = "他每天早上都要从山上走到河边，因为那里的水比村里的更清。老人说，这条路他已经走了三十年，可是从来没有觉得厌倦。"


def adversarial(seed: int, count: int) -> list[str]:
    """Give Chinese texts of random pieces, of which some are said again."""
    draw = random.Random(seed)
    texts = []
    for _ in range(count):
        parts = [draw.choice(PIECES) for _ in range(draw.randint(0, 120))]
        if draw.random() < 0.5 and parts:
            parts += parts[: draw.randint(1, len(parts))] * draw.randint(1, 3)
        texts.append("".join(parts))
    return texts


EXTREMES = (
    *(
        "",
        " ",
        "水",
        "。",
        "\n",
        "\n\n\n",
        "。。。。。。",
        "😀" * 300,
        "今天天气好" * 10,
        "今天天气很好我们去公园。" * 50,
    ),
    *(
        "水流下山" * 500,
        PROSE,
        f"{PROSE}\n" * 8,
        f"{PROSE}\n\n" * 3,
        "#" * 90,
        "…" * 90,
        "- 水流下山\n" * 60,
        "的\n" * 100,
    ),
)


def texts_of(folder: Path) -> list[str]:
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    whole = [file.read_bytes().decode(errors="ignore") for file in files]
    return [text[at : at + 2000] for text in whole for at in range(0, len(text), 10_000)]


def asked_of_datatrove(preset: Fineweb2Cmn) -> dict[str, Any]:
    """Give the arguments of datatrove's filters that have the preset's numbers."""
    return {
        "stop_words": preset.stop_words,
        "repetition": {
            "dup_para_frac": 0,
            "dup_line_char_frac": 0,
            "dup_para_char_frac": 0,
            "dup_line_frac": preset.max_repeated_piece_share,
            "top_n_grams": [(n, getattr(preset, f"max_top_{n}_gram_share")) for n in (2, 3, 4)],
            "dup_n_grams": [(n, getattr(preset, f"max_repeated_{n}_gram_share")) for n in range(5, 11)],
        },
        "fineweb": {
            "short_line_thr": 999,
            "char_duplicates_ratio": preset.max_repeated_line_character_share,
            "line_punct_thr": preset.min_ended_line_share,
            "new_line_ratio": preset.max_newline_share,
        },
        "quality": {
            "min_avg_word_length": preset.min_mean_word_length,
            "max_avg_word_length": preset.max_mean_word_length,
            "max_non_alpha_words_ratio": preset.min_alphabetic_word_share,
        },
    }


def statistics(texts: list[str]) -> Statistics:
    column = pa.array(texts, pa.large_string())
    chinese = np.ones(len(texts), np.bool_)
    words = DocumentWords().words(column, chinese, np.zeros(len(texts), np.bool_))
    return Statistics(column, words, "datatrove")


@pytest.mark.parametrize(("step", "count"), [(12, 100), pytest.param(1, 500, marks=pytest.mark.soak)])
def test_values_and_verdicts_are_datatroves(corpus: Path, tmp_path: Path, step: int, count: int) -> None:
    """On Chinese documents of the corpus and on texts made to be hard."""
    python = python_of_datatrove()
    preset = Fineweb2Cmn()
    texts = [*texts_of(corpus / "zh")[::step], *EXTREMES, *adversarial(21, count)]
    assert len(texts) > 1.5 * count
    request = tmp_path / "request.json"
    request.write_text(json.dumps({"texts": texts} | asked_of_datatrove(preset)), encoding="utf-8")
    command = [str(python), str(SCRIPT), str(request)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]})
    theirs = json.loads(done.stdout.splitlines()[-1])
    asked = statistics(texts)
    ours: dict[str, Counts] = {name: asked.count(name) for name in NAMES}
    ours["stop_word_kinds"] = asked.stops(preset.stop_words)["stop_word_kinds"]
    assert differing(ours, theirs["values"]) == []
    fields = [DATATROVE[field] if field else None for field in judged(asked, preset)]
    assert fields == [next((reason for reason in row if reason), None) for row in theirs["verdicts"]]
