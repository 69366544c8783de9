"""Published rules drop for the published reasons; values and verdicts are datatrove's, where it is installed."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pyarrow as pa
import pytest
from tests.stages.statistics.test_count import drawn

from headrace.stages.statistics.count import C4Settings, Settings, c4_counts, counts
from headrace.stages.statistics.judge import first_broken
from headrace.stages.statistics.presets import FINEWEB, PRESETS, QUALITY, REPETITION, Rule
from headrace.stages.statistics.shares import SHARES, shares
from headrace.stages.statistics.spans import Spans

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "benchmarks" / "peers" / "datatrove_statistics.py"
PROSE = "The miller opens the gate and the water runs to the wheel with a low sound that all have heard before. "


def reasons(texts: list[str], rules: tuple[Rule, ...]) -> list[str | None]:
    """Give the first reason for which each text is dropped, by datatrove's formulae."""
    column = pa.array(texts, pa.large_string())
    found = counts(column, Spans().words(column), Settings())
    broken = first_broken(found | shares(found, "datatrove"), rules, len(texts))
    return [rules[place].reason if place >= 0 else None for place in broken]


@pytest.mark.parametrize(
    ("text", "reason"),
    [  # the first six are retyped from datatrove's test_filters.py
        ("I am your father.\n" * 4, "dup_line_frac"),
        ("I am your father.\n\n" * 4, "dup_para_frac"),
        (
            f"I am groot.\n\nYou are a wizard.\n\nI am your father.\n\n{'x' * 30}\n\n{'x' * 30}\n\n",
            "dup_para_char_frac",
        ),
        (f"I am groot.\nYou are a wizard.\nI am your father.\n{'x' * 40}\n{'x' * 40}\n", "dup_line_char_frac"),
        ("I am Frank, I am Frank, I am Frank", "top_2_gram"),
        ("", "empty"),
        (" ".join(map(str, range(200))), None),
    ],
)
def test_repetition_is_found(text: str, reason: str | None) -> None:
    """Lines, paragraphs and runs of words said again are named as datatrove names them."""
    assert reasons([text], REPETITION) == [reason]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I am too small...", "gopher_short_doc"),
        ("the " * 20 + "to a b of c " * 40, "gopher_below_avg_threshold"),
        ("the " * 4 + "to counterrevolutionaries " * 60, "gopher_above_avg_threshold"),
        (PROSE * 4 + "# " * 20, "gopher_too_many_hashes"),
        (PROSE * 4 + "... " * 20, "gopher_too_many_ellipsis"),
        ("- The water runs to the wheel that all have heard.\n" * 12, "gopher_too_many_bullets"),
        ("The water runs to the wheel that all have heard...\n" * 12, "gopher_too_many_end_ellipsis"),
        (PROSE * 4 + "1234 " * 40, "gopher_below_alpha_threshold"),
        ("Water runs down our mill wheel. " * 12, "gopher_enough_stop_words"),
        (PROSE * 4, None),
    ],
)
def test_quality_is_judged(text: str, reason: str | None) -> None:
    """Each of Gopher's rules has a text that breaks it first."""
    assert reasons([text], QUALITY) == [reason]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (" \n ", "empty"),
        ("A line without an end that is longer than thirty characters\n" * 3, "line_punct_ratio"),
        ("Short.\nBrief.\nTerse.", "short_line_ratio"),
        ("A line with an end that is longer than thirty characters.\n" * 3, "char_dup_ratio"),
        (f"{PROSE.strip()}\n\n\n\n\n\n\n\n\n\n", "list_ratio"),
        (PROSE.strip(), None),
    ],
)
def test_fineweb_judges_lines(text: str, reason: str | None) -> None:
    """Each of FineWeb's rules has a text that breaks it first."""
    assert reasons([text], FINEWEB) == [reason]


def test_presets_ask_for_what_there_is() -> None:
    """Every rule compares a value that is counted, with a number."""
    column = pa.array(["x"])
    known = {*counts(column, Spans().words(column), Settings()), *SHARES, "mean_word_length"}
    rules = [rule for preset in PRESETS.values() for rule in preset.rules]
    assert rules
    assert {rule.value for rule in rules} <= known
    assert all((rule.least is None) != (rule.most is None) for rule in rules)


def test_mandarin_has_its_own_numbers() -> None:
    """FineWeb2's rules for Mandarin: words of 1 to 5 characters, .735 alphabetic, no rule of paragraphs."""
    rules = {rule.reason: rule for rule in PRESETS["fineweb2-cmn"].rules}
    assert rules["gopher_above_avg_threshold"].most == 5
    assert rules["gopher_below_alpha_threshold"].least == 0.735
    assert rules["list_ratio"].most == 0.178
    assert "dup_para_frac" not in rules
    assert "short_line_ratio" not in rules


def python_of_datatrove() -> Path:
    """Give the Python that has datatrove, or skip."""
    named = os.environ.get("HEADRACE_DATATROVE_PYTHON")
    python = Path(named) if named else ROOT / ".bench-env" / "datatrove" / "bin" / "python"
    if not python.is_file():
        pytest.skip("datatrove is not installed: make bench-env, or set HEADRACE_DATATROVE_PYTHON")
    return python


def test_values_and_verdicts_are_datatroves(corpus: Path, tmp_path: Path) -> None:
    """Every count of three filters and of C4, and every verdict, on English documents and on texts full of marks."""
    python = python_of_datatrove()
    files = [file for file in sorted((corpus / "en").rglob("*")) if file.is_file()]
    whole = [file.read_bytes().decode(errors="ignore") for file in files]
    prose = [text[at : at + 3000] for text in whole for at in range(0, len(text), 12_000)]
    texts = [*prose, *drawn(7, 300)]
    assert len(prose) > 150
    (tmp_path / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    command = [python, SCRIPT, tmp_path / "texts.json", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]})
    theirs = json.loads(done.stdout.splitlines()[-1])
    column, memory = pa.array(texts, pa.large_string()), Spans()
    found = counts(column, memory.words(column), Settings())
    found |= c4_counts(column, memory.words, C4Settings())[0]
    differing = [
        (name, document, value, found[name][document])
        for document, row in enumerate(theirs["values"])
        for name, value in row.items()
        if found[name][document] != value
    ]
    assert differing == []
    for place, rules in enumerate((QUALITY, REPETITION, FINEWEB)):
        assert reasons(texts, rules) == [row[place] for row in theirs["verdicts"]]
