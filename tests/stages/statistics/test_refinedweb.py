"""RefinedWeb's line rules: kernel and plain twin agree, and take what DCLM's tests expect."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from tests.stages.statistics.test_count import EXTREMES, drawn
from tests.stages.statistics.test_spans import listed

from headrace.stages.filtering.refinedweb import Refinedweb
from headrace.stages.kernels.statistics_refinedweb import COUNTERS
from headrace.stages.statistics.plain_refinedweb import lines
from headrace.stages.statistics.refinedweb import LineSettings, refinedweb
from headrace.stages.statistics.spans import Spans
from headrace.stages.statistics.statistics import Statistics

PIECES = (
    *("3 likes", "3,000 Shares!", "5.1M   views ", "12 k views", "x3 views", "7 views_", "٣ likes", "12.k comments…"),
    *("items in cart", " Items in Cart", "read more...", "Read more...", "Read more…", "sign-in", "Sign-in ", "SIGN"),
    *("\n", "\n\n", " \n", "\t", " ", "\u3000", "HELLO", "Hello world", "你好 世界", "12345", "²³", "one ", "é È "),
)
CART = "You have 7 items in cart right now but you can add more by clicking back onto the homepage."
SIGN_IN = "sign-in at this page by providing your username and password. If you forget your password you may ask."
SUMMARY = "This is a short summary about the article, which can be expanded upon if you wish. Read more..."


def statistics(texts: list[str]) -> Statistics:
    column = pa.array(texts, pa.large_string())
    return Statistics(column, Spans().words(column))


def left(text: str) -> str:
    kept = Refinedweb().kept(statistics([text]))
    assert kept is not None
    return str(kept[0].as_py())


@pytest.mark.parametrize("settings", [LineSettings(), LineSettings(0.1, 3, 4)])
def test_the_kernel_takes_what_the_plain_twin_takes(settings: LineSettings) -> None:
    """Reasons in the same order, the same text, and the words that are left are those of the text that is left."""
    draw = random.Random(13)
    texts = ["".join(draw.choice(PIECES) for _ in range(draw.randint(0, 14))) for _ in range(800)]
    texts += [*drawn(14, 200), "", "\n", " "]
    counts, kept = refinedweb(statistics(texts), settings)
    for document, text in enumerate(texts):
        reasons, stay = lines(text, settings)
        expected = "".join(text[place] for place in sorted(stay))
        names = [name for name in counts if not name.endswith("words") or name == "refinedweb_few_words"]
        assert {name: int(counts[name][document]) for name in names} == {name: reasons[name] for name in names}, text
        changed = any(reasons[name] for name in names if name != "refinedweb_lines")
        assert kept[document].as_py().strip() == expected.strip(), text
        assert changed or kept[document].as_py() == text


def test_removed_words_are_those_of_the_lines_that_go() -> None:
    """Words begin with a letter or digit: 8 of 12 are left here."""
    asked = statistics(["One two three, four five.\n3 likes!\nHELLO THERE\n- six seven eight.", "", "...", "\n\n"])
    counts, kept = refinedweb(asked, LineSettings())
    texts = [text.as_py() for text in asked.column]
    words = [[word for word in own if word[0].isalnum()] for own in listed(texts, asked.words)]
    assert [len(own) for own in words] == list(counts["refinedweb_words"]) == [12, 0, 0, 0]
    assert list(counts["refinedweb_removed_words"]) == [4, 0, 0, 0]
    assert list(Refinedweb().measured(asked)["refinedweb_removed_word_share"]) == [4 / 12, 0, 0, 0]
    assert kept.to_pylist() == ["One two three, four five.\n- six seven eight.", "", "", "\n\n"]


COUNTED = tuple(counter.decode() for counter in COUNTERS)


@pytest.mark.parametrize("counted", COUNTED)
def test_counters_go(counted: str) -> None:
    """All numbers and all that DCLM's test counts."""
    text = f"3 {counted}\n3,000 {counted}\n123K {counted}!\n 5.1M   {counted}  \nThis line does not contain a counter."
    assert left(text) == "This line does not contain a counter."


@pytest.mark.parametrize(
    ("text", "kept"),
    [  # DCLM's test_modifiers.py, where one rule alone is tested lines have two words here, so that they stay
        (
            "123K quotes\n\nHello, World.\n\nHello, World with 3 views.\n3 views",
            "Hello, World.\n\nHello, World with 3 views.",
        ),
        (f"You have 7 items in cart right now\n  items in cart  \n{CART}", f"You have 7 right now\n{CART}"),
        (
            f"sign-in for full access\nsign-in  or not\nHow to sign-in.\n\n{SIGN_IN}",
            f"for full access\n or not\nHow to sign-in.\n\n{SIGN_IN}",
        ),
        (
            f"Please do read more...\n  read more...\nRead more...and find out!\n\n{SUMMARY}",
            f"Please do\nRead more...and find out!\n\n{SUMMARY}",
        ),
        ("HELLO WORLD\n\nhello world\nHello, World\n\nHello, world", "hello world\nHello, World\n\nHello, world"),
        ("12345\n1a b", "1a b"),
        ("Short line\n\na b c d\n  There are words\nHi", "Short line\n\na b c d\n  There are words"),
        ("Read more about it\nRead more now...", "Read more about it\nRead more now..."),  # DCLM: . is any character
    ],
)
def test_lines_go_and_phrases_are_taken_out(text: str, kept: str) -> None:
    """Capitals, digits, counters, few words and three phrases."""
    assert left(text) == kept


@pytest.mark.parametrize(("share", "goes"), [(1.0, 0), (2 / 12, 0), (2 / 12 - 1e-6, 1), (0.0, 1)])
def test_the_share_of_capitals_is_a_bound(share: float, goes: int) -> None:
    """Two of twelve characters are capitals."""
    counts, _ = refinedweb(statistics(["Hello, World"]), LineSettings(uppercase=share))
    assert counts["refinedweb_uppercase"][0] == goes


@pytest.mark.parametrize(("lines_left", "goes"), [(95, 0), (94, 1)])
def test_five_of_a_hundred_words_may_go(lines_left: int, goes: int) -> None:
    """Exactly five per cent stay, one more goes."""
    text = "a word\n" * lines_left + "12345\n" * (2 * (100 - lines_left))
    share = Refinedweb().measured(statistics([text]))["refinedweb_removed_word_share"][0]
    assert (share > 0.05) == goes
    assert share == pytest.approx((100 - lines_left) / 100)


def test_extremes_have_shares() -> None:
    """No text takes more words than it has."""
    found = Refinedweb().measured(statistics([*EXTREMES.values()]))["refinedweb_removed_word_share"]
    assert ((found >= 0) & (found <= 1)).all()
