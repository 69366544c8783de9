"""Rules as users write them: what is read, what is refused and how, and which documents they hold for."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from headrace.stages.filtering.conditions import comparisons, names
from headrace.stages.filtering.evaluation import Looked, deciding, holds, truths
from headrace.stages.filtering.expressions import DEEPEST, LONGEST, MOST_COMPARISONS, ExpressionError, parsed

KINDS = {"words": False, "characters": False, "wechat_matches": False, "language": True, "url": True}
KINDS |= {"values.words_games": False, "scores.total": False}
# Three documents: all is known of the first, nothing of the last.
NUMBERS = {
    "words": np.array([10.0, 0.0, np.nan]),
    "characters": np.array([400.0, 1e300, np.nan]),
    "wechat_matches": np.array([5.0, 0.0, np.nan]),
    "values.words_games": np.array([2.0, np.nan, np.nan]),
    "scores.total": np.array([0.5, 0.25, np.nan]),
}
TEXTS = {
    "language": pa.array(["zh", "en", None], pa.string()),
    "url": pa.array(["http://a.example/forum/1", "http://b.example/", None], pa.string()),
}
LOOKED = Looked(3, NUMBERS, TEXTS)


def read(text: str) -> object:
    return parsed(text, KINDS.get, lambda: sorted(KINDS))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("words > 5", [1, 0, 0]),
        ("words < 5", [0, 1, 0]),
        ("5 < words <= 10", [1, 0, 0]),
        ("words == 10 or words == 0", [1, 1, 0]),
        ("words != 10", [0, 1, 0]),
        ("not words == 10", [0, 1, 1]),
        ("words in (0, 10)", [1, 1, 0]),
        ("words not in (10,)", [0, 1, 0]),
        ("language == 'zh'", [1, 0, 0]),
        ("language != 'zh'", [0, 1, 0]),
        ("not language == 'zh'", [0, 1, 1]),
        ("language in ('zh', 'yue')", [1, 0, 0]),
        ("language not in ['zh', 'yue']", [0, 1, 0]),
        ("language is None", [0, 0, 1]),
        ("values.words_games is not None", [1, 0, 0]),
        ("'forum' in url", [1, 0, 0]),
        ("'forum' not in url", [0, 1, 0]),
        ("language < 'f'", [0, 1, 0]),
        ("characters / words > 10", [1, 0, 0]),  # divided by 0 is not known
        ("characters * characters > 0", [1, 0, 0]),  # nor is what is beyond all numbers
        ("characters - 2 * words == 380", [1, 0, 0]),
        ("-words < -5", [1, 0, 0]),
        ("+words > 5 and -(1) < 0.5 * words", [1, 0, 0]),
        ("words > 5 and (characters < 100 or not language == 'en')", [1, 0, 0]),
        ("wechat_matches >= 3 and (characters < 500 or not language == 'zh')", [1, 0, 0]),
        ("words > 100 or characters > 1 and words > 100", [0, 0, 0]),
        ("scores.total >= .25", [1, 1, 0]),
        ("\n  words > 5\n  and characters < 500\n", [1, 0, 0]),
        ("words >= 1e1", [1, 0, 0]),
        (r"not 'a\\b' in url and language == 'zh'", [1, 0, 0]),
        ("'it\\'s' not in url", [1, 1, 0]),
    ],
)
def test_a_rule_holds_where_it_says(rule: str, expected: list[int]) -> None:
    """What is not known makes every comparison false, and `not` turns that."""
    condition = parsed(rule, KINDS.get, lambda: sorted(KINDS))
    assert holds(condition, LOOKED).tolist() == [bool(one) for one in expected]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("", "the rule is empty"),
        ("words >", "at the end: this is no expression"),
        ("wrods > 3", "at character 1, near 'wrods > 3': there is no value 'wrods'; did you mean words?"),
        ("words > 3 and lnaguage == 'zh'", "at character 15, near"),
        ("language == 'zh' and 中文 > 1", "at character 22, near '中文 > 1': there is no value '中文'; docs/"),
        ("'中文' in url and wrods > 1", "at character 17, near 'wrods > 1'"),
        ("words", "a rule compares; write words > 0, say"),
        ("not words", "a rule compares"),
        ("3", "this is no comparison"),
        ("words > 3 && words < 5", "write and for &&"),
        ("words > 3 || words < 5", "write or for ||"),
        ("words = 3", "this is no expression (invalid syntax); write == for ="),
        ("words < 5% ", "write 0.05 for 5%"),
        ("url == 'a=1&&b' and", "at the end: this is no expression (invalid syntax)"),
        ("language == zh", "at character 13, near 'zh': there is no value 'zh'; a text stands in quotes: 'zh'"),
        ("gopher.min_words > 3", "gopher.min_words is no value; did you mean words?"),
        ("wechat.max_matches > 3", "wechat.max_matches is no value; did you mean wechat_matches?"),
        ("words > 3 # many", "a rule holds no comments"),
        ("language > 3", "language > 3 compares text with a number"),
        ("words == '3'", "compares text with a number"),
        ("language + 'x' == 'zhx'", "language is text, and text is not calculated with"),
        ("1 < 2", "1 < 2 is the same for every document"),
        ("words in (1, 'a')", "a list of one kind"),
        ("words in ()", "a list of one kind"),
        ("words in (characters, 1)", "a list of one kind"),
        ("words in 'abc'", "a list of one kind"),
        ("language in 'zh'", "a list of one kind"),
        ("words in url", "a list of one kind"),
        ("words is 3", "behind `is` stands None"),
        ("3 in (1, 3)", "3 in (1, 3) is the same for every document"),
        ("'a' is None", "'a' is None is the same for every document"),
        ("words > 3 and 1 + 1 < 3", "at character 15, near '1 + 1 < 3': 1 + 1 < 3 is the same"),
        ("words < 5 in (1, 5)", "5 in (1, 5) is the same for every document"),
        ("language == None", "what is not known is asked by `is None`"),
        ("language == null", "what is not known is asked by `is None`"),
        ("'spam' in text", "there is no value 'text'; what stands in texts is counted by `patterns`"),
        (r"'\d' in url", "this is no expression (invalid escape sequence"),
        (r"'\bforum' in url", r"in a text \ is written \\; regular expressions stand under `patterns`"),
        ("words > 5and words < 9", "this is no expression (invalid decimal literal)"),
        ("words > 3 AND words < 5", "write and, or and not in small letters"),
        ("!words > 3", "write not for !"),
        ("words => 3", "write >= for =>"),
        ("language == ‘zh’", "signs and digits are those of ASCII"),
        ("words ＞ 3", "signs and digits are those of ASCII"),
        ("words > True", " has no meaning here"),
        ("words > None", " has no meaning here"),
        ("words > 1j", " has no meaning here"),
        ("words > b'a'", " has no meaning here"),
        ("words ** 9 > 3", "words ** 9 has no meaning here"),
        ("words % 2 == 0", " has no meaning here"),
        ("~words > 3", " has no meaning here"),
        (f"words > 1{'0' * 400}", "the number is too large"),
        ("words > 1e999", "the number is too large"),
        ("__class__ > 3", "there is no value '__class__'"),
        ("words.__class__ > 3", " has no meaning here"),
        ("values.__class__ > 3", "there is no value 'values.__class__'"),
        ("values.a.b > 3", " has no meaning here"),
        ("().__class__.__bases__[0] == 1", " has no meaning here"),
        ("__import__('os').system('true') == 0", " has no meaning here"),
        ("len(language) > 3", " has no meaning here"),
        ("(lambda: 1)() == 1", " has no meaning here"),
        ("[x for x in (1,)] == 1", " has no meaning here"),
        ("f'{words}' == '3'", " has no meaning here"),
        ("words if words > 1 else words", "this is no comparison"),
        ("(words := 3) > 1", " has no meaning here"),
        ("words > 3; import os", "this is no expression"),
        ("words > 3\x00", "null bytes"),
        ("words > 3 and " * 400 + "words > 3", f"at most {LONGEST:,} are read"),
        ("(" * 150 + "words" + ")" * 150 + "> 3" + ")", "this is no expression"),
        ("(" * 1900 + "words > 3" + ")" * 1900, "too many nested parentheses"),
        ("not " * 900 + "words > 3", f"nested more than {DEEPEST} deep"),
        ("-" * 3000 + "words > 3", ""),
        ("+".join(["words"] * 600) + "> 3", f"nested more than {DEEPEST} deep"),
        ("<".join(["words"] * 300), f"more than {MOST_COMPARISONS} comparisons"),
        ("or ".join(["words>1 "] * 250), f"more than {MOST_COMPARISONS} comparisons"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_place(rule: str, said: str) -> None:
    """The message says where and why; nothing is run, whatever it is."""
    with pytest.raises(ExpressionError) as caught:
        read(rule)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_as_many_comparisons_as_are_allowed_are_asked() -> None:
    """A rule at the bounds of size is read and holds."""
    rule = "or ".join(["words>9 "] * MOST_COMPARISONS)
    condition = parsed(rule, KINDS.get, lambda: sorted(KINDS))
    assert holds(condition, LOOKED).tolist() == [True, False, False]
    deep = "not " * (DEEPEST - 2) + "words > 9"
    assert holds(parsed(deep, KINDS.get, lambda: sorted(KINDS)), LOOKED).tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("rule", "row", "decided"),
    [
        ("words > 5 and characters < 500", 0, ["words > 5", "characters < 500"]),
        ("words > 50 or characters < 500", 0, ["characters < 500"]),
        ("language == 'zh' and (words > 50 or characters < 500)", 0, ["language == 'zh'", "characters < 500"]),
        ("not (words > 5 and language == 'zh')", 1, ["words > 5"]),
        ("not (words > 5 or language == 'zh')", 2, ["words > 5", "language == 'zh'"]),
        ("0 <= words < 5", 1, ["0 <= words", "words < 5"]),
    ],
)
def test_what_decided_is_named(rule: str, row: int, decided: list[str]) -> None:
    """All parts of an `and` decide that it is true, one of an `or` does, and `not` turns them."""
    condition = parsed(rule, KINDS.get, lambda: sorted(KINDS))
    true = {comparison: bool(flags[row]) for comparison, flags in truths(condition, LOOKED).items()}
    assert bool(holds(condition, LOOKED)[row])
    assert [comparison.words for comparison in deciding(condition, true)] == decided


def test_a_rule_names_what_it_asks() -> None:
    """Names in arithmetic and behind `in` count, literals do not."""
    condition = parsed("words * 2 > characters - 1 and 'a' in url", KINDS.get, lambda: sorted(KINDS))
    assert list(names(condition)) == ["words", "characters", "url"]
    assert len(list(comparisons(condition))) == 2


def test_a_batch_without_documents_is_asked_too() -> None:
    """No row, no answer, no error."""
    nothing = Looked(0, {"words": np.array([])}, {"language": pa.array([], pa.string())})
    condition = parsed("words > 3 and language in ('zh',)", KINDS.get, lambda: sorted(KINDS))
    assert holds(condition, nothing).tolist() == []
    assert [flags.tolist() for flags in truths(condition, nothing).values()] == [[], []]
