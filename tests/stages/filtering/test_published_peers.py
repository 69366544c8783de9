"""Cases of the peers' own tests of their filters, retyped: which rule takes which text.

datatrove: tests/pipeline/filters/test_filters.py; DCLM: tests/baselines/mappers/filters/test_content_filters.py;
NeMo Curator: tests/stages/text/modules/test_filters.py. Inputs and expected verdicts alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.stages.filtering.test_published import QUALITY, REPETITION, judged

from headrace.stages.filtering.c4 import C4
from headrace.stages.filtering.fineweb import Fineweb
from headrace.stages.filtering.preset import Preset
from headrace.stages.filtering.refinedweb import Refinedweb
from headrace.stages.segmentation.document_words import DocumentWords
from headrace.stages.statistics.shares import Formulae
from headrace.stages.statistics.spans import Spans
from headrace.stages.statistics.statistics import Statistics

FRODO = (
    "I wish it need not have happened in my time,' said Frodo. 'So do I,' said Gandalf, 'and so do all who live to "
    "see such times. But that is not for them to decide. All we have to decide is what to do with the time that is "
    "given us.'"
)
LIKE_GOOD = (
    "This is a well-written paragraph with several sentences.\nThe content continues with more good information here.\n"
    "Another important point is being made in this line.\nWe can see that this document has quality content.\n"
    "Finally, the conclusion wraps everything up nicely.\nAn additional sentence to ensure we pass the threshold."
)
FILL = (
    "Another sentence follows this one.\nMore content to fill out the document.\nEven more content is needed.\nThe end."
)
LONG = (
    "This is a well-written paragraph that ends with proper punctuation.\n"
    "The content here is substantial and has meaningful information.\n"
    "Quality filtering ensures that only the best documents pass through.\n"
    "Each line here is long enough and ends with a terminal punctuation mark.\n"
    "This document should pass all the quality checks applied by the filter."
)
SHORT = QUALITY.model_copy(update={"min_words": 10, "max_words": 1000})
FOES = "I am Frank, you are Jhon. I am Frank. I am Frank you are Jhon"
WIZARD, GROOT = "You are a wizard.", "I am groot."


def statistics(text: str, formulae: Formulae) -> Statistics:
    column = pa.array([text], pa.large_string())
    return Statistics(column, Spans().words(column), formulae)


def field(text: str, preset: Preset, formulae: Formulae = "datatrove") -> str | None:
    """Give the rule that takes a text."""
    return judged(statistics(text, formulae), preset)[0]


@pytest.mark.parametrize(
    ("text", "preset", "expected"),
    [
        ("I am your father.\n" * 4, REPETITION, "max_repeated_piece_share"),
        ("I am your father.\n\n" * 4, REPETITION, "max_repeated_paragraph_share"),
        (
            f"{GROOT}\n\n{WIZARD}\n\nI am your father.\n\n" + f"{'x' * 30}.\n\n" * 2,
            REPETITION,
            "max_repeated_paragraph_character_share",
        ),
        (
            f"{GROOT}\n{WIZARD}\nI am your father.\n" + f"{'x' * 40}.\n" * 2,
            REPETITION,
            "max_repeated_piece_character_share",
        ),
        ("I am Frank, I am Frank, I am Frank", REPETITION, "max_top_2_gram_share"),
        (FOES, REPETITION, "max_top_3_gram_share"),
        ("I am a solo traveller " * 4 + FRODO, REPETITION, "max_repeated_5_gram_share"),
        ("", REPETITION, "min_characters"),
        ("I am too small...", SHORT, "min_words"),
        ("I am " * 20, SHORT, "min_mean_word_length"),
        ("interconnection " * 20, SHORT, "max_mean_word_length"),
        ("# comment " * 20, SHORT, "max_hash_share"),
        ("... comment " * 20, SHORT, "max_ellipsis_share"),
        (
            "the ./!*?<><> apple <?////> orange  ++ interconnection !<>??? have" * 20,
            SHORT,
            "min_alphabetic_word_share",
        ),
        (FRODO, SHORT, None),
        (LIKE_GOOD, C4(), None),
        (f"This is a sentence with lorem ipsum dolor sit amet.\n{FILL}", C4(), "max_lorem_ipsum_lines"),
        (f"This is some code with a {{ bracket.\n{FILL}", C4(), "max_curly_bracket_lines"),
        ("Just one sentence.", C4(), "min_sentences"),
        ("\n".join(["x" * 250] * 3), C4(min_sentences=None, min_long_lines=3, remove_lines=False), None),
        ("short\nshort\nshort", C4(min_sentences=None, min_long_lines=3, remove_lines=False), "min_long_lines"),
        ("", Fineweb(), "min_full_lines"),
        (
            "No punctuation here\nAnother line without any\nStill nothing",
            Fineweb(min_ended_line_share=0.5),
            "min_ended_line_share",
        ),
        (
            "hi.\nbye.\nok.\nno.\nyes.",
            Fineweb(max_short_line_share=0.5, min_ended_line_share=0),
            "max_short_line_share",
        ),
        (LONG, Fineweb(), None),
        ("\n".join(["a"] * 50), Fineweb(max_newline_share=0.1), "min_ended_line_share"),
    ],
)
def test_datatroves_cases(text: str, preset: Preset, expected: str | None) -> None:
    """Each text goes for the reason, by the name of our field, that datatrove's test expects, or stays."""
    assert field(text, preset) == expected


def test_policy_lines_are_taken_out() -> None:
    """A line about cookies goes, the rest of the page stays."""
    text = "This site uses cookies for tracking.\nAnother valid line here today."
    kept = C4(min_sentences=None, fewest_line_words=0, ended_lines=False).kept(statistics(text, "datatrove"))
    assert kept is not None
    assert kept.to_pylist() == ["Another valid line here today."]


def alone(**numbers: Any) -> Refinedweb:
    """Give RefinedWeb's preset with these rules alone."""
    off = {name: None for name in Refinedweb.model_fields if Refinedweb.value_of_field(name)}
    return Refinedweb.model_validate(off | numbers)


ELLIPSES = [
    (f"This text has one line that ends with an ellipsis{mark}\n and one line that doesn't.", share, goes)
    for mark in ("...", ". . .", "…")
    for share, goes in ((0.49, True), (0.51, False))
]
BULLETS = [
    (f"{one} This text has two lines\n{two} that start with a bullet\n and one line that doesn't.", share, goes)
    for one in "●•*-"
    for two in "●•*-"
    for share, goes in ((0.66, True), (0.67, False))
]


@pytest.mark.parametrize(
    ("text", "numbers", "goes"),
    [
        *((text, {"max_ellipsis_line_share": share}, goes) for text, share, goes in ELLIPSES),
        *((text, {"max_bullet_line_share": share}, goes) for text, share, goes in BULLETS),
        ("This text has two lines- that start with a bullet•\n and one line.", {"max_bullet_line_share": 0.01}, False),
        ("The best of the best", {"min_stop_words": 3}, False),
        ("the be to of and that have with", {"min_stop_words": 8}, False),
        ("Then Tom and Sally withheld bees", {"min_stop_words": 2}, True),
        ("The average word length is 4.33", {"min_mean_word_length": 4, "max_mean_word_length": 5}, False),
        ("The cat in the hat", {"min_mean_word_length": 3}, True),
        ("Loquaciousness verylongwords", {"max_mean_word_length": 10}, True),
        ("  ", {"min_mean_word_length": 3}, True),
        ("No symbols here.", {"max_symbol_share": 0.0}, False),
        ("#hashtags #on #every #word", {"max_symbol_share": 1.0}, False),
        ("#hashtags #on #every #word", {"max_symbol_share": 0.1}, True),
        ("#hashtags and ellipses both count...", {"max_symbol_share": 0.3}, True),
        ("#hashtags and ellipses both count…", {"max_symbol_share": 0.3}, True),
        ("#hashtags and ellipses both count. . .", {"max_symbol_share": 0.25}, True),
        ("This sentence contains <1,000 non-alphabetic w0rd5 within it but >1.", {"min_alphabetic_word_share": 0.8}, 0),
        ("This sentence contains <1,000 non-alphabetic w0rd5 within it but >1.", {"min_alphabetic_word_share": 0.9}, 1),
        ("Hello world.", {"min_words": 2}, False),
        ("Hello world.", {"min_words": 3}, True),
        ("Hello world. \n\n\n \n\n\n This is a test.", {"min_words": 6}, False),
        ("Hello world. \n\n\n \n\n\n This is a test.", {"min_words": 7}, True),
        ("Mr. Smith bought 2.5 kilograms of fruit.", {"min_words": 7}, False),
        ("Mr. Smith bought 2.5 kilograms of fruit.", {"min_words": 8}, True),
    ],
)
def test_dclms_cases(text: str, numbers: dict[str, float], goes: int) -> None:
    """Each bound of DCLM's tests lies where they say."""
    assert (field(text, alone(**numbers), "dclm") is not None) == goes


@pytest.mark.parametrize(("text", "stays"), [("你好。", False), ("我喜欢学习中文。", True), ("", False)])
def test_chinese_words_are_counted(text: str, *, stays: bool) -> None:
    """NeMo's test_wordcount_zh keeps 2 to 5 words: it counts 。 as one, so that 你好。 has two there and one here."""
    column, chinese = pa.array([text], pa.large_string()), np.ones(1, np.bool_)
    words = DocumentWords().words(column, chinese, ~chinese)
    preset = QUALITY.model_copy(update=dict.fromkeys(list(type(QUALITY).model_fields)[:-1]))
    preset = preset.model_copy(update={"min_words": 2, "max_words": 5})
    assert (judged(Statistics(column, words), preset) == [None]) == stays
