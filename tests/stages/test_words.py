"""Words of lists are counted for every document, and too many of them drop it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pydantic import ValidationError

from headrace.schemas.unit import UnitBatch
from headrace.stages.apply import apply
from headrace.stages.wordlists.options import WordList
from headrace.stages.words import Words

TableOf = Callable[..., pa.Table]
TEXTS = ["dice " * 3 + "x" * 985, "dice, 骰子, 輪盤", "nothing of it", "mud " * 6]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "games.txt").write_text("dice\t0.5\n骰子\n轮盘\n", encoding="utf-8")
    (tmp_path / "rude.txt").write_text("mud\n", encoding="utf-8")
    return tmp_path


def rows(stage: Words, table: pa.Table) -> list[dict[str, Any]]:
    batch = apply("words", stage, UnitBatch(0, table))
    found = [row for part in (batch.documents, *batch.settled) for row in part.to_pylist()]
    return sorted(found, key=lambda row: str(row["doc_id"]))


def test_a_list_without_bounds_is_counted_alone(folder: Path, table_of: TableOf) -> None:
    """Matches, different words, and matches per 1,000 characters by weight, for every document."""
    found = rows(Words.model_validate({"lists": {"games": str(folder / "games.txt")}}), table_of(TEXTS))
    assert [row["values.words_games"] for row in found] == [3, 3, 0, 0]
    assert [row["values.words_games_distinct"] for row in found] == [1, 3, 0, 0]
    assert [row["values.words_games_per_thousand"] for row in found] == pytest.approx([1.5, 2500 / 12, 0, 0])
    assert not any(row.get("reason") for row in found)


@pytest.mark.parametrize(
    ("bounds", "dropped"),
    [
        ({"max_per_thousand": 1.5}, {1: "matches per 1,000 characters: dice 1, 轮盘 1, 骰子 1"}),
        ({"max_per_thousand": 1.4}, {0: "matches per 1,000 characters: dice 3", 1: "matches per"}),
        ({"max_distinct": 2}, {1: "different words: dice 1"}),
        ({"max_per_thousand": 1, "max_distinct": 1, "drop_when": "all"}, {1: "matches per"}),
        ({"max_per_thousand": 300, "max_distinct": 0}, {0: "different words", 1: "different words"}),
        ({"max_per_thousand": 300, "max_distinct": 0, "drop_when": "all"}, {}),
    ],
)
def test_bounds_drop_what_is_above_them(
    bounds: dict[str, Any], dropped: dict[int, str], folder: Path, table_of: TableOf
) -> None:
    """Either bound or both together; the verdict has what was measured, the bound and the words."""
    stage = Words(lists={"games": WordList(file=str(folder / "games.txt"), **bounds)})
    found = rows(stage, table_of(TEXTS))
    assert {n: row["reason"] for n, row in enumerate(found) if row.get("reason")} == dict.fromkeys(
        dropped, "words_games"
    )
    for n, detail in dropped.items():
        assert str(found[n]["detail"]).startswith(detail)
        assert found[n]["value"] > found[n]["threshold"]


def test_the_first_list_that_says_so_drops(folder: Path, table_of: TableOf) -> None:
    """In the order of the configuration; all lists are counted all the same."""
    lists = {name: WordList(file=str(folder / f"{name}.txt"), max_distinct=0) for name in ("rude", "games")}
    (row,) = rows(Words(lists=lists), table_of(["mud and dice"]))
    assert (row["reason"], row["values.words_games"], row["values.words_rude"]) == ("words_rude", 1, 1)


def test_the_stage_works_with_what_was_packed(folder: Path, table_of: TableOf) -> None:
    """Relative files start at the configuration's folder; later changes of the file do not reach the run."""
    stage = Words(lists={"games": WordList(file="games.txt")}, parted=True)
    (folder / "pack.bin").write_bytes(stage.packed(folder))
    (folder / "games.txt").write_text("other\n")
    (row,) = rows(stage.unpacked(folder / "pack.bin"), table_of(["骰 子"]))
    assert row["values.words_games"] == 1


@pytest.mark.parametrize(
    "lists",
    [
        {},
        {"Bad name": "x"},
        {"a": {"file": "x", "max_distinct": -1}},
        {"a": {}},
        {"a": "x", "a_distinct": "y"},
        {"a_per_thousand": "x", "a": "y"},
    ],
)
def test_options_that_cannot_be_are_refused(lists: dict[str, Any]) -> None:
    """No list, a name that is no column or another list's, a bound below nothing, a list without a file."""
    with pytest.raises(ValidationError):
        Words.model_validate({"lists": lists})
