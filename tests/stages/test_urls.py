"""Documents leave by where they come from: listed, not allowed, without an address, or with one that was there."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.apply import apply
from headrace.stages.base import OrderedState, RunContext
from headrace.stages.urls import Urls

TableOf = Callable[..., pa.Table]
Rows = dict[str, dict[str, Any]]


def opened(stage: Urls, run: Path, committed: tuple[FileRef, ...] = (), first_unit: int = 0) -> OrderedState:
    return stage.open(RunContext(run, "urls", committed, first_unit))


def accepted(stage: Urls, state: OrderedState, number: int, table: pa.Table) -> Rows:
    """Settle one unit; give every document's row by its id."""
    batch, report = state.accept(apply("urls", stage, UnitBatch(number, table)))
    assert report is None
    assert not [name for name in batch.documents.column_names if name.startswith("_")]
    assert batch.counts[-1].balance == 0
    return {row["doc_id"]: row for part in (batch.documents, *batch.settled) for row in part.to_pylist()}


def settled(stage: Urls, run: Path, urls: Sequence[str | None], table_of: TableOf) -> list[dict[str, Any]]:
    table = table_of(["text"] * len(urls), url=list(urls))
    rows = accepted(stage, opened(stage, run), 0, table)
    return [rows[doc_id] for doc_id in table["doc_id"].to_pylist()]


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    for name, text in {"block": "bad.example\nforum.example/board\n", "allow": "forum.example\ngood.example\n"}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_lists_decide_and_say_which_entry_it_was(lists: Path, table_of: TableOf) -> None:
    """Blocked by domain or page with list and entry; exempt pages stay; what no allow list names goes."""
    (lists / "spare").write_text("kind.bad.example\n")
    stage = Urls(
        block={"mine": str(lists / "block")},
        exempt={"spare": str(lists / "spare")},
        allow={"ours": str(lists / "allow"), "kind": str(lists / "spare")},
    )
    urls = [
        "http://x.bad.example/",
        "http://forum.example/board/1",
        "http://kind.bad.example/1",
        "http://forum.example/",
        "http://else.example/",
        None,
        "no address",
    ]
    rows = settled(stage, lists, urls, table_of)
    assert [(row.get("reason"), row.get("detail")) for row in rows] == [
        ("domain_blocked", "list mine: bad.example"),
        ("url_blocked", "list mine: forum.example/board"),
        (None, None),
        (None, None),
        ("url_not_allowed", "else.example"),
        (None, None),
        (None, None),
    ]
    assert [row["values.url_blocked"] for row in rows] == [1, 1, 0, 0, 0, None, None]
    assert [row["values.url_allowed"] for row in rows] == [0, 1, 1, 1, 0, None, None]
    assert [row["values.url_valid"] for row in rows] == [1, 1, 1, 1, 1, None, 0]
    assert (rows[0]["value"], rows[0]["threshold"], rows[0]["stage"]) == (1, 1, "urls")


def test_documents_without_an_address_stay_or_go(tmp_path: Path, table_of: TableOf) -> None:
    """By option; they repeat nobody."""
    urls = [None, None, "", "no address", "http://a.example/"]
    assert [row.get("reason") for row in settled(Urls(), tmp_path, urls, table_of)] == [None] * 5
    dropped = settled(Urls(without_url="drop"), tmp_path, urls, table_of)
    assert [row.get("reason") for row in dropped] == ["no_url"] * 4 + [None]


def test_the_first_of_each_address_stays(tmp_path: Path, table_of: TableOf) -> None:
    """Later spellings of it go, and name the survivor; without `once` all stay."""
    urls = ["http://a.example/x?utm_source=1", "https://www.a.example/x", "http://a.example/X", "http://A.example/x#y"]
    rows = settled(Urls(), tmp_path, urls, table_of)
    assert [row.get("reason") for row in rows] == [None, "url_repeated", None, "url_repeated"]
    assert [row.get("survivor") for row in rows] == [None, "test:a.txt#0", None, "test:a.txt#0"]
    assert [row["url"] for row in rows] == urls
    assert [row.get("reason") for row in settled(Urls(once=False), tmp_path, urls, table_of)] == [None] * 4


def test_a_blocked_document_is_no_survivor(tmp_path: Path, table_of: TableOf) -> None:
    """Of what a list takes out nothing is remembered: the index holds one address."""
    (tmp_path / "block").write_text("a.example/x?v=1\n")
    stage = Urls(block={"mine": str(tmp_path / "block")}, drop_parameters=("w",))
    state = opened(stage, tmp_path)
    accepted(
        stage, state, 0, table_of(["t"] * 3, url=["http://a.example/x?v=1", "http://a.example/x?v=1", "http://b/"])
    )
    (ref,) = state.flush(0)
    with pa.OSFile(str(tmp_path / ref.name)) as source, pa.ipc.open_file(source) as reader:
        assert reader.read_all()["doc_id"].to_pylist() == ["test:a.txt#2"]


def test_canonicalize_rewrites_the_column(tmp_path: Path, table_of: TableOf) -> None:
    """Only by option, and only what is an address."""
    urls = ["HTTP://A.example:80/x/../y?b=1&a=2#z", "no address", None]
    rows = settled(Urls(canonicalize=True), tmp_path, urls, table_of)
    assert [row["url"] for row in rows] == ["http://a.example/y?a=2&b=1", "no address", None]


@pytest.mark.parametrize("seed", range(4))
def test_any_cut_any_replay_and_any_resume_give_the_verdicts_of_a_plain_loop(
    seed: int, tmp_path: Path, table_of: TableOf
) -> None:
    """Units come again, the state is flushed and opened anew: the answer is that of one dictionary over all rows."""
    chance = random.Random(seed)
    units = [
        table_of(["t"] * 6, url=[f"http://a.example/{chance.randrange(12)}" for _ in range(6)]).set_column(
            0, "doc_id", pa.array([f"d{number}.{row}" for row in range(6)])
        )
        for number in range(8)
    ]
    first: dict[str, str] = {}
    wanted = {
        row["doc_id"]: None if (kept := first.setdefault(row["url"], row["doc_id"])) == row["doc_id"] else kept
        for unit in units
        for row in unit.to_pylist()
    }
    stage, committed, state = Urls(), [], opened(Urls(), tmp_path)
    for number, unit in enumerate(units):
        rows = accepted(stage, state, number, unit)
        assert {doc_id: row.get("survivor") for doc_id, row in rows.items()} == {i: wanted[i] for i in rows}
        if chance.random() < 0.5:
            assert accepted(stage, state, number, unit) == rows
        if chance.random() < 0.5:
            committed += state.flush(number)
            state = opened(stage, tmp_path, tuple(committed), number + 1)
