"""A run that is compared with earlier ones drops what those have, and names it, as one run over everything would."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.pipeline.earlier.weeks import Weeks, arrivals
from tests.pipeline.small_runs import output

from headrace.pipeline.cli import main
from headrace.pipeline.committed import open_committed, read_columns, read_plan, survivors_here
from headrace.pipeline.earlier_runs import frozen_in
from headrace.pipeline.executor import Call, InlineExecutor
from headrace.pipeline.explain import explain
from headrace.pipeline.plan import make_plan
from headrace.pipeline.run_folder import RunFolder
from headrace.schemas.errors import ConfigError
from headrace.schemas.manifest import PUBLISHED
from headrace.schemas.tombstones import prefix_sha256
from headrace.stages.deduplication.state import DedupState

STAGES: dict[str, dict[str, Any]] = {
    "default": {"kind": "dedup"},
    "exact alone": {"kind": "dedup", "minhash": None},
    "near, low": {"kind": "dedup", "exact": False, "minhash": {"threshold": 0.5, "bands": 16, "rows": 3}},
    "verified exactly": {"kind": "dedup", "verify": "exact", "minhash": {"threshold": 0.6, "bands": 16, "rows": 4}},
    "fingerprints": {"kind": "dedup", "simhash": {"bits": 6, "shingle_size": 2}},
}
SMALL = {"index": {"partitions": 3, "memory_bytes": 1}}


def headrace(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return result.exit_code, result.stdout, result.stderr


# Verdicts


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("seed", [1, 2])
def test_arrivals_give_the_verdicts_of_one_run_over_all(tmp_path: Path, stage: str, seed: int) -> None:
    """Five runs, each against those before it: every document has the verdict, value and survivor of the one run."""
    weeks = Weeks(tmp_path, STAGES[stage])
    names = weeks.write_weeks(arrivals(seed))
    weeks.run("whole", names)
    for number, name in enumerate(names):
        weeks.run(name, [name], names[:number])
    assert weeks.verdicts(*names) == weeks.verdicts("whole")
    found = [row for name in names for row in weeks.rows(name) if row["survivor"]]
    for row in found:
        home, own = row["survivor"][2:].partition(".")[0], row["doc_id"][2:].partition(".")[0]
        assert row["detail"] == (None if home == own else f"in runs/{home}")
    assert sum(row["detail"] is not None for row in found) > 5


@pytest.mark.parametrize("engine", [SMALL, {"index": {"memory_bytes": 1, "bloom": True}}, {"window": 1}])
def test_how_the_index_is_kept_changes_nothing(tmp_path: Path, engine: dict[str, Any]) -> None:
    """Partitions, memory, a Bloom filter and the window make no byte another."""
    plain = Weeks(tmp_path / "plain")
    other = Weeks(tmp_path / "other", engine=engine)
    for weeks in (plain, other):
        names = weeks.write_weeks(arrivals(3, 3))
        for number, name in enumerate(names):
            weeks.run(name, [name], names[:number])
    for name in names:
        assert output(plain.folder / "runs" / name) == output(other.folder / "runs" / name)


def test_the_corpus_in_five_arrivals(tmp_path: Path, corpus: Path) -> None:
    """Revisions of documents, cut into five arrivals: the survivors of one run over the concatenation."""
    files = sorted(path for path in (corpus / "dup").rglob("*") if path.is_file())[:400]
    parts = [[" ".join(f.read_text("utf-8", "replace").split()) for f in files[n::5]] for n in range(5)]
    weeks = Weeks(tmp_path, {"kind": "dedup", "minhash": {"threshold": 0.7}}, engine={"unit_bytes": 200_000})
    names = weeks.write_weeks(parts)
    weeks.run("whole", names)
    for number, name in enumerate(names):
        weeks.run(name, [name], names[:number])
    assert weeks.verdicts(*names) == weeks.verdicts("whole")
    assert sum(row["detail"] is not None for row in weeks.rows("week4")) > 10


def test_addresses_are_compared_across_runs(tmp_path: Path) -> None:
    """`urls.against`: a page that an earlier run had is `url_repeated`, in that run; lists may have changed since."""
    weeks = Weeks(tmp_path, {"kind": "urls"})
    (tmp_path / "in").mkdir()
    (tmp_path / "blocked.txt").write_text("c.example\n")
    for week, pages in {"week0": "ab", "week1": "bbcd"}.items():
        records = [json.dumps({"text": f"{week} {n}", "url": f"http://{p}.example/"}) for n, p in enumerate(pages)]
        (tmp_path / "in" / f"{week}.jsonl").write_text("".join(f"{record}\n" for record in records))
    for week, against, block in (("week0", [], {}), ("week1", ["week0"], {"ours": "blocked.txt"})):
        path = weeks.config(week, [week], against, block=block)
        path.write_text(path.read_text().replace(".txt\n  records: lines", ".jsonl"))
        assert headrace("run", path)[0] == 0
    rows = [(row["reason"], row["survivor"], row["detail"]) for row in weeks.rows("week1") if row["reason"]]
    (page,) = [row["doc_id"] for row in weeks.rows("week0") if row["url"] == "http://b.example/"]
    assert sorted(rows, key=str) == [
        ("domain_blocked", None, "list ours: c.example"),
        ("url_repeated", page, "in runs/week0"),
        ("url_repeated", page, "in runs/week0"),
    ]


# What counts


def test_what_no_commit_names_changes_nothing(two: Weeks, tmp_path: Path) -> None:
    """An index file of an earlier run's aborted session, and files of a dead one's, are not looked at."""
    two.run("week1", ["week1"], ["week0"])
    shutil.copytree(tmp_path / "runs/week1/index", tmp_path / "spare")
    for path in (tmp_path / "spare").glob("dedup-*.arrow"):
        shutil.copy(path, tmp_path / "runs/week0/index" / path.name)
    (tmp_path / "runs/week0/index/dedup-00000000-00000099-0123456789ab.arrow").write_bytes(b"torn")
    before = output(tmp_path / "runs/week1")
    two.run("week1", ["week1"], ["week0"], fresh=True)
    assert output(tmp_path / "runs/week1") == before


def test_what_an_earlier_run_commits_later_does_not_count(tmp_path: Path) -> None:
    """A run in progress counts as far as it was committed, with a warning; a resumed run goes on with that."""
    weeks = Weeks(tmp_path)
    weeks.write_weeks(arrivals(11, 2, 40))
    weeks.run("week0", ["week0"], commits=1)
    plan = make_plan(weeks.load("week1", ["week1"], ["week0"]))
    (run,) = plan.earlier.runs["dedup"]
    assert (run.lines, run.documents) == (1, sum(row["verdict"] == "kept" for row in weeks.rows("week0")))
    assert [
        f"the {run.documents} documents of its first 1 manifest lines count" in w for w in plan.earlier.warnings
    ] == [True]
    weeks.run("once", ["week1"], ["week0"])
    weeks.run("week1", ["week1"], ["week0"], commits=1)
    weeks.run("week0", ["week0"])
    weeks.run("week1", ["week1"], ["week0"])
    assert output(tmp_path / "runs/week1") == output(tmp_path / "runs/once")
    weeks.run("later", ["week1"], ["week0"])
    assert weeks.verdicts("later") != weeks.verdicts("once")


def test_a_rerun_compares_with_what_its_parent_did(tmp_path: Path) -> None:
    """`headrace rerun`: the same frozen lines, though the earlier run has grown; and so does the rerun of a rerun."""
    weeks = Weeks(tmp_path, write={"record": "full"})
    weeks.write_weeks(arrivals(11, 2, 40))
    weeks.run("week0", ["week0"], commits=1)
    weeks.run("week1", ["week1"], ["week0"])
    weeks.run("week0", ["week0"])
    parent = tmp_path / "runs/week1"
    for number in range(2):
        again = parent.with_name(f"again{number}")
        code, _, err = headrace("rerun", parent, "--from", "dedup", "--run", again, "--executor", "inline")
        assert code == 0, err
        assert weeks.verdicts(again.name) == weeks.verdicts("week1")
        assert frozen_in(read_plan(again), "dedup") == frozen_in(read_plan(parent), "dedup")
        parent = again


def test_an_earlier_run_without_a_commit_counts_nothing(tmp_path: Path) -> None:
    """It may be named all the same, and a warning says how much of it counts."""
    weeks = Weeks(tmp_path)
    weeks.write_weeks(arrivals(11, 2, 40))
    make = weeks.load("week0", ["week0"])
    assert headrace("run", make.path, "--limit", "1", "stages.4.shard_tokens=100000")[0] == 0
    (tmp_path / "runs/week0" / PUBLISHED).unlink()
    plan = make_plan(weeks.load("week1", ["week1"], ["week0"]))
    assert "the 0 documents of its first 0 manifest lines count" in plan.earlier.warnings[0]


def test_the_place_of_the_runs_is_no_part_of_the_identity(two: Weeks, tmp_path: Path) -> None:
    """Configuration, input and runs may be moved together between two sessions."""
    two.run("once", ["week1"], ["week0"])
    two.run("week1", ["week1"], ["week0"], commits=1)
    shutil.move(tmp_path / "runs", tmp_path / "moved/runs")
    shutil.copytree(tmp_path / "in", tmp_path / "moved/in")
    moved = Weeks(tmp_path / "moved")
    moved.run("week1", ["week1"], ["week0"])
    assert output(tmp_path / "moved/runs/week1") == output(tmp_path / "moved/runs/once")


def test_a_run_goes_on_after_an_earlier_one_was_moved_where_a_link_stands_in_its_place(two: Weeks) -> None:
    """Without one the message says so."""
    two.run("once", ["week1"], ["week0"])
    two.run("week1", ["week1"], ["week0"], commits=1)
    place = two.folder / "runs/week0"
    shutil.move(place, two.folder / "elsewhere")
    with pytest.raises(ConfigError, match="put one that was moved back, or a symbolic link in its place"):
        two.run("week1", ["week1"], ["week0"])
    place.symlink_to(two.folder / "elsewhere")
    two.run("week1", ["week1"], ["week0"])
    assert output(two.folder / "runs/week1") == output(two.folder / "runs/once")


def test_other_runs_in_the_list_make_another_run(two: Weeks) -> None:
    """The message names the option, and not what follows from it."""
    two.run("week1", ["week1"], ["week0"], commits=1)
    with pytest.raises(ConfigError, match=r"stages.2.against was \['runs/week0'\] and is now \[\]") as error:
        two.run("week1", ["week1"])
    assert "manifest_sha256" not in str(error.value)


def test_a_finished_run_needs_its_earlier_ones_no_more(two: Weeks) -> None:
    """Old weeks may be removed to make room: the command that made the run still finds nothing left to do."""
    two.run("week1", ["week1"], ["week0"])
    before = output(two.folder / "runs/week1")
    shutil.rmtree(two.folder / "runs/week0")
    summary = two.run("week1", ["week1"], ["week0"])
    assert summary is not None
    assert summary.state == "done"
    assert output(two.folder / "runs/week1") == before


def test_a_run_that_was_compared_with_others_is_told_of(tmp_path: Path) -> None:
    """What repeats only a run that is not in the list stays, and the plan says so; with all of them it is silent."""
    weeks = Weeks(tmp_path)
    weeks.write_weeks(arrivals(5, 3))
    weeks.run("week0", ["week0"])
    weeks.run("week1", ["week1"], ["week0"])
    plan = make_plan(weeks.load("week2", ["week2"], ["week1"]))
    assert ["itself compared with runs/week0, which is not named here" in words for words in plan.earlier.warnings] == [
        True
    ]
    assert make_plan(weeks.load("week2", ["week2"], ["week0", "week1"])).earlier.warnings == ()
    (words,) = make_plan(weeks.load("week2", ["week2"], ["week1", "week0"])).earlier.warnings
    assert "compared with runs/week0, which is named behind it: the oldest run comes first" in words


def test_manifests_are_read_once_each_however_many_runs_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six runs, each compared with all before it: fifteen pairs, and five manifests, one of which has moved."""
    weeks = Weeks(tmp_path)
    names = weeks.write_weeks(arrivals(5, 6, 6))
    for number, name in enumerate(names):
        weeks.run(name, [name], names[:number])
    read = list[tuple[Path, int]]()

    def counted(run: Path, lines: int) -> str:
        read.append((run, lines))
        return prefix_sha256(run, lines)

    monkeypatch.setattr("headrace.pipeline.earlier_runs.prefix_sha256", counted)
    assert make_plan(weeks.load("next", ["week0"], names)).earlier.warnings == ()
    assert [run.name for run, _ in read] == names[:5]
    shutil.move(tmp_path / "runs/week0", tmp_path / "runs/first")
    assert make_plan(weeks.load("next", ["week0"], ["first", *names[1:]])).earlier.warnings == ()
    assert [run.name for run, _ in read[5:]] == ["first", *names[1:5]]


def test_states_are_closed_before_the_folder_is_swept(two: Weeks, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an executor whose `kill` ends a process as it is, as Ray's does, and however long a flush takes."""
    said, waited = list[str](), list[Call]()
    close, sweep, order, wait = DedupState.close, RunFolder.sweep, InlineExecutor.order, InlineExecutor.wait
    monkeypatch.setattr(InlineExecutor, "kill", lambda self, host: None)
    monkeypatch.setattr(DedupState, "close", lambda self: (said.append("closed"), close(self))[1])
    monkeypatch.setattr(RunFolder, "sweep", lambda self, named: (said.append("swept"), sweep(self, named))[1])

    def ordered(self: InlineExecutor, host: Any, method: str, argument: Any) -> Call:
        call = order(self, host, method, argument)
        waited.extend([call] if method == "flush" else [])
        return call

    def late(self: InlineExecutor, calls: Sequence[Call], timeout_s: float) -> list[Call]:
        if len(calls) == 1 and calls[0] in waited:
            waited.remove(calls[0])
            return []
        return wait(self, calls, timeout_s)

    monkeypatch.setattr(InlineExecutor, "order", ordered)
    monkeypatch.setattr(InlineExecutor, "wait", late)
    weeks = Weeks(two.folder, engine={"deadline_s": 1e-9, **SMALL})
    summary = weeks.run("week1", ["week1"], ["week0"])
    assert summary is not None
    assert summary.state == "done"
    assert "rollback" not in (two.folder / "runs/week1/events.jsonl").read_text()
    assert said == ["closed", "swept"]


# What is shown


def test_check_shows_the_earlier_runs(two: Weeks) -> None:
    """`headrace check`: their names, how many documents they have, and what is odd about them."""
    kept = sum(row["verdict"] == "kept" for row in two.rows("week0"))
    two.run("part", ["week0"], commits=1)
    code, out, err = headrace("check", two.config("week1", ["week1"], ["week0", "part"]))
    assert code == 0
    assert [line.split()[:3] for line in out.splitlines() if "runs/week0" in line] == [
        ["dedup", "runs/week0", str(kept)]
    ]
    assert "against: runs/part: it was not finished when this run began" in err
    assert "no mistakes found, but see above" in out


def test_a_run_says_its_warnings(two: Weeks) -> None:
    """On the terminal, and in the log of events."""
    two.run("part", ["week0"], commits=1)
    code, _, err = headrace("run", two.config("week1", ["week1"], ["part"]))
    assert code == 0
    assert "against: runs/part: it was not finished" in err


def test_explain_names_the_old_run(two: Weeks, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict says in which run the survivor is, and the command that shows it there works as it stands."""
    two.run("week1", ["week1"], ["week0"])
    row = next(row for row in two.rows("week1") if row["detail"])
    monkeypatch.chdir(two.folder)
    code, out, _ = headrace("explain", "runs/week1", row["doc_id"])
    assert code == 0
    assert "in runs/week0" in out.splitlines()[1]
    assert f"see `headrace explain runs/week0 '{row['survivor']}'`" in out
    assert headrace("explain", "runs/week0", row["survivor"])[1].splitlines()[1] == "kept"
    shutil.rmtree(two.folder / "runs/week0")
    said = headrace("explain", "runs/week1", row["doc_id"])[1]
    assert f"repeats: {row['survivor']} of runs/week0, which is not there; was it moved?" in said
    assert "in what they differ" not in said
    assert "is not there; was it moved?" in headrace("dups", "runs/week1", "--diff")[1]


def test_documents_of_two_runs_may_have_one_doc_id(tmp_path: Path) -> None:
    """A survivor in an earlier run is no document of this one, though this one has one of that name."""
    weeks = Weeks(tmp_path)
    first, second, third = ("one line of some words", "another line of other words", "a third line of words of its own")
    weeks.write_weeks([[first, second]])
    weeks.run("old", ["week0"])
    weeks.write_weeks([[third, third, first]])
    weeks.run("new", ["week0"], ["old"])
    rows = sorted(weeks.rows("new"), key=lambda row: int(row["doc_id"].rpartition("#")[2]))
    assert [(row["verdict"], row["survivor"], row["detail"]) for row in rows] == [
        ("kept", None, None),
        ("dropped", "a:week0.txt#0", None),
        ("dropped", "a:week0.txt#0", "in runs/old"),
    ]
    here = [survivors_here(read_columns(path, ["survivor", "detail"])) for _, path in _files(tmp_path / "runs/new")]
    assert sorted(str(name) for column in here for name in column.to_pylist()) == ["None", "None", "a:week0.txt#0"]
    assert explain(tmp_path / "runs/new", rows[1]["doc_id"])["survivor"].get("run") is None
    assert explain(tmp_path / "runs/new", rows[2]["doc_id"])["survivor"]["run"] == str(tmp_path / "runs/old")


def _files(run: Path) -> list[tuple[int, Path]]:
    return list(open_committed(run).documents())
