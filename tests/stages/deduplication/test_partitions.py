"""Partitions: folders that one session has to itself, and earlier runs that are taken on at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.stages.test_dedup import LOOSE, accept, random_units

from headrace.schemas.errors import FormatError
from headrace.schemas.index import EarlierRun, IndexOptions
from headrace.stages.base import RunContext
from headrace.stages.deduplication import layers, partitions
from headrace.stages.deduplication.partitions import InProcess, folders


def test_a_session_takes_over_what_the_last_one_derived_by_another_name(tmp_path: Path) -> None:
    """A partition that was cut off and goes on does so in a place of its own; other numbers of partitions go."""
    old = folders(tmp_path, 2)
    for place in old:
        place.mkdir()
        (place / "merged").write_text(place.name)
    new = folders(tmp_path, 2)
    assert [place.name[:7] for place in new] == ["1-of-2-", "2-of-2-"]
    assert [(place / "merged").read_text() for place in new] == [place.name for place in old]
    old[0].mkdir()  # by the one that was cut off
    (old[0] / "merged").write_text("late")
    third = folders(tmp_path, 2)
    assert {*tmp_path.iterdir()} == {*third}
    assert not {*third} & {*new, *old}
    folders(tmp_path, 3)
    assert list(tmp_path.iterdir()) == []


def test_the_newest_of_several_sessions_folders_is_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the sessions' numbers: tokens are in any order, and a release before this one gave no numbers."""
    tokens = iter(["ffffffff", "00000001", "88888888", "00000000"])
    monkeypatch.setattr(partitions, "token_hex", lambda _: next(tokens))
    (tmp_path / "1-of-1-99999999").mkdir()
    for late in range(3):
        (own,) = folders(tmp_path, 1)
        assert own.exists()
        assert not late or (own / "merged").read_text() == f"of session {late - 1}"
        (own / "merged").write_text(f"of session {late}")
        for old in range(late):  # partitions that were cut off, and go on
            (tmp_path / f"1-of-1-{old + 1:08d}-ffffffff").mkdir()
    (own,) = folders(tmp_path, 1)
    assert (own / "merged").read_text() == "of session 2"
    assert list(tmp_path.iterdir()) == [own]


def test_files_of_earlier_runs_are_taken_on_at_once_and_counted_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One call for all runs, and a file that cannot be used is blamed on its run."""
    earlier, units = list[EarlierRun](), random_units(3, 6, 20)
    for number, unit in enumerate(units):
        run = tmp_path / f"week{number}"
        state = LOOSE.open(RunContext(run, "dedup"))
        accept(LOOSE, state, unit.but(unit=0))
        refs = state.flush(0)
        counts = tuple(layers.count_documents(run, ref) for ref in refs)
        earlier.append(EarlierRun(run.name, run, "dedup", 1, "", refs, sum(counts), counts))
    adopted, adopt = list[int](), InProcess.adopt
    monkeypatch.setattr(InProcess, "adopt", lambda self, files: (adopted.append(len(files[0])), adopt(self, files))[1])
    monkeypatch.delattr(layers, "count_documents")
    context = RunContext(tmp_path / "new", "dedup", index=IndexOptions(), earlier=tuple(earlier))
    LOOSE.open(context)
    assert adopted == [6]
    path = earlier[4].run / earlier[4].files[0].name
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(FormatError, match="an index file of the earlier run week4 cannot be used"):
        LOOSE.open(replace(context, run=tmp_path / "newer"))
