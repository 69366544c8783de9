"""Characters of a text found again in the bytes of its record, written as they are or otherwise, or not claimed."""

from __future__ import annotations

import html
import json
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.pipeline.tracing.finding import find
from headrace.pipeline.tracing.span import Span


def at(text: str, piece: str, number: int = 0) -> Span:
    """Give the span of the numbered occurrence of a piece."""
    begin = -1
    for _ in range(number + 1):
        begin = text.index(piece, begin + 1)
    return Span(begin, begin + len(piece))


@pytest.mark.parametrize(
    ("content", "text", "span", "expected"),
    [
        (b"the mill wheel", "the mill wheel", at("the mill wheel", "mill"), b"mill"),
        ("水渠磨坊石头".encode("gb18030"), "水渠磨坊石头", Span(2, 3), "磨".encode("gb18030")),
        (b'{"text": "a \\"mill\\"\\nwheel"}', 'a "mill"\nwheel', at('a "mill"\nwheel', '"', 1), b'\\"'),
        (b'{"text": "\\u6c34\\u6e20 and mill"}', "水渠 and mill", Span(1, 2), b"\\u6e20"),
        (b"<p>the mill\n   wheel turns</p>", "the mill wheel turns", at("the mill wheel turns", "wheel"), b"wheel"),
        (b"<p>the mill\n   wheel turns</p>", "the mill wheel turns", Span(8, 9), b"\n   "),
        (b"<p>the mill\n \n wheel turns</p>", "the mill\n wheel turns", Span(8, 9), None),
        (b"<p>mill &amp; wheel, 3 &lt; 4</p>", "mill & wheel, 3 < 4", Span(5, 6), b"&amp;"),
        (b"<p>f&uuml;r die M&#252;hle, f&#xFC;r uns</p>", "für die Mühle, für uns", Span(9, 10), b"&#252;"),
        (b"<b>the mill</b> and <i>the wheel</i>", "the mill and the wheel", Span(4, 8), b"mill"),
        (b"<b>a mill</b> and <i>the wheel</i>", "the mill and the wheel", Span(4, 8), None),
        (b"<b>a windy old mill</b> and more", "a windy old mill and more", at("a windy old mill", "old"), b"old"),
        (b"a mask for a@example.org here", "a mask for <mail> here", at("a mask for <mail> here", "mail"), None),
        (b"you wear a mask for a@example.org", "you wear a mask for <mail>", at("you wear a mask", "mask"), b"mask"),
        ("a mill, \ufeffa wheel".encode("utf-16-le"), "a mill, \ufeffa wheel", Span(2, 6), "mill".encode("utf-16-le")),
        (b"short", "short", Span(0, 1), b"s"),
        (b"anything", "text", Span(0, 1), None),
        (b"mill wheel", "mill wheel", Span(0, 4), b"mill"),
    ],
)
def test_what_is_found(content: bytes, text: str, span: Span, expected: bytes | None) -> None:
    """A token in plain text, in JSON, in markup with other white space and entities; nothing where it was changed."""
    encoding = "gb18030" if expected == "磨".encode("gb18030") else "utf-16-le" if b"m\0" in content else "utf-8"
    found = find(content, text, span, encoding)
    assert (content[slice(*found)] if found else None) == expected


def test_the_same_line_again_and_again() -> None:
    """A stretch that the bytes hold as often as the text is told apart by its turn."""
    lines = ["la la la la la"] * 4
    text, content = "\n".join(lines), "\r\n".join(lines).encode()
    for number in range(4):
        found = find(content, text, Span(number * 15, number * 15 + 2), "utf-8")
        assert found == (number * 16, number * 16 + 2)


@pytest.mark.parametrize(
    "content", [b"the mill wheel; the mill wheel", b"<title>the mill wheel</title><p>the mill wheel</p>"]
)
def test_which_of_several(content: bytes) -> None:
    """What the bytes hold more often than the text is not claimed."""
    assert find(content, "the mill wheel", Span(4, 8), "utf-8") is None


@pytest.mark.parametrize("encoding", ["no-such-charset", "ascii"])
def test_charsets_that_cannot_write_it(encoding: str) -> None:
    """A charset that Python does not know, or that lacks a character, finds nothing and breaks nothing."""
    assert find("水渠磨坊石头粮食".encode(), "水渠磨坊石头粮食", Span(1, 2), encoding) is None


_TEXTS = st.text(st.sampled_from('ab 水渠\n"\\<>&é.'), min_size=8, max_size=60)


def in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def in_ascii_json(text: str) -> str:
    return json.dumps(text)[1:-1]


@given(_TEXTS, st.sampled_from([str, in_json, in_ascii_json]), st.sampled_from(["utf-8", "gb18030"]), st.data())
def test_every_character_of_an_unchanged_text(
    text: str, write: Callable[[str], str], encoding: str, data: st.DataObject
) -> None:
    """In a record that holds the text once, as it is or escaped, each character is found at its own bytes."""
    begin = data.draw(st.integers(0, len(text) - 1))
    front = "{[" + "".join(map(write, text[:begin]))
    token = write(text[begin])
    content = (front + token + "".join(map(write, text[begin + 1 :])) + "]}").encode(encoding)
    at = len(front.encode(encoding))
    assert find(content, text, Span(begin, begin + 1), encoding) == (at, at + len(token.encode(encoding)))


@given(_TEXTS, st.data())
def test_characters_in_markup(text: str, data: st.DataObject) -> None:
    """What is found in markup means the character: itself, its entity, or white space for white space."""
    begin = data.draw(st.integers(0, len(text) - 1))
    content = f"<p>{html.escape(text)}</p>".encode()
    found = find(content, text, Span(begin, begin + 1), "utf-8")
    if found is not None:
        meant = html.unescape(content[slice(*found)].decode())
        assert meant == text[begin] or (meant.isspace() and text[begin].isspace())


def test_long_texts() -> None:
    """A token in the middle of a megabyte is found at its own place."""
    rng = random.Random(1)
    text = "".join(rng.choices("水渠磨坊 mill", k=400_000))
    content = f"<{text}>".encode()
    found = find(content, text, Span(200_000, 200_003), "utf-8")
    assert found == (1 + len(text[:200_000].encode()), 1 + len(text[:200_003].encode()))
