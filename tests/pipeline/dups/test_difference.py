from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Literal

import pytest
from tests.pipeline.dups.repeating_runs import chinese, english

from headrace.pipeline.dups.difference import MOST_CHARACTERS, Difference, difference, matching
from headrace.stages.view import view

FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")
# Letters with marks in both ways, what becomes several characters, kana, Hangul, unseen ones, kinds of white space.
TRICKY = (
    *"aAe \n\t\u3000éßΣςİi.,-…½¼¾⁄123１①ﬁ國国裏里髮发がか\u3099ガ한가´¨q",
    *"\u0301\u0307\u0308\u0323\u1112\u1161\u11ab\u00ad\u200b\u200d\ufeff\x00\u0e01\u0e34",
)


def shown(found: Difference) -> list[str]:
    return ["".join(p.old if not p.changed else f"[-{p.old}-]{{+{p.new}+}}" for p in place) for place in found.places]


def test_equal_texts_have_no_difference() -> None:
    """Also empty ones."""
    assert difference(english(1), english(1)) == Difference(())
    assert difference("", "") == Difference(())


@pytest.mark.parametrize(
    ("old", "new", "places"),
    [
        ("the mill wheel turns", "the mill wheels turn", ["the mill [-wheel turns-]{+wheels turn+}"]),
        ("磨坊的水渠", "磨坊的沟渠", ["磨坊的[-水-]{+沟+}渠"]),
        ("用Python写", "用Rust写", ["用[-Python-]{+Rust+}写"]),
        ("a big dog", "a small cat", ["a [-big dog-]{+small cat+}"]),
        ("a b", "", ["[-a b-]{++}"]),
        ("", "新", ["[--]{+新+}"]),
        ("一。二", "一!二", ["一[-。-]{+!+}二"]),
        ("𠀀𠀁", "𠀀𠀂", ["𠀀[-𠀁-]{+𠀂+}"]),
    ],
)
def test_words_change_as_a_whole_and_signs_alone(old: str, new: str, places: list[str]) -> None:
    """English words, single Chinese signs, also beyond the first plane, and both in one text."""
    assert shown(difference(old, new)) == places


@pytest.mark.parametrize(
    ("old", "new", "places"),
    [
        ("Mill Wheel", "mill  wheel", []),
        ("開放中文轉換", "开放中文转换", []),
        ("ＯＫ，好", "ok,好", []),
        ("water\u00adwheel x", "waterwheel\u200b x", []),
        ("café au lait", "cafe\u0301 au lait", []),
        ("ガス", "カ\u3099ス", []),
        ("한국", "\u1112\u1161\u11ab국", []),
        ("… x", "... x", []),
        ("½ x", "1\u20442 x", []),
        ("\ufeffmill", " mill\n", []),
        ("a\x00b", "ab", []),
        ("x \u200b y", "x y", []),
        ("İ", "i\u0307", []),
        ("ä mill", "a mill", ["[-ä-]{+a+} mill"]),
        ("q\u0323 mill", "q mill", ["[-q\u0323-]{+q+} mill"]),
        ("カ\u3099ス", "カス", ["[-カ\u3099-]{+カ+}ス"]),
        ("a ½ b", "a ⅓ b", ["a [-½-]{+⅓+} b"]),
        ("¼", "¾", ["[-¼-]{+¾+}"]),
        ("½ b", "1\u20443 b", ["[-½-]{+1\u20443+} b"]),
        ("ok… mill", "ok,.. mill", ["ok[-…-]{+,..+} mill"]),
        ("開放中文轉換", "开放中文轉好", ["開放中文轉[-換-]{+好+}"]),
        ("The Mill turns", "the\nmill stops", ["The Mill [-turns-]{+stops+}"]),
    ],
)
def test_what_dedup_does_not_see_is_not_marked(old: str, new: str, places: list[str]) -> None:
    """Case, width, traditional characters, unseen signs and how much white space; what is equal is the first text's."""
    found = difference(old, new)
    assert (shown(found), found.equal) == (places, False)
    assert difference(old, old).equal


@pytest.mark.parametrize("seed", range(8))
def test_a_place_is_shown_where_views_differ_and_nowhere_else(seed: int) -> None:
    """Of generated texts, rewritten in forms that do not count or changed a little; both ways."""
    rng = random.Random(seed)
    for _ in range(150):
        old = "".join(rng.choice(TRICKY) for _ in range(rng.randint(0, 10)))
        new = rng.choice([*(partial(unicodedata.normalize, form) for form in FORMS), str.upper, edited(rng)])(old)
        for one, other in ((old, new), (new, old)):
            found = difference(one, other)
            changed = [piece for place in found.places for piece in place if piece.changed]
            assert bool(found.places) == (view(one) != view(other)), (one, other)
            assert all(any(p.changed and p.old != p.new for p in place) for place in found.places), (one, other)
            assert all(piece.old in one and piece.new in other for piece in changed), (one, other)


def edited(rng: random.Random) -> Callable[[str], str]:
    def edit(text: str) -> str:
        at = rng.randint(0, len(text))
        return (
            text[:at] + "".join(rng.choice(TRICKY) for _ in range(rng.randint(0, 2))) + text[at + rng.randint(0, 2) :]
        )

    return edit


def test_only_changed_places_are_given_each_with_what_is_around_it() -> None:
    """24 characters on both sides; changes whose surroundings touch make one place."""
    text = chinese(1, 400)
    far = difference(text, f"{text[:100]}甲{text[101:300]}乙{text[301:]}")
    assert shown(far) == [
        f"{text[76:100]}[-{text[100]}-]{{+甲+}}{text[101:125]}",
        f"{text[276:300]}[-{text[300]}-]{{+乙+}}{text[301:325]}",
    ]
    near = difference(text, f"{text[:100]}甲{text[101:140]}乙{text[141:]}")
    assert len(near.places) == 1


def test_long_changes_are_shown_by_their_ends() -> None:
    """240 characters of 1,000; a change stays one where only the middle differs."""
    (place,) = difference("x" * 1000, "y" * 1000).places
    assert place[0].old == f"{'x' * 120} [760 characters] {'x' * 120}"
    one, other = (f"{'q' * 200}{mark}{'q' * 200}" for mark in "xy")
    ((piece,),) = difference(one, other).places
    assert (piece.changed, piece.old) == (True, piece.new)


@pytest.mark.parametrize("seed", range(30))
def test_matching_stretches_are_equal_in_order_and_put_the_texts_together_again(seed: int) -> None:
    """Random edits of few and of many different tokens: no stretch overlaps another, each is the same in both."""
    rng = random.Random(seed)
    a = [rng.choice("abcdefghij" if seed % 2 else [str(n) for n in range(500)]) for _ in range(rng.randint(0, 600))]
    b = list(a)
    for _ in range(rng.randint(0, 20)):
        at = rng.randint(0, len(b))
        b[at : at + rng.randint(0, 30)] = [rng.choice("abcxyz") for _ in range(rng.randint(0, 30))]
    at = there = 0
    for block in matching(a, b):
        assert block.a >= at
        assert block.b >= there
        at, there = block.a + block.size, block.b + block.size
        assert a[block.a : at] == b[block.b : there]
    assert (at, there) == (len(a), len(b))


def test_a_moved_part_costs_no_more_than_itself() -> None:
    """Of two parts that change places the longer one is taken for what stayed."""
    head, tail = english(1, 300), english(2, 100)
    (place, *_), *rest = difference(f"{head} {tail}", f"{tail} {head}").places, None
    assert sum(block.size for block in matching(head.split() + tail.split(), tail.split() + head.split())) >= 300
    assert place
    assert rest == [None]


def test_long_texts_are_pinned_together_before_they_are_compared() -> None:
    """Of 100,000 tokens with changes everywhere all that is equal is found; comparing each with each would not end."""
    rng = random.Random(7)
    a = [str(rng.randrange(20_000)) for _ in range(100_000)]
    b = [token if number % 50 else "x" for number, token in enumerate(a)]
    assert sum(block.size for block in matching(a, b)) == 98_000


def test_what_repeats_itself_is_bounded_too() -> None:
    """Nothing can be pinned and too much would have to be compared: it is given as changed, as a whole."""
    a, b = ["a", "b"] * 50_000, ["b", "a", "a"] * 40_000
    assert sum(block.size for block in matching(a, b)) < 10


def test_what_is_behind_a_million_characters_is_not_compared() -> None:
    """And that is said."""
    long = "a" * MOST_CHARACTERS
    assert difference(long + "b", long + "c") == Difference((), whole=False)
