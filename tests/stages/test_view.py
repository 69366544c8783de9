"""The view leads back to its text: every span of it is a span of whole characters there."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.stages.kernels.test_plain import AWKWARD

from headrace.stages.kernels.characters import BREAK, EXPANDS, SPACE, classes, composing, folding, normalized
from headrace.stages.kernels.plain import view_with_places
from headrace.stages.view import MappedViews, view, views, views_with_offsets

# Marks of several classes, jamo, voiced kana, excluded compositions, expansions, white space, what is left out.
JOINING = "\u0301\u0323\u0308\u0344\u3099\uff9e\u1100\u1161\u11a8\u314f\u0958\u093c\u0b3e\u0b47\u4e00\u00a8\ufb01\ufdfa"
MIXED = JOINING + "aé漢。，\u3000 \n\t\r\u2028\u200b\u00ad\ufeffßİ\U0001f44d\U00020000"
mixed = st.text(st.one_of(st.sampled_from(MIXED), st.characters(codec="utf-8")), max_size=40)


def mapped(*given_texts: str) -> MappedViews:
    return views_with_offsets(pa.array(given_texts, pa.large_string()))


def places(text: str) -> list[tuple[int, int]]:
    """Give the places of the view's bytes, from those of its characters."""
    form, found = view_with_places(text)
    at = np.cumsum([0, *(len(c.encode()) for c in text)])
    return [(int(at[b]), int(at[e])) for c, (b, e) in zip(form, found, strict=True) for _ in range(len(c.encode()))]


def agree(given_texts: list[str]) -> None:
    found = mapped(*given_texts)
    for text, (first, last) in zip(given_texts, pairwise(found.offsets.tolist()), strict=True):
        assert bytes(found.data[first:last]).decode() == view(text) == view_with_places(text)[0]
        pairs = zip(found.begins[first:last].tolist(), found.ends[first:last].tolist(), strict=True)
        assert list(pairs) == places(text)


def test_kernel_and_twin_agree_on_awkward_texts() -> None:
    """One by one, all in one column, and in a slice of one."""
    for text in AWKWARD.values():
        agree([text])
    agree(list(AWKWARD.values()))
    column = pa.array(["e\u0301", *AWKWARD.values(), "x"], pa.large_string())
    part, fresh = views_with_offsets(column.slice(1, len(AWKWARD))), mapped(*AWKWARD.values())
    assert [part.begins.tolist(), part.ends.tolist()] == [fresh.begins.tolist(), fresh.ends.tolist()]


@given(sample=st.lists(mixed, max_size=5))
@settings(max_examples=300, deadline=None)
def test_kernel_and_twin_agree_on_any_text(sample: list[str]) -> None:
    """The same bytes, the same places."""
    agree(sample)


RUNS = (
    "漢字转换很多字",
    "ＡＢ，。！",
    " ",
    "  ",
    "\n",
    "…",
    "한국어",
    "がか\u3099",
    "e\u0301",
    "\U0001f44d",
    "\U00020000",
    "ascii Text 1",
)
runs = st.lists(st.one_of(st.sampled_from(RUNS), st.sampled_from(MIXED)), max_size=60).map("".join)


@given(sample=st.lists(runs, max_size=3))
@settings(max_examples=150, deadline=None)
def test_kernel_and_twin_agree_where_64_bytes_are_read_at_once(sample: list[str]) -> None:
    """Texts of several strides in front of a longer one, and the last ones, whose ends are read one by one."""
    agree(sample)
    found, alone = mapped(*sample, "末" * 40), mapped(*sample)
    assert found.data[: len(alone.data)].tobytes() == alone.data.tobytes()
    assert found.begins[: len(alone.data)].tolist() == alone.begins.tolist()
    assert found.ends[: len(alone.data)].tolist() == alone.ends.tolist()


@given(sample=st.lists(mixed, max_size=5))
@settings(max_examples=200, deadline=None)
def test_both_forms_give_the_same_views(sample: list[str]) -> None:
    """Offsets are only added."""
    column = pa.array(sample, pa.large_string())
    data, offsets = views(column)
    found = views_with_offsets(column)
    assert (data.tobytes(), offsets.tolist()) == (found.data.tobytes(), found.offsets.tolist())
    assert len(found.begins) == len(found.ends) == len(data)


@given(text=mixed)
@settings(max_examples=300, deadline=None)
def test_places_never_fall_and_are_borders_of_characters(text: str) -> None:
    """They lie in the text, each holds a character, and characters of the view share a place or keep their order."""
    found = mapped(text)
    borders = set(np.cumsum([0, *(len(c.encode()) for c in text)]).tolist())
    assert borders.issuperset(found.begins.tolist()) and borders.issuperset(found.ends.tolist())
    assert (found.begins < found.ends).all()
    assert (np.diff(found.begins) >= 0).all() and (np.diff(found.ends) >= 0).all()


@given(text=mixed, data=st.data())
@example(text="x \u0301y", data=None)
@settings(max_examples=300, deadline=None)
def test_the_view_of_a_spans_text_is_the_span(text: str, data: st.DataObject | None) -> None:
    """Cut where two characters of a view do not share one of the text: what lies between has that part as its view."""
    found, raw = mapped(text), text.encode()
    apart = [i for i in range(1, len(found.data)) if found.ends[i - 1] <= found.begins[i]]
    cuts = [0, *apart, len(found.data)]
    spans = [(a, b) for i, a in enumerate(cuts) for b in cuts[i + 1 :] if a < b]
    for a, b in [data.draw(st.sampled_from(spans))] if data and spans else spans:
        begins, ends = found.spans(np.array([a]), np.array([b]))
        assert view(raw[begins[0] : ends[0]].decode()) == bytes(found.data[a:b]).decode().strip()


@pytest.mark.parametrize(
    ("text", "part", "behind"),
    [
        ("电话：１３８\u200b００", "13800", "１３８\u200b００"),
        ("Cafe\u0301  au\u3000lait", "café au", "Cafe\u0301  au"),
        ("ﬁnal 漢語", "汉语", "漢語"),
        ("ﬁnal", "f", "ﬁ"),
        ("a \u00ad\n b", " ", " \u00ad\n "),
        ("각하", "각", "각"),
        ("ｶﾞｽ", "ガ", "ｶﾞ"),
        ("NAI\u0308VE", "ï", "I\u0308"),
    ],
)
def test_a_match_in_the_view_is_found_in_the_text(text: str, part: str, behind: str) -> None:
    """Widths, ligatures, joined marks, left-out characters and white space: the text's own words come back."""
    found = mapped("padding", text)
    at = found.data.tobytes().index(part.encode(), int(found.offsets[1]))
    begins, ends = found.spans(np.array([at]), np.array([at + len(part.encode())]))
    assert text.encode()[begins[0] : ends[0]].decode() == behind


def test_an_empty_span_is_refused() -> None:
    """Between two characters there may be something that the view leaves out."""
    with pytest.raises(ValueError, match="at least one byte"):
        mapped("ab").spans(np.array([1]), np.array([1]))


def test_a_text_may_be_cut_before_every_character_that_does_not_join() -> None:
    """Normalization of the parts is that of the whole, for each code point behind letters, marks and jamo."""
    joins = folding().joins
    before = "ae\u0301\u0323\u1100\u1112\u1161가\u0915\u09c7\u3046"
    for point in (p for p in range(0x110000) if not (joins[p] or 0xD800 <= p < 0xE000)):
        whole = unicodedata.normalize("NFKC", before + chr(point))
        assert whole == unicodedata.normalize("NFKC", before) + unicodedata.normalize("NFKC", chr(point))
    assert not (composing() & ~joins).any()


MARKS = "\u0301\u0323\u0345\u0344\u3099\uff9e\u0f71\u05b0"


@given(text=st.text(st.sampled_from(MARKS + "aか\u1100\u1161"), min_size=90, max_size=300))
@settings(max_examples=100, deadline=None)
def test_long_runs_of_marks_get_the_librarys_form(text: str) -> None:
    """Sorting them first changes nothing."""
    assert normalized(text, "NFC") == unicodedata.normalize("NFC", text)
    assert normalized(text, "NFKC") == unicodedata.normalize("NFKC", text)


def test_a_million_marks_end() -> None:
    """The library alone sorts them in the square of their number: ten minutes, beyond the limit of a test."""
    found = mapped("a" + "\u0301\u0323" * 500_000)
    assert (found.begins[0], found.ends[0]) == (0, 2_000_001)
    assert not found.begins.any() and (found.ends == 2_000_001).all()


def test_characters_that_are_taken_in_strides_are_what_the_kernel_takes_them_for() -> None:
    """U+4000 to U+9FFF join nothing and have one character as form; up to U+FFFF no form is white space but a space."""
    table, kinds = folding(), classes()
    assert not table.joins[0x4000:0xA000].any()
    assert (table.folded[0x4000:0xA000] < EXPANDS).all()
    single = table.folded[0x3000:0x10000]
    single = single[single < EXPANDS]
    blank = (kinds[single] >= SPACE) & (kinds[single] <= BREAK)
    assert set(single[blank].tolist()) == {ord(" ")}
    assert not table.joins[:0x80].any()
    form = [table.folded[point] for point in range(0x20, 0x7F)]
    assert form == [ord(chr(point).lower()) for point in range(0x20, 0x7F)]


WORDS = (
    "The Wheel Turns",
    "水轮转了",
    "漢字",
    "か\u3099",
    "ﾊﾟ",
    "한국어",
    "\u1112\u1161",
    "ﬁ",
    "é",
    "e\u0301",
    "👍🏽",
    "[`@{]",
)
BETWEEN = ("，。", " ", "  ", "\n", "\r\n\t", "\x1c", "\x00", "\x7f", "\u3000", "\u200b", "a" * 31, "Z" * 33, "汉" * 11)
pieces = st.sampled_from(WORDS + BETWEEN)


@given(sample=st.lists(st.lists(pieces, max_size=30).map("".join), max_size=4))
@settings(max_examples=300, deadline=None)
def test_kernel_and_twin_agree_on_long_runs(sample: list[str]) -> None:
    """Runs of one kind, as long as the strides in which the kernel takes them, and longer; borders of all kinds."""
    agree(sample)
