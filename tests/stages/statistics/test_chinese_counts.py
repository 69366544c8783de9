"""Counts of Chinese documents are datatrove's, where it is installed: jieba's words, FineWeb2's stop words."""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
from tests.datatrove_python import python_of_datatrove

from headrace.stages.segmentation.document_words import DocumentWords
from headrace.stages.statistics.count import Settings, counts
from headrace.stages.statistics.stop_words import MANDARIN_STOPS

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "benchmarks" / "peers" / "datatrove_statistics.py"
PIECES = (
    *"水流下山轮子转了的年在是·為中。！？；：、，…—“”（）《》①㈱〇ａＢ１　",
    *(" ", "  ", "\n", "\n\n", "\r\n", "\t", "\u2028", "\u00a0", "今天天气很好", "我来到北京清华大学", "说：“走吧。”"),
    *("……", "...", "#", "• ", "- ", "abc", "C++", "3.14", "100%", "T恤", "B超", "é", "한국", "カナ", "😀", "𠮷"),
)


def drawn(seed: int, count: int) -> list[str]:
    """Give texts of random pieces."""
    draw = random.Random(seed)
    return ["".join(draw.choice(PIECES) for _ in range(draw.randint(0, 80))) for _ in range(count)]


def test_values_are_datatroves(corpus: Path, tmp_path: Path) -> None:
    """Every count of its three filters, on Chinese documents of all kinds and on texts full of marks."""
    python = python_of_datatrove()
    files = [file for file in sorted((corpus / "zh").rglob("*")) if file.is_file()]
    whole = [file.read_bytes().decode(errors="ignore") for file in files]
    prose = [text[at : at + 2000] for text in whole for at in range(0, len(text), 150_000)]
    texts = [*prose, *drawn(1, 150)]
    assert len(prose) > 30
    (tmp_path / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    command = [python, SCRIPT, tmp_path / "texts.json", "1", "cmn_Hani"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]})
    theirs = json.loads(done.stdout.splitlines()[-1])["values"]
    column, chinese = pa.array(texts, pa.large_string()), np.ones(len(texts), np.bool_)
    found = counts(column, DocumentWords().words(column, chinese, ~chinese), Settings(MANDARIN_STOPS))
    differing = [
        (name, document, value, found[name][document])
        for document, row in enumerate(theirs)
        for name, value in row.items()
        if found[name][document] != value
    ]
    assert differing == []
