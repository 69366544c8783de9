"""Lines that came before are taken out once, in order, whatever comes again and wherever the run was cut."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stages.any_session import check_any_session
from tests.stages.repeated_lines.plain_loop import Loop, Outcome

from headrace.schemas.errors import FormatError, HeadraceError
from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.apply import apply
from headrace.stages.base import OrderedState, ReplayDiffersError, RunContext
from headrace.stages.dedup_lines import DedupLines

MENU = "Home | News | Archive | All the people who write for us\nContact the editors of this site, or their lawyers\n"
SHORT = DedupLines(min_letters=1, max_seen_share=None)
STAGES = {
    "default": DedupLines(),
    "each line": SHORT,
    "in runs": DedupLines(min_letters=9, min_run_letters=14),
    "twice": DedupLines(min_letters=1, occurrences=2, max_seen_share=0.5),
    "copies": DedupLines(min_letters=1, spare=(), occurrences=2),
    "paragraphs": DedupLines(unit="paragraph", min_letters=9, min_run_letters=14, max_seen_share=0.6),
    "paragraphs, nothing spared": DedupLines(unit="paragraph", min_letters=1, spare=()),
}


def unit_of(number: int, texts: Sequence[str]) -> UnitBatch:
    ids = [f"d{number}.{i}" for i in range(len(texts))]
    columns = {"doc_id": pa.array(ids, pa.string()), "text": pa.array(texts, pa.large_string())}
    return UnitBatch(number, pa.table(columns))


def opened(stage: DedupLines, run: Path, committed: tuple[FileRef, ...] = (), first_unit: int = 0) -> OrderedState:
    return stage.open(RunContext(run, "dedup_lines", committed, first_unit))


def accept(stage: DedupLines, state: OrderedState, unit: UnitBatch) -> dict[str, Outcome]:
    """Settle a unit and give what became of each document, by its id."""
    batch, report = state.accept(apply("dedup_lines", stage, unit))
    assert report is None
    assert batch.counts[-1].balance == 0
    names = [f"values.seen_{stage.unit}s", f"values.seen_{stage.unit}_share"]
    assert batch.documents.column_names == [*unit.documents.column_names, *names]
    rows = [row for table in (batch.documents, *batch.settled) for row in table.to_pylist()]
    assert sorted(row["doc_id"] for row in rows) == sorted(unit.documents["doc_id"].to_pylist())
    found = {
        row["doc_id"]: Outcome(row["text"], row.get("reason"), row.get("survivor"), *(row[name] for name in names))
        for row in rows
    }
    return {name: found[name] for name in unit.documents["doc_id"].to_pylist()}


def looped(stage: DedupLines, units: Sequence[UnitBatch]) -> dict[str, Outcome]:
    loop = Loop(stage)
    rows = [row for unit in units for row in unit.documents.to_pylist()]
    return {row["doc_id"]: loop.outcome(row["doc_id"], row["text"]) for row in rows}


def kept(folder: Path, *texts: str, stage: DedupLines = SHORT) -> list[str | None]:
    """Give the texts of one unit afterwards, None for those that left."""
    outcomes = accept(stage, opened(stage, folder), unit_of(0, texts)).values()
    return [outcome.text if outcome.reason is None else None for outcome in outcomes]


LONG = ("那水渠从来不曾干涸，水轮转个不停", "a wheel of oak and iron that turns, and turns again")
LINES = (
    *LONG,
    "",
    "水轮转了",
    "水輪轉了",
    "渠道不干 ",
    "The wheel turns",
    "the  wheel turns\r",
    "oak",
    "| oak |",
    "```",
    "---",
    "ａ",
)


def random_units(seed: int, units: int, size: int) -> list[UnitBatch]:
    """Documents of a few lines each, most of which come from a small stock."""
    chance = random.Random(seed)
    made: list[str] = []
    for number in range(units * size):
        lines = [chance.choice((*LINES, f"number {chance.randrange(40)}")) for _ in range(chance.randrange(7))]
        made.append("\n".join([*lines, str(number)] if chance.random() < 0.3 else lines) + "\n" * chance.randrange(2))
    return [unit_of(i, made[i * size : (i + 1) * size]) for i in range(units)]


@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize("seed", range(3))
def test_texts_and_verdicts_are_those_of_a_plain_loop(name: str, seed: int, tmp_path: Path) -> None:
    """Every text, reason, survivor, count and share is what a loop over lines and documents gives."""
    units = random_units(seed, 12, 20)
    state = opened(STAGES[name], tmp_path)
    found = {k: v for unit in units for k, v in accept(STAGES[name], state, unit).items()}
    assert found == looped(STAGES[name], units)
    assert sum(outcome.taken > 0 and not outcome.reason for outcome in found.values()) > 1


texts = st.lists(st.sampled_from(LINES), max_size=6).map("\n".join)


@given(
    name=st.sampled_from(sorted(STAGES)),
    units=st.lists(st.lists(texts, max_size=5), min_size=1, max_size=6),
    data=st.data(),
)
@settings(max_examples=50, deadline=None)
def test_replays_flushes_and_restarts_change_nothing(
    name: str, units: list[list[str]], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Units come again, state is flushed and opened again anywhere: what becomes of documents stays the same."""
    stage, run = STAGES[name], tmp_path_factory.mktemp("run")
    batches = [unit_of(i, unit) for i, unit in enumerate(units)]
    check_any_session(
        data, batches, looped(stage, batches), partial(accept, stage), lambda *where: opened(stage, run, *where)
    )


@pytest.mark.parametrize(
    ("first", "second", "left"),
    [
        ("開放中文轉換\n甲", "开放中文转换\n乙", "乙"),  # traditional and simplified characters
        ("ＡＢＣ　１２３\n甲", "abc 123\n乙", "乙"),  # full width, case
        ("menu here\na", "  Menu\there  \nb", "b"),  # white space at the ends and within
        ("menu here\r\na", "menu here\nb", "b"),  # CRLF
        ("a\nmenu here", "b\nmenu here", "b\n"),  # a last line without a line feed
        ("a\nmenu here", "menu here\r\nb\r\n", "b\r\n"),
        ("menu\n\na", "\nmenu\n\n\nb\n", "\n\n\nb\n"),  # empty lines stay
        ("---\n}\n* *\na", "---\n}\n* *\nb", "---\n}\n* *\nb"),  # without letters: never
        ("ﬁne ①\na", "FINE 1\nb", "b"),
        ("cafe\u0301\na", "café\nb", "b"),
        ("no\u200bspace\na", "nospace\nb", "b"),
        ("很好\n甲", "很差\n乙", "很差\n乙"),
    ],
)
def test_lines_are_compared_as_views(first: str, second: str, left: str, tmp_path: Path) -> None:
    """Spelling, width and white space are no matter; what is left is byte for byte as it was."""
    assert kept(tmp_path, first, second) == [first, left]


def test_what_is_left_are_the_other_lines_byte_for_byte(tmp_path: Path) -> None:
    """Odd white space, zero-width characters and damage in lines that stay are not touched."""
    odd = "\ufeff \t一　行\u200b\r\n\ufffd\x0b\x85 x\u2028y\r\n  \r\n"
    assert kept(tmp_path, MENU, odd + MENU + odd.replace("一", "二")) == [MENU, odd + odd.replace("一", "二")]


def test_fenced_code_tables_and_refrains_are_spared(tmp_path: Path) -> None:
    """By default; without `spare` they go like any other line."""
    code = "```python\nimport numpy as np\nreturn number\n```\n"
    table = "| number of mills | in the valley |\n|---|---|\n"
    song = "row row row your boat\ngently down\nrow row row your boat\n"
    for text in (code, f"  ~~~\n{MENU}~~\n~~~~ \n", table, code[:-4] + MENU):
        assert kept(tmp_path / "spared", text + "one", text + "two") == [text + "one", text + "two"]
    assert kept(tmp_path / "song", song) == [song]
    stage = SHORT.model_copy(update={"spare": ()})
    assert kept(tmp_path / "all", table + "one", table + "two", stage=stage) == [table + "one", "|---|---|\ntwo"]
    assert kept(tmp_path / "refrain", song, stage=stage) == ["row row row your boat\ngently down\n"]
    assert kept(tmp_path / "behind", code + MENU, code + MENU + "x") == [code + MENU, code + "x"]


def test_a_refrain_of_another_text_goes_with_all_its_copies(tmp_path: Path) -> None:
    """Spared are copies of what a document has first; what came before is taken out wherever it stands."""
    assert kept(tmp_path, MENU + "one", MENU + "two\n" + MENU) == [MENU + "one", "two\n"]


def test_short_lines_go_only_with_others(tmp_path: Path) -> None:
    """A menu of short lines is long together, a line of code or a greeting alone is not; Han counts threefold."""
    stage = DedupLines(max_seen_share=None)
    menu = "Home\nProducts and services\n\n---\n首頁\n關於我們\n站内搜索和网站地图\n联系编辑部\n"
    menu += "How to help\n5\n"
    left = "\n---\na text of its own"
    assert kept(tmp_path / "a", menu + "one", menu + "a text of its own", stage=stage)[1] == left
    assert kept(tmp_path / "b", menu.replace("Home", "") + "one", menu + "two", stage=stage)[1] == "Home\n\n---\ntwo"
    shorter = menu.replace("Products and services\n", "")
    assert kept(tmp_path / "c", shorter + "one", menu + "two", stage=stage)[1] == menu + "two"
    assert kept(tmp_path / "f", "return number\none", "return number\ntwo", stage=stage)[1] == "return number\ntwo"
    chinese = "本站所有内容均来自互联网用户上传"
    assert kept(tmp_path / "d", chinese + "\n一", chinese + "\n二", stage=stage)[1] == "二"
    assert kept(tmp_path / "e", "你好，先生。\n一", "你好，先生。\n二", stage=stage)[1] == "你好，先生。\n二"


def test_paragraphs_go_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    """With the blank lines behind them; one changed line saves all of a paragraph."""
    stage = SHORT.model_copy(update={"unit": "paragraph"})
    notice = "This site uses cookies.\nRead more.\n\n\n"
    texts = kept(tmp_path, notice + "one\n", "two\n\n" + notice + "three", stage=stage)
    assert texts == [notice + "one\n", "two\n\nthree"]
    changed = notice.replace("more", "less")
    assert kept(tmp_path / "b", notice + "one", changed + "Two", stage=stage)[1] == changed + "Two"


def test_documents_that_have_hardly_anything_new_leave_and_say_whom_they_repeat(tmp_path: Path) -> None:
    """By share, with the document that has most of it; by being emptied where no share is asked for."""
    texts = [MENU + "short\n", "One line.\n" + "This one is the longest. " * 9 + "\n", "x" * 50 + "\n"]
    whole = "".join(texts[1:] + texts[:1])
    outcomes = accept(DedupLines(), opened(DedupLines(), tmp_path), unit_of(0, [*texts, whole, MENU]))
    assert outcomes["d0.3"] == Outcome(whole, "max_seen_share", "d0.1", 6, 1.0)
    assert outcomes["d0.4"] == Outcome(MENU, "max_seen_share", "d0.0", 2, 1.0)
    outcomes = accept(SHORT, opened(SHORT, tmp_path), unit_of(0, [*texts, "", "...", "...\n" + MENU]))
    assert [outcome.reason for outcome in outcomes.values()] == [None] * 5 + ["emptied"]
    assert outcomes["d0.5"].survivor == "d0.0"


def test_what_is_taken_out_stays_in_a_kept_document(tmp_path: Path) -> None:
    """A new line of a document that was dropped is not lost: the next one that has it keeps it, those behind do not."""
    stage = DedupLines(min_letters=1, max_seen_share=0.5)
    new = "a new line\n"
    units = [unit_of(i, [text]) for i, text in enumerate((MENU, MENU + new, new + "of one", new + "and of another"))]
    state = opened(stage, tmp_path)
    outcomes = [outcome for unit in units for outcome in accept(stage, state, unit).values()]
    assert [outcome.reason for outcome in outcomes] == [None, "max_seen_share", None, None]
    assert [outcome.text for outcome in outcomes[2:]] == [new + "of one", "and of another"]


@pytest.mark.parametrize("units", [1, 8])
@pytest.mark.parametrize("occurrences", [1, 2])
def test_a_line_that_many_dropped_documents_had_first_is_found_in_those_that_stay(
    occurrences: int, units: int, tmp_path: Path
) -> None:
    """However many leave with a line, as many as may keep it do, and those behind them lose it."""
    stage = DedupLines(min_letters=40, occurrences=occurrences)
    page = "".join(f"Paragraph {i} of a long page about water mills in valley {i}\n" for i in range(20))
    footer = "Subscribe to our letters to hear of each new mill in your valley\n"
    own = [f"Only this document says {i * 7919} and {i * 104729}, and nobody else\n" for i in range(6)]
    texts = [page] * occurrences + [page + footer] * 4 + [line + footer for line in own]
    size = len(texts) // units + 1
    batches = [unit_of(i, texts[i * size : (i + 1) * size]) for i in range(units)]
    state = opened(stage, tmp_path)
    outcomes = [outcome for batch in batches for outcome in accept(stage, state, batch).values()]
    assert [outcome.reason for outcome in outcomes] == [None] * occurrences + ["max_seen_share"] * 4 + [None] * 6
    kept = own[occurrences:]
    assert [outcome.text for outcome in outcomes[-len(kept) :]] == kept
    assert [outcome.text for outcome in outcomes[-6 : -len(kept)]] == [line + footer for line in own[:occurrences]]


def test_a_replay_that_would_keep_other_lines_is_refused(tmp_path: Path) -> None:
    """If a unit comes again with another new line, ReplayDiffersError is raised; out of order, HeadraceError."""
    state = opened(SHORT, tmp_path)
    accept(SHORT, state, unit_of(0, ["the wheel\nturns"]))
    with pytest.raises(ReplayDiffersError, match="unit 0 came again"):
        accept(SHORT, state, unit_of(0, ["the wheel\nstops"]))
    with pytest.raises(HeadraceError, match="out of order"):
        accept(SHORT, state, unit_of(2, ["late"]))


@pytest.mark.parametrize("part", ["dedup_lines-", "dedup_lines.seen2-", "dedup_lines.documents-"])
@pytest.mark.parametrize("harm", ["cut", "changed", "gone"])
def test_a_harmed_index_file_is_refused(part: str, harm: str, tmp_path: Path) -> None:
    """A file that is cut, changed or gone is named by the error."""
    stage = STAGES["twice"]
    state = opened(stage, tmp_path)
    for number, text in enumerate(("one\ntwo", "one\ntwo\nthree", "two")):
        accept(stage, state, unit_of(number, [text]))
    refs = state.flush(2)
    (ref,) = [ref for ref in refs if ref.name.startswith(f"index/{part}")]
    path = tmp_path / ref.name
    data = path.read_bytes()
    path.write_bytes(data[:-9] if harm == "cut" else data[:200] + bytes([data[200] ^ 1]) + data[201:])
    if harm == "gone":
        path.unlink()
    with pytest.raises(FormatError, match=ref.name):
        opened(stage, tmp_path, refs, 3)


def test_another_option_is_another_index(tmp_path: Path) -> None:
    """Files that were written with other options are refused."""
    state = opened(SHORT, tmp_path)
    accept(SHORT, state, unit_of(0, ["one"]))
    with pytest.raises(FormatError, match="options"):
        opened(SHORT.model_copy(update={"min_letters": 2}), tmp_path, state.flush(0), 1)
