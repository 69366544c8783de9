"""Published rules drop for the published reasons; values and verdicts are datatrove's, where it is installed."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.datatrove_python import python_of_datatrove
from tests.stages.filtering.first_reasons import first_reasons
from tests.stages.statistics.test_count import drawn

from headrace.stages.filtering.fineweb import Fineweb
from headrace.stages.filtering.gopher import Gopher
from headrace.stages.filtering.preset import Preset
from headrace.stages.statistics.count import C4Settings, Settings, c4_counts, counts
from headrace.stages.statistics.spans import Spans
from headrace.stages.statistics.statistics import Statistics

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "benchmarks" / "peers" / "datatrove_statistics.py"
PROSE = "The miller opens the gate and the water runs to the wheel with a low sound that all have heard before. "
_FIELDS = list(Gopher.model_fields)
_FIRST_OF_QUALITY = _FIELDS.index("min_words")
REPETITION = Gopher.model_validate(dict.fromkeys(_FIELDS[_FIRST_OF_QUALITY:-1]))
QUALITY = Gopher.model_validate(dict.fromkeys(_FIELDS[:_FIRST_OF_QUALITY]))
DATATROVE = {  # field: datatrove's reason
    "min_characters": "empty",
    "max_repeated_paragraph_share": "dup_para_frac",
    "max_repeated_paragraph_character_share": "dup_para_char_frac",
    "max_repeated_piece_share": "dup_line_frac",
    "max_repeated_piece_character_share": "dup_line_char_frac",
    **{f"max_top_{n}_gram_share": f"top_{n}_gram" for n in (2, 3, 4)},
    **{f"max_repeated_{n}_gram_share": f"duplicated_{n}_n_grams" for n in range(5, 11)},
    "min_words": "gopher_short_doc",
    "max_words": "gopher_long_doc",
    "min_mean_word_length": "gopher_below_avg_threshold",
    "max_mean_word_length": "gopher_above_avg_threshold",
    "max_hash_share": "gopher_too_many_hashes",
    "max_ellipsis_share": "gopher_too_many_ellipsis",
    "max_bullet_line_share": "gopher_too_many_bullets",
    "max_ellipsis_line_share": "gopher_too_many_end_ellipsis",
    "min_alphabetic_word_share": "gopher_below_alpha_threshold",
    "min_stop_words": "gopher_enough_stop_words",
    "min_full_lines": "empty",
    "min_ended_line_share": "line_punct_ratio",
    "max_short_line_share": "short_line_ratio",
    "max_repeated_line_character_share": "char_dup_ratio",
    "max_newline_share": "list_ratio",
}


def reasons(texts: list[str], preset: Preset) -> list[str | None]:
    """Give the field of the rule for which each text is dropped, by datatrove's formulae."""
    column = pa.array(texts, pa.large_string())
    return judged(Statistics(column, Spans().words(column), "datatrove"), preset)


def judged(statistics: Statistics, preset: Preset) -> list[str | None]:
    """Give the field of the rule that each document breaks first, or None."""
    return [reason and reason.removeprefix(f"{preset.name}.") for reason in first_reasons(preset, statistics)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [  # the first six are retyped from datatrove's test_filters.py
        ("I am your father.\n" * 4, "max_repeated_piece_share"),
        ("I am your father.\n\n" * 4, "max_repeated_paragraph_share"),
        (
            f"I am groot.\n\nYou are a wizard.\n\nI am your father.\n\n{'x' * 30}\n\n{'x' * 30}\n\n",
            "max_repeated_paragraph_character_share",
        ),
        (
            f"I am groot.\nYou are a wizard.\nI am your father.\n{'x' * 40}\n{'x' * 40}\n",
            "max_repeated_piece_character_share",
        ),
        ("I am Frank, I am Frank, I am Frank", "max_top_2_gram_share"),
        ("", "min_characters"),
        (" ".join(map(str, range(200))), None),
    ],
)
def test_repetition_is_found(text: str, reason: str | None) -> None:
    """Lines, paragraphs and runs of words said again are named as datatrove names them."""
    assert reasons([text], REPETITION) == [reason]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I am too small...", "min_words"),
        ("the " * 20 + "to a b of c " * 40, "min_mean_word_length"),
        ("the " * 4 + "to counterrevolutionaries " * 60, "max_mean_word_length"),
        (PROSE * 4 + "# " * 20, "max_hash_share"),
        (PROSE * 4 + "... " * 20, "max_ellipsis_share"),
        ("- The water runs to the wheel that all have heard.\n" * 12, "max_bullet_line_share"),
        ("The water runs to the wheel that all have heard...\n" * 12, "max_ellipsis_line_share"),
        (PROSE * 4 + "1234 " * 40, "min_alphabetic_word_share"),
        ("Water runs down our mill wheel. " * 12, "min_stop_words"),
        (PROSE * 4, None),
    ],
)
def test_quality_is_judged(text: str, reason: str | None) -> None:
    """Each of Gopher's rules has a text that breaks it first."""
    assert reasons([text], QUALITY) == [reason]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (" \n ", "min_full_lines"),
        ("A line without an end that is longer than thirty characters\n" * 3, "min_ended_line_share"),
        ("Short.\nBrief.\nTerse.", "max_short_line_share"),
        ("A line with an end that is longer than thirty characters.\n" * 3, "max_repeated_line_character_share"),
        (f"{PROSE.strip()}\n\n\n\n\n\n\n\n\n\n", "max_newline_share"),
        (PROSE.strip(), None),
    ],
)
def test_fineweb_judges_lines(text: str, reason: str | None) -> None:
    """Each of FineWeb's rules has a text that breaks it first."""
    assert reasons([text], Fineweb()) == [reason]


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
    assert differing(found, theirs["values"]) == []
    statistics = Statistics(column, memory.words(column), "datatrove")
    for place, preset in enumerate((QUALITY, REPETITION, Fineweb())):
        ours = [DATATROVE[field] if field else None for field in judged(statistics, preset)]
        assert ours == [row[place] for row in theirs["verdicts"]]


def differing(ours: dict[str, np.ndarray], theirs: list[dict[str, int]]) -> list[tuple[str, int, int, int]]:
    """Give the values that are not the same: name, document, theirs, ours."""
    return [
        (name, document, value, int(ours[name][document]))
        for document, row in enumerate(theirs)
        for name, value in row.items()
        if ours[name][document] != value
    ]
