"""Published rules as data: which value is compared, with what, and the reason's name, in the order of their authors.

Sources: Gopher, Rae et al. 2021, tables A1 and section A.1.1; C4, Raffel et al. 2020, section 2.2; FineWeb, Penedo et
al. 2024; FineWeb2, Penedo et al. 2025 (`configs/cmn_Hani.yml`). Formulae and order are those of datatrove 0.10.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from headrace.stages.statistics.count import ENGLISH_STOPS, C4Settings


@dataclass(frozen=True, slots=True)
class Rule:
    """A document is dropped for a reason if a value is below the least or above the most."""

    value: str
    reason: str
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True)
class Preset:
    """Rules in the order in which they are asked, the stop words, and C4's line rules if they come first.

    C4 drops the document itself with fewer than `sentences` sentences.
    """

    rules: tuple[Rule, ...]
    stops: tuple[str, ...] = ENGLISH_STOPS
    c4: C4Settings | None = None
    sentences: int = 5


QUALITY = (
    Rule("solid_words", "gopher_short_doc", least=50),
    Rule("solid_words", "gopher_long_doc", most=100_000),
    Rule("mean_word_length", "gopher_below_avg_threshold", least=3),
    Rule("mean_word_length", "gopher_above_avg_threshold", most=10),
    Rule("hash_share", "gopher_too_many_hashes", most=0.1),
    Rule("ellipsis_share", "gopher_too_many_ellipsis", most=0.1),
    Rule("bullet_line_share", "gopher_too_many_bullets", most=0.9),
    Rule("ellipsis_line_share", "gopher_too_many_end_ellipsis", most=0.3),
    Rule("alphabetic_word_share", "gopher_below_alpha_threshold", least=0.8),
    Rule("stop_word_kinds", "gopher_enough_stop_words", least=2),
)
REPETITION = (
    Rule("characters", "empty", least=1),
    Rule("repeated_paragraph_share", "dup_para_frac", most=0.3),
    Rule("repeated_paragraph_character_share", "dup_para_char_frac", most=0.2),
    Rule("repeated_piece_share", "dup_line_frac", most=0.3),
    Rule("repeated_piece_character_share", "dup_line_char_frac", most=0.2),
    *(Rule(f"top_{n}_gram_share", f"top_{n}_gram", most=most) for n, most in ((2, 0.2), (3, 0.18), (4, 0.16))),
    *(
        Rule(f"repeated_{n}_gram_share", f"duplicated_{n}_n_grams", most=most)
        for n, most in ((5, 0.15), (6, 0.14), (7, 0.13), (8, 0.12), (9, 0.11), (10, 0.1))
    ),
)
FINEWEB = (
    Rule("full_lines", "empty", least=1),
    Rule("ended_line_share", "line_punct_ratio", least=0.12),
    Rule("short_line_share", "short_line_ratio", most=0.67),
    Rule("repeated_line_character_share", "char_dup_ratio", most=0.01),
    Rule("newline_share", "list_ratio", most=0.3),
)
MANDARIN_STOPS = (
    *(
        "的",
        "年",
        "在",
        "月",
        "是",
        "和",
        "日",
        "了",
        "於",
        "·",
        "為",
        "有",
        "被",
        "人",
        "中",
        "为",
        "他",
        "與",
        "後",
        "也",
        "而",
    ),
    "由",
)
MANDARIN: Mapping[str, tuple[float | None, float | None]] = {  # reason: least, most
    "gopher_below_avg_threshold": (1, None),
    "gopher_above_avg_threshold": (None, 5),
    "gopher_below_alpha_threshold": (0.735, None),
    "dup_line_frac": (None, 0.287),
    "top_2_gram": (None, 0.256),
    "top_3_gram": (None, 0.201),
    "top_4_gram": (None, 0.171),
    **{
        f"duplicated_{n}_n_grams": (None, most)
        for n, most in ((5, 0.198), (6, 0.182), (7, 0.167), (8, 0.154), (9, 0.14), (10, 0.127))
    },
    "line_punct_ratio": (0.106, None),
    "char_dup_ratio": (None, 0.1),
    "list_ratio": (None, 0.178),
}
MANDARIN_OFF = frozenset({"dup_para_frac", "dup_para_char_frac", "dup_line_char_frac", "short_line_ratio"})


def mandarin(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Give rules with FineWeb2's numbers for Mandarin, and without those that it does not ask."""
    asked = (rule for rule in rules if rule.reason not in MANDARIN_OFF)
    numbers = ((rule, *MANDARIN.get(rule.reason, (rule.least, rule.most))) for rule in asked)
    return tuple(replace(rule, least=least, most=most) for rule, least, most in numbers)


PRESETS: Mapping[str, Preset] = {
    "gopher": Preset((*REPETITION, *QUALITY)),
    "c4": Preset((), c4=C4Settings()),
    "fineweb": Preset((*REPETITION, *QUALITY, *FINEWEB), c4=C4Settings(ended=False)),
    "fineweb2-cmn": Preset(mandarin((*REPETITION, *QUALITY, *FINEWEB)), MANDARIN_STOPS),
}
