from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.pipeline.dups.repeating_runs import english
from tests.pipeline.earlier.weeks import Weeks

from headrace.pipeline import committed as committed_runs
from headrace.pipeline.committed import Committed, open_committed, read_columns
from headrace.pipeline.dups import compared, texts
from headrace.pipeline.dups.asked import Asked, look
from headrace.pipeline.dups.places import files_of, places_of
from headrace.pipeline.dups.texts import Elsewhere, texts_elsewhere
from headrace.pipeline.explain import find
from headrace.pipeline.report import write_report

LINES = [english(number, 30) for number in range(40)]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An earlier run, and one whose documents all repeat one of it."""
    folder = tmp_path_factory.mktemp("elsewhere")
    weeks = Weeks(folder)
    weeks.write_weeks([LINES, LINES])
    weeks.run("old", ["week0"])
    weeks.run("new", ["week1"], ["old"])
    return folder / "runs"


def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count how often an earlier run is opened, and each of its ledgers is read."""
    counts: Counter[str] = Counter()

    def watch(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def called(*arguments: object) -> object:
            counts[name] += 1
            return function(*arguments)

        return called

    monkeypatch.setattr(texts, "open_committed", watch("open", open_committed))
    monkeypatch.setattr(committed_runs, "read_ledger", watch("ledger", committed_runs.read_ledger))
    return counts


@pytest.mark.parametrize("diff", [True, False])
def test_an_earlier_run_is_searched_once_for_all_survivors_of_a_portion(
    runs: Path, monkeypatch: pytest.MonkeyPatch, *, diff: bool
) -> None:
    """However many clusters have theirs in it: it is opened once, and each ledger is read once; all texts are there."""
    answer = look(runs / "new", Asked())
    counts, ledgers = counted(monkeypatch), len([*open_committed(runs / "old").ledgers()])
    counts.clear()
    parts = list(compared.compared(answer.reader, None, diff=diff, excerpts=not diff))
    assert sorted(str(part.text.text) for part in parts) == sorted(LINES)
    assert ledgers > 5
    assert counts == {"open": 1, "ledger": ledgers}


def test_the_report_searches_it_once_too(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five examples have their survivors there."""
    counts = counted(monkeypatch)
    examples = write_report(runs / "new")["duplicates"]["dedup"]["examples"]
    assert {example["excerpt"] for example in examples} <= {line[:120] for line in LINES}
    assert (len(examples), counts["open"]) == (5, 1)


def test_documents_are_found_where_explain_finds_them(runs: Path) -> None:
    """All at once as one by one; one that is not there is left out."""
    old = open_committed(runs / "old")
    ids = [str(name) for _, path in old.documents() for name in read_columns(path, ["doc_id"])["doc_id"].to_pylist()]
    found = places_of(old, [*ids, "a:week0.txt#99999", "b:other#0"])
    one_by_one = {doc_id: find(old, doc_id) for doc_id in ids}
    assert found == {doc_id: (place.unit, place.row) for doc_id, place in one_by_one.items() if place is not None}
    assert len(found) == len(LINES)


def test_documents_of_files_that_no_ledger_names_are_found(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in runs that began with what another run had stored."""
    old = open_committed(runs / "old")
    expected = places_of(old, ["a:week0.txt#0"])
    monkeypatch.setattr(Committed, "ledgers", lambda _: iter(()))
    assert places_of(old, ["a:week0.txt#0"]) == expected


def test_every_name_that_may_be_a_documents_file_is_tried() -> None:
    """Files and members of archives may have the signs in their names that stand behind them."""
    assert {"web:a#1.zip", "web:a#1.zip!b!c.txt"} <= {*files_of("web:a#1.zip!b!c.txt#7")}
    assert [*files_of("web:a")] == ["web:a"]


def test_what_an_earlier_run_has_not_is_said_of_each(runs: Path, tmp_path: Path) -> None:
    """One that is gone, one without the document."""
    new, gone = open_committed(runs / "new"), Elsewhere(str(tmp_path / "gone"), "a:1#0")
    missing, there = Elsewhere("runs/old", "a:none#0"), Elsewhere("runs/old", "a:week0.txt#0")
    found = texts_elsewhere(new, [gone, missing, there])
    assert found[gone].why == f"{tmp_path / 'gone'} is not there; was it moved?"
    assert found[missing].why == "runs/old does not have it any more"
    assert found[there].text == LINES[0]


def test_a_damaged_file_of_an_earlier_run_costs_its_own_texts_alone(runs: Path) -> None:
    """Those of the other units are given."""
    old, wanted = open_committed(runs / "old"), [Elsewhere("runs/old", f"a:week0.txt#{at}") for at in _offsets()]
    damaged = next(path for _, path in old.documents())
    whole = texts_elsewhere(open_committed(runs / "new"), wanted)
    content, column = damaged.read_bytes(), _column_of(damaged, "text")
    try:
        damaged.write_bytes(content[: column[0]] + b"\xff" * (column[1] - column[0]) + content[column[1] :])
        found = texts_elsewhere(open_committed(runs / "new"), wanted)
    finally:
        damaged.write_bytes(content)
    lost = [each for each in wanted if found[each].text is None]
    assert 0 < len(lost) < len(wanted)
    assert all(found[each].why.startswith("runs/old cannot be read: ") for each in lost)
    assert all(found[each] == whole[each] for each in wanted if each not in lost)


def _offsets() -> list[int]:
    return [sum(len(line) + 1 for line in LINES[:number]) for number in range(len(LINES))]


def _column_of(path: Path, name: str) -> tuple[int, int]:
    """Say where the bytes of a column are."""
    group = pq.read_metadata(path).row_group(0)
    column = next(group.column(n) for n in range(group.num_columns) if group.column(n).path_in_schema == name)
    begin = column.dictionary_page_offset or column.data_page_offset
    return begin, begin + column.total_compressed_size
