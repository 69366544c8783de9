"""Each kernel of repair gives what its plain twin gives, for any text."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from headrace.schemas.arrays import text_array, text_buffers
from headrace.stages.kernels import repair_plain as plain
from headrace.stages.kernels.characters import CODE_POINTS
from headrace.stages.kernels.repair_look_alikes import replace_look_alikes
from headrace.stages.kernels.repair_plausibility import most_suspicion, weigh
from headrace.stages.kernels.repair_scan import LINE_BYTES, MOJIBAKE, scan, suspicious_lines
from headrace.stages.kernels.repair_scrub import scrub
from headrace.stages.kernels.repair_tables import COLUMN_OF_FATE, COLUMNS, fates, roles
from headrace.stages.repairing.han_frequency import code_points, tables_of_weigh
from headrace.stages.repairing.look_alikes import forms, surroundings
from headrace.stages.repairing.suspicion import signals

# What the kernels treat apart, so that random text meets it often.
ODD = (
    "\t\n\r\v\f\x85\u2028\x00\x07\x1b[]m;\\\x7f\x9b\xad\u200b\u200c\u200d\u2060\ufeff\u202e\u2066\u200e\u200f\u061c"
    "\ufe0f\U000e0100\U000e0041\U0001f3f4\U0001f468\ue000\ufffe\ufdd0\u0301\u093c\u094d\u0e01\u0e48\u0627\u05d0"
    "中国數的⼀⼁⼂⼃水⽔⺟⻓，豈\U0002f800\ufa6c鍖椾含浣犲ソ笢€ÖÐ¹úÃ¤Â§â’œŒ (ùùa)ab "
)
texts = st.text(st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs"])), max_size=60)


@given(st.lists(texts, max_size=4), st.sampled_from([0, 1]), st.integers(0, 3))
@example(["\x1b[31mred\x1b[0m \x1b]0;t\x07x\x1b]8;;u\x1b\\y\x1b[\x1b["], False, 1)
@example(["r\x1b[0m\f\x7fe\0\v\0\v\x1b", "水\0\v\v\0车\0\r\0 \0\f\0", "a\0\u200b\f\0b\0\u0301\f\0"], 0, 1)
@example(["e" + "\u0301" * 9 + "\u200d\u0301e\u0301"], 1, 3)
@settings(max_examples=150, deadline=None)
def test_scrub(documents: list[str], directed: int, most: int) -> None:
    """Texts and counts of the scrub kernel are those of the twin."""
    columns = np.array(COLUMN_OF_FATE, np.int32)
    flags = np.full(len(documents), directed == 1)
    data, offsets, counts = scrub(
        *text_buffers(pa.array(documents, pa.large_string())), fates(), roles(), columns, flags, most
    )
    expected = [plain.scrub(text, fates(), roles(), directed=directed == 1, most_marks=most) for text in documents]
    assert text_array(data, offsets).to_pylist() == [text for text, _ in expected]
    assert counts.tolist() == [[found[column] for column in range(len(COLUMNS))] for _, found in expected]


@given(st.lists(texts, max_size=4))
@settings(max_examples=100, deadline=None)
def test_look_alikes(documents: list[str]) -> None:
    """Texts and counts of the look-alike kernel are those of the twin."""
    buffers = text_buffers(pa.array(documents, pa.large_string()))
    data, offsets, counts = replace_look_alikes(*buffers, forms(), surroundings())
    expected = [plain.replace_look_alikes(text, forms(), surroundings()) for text in documents]
    assert text_array(data, offsets).to_pylist() == [text for text, _ in expected]
    assert counts.tolist() == [count for _, count in expected]


@given(st.lists(texts, max_size=4), st.integers(0, 3))
@example(["一(yī)二(èr)三(sān)", "x(y)(ù)(abc)a(ù)a(ù)a(ù)"], 1)
@settings(max_examples=150, deadline=None)
def test_scan(documents: list[str], most: int) -> None:
    """The bits of each document are those of the twin, and suspicious lines are those with the bit."""
    buffers = text_buffers(pa.array(documents, pa.large_string()))
    assert scan(*buffers, signals(), most).tolist() == [plain.scan(text, signals(), most) for text in documents]
    rows = suspicious_lines(*buffers, signals()).tolist()
    found = [(document, buffers[0][begin:end].tobytes().decode()) for document, begin, end in rows]
    expected = [
        (number, line)
        for number, text in enumerate(documents)
        for line in [part + "\n" for part in text.split("\n")[:-1]] + text.split("\n")[-1:]
        if plain.line_bits(line, signals(), most) & MOJIBAKE
    ]
    assert found == expected


def test_a_long_line_is_looked_at_in_pieces() -> None:
    """A line without end costs its length: it is cut at a space, or at a hard limit, and between characters."""
    text = "鍖椾含" * 200_000 + " " + "ÖÐ¹ú " * 50_000
    data, offsets = text_buffers(pa.array([text], pa.large_string()))
    rows = suspicious_lines(data, offsets, signals()).tolist()
    assert max(end - begin for _, begin, end in rows) <= 2 * LINE_BYTES + 4
    assert "".join(data[begin:end].tobytes().decode() for _, begin, end in rows) == text


def test_tables_cover_every_code_point() -> None:
    """Every code point has a fate and a role, and none that spells words is removed."""
    assert len(fates()) == len(roles()) == len(signals().points) == CODE_POINTS
    kept = "abc é 中 漢 𠀋 あ ア 가 ก ا א क 👍 € ， 。 “ ” … — \t\n"
    assert not any(fates()[ord(c)] for c in kept)


@given(st.one_of(texts, st.text("中国人民學习的水车引渠石磨，a", max_size=40)), st.sampled_from([0.0, 1.5, 6.0]))
@example("", 1.5)
@example("中国人民􏿿中国", 1.5)
@settings(max_examples=150, deadline=None)
def test_weigh(text: str, known: float) -> None:
    """How plausible a text is as Chinese: sums of the same nats, the same characters and pairs."""
    nats, han, pairs = weigh(code_points(text), tables_of_weigh(), known)
    expected = plain.weigh(list(map(ord, text)), tables_of_weigh(), known)
    assert (han, pairs) == expected[1:]
    assert nats == pytest.approx(expected[0], abs=1e-9)


@given(
    st.text(
        st.one_of(st.sampled_from("鍖椾含浣犲ソ笢€ÖÐ¹ú中国 a\n"), st.characters(exclude_categories=["Cs"])), max_size=30
    )
)
@example("")
@settings(max_examples=150, deadline=None)
def test_most_suspicion(text: str) -> None:
    """The most suspicious stretch is that of all stretches."""
    assert most_suspicion(code_points(text), signals().points) == plain.most_suspicion(
        list(map(ord, text)), signals().points
    )
