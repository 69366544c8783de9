"""Which lines are left alone, asked for and taken out: the kernels beside plain Python."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from tests.stages.repeated_lines import plain_loop

from headrace.schemas.arrays import text_buffers
from headrace.stages.dedup_lines import DedupLines
from headrace.stages.kernels.line_fates import EMPTIED, SHARE, STAYS, ask_once, decide_lines, spared_lines
from headrace.stages.kernels.lines import line_bounds
from headrace.stages.repeated_lines.pieces import cut

LINES = ("", "a", "|", " \t| b", "```", "````", "~~~", "``", "``` x", "  ```` \r", "~~~~ y", "清")
texts = st.lists(st.lists(st.sampled_from(LINES), max_size=9).map("\n".join), max_size=4)


@given(texts=texts, code=st.booleans(), tables=st.booleans())
def test_spared_lines_are_those_of_the_plain_twin(texts: list[str], code: bool, tables: bool) -> None:  # noqa: FBT001
    """Fences of both signs, longer and shorter ones, with words behind them and open to the end; rows of tables."""
    data, offsets = text_buffers(pa.array(texts, pa.large_string()))
    stage = DedupLines.model_validate({"spare": ["code"] * code + ["tables"] * tables})
    expected = [spare for text in texts for spare in plain_loop.cut(text, stage)[1]]
    assert spared_lines(data, *line_bounds(data, offsets), code, tables).tolist() == expected


@given(texts=texts)
def test_paragraphs_are_those_of_the_plain_twin(texts: list[str]) -> None:
    """Every byte is in one piece, and no piece reaches over the end of its document."""
    data, offsets = text_buffers(pa.array(texts, pa.large_string()))
    pieces = cut(data, offsets, "paragraph")
    found = [bytes(data[begin:end]).decode() for begin, end in zip(pieces.bounds[:-1], pieces.bounds[1:], strict=True)]
    expected = [plain_loop.cut(text, DedupLines(unit="paragraph"))[0] for text in texts]
    assert found == [piece for document in expected for piece in document]
    assert np.diff(pieces.firsts).tolist() == [len(document) for document in expected]


sizes = st.lists(st.integers(0, 9), max_size=5)


@given(sizes=sizes, each=st.booleans(), data=st.data())
def test_lines_are_numbered_by_their_keys(sizes: list[int], each: bool, data: st.DataObject) -> None:  # noqa: FBT001
    """A different key once a document, or every line; keys that share one half are two."""
    firsts, total = np.cumsum([0, *sizes]), sum(sizes)
    pairs = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=total, max_size=total)
    keys = np.array(data.draw(pairs), np.uint64).reshape(total, 2)
    asked = np.array(data.draw(st.lists(st.booleans(), min_size=total, max_size=total)), np.bool_)
    numbers, lines, begins = ask_once(keys, firsts, asked, each)
    for document in range(len(sizes)):
        known: dict[object, int] = {}
        for line in range(firsts[document], firsts[document + 1]):
            key = line if each else tuple(keys[line])
            expected = known.setdefault(key, len(known)) if asked[line] else -1
            assert numbers[line] == expected
            assert expected < 0 or (keys[lines[begins[document] + expected]] == keys[line]).all()
        assert begins[document + 1] - begins[document] == len(known)
    assert len(lines) == begins[-1]


@given(sizes=sizes, data=st.data(), occurrences=st.integers(1, 3), most=st.sampled_from([0.0, 0.5, 1.0, 2.0]))
def test_lines_and_documents_are_decided_as_in_the_plain_twin(
    sizes: list[int], data: st.DataObject, occurrences: int, most: float
) -> None:
    """By who had a line and stays, by letters alone and in a row, document after document; who leaves has no line."""
    first, total, firsts = 3, sum(sizes), np.cumsum([0, *sizes])
    letters = np.array(data.draw(st.lists(st.integers(-1, 6), min_size=total, max_size=total)), np.int64)
    wanted = np.array([data.draw(st.booleans()) and count > 0 for count in letters], np.bool_)
    numbers = np.full(total, -1, np.int32)
    for begin, end in itertools.pairwise(firsts):
        numbers[begin:end][wanted[begin:end]] = np.arange(wanted[begin:end].sum())
    begins = np.concatenate([[0], np.cumsum(wanted)])[firsts]
    same = np.array(data.draw(st.lists(st.integers(0, 4), min_size=total, max_size=total)), np.int32)
    before = [sorted(data.draw(st.sets(st.integers(0, first - 1), max_size=occurrences))) for _ in range(5)]
    had, standing = [list(each) for each in before], np.array([len(each) for each in before], np.int32)
    heads = np.array([each[0] if each else -1 for each in before], np.int64)
    taken, holders, fates, shares, levels = decide_lines(
        numbers, letters, firsts, begins, same, standing, heads, first, occurrences, 4, 7, most
    )
    for document in range(len(sizes)):
        found: list[str | None] = []
        mine: dict[int, tuple[int, int]] = {}
        for line in range(firsts[document], firsts[document + 1]):
            row = int(begins[document] + numbers[line])
            others = had[same[row]] + [first + document for key, _ in mine.values() if key == same[row]]
            if wanted[line]:
                assert holders[row] == next(iter(others), -1)
                if len(others) < occurrences:
                    mine[row] = (int(same[row]), len(others))
            found.append(("yes" if len(others) >= occurrences else "") if wanted[line] else None)
        part = letters[firsts[document] : firsts[document + 1]]
        expected = plain_loop.runs(found, part.tolist(), DedupLines(min_letters=4, min_run_letters=7))
        assert np.flatnonzero(taken[firsts[document] : firsts[document + 1]]).tolist() == sorted(expected)
        out, all_ = sum(int(part[line]) for line in expected), int(np.maximum(part, 0).sum())
        assert shares[document] == out / max(all_, 1)
        fate = SHARE if out and shares[document] > most else EMPTIED if out and out == all_ else STAYS
        assert fates[document] == fate
        entered = mine if fate == STAYS else {}
        for row in range(begins[document], begins[document + 1]):
            assert levels[row] == (entered[row][1] if row in entered else -1)
        for key, _ in entered.values():
            had[key].append(first + document)
    assert standing.tolist() == [len(each) for each in had]
    assert heads.tolist() == [next(iter(each), -1) for each in had]
