"""The words that count are those that a reader would count."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.schemas.errors import ConfigError, FormatError
from headrace.stages.view import view, views
from headrace.stages.wordlists.entries import packed_words, parted_joined, read_words, unpacked_words
from headrace.stages.wordlists.matching import Matcher


def counts(matcher: Matcher, *texts: str) -> list[dict[str, dict[str, int]]]:
    found = matcher.found(*views(pa.array(texts, pa.large_string())))
    return [{name: dict(each.words) for name, each in text.items()} for text in found]


def of(*words: str, parted: bool = False) -> Matcher:
    return Matcher({"mine": {view(word): 1.0 for word in words}}, parted=parted)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the dice, and Dice!", {"dice": 2}),
        ("ＤＩＣＥ", {"dice": 1}),
        ("dicey, sundice, dice2, dicé, naïvdice", {}),
        ("他dice了", {"dice": 1}),
        ("dice_x dice-x", {"dice": 2}),
        ("骰子和骰子", {"骰子": 2}),
        ("賭場在那裏", {"赌场": 1}),
        ("赌 场", {}),
        ("dice game dices", {"dice game": 1}),
        ("a dice games", {"dice": 1}),
        ("老虎机", {"老虎机": 1}),
        ("老虎", {"老虎": 1}),
        ("кость", {"кость": 1}),
        ("костью", {}),
        ("c++ c+++", {"c++": 2}),
        ("วันนี้ลูกเต๋าดี", {"ลูกเต๋า": 1}),
        ("diceế, ếdice, ᾳdice", {}),
        ("", {}),
    ],
)
def test_words_count_at_borders_and_chinese_anywhere(text: str, found: dict[str, int]) -> None:
    """Width, case and traditional forms are no matter; the longest word counts, if it is one."""
    (result,) = counts(of("dice", "dice game", "骰子", "赌场", "老虎", "老虎机", "кость", "C++", "ลูกเต๋า"), text)
    assert result.get("mine", {}) == found


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("赌 博", 1),
        ("賭　博", 1),
        ("赌*博", 1),
        ("赌\n博", 1),
        ("赌...博", 1),
        ("赌....博", 0),
        ("赌，博", 0),
        ("赌a博", 0),
    ],
)
def test_parted_characters_are_found_by_option(text: str, n: int) -> None:
    """A space, or up to three signs; what parts sentences parts words as well."""
    assert counts(of("赌博", parted=True), text) == ([{"mine": {"赌博": n}}] if n else [{}])
    assert counts(of("赌博"), text) == [{}]
    assert parted_joined("a b 1.5 老 虎".encode()).decode() == "a b 1.5 老虎"


def test_a_word_may_be_on_several_lists_with_weights_of_its_own() -> None:
    """Lists do not take words from each other, within one the longest wins."""
    matcher = Matcher({"a": {"赌": 1.0, "赌场": 2.0}, "b": {"赌": 0.5}}, parted=False)
    (found,) = matcher.found(*views(pa.array(["赌场，赌"])))
    assert {name: (dict(each.words), each.weight, each.matches) for name, each in found.items()} == {
        "a": ({"赌场": 1, "赌": 1}, 3.0, 2),
        "b": ({"赌": 2}, 1.0, 2),
    }


@given(st.lists(st.text("abA 1赌场博*é", max_size=30), max_size=4))
def test_counts_are_those_of_a_plain_search(texts: list[str]) -> None:
    """An alternation of regular expressions, the longest first, gives the same counts."""
    words = ("a", "ab", "b a", "赌", "赌场", "场博", "é")
    edge = r"(?<![a-z0-9é]){}(?![a-z0-9é])"
    forms = [edge.format(word) if word[0] < "\u1100" else word for word in sorted(words, key=len, reverse=True)]
    pattern = re.compile("|".join(forms))
    wanted = [dict(Counter(pattern.findall(view(text)))) for text in texts]
    assert [found.get("mine", {}) for found in counts(of(*words), *texts)] == wanted


def test_files_of_words(tmp_path: Path) -> None:
    """Comments and blank lines say nothing; words become views; a tab brings a weight; order is no matter."""
    (tmp_path / "one").write_text("\ufeff# ours\n\n　賭 場 \nDice Game\t2.5\n", encoding="utf-8")
    (tmp_path / "two").write_bytes("dice game\t2.5 # by weight\r\n赌 场 # a comment\r\n".encode())
    assert read_words(tmp_path / "one") == {"赌 场": 1.0, "dice game": 2.5}
    packed = packed_words({"mine": tmp_path / "one"})
    assert packed == packed_words({"mine": tmp_path / "two"})
    assert unpacked_words(packed) == {"mine": {"dice game": 2.5, "赌 场": 1.0}}
    with pytest.raises(FormatError, match="not packed word lists"):
        unpacked_words(b"{}")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"# nothing\n", "the word list is empty"),
        ("骰子".encode("gb18030"), "the word list is in another encoding: byte 0 is not UTF-8"),
        (b"dice\theavy\n", "list:1: not a weight: 'heavy'"),
        (b"dice\t-1\n", "not a weight"),
        (None, "the word list cannot be read: No such file"),
    ],
)
def test_a_list_that_cannot_be_used_is_refused(content: bytes | None, says: str, tmp_path: Path) -> None:
    """One message with the file, the cause and the remedy."""
    if content is not None:
        (tmp_path / "list").write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        read_words(tmp_path / "list")
    assert says in str(caught.value)
    assert caught.value.remedy
