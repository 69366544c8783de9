"""Runs of two passes: verdicts of all pairs, the same bytes however they are run and killed, and what is refused."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.pipeline.small_runs import output
from tests.pipeline.two_pass.chained_texts import LOOSE, chained_run, die_at, rows, signed, write_chains
from tests.protocol.driver_kills import COMMIT_STEPS

from headrace.pipeline.cli import main
from headrace.pipeline.committed import open_committed
from headrace.pipeline.events import Event
from headrace.pipeline.plan import make_plan
from headrace.pipeline.report import write_report
from headrace.pipeline.report_data import report_data
from headrace.pipeline.rerun.make import make_rerun
from headrace.pipeline.rerun.settings import Wanted
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.two_pass.report import policies_section
from headrace.pipeline.verify import verify
from headrace.schemas.errors import ConfigError, FormatError
from headrace.stages.dedup import Dedup
from headrace.stages.kernels.plain_components import kept_in_order, partition

Row = dict[str, Any]  # of a documents file


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chains")
    write_chains(folder)
    return folder


@pytest.fixture(scope="module")
def runs(folder: Path) -> dict[str, Path]:
    """Give a finished run of each policy."""
    found = {}
    for keep in ("first_seen", "components", "best"):
        loaded = chained_run(folder, keep, keep=keep)
        assert run_pipeline(loaded).state == "done"
        found[keep] = loaded.run_dir
    return found


def kept(run: Path) -> set[object]:
    return {row["doc_id"] for row in rows(run) if row["verdict"] == "kept"}


def rank(row: Row) -> tuple[int, float]:
    return -"DCBA".index(row["grade"]), -row["authority"]


@pytest.mark.parametrize("keep", ["components", "best"])
def test_each_component_of_all_pairs_keeps_one(keep: str, runs: dict[str, Path]) -> None:
    """The first of it in unit order, or the one with the best grade, then the highest authority, then the first."""
    found = rows(runs[keep])
    parts = partition(signed([row["text"] for row in rows_with_text(runs[keep])]), LOOSE.rules.policy)
    assert max(map(len, parts)) > 4
    for part in parts:
        numbers = sorted(part)
        stays = numbers[0] if keep == "components" else min(numbers, key=lambda n: (*rank(found[n]), n))
        assert [n for n in numbers if found[n]["verdict"] == "kept"] == [stays]
        for number in part - {stays}:
            check_verdict(found[number], found[stays], {row["doc_id"]: row for row in found})


def rows_with_text(run: Path) -> list[Row]:
    """Give the rows with the texts that dedup saw; a shard of text has those of kept documents."""
    lines = {
        f"{source}:{path.name}": path.read_bytes()
        for source, names in (("low", "a*.txt"), ("high", "b*.txt"))
        for path in sorted((run.parent / "in").glob(names))
    }
    found = rows(run)
    for row in found:
        file, _, offset = str(row["doc_id"]).rpartition("#")
        row["text"] = lines[file][int(offset) :].partition(b"\n")[0].decode()
    return found


def check_verdict(row: Row, survivor: Row, by_id: dict[object, Row]) -> None:
    assert (row["verdict"], row["survivor"]) == ("dropped", survivor["doc_id"])
    assert 0.5 <= row["value"] <= 1
    assert row["reason"] in ("exact_duplicate", "near_duplicate")
    if row["detail"] is not None:
        way = by_id[row["detail"].removeprefix("by way of ")]
        assert way["survivor"] == survivor["doc_id"]


def test_policies_count_what_runs_of_them_keep(runs: dict[str, Path]) -> None:
    """The report of one run of two passes says how many documents each policy keeps, and runs of them agree."""
    counts = {keep: len(kept(run)) for keep, run in runs.items()}
    assert counts["first_seen"] > counts["components"] == counts["best"]
    for keep in ("components", "best"):
        found = report_data(runs[keep])["dedup"]
        moved = len(kept(runs["best"]) - kept(runs["components"]))
        assert moved > 0
        assert found == {
            "stage": "dedup",
            "keep": keep,
            "policies": {"documents": len(rows(runs[keep])), **counts, "moved": moved},
        }
        assert "".join(policies_section(found)).count(f">{counts['first_seen']}<") == 1
    assert report_data(runs["first_seen"])["dedup"] is None
    write_report(runs["best"])
    assert "<h2>Which one stays</h2>" in (runs["best"] / "report.html").read_text(encoding="utf-8")


def test_components_keep_a_subset_of_what_first_seen_keeps(runs: dict[str, Path]) -> None:
    """The first of a component has no earlier document near it; what first_seen keeps is that of all pairs in order."""
    assert kept(runs["components"]) < kept(runs["first_seen"])
    found = rows_with_text(runs["first_seen"])
    expected = kept_in_order(signed([row["text"] for row in found]), LOOSE.rules.policy)
    assert [n for n, row in enumerate(found) if row["verdict"] == "kept"] == expected


def test_some_documents_belong_by_way_of_others(runs: dict[str, Path]) -> None:
    """Chains of small changes: `explain` names the next document on the way to the survivor."""
    found = [row for row in rows(runs["components"]) if row["detail"] is not None]
    assert found
    result = CliRunner().invoke(main, ["explain", str(runs["components"]), str(found[0]["doc_id"])])
    assert result.exit_code == 0
    assert "by way of" in result.output


def test_a_finished_run_is_sound_without_its_first_pass(runs: dict[str, Path], folder: Path) -> None:
    """`verify` finds nothing, the verdicts are named in the manifest, and the first pass can be removed."""
    run = runs["components"]
    checked = verify(run)
    assert (checked.problems, checked.leftovers) == ((), ())
    before = output(run)
    assert sum("dedup-verdicts-" in name for name in before) == 1
    shutil.move(run / "first-pass", folder / "away")
    assert run_pipeline(chained_run(folder, "components")).state == "done"
    assert output(run) == before
    shutil.move(folder / "away", run / "first-pass")


def test_later_runs_are_compared_with_what_was_kept(runs: dict[str, Path], folder: Path) -> None:
    """Index files hold what a run of two passes kept, and that alone: a run against it drops what repeats these."""
    loaded = chained_run(folder, "later", "stages.4.against=[best]", keep="first_seen")
    assert run_pipeline(loaded).state == "done"
    found = {row["doc_id"]: row for row in rows(loaded.run_dir)}
    best = kept(runs["best"])
    assert all(found[doc_id]["verdict"] == "dropped" and found[doc_id]["survivor"] == doc_id for doc_id in best)
    assert {row["survivor"] for row in found.values() if row["verdict"] == "dropped"} <= best | kept(loaded.run_dir)


@pytest.mark.parametrize(
    "options", ["verify: exact", "minhash: null", "minhash: null, simhash: {bits: 6}", "compare: false"]
)
def test_every_kind_of_signature_makes_two_passes(options: str, folder: Path) -> None:
    """Sets, keys alone and fingerprints go through the first pass, too; without `compare` first_seen is not counted."""
    loaded = chained_run(folder, "kinds", options=options)
    run_pipeline(loaded, fresh=True)
    stage = loaded.config.stages[4]
    assert isinstance(stage, Dedup)
    found = rows_with_text(loaded.run_dir)
    documents = signed([row["text"] for row in found], stage)
    parts = partition(documents, stage.rules.policy)
    assert [n for n, row in enumerate(found) if row["verdict"] == "kept"] == sorted(map(min, parts))
    first_seen = len(kept_in_order(documents, stage.rules.policy)) if stage.counts_policies else None
    assert report_data(loaded.run_dir)["dedup"]["policies"]["first_seen"] == first_seen


def in_second_pass(step: str, runs: dict[str, Path]) -> int:
    """Give how often a step is reached until it is in the second pass; the first writes no documents."""
    if step == "unit.documents.written":
        return 1
    lines = open_committed(runs["components"] / "first-pass").lines
    if step == "unit.ledger.written":
        return lines[-1].last + 2
    return 1 + sum(line.shard is not None or step.startswith("manifest.") for line in lines)


@pytest.mark.parametrize(
    ("step", "count"),
    [
        *((step, count) for step in COMMIT_STEPS for count in (2, -1)),
        ("verdicts.temporary.synced", 1),
        ("verdicts.renamed", 1),
        ("verdicts.synced", 1),
    ],
)
def test_a_kill_at_any_step_of_either_pass_changes_nothing(
    step: str, count: int, runs: dict[str, Path], folder: Path
) -> None:
    """The second time the step is reached, the first time in the second pass (-1), or at the barrier."""
    count = count if count > 0 else in_second_pass(step, runs)
    loaded = chained_run(folder, f"killed-{step}-{count}")
    die_at(loaded, step, count)
    assert run_pipeline(loaded).state == "done"
    assert output(loaded.run_dir) == output(runs["components"])
    shutil.rmtree(loaded.run_dir)


def test_verdicts_that_are_there_are_not_made_again(runs: dict[str, Path], folder: Path) -> None:
    """After a kill behind the barrier the file stays; a damaged one is no verdict, and is made again."""
    for damaged in (False, True):
        loaded = chained_run(folder, "barrier")
        die_at(loaded, "verdicts.synced")
        path = next((loaded.run_dir / "index").iterdir())
        made = path.stat().st_mtime_ns
        if damaged:
            path.write_bytes(path.read_bytes()[:-9])
        assert run_pipeline(loaded).state == "done"
        assert (path.stat().st_mtime_ns == made) != damaged
        assert output(loaded.run_dir) == output(runs["components"])
        shutil.rmtree(loaded.run_dir)


@pytest.mark.parametrize("overrides", [["engine.window=1"], ["engine.window=20"]])
def test_any_window_gives_the_same_bytes(overrides: list[str], runs: dict[str, Path], folder: Path) -> None:
    """How many units are under way at a time decides nothing."""
    loaded = chained_run(folder, "window", *overrides, keep="best")
    run_pipeline(loaded, fresh=True)
    assert output(loaded.run_dir) == output(runs["best"])


def test_a_stopped_run_goes_on_in_the_pass_in_which_it_was(runs: dict[str, Path], folder: Path) -> None:
    """Asked to end in the first pass, then in the second: each session goes on, and the bytes are the same."""
    loaded = chained_run(folder, "stopped", "engine.window=1")
    for number in (1, 2):
        assert run_pipeline(loaded, watchers=[asking(number)]).state == "stopped"
    assert run_pipeline(loaded).state == "done"
    assert output(loaded.run_dir) == output(runs["components"])


def asking(number: int) -> Callable[[Event], None]:
    """Ask the process to end at the commits of the first pass, or at the units of the second, which commits once."""
    seen, kind = {"pass": 0}, "committed" if number == 1 else "admitted"

    def watch(event: Event) -> None:
        if event.kind == "pass":
            seen["pass"] = int(event.data["number"])
        if event.kind == kind and seen["pass"] == number:
            os.kill(os.getpid(), signal.SIGTERM)

    return watch


def test_fresh_begins_both_passes_again(folder: Path, runs: dict[str, Path]) -> None:
    """Another threshold is refused in a folder that has begun, and --fresh clears the first pass, too."""
    loaded = chained_run(folder, "again", "limit=30")
    run_pipeline(loaded)
    changed = chained_run(folder, "again")
    with pytest.raises(ConfigError, match="not the run that was started here"):
        run_pipeline(changed)
    run_pipeline(changed, fresh=True)
    assert output(changed.run_dir) == output(runs["components"])


def test_a_limit_holds_in_both_passes(folder: Path) -> None:
    """The first pass signs what the second reads, and no more."""
    loaded = chained_run(folder, "limited", "limit=30")
    summary = run_pipeline(loaded)
    report = report_data(loaded.run_dir)
    dedup = next(counts for counts in summary.counts if counts.stage == "dedup")
    assert 30 <= summary.counts[0].received < 60
    assert report["dedup"]["policies"]["documents"] == dedup.received


def test_a_rerun_has_two_passes_of_its_own(folder: Path, runs: dict[str, Path]) -> None:
    """A finished run of first_seen is run again by components, from its documents, with the verdicts of a new run."""
    rerun = make_rerun(runs["first_seen"], Wanted(("dedup.keep=components",)), folder / "rerun")
    assert run_pipeline(rerun.loaded, plan=rerun.plan).state == "done"
    assert kept(folder / "rerun") == kept(runs["components"])


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 3])
def test_ray_gives_the_bytes_of_inline(workers: int, folder: Path, runs: dict[str, Path], ray_cluster: None) -> None:
    """One signer and three."""
    loaded = chained_run(folder, f"ray{workers}", "engine.executor=ray", f"engine.workers={workers}", keep="best")
    assert run_pipeline(loaded).state == "done"
    assert output(loaded.run_dir) == output(runs["best"])


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["stages.3={kind: language}"], "best cannot be told"),
        (["stages.3={kind: dedup, keep: components}", "stages.4.keep=components"], "two passes, not three"),
        (["stages.4.against=[elsewhere]"], "goes with keep: first_seen"),
    ],
)
def test_what_cannot_run_is_refused_at_check(overrides: list[str], said: str, tmp_path: Path) -> None:
    """No grade for the best, two stages that look at all, and earlier runs: one clear message each."""
    with pytest.raises(ConfigError, match=said):
        make_plan(chained_run(tmp_path, "run", *overrides, keep="best"))


def test_check_shows_both_passes(tmp_path: Path) -> None:
    """The printed plan has the groups of the first pass, which ends with its signatures, and those of the second."""
    loaded = chained_run(tmp_path)
    result = CliRunner().invoke(main, ["check", str(loaded.path)])
    assert result.exit_code == 0
    assert "first pass" in result.output
    assert "second pass" in result.output
    assert "signatures" in result.output


def test_nobody_can_name_the_stage_of_the_first_pass(tmp_path: Path) -> None:
    """`signatures` is no kind of a configuration."""
    with pytest.raises(ConfigError, match="signatures"):
        chained_run(tmp_path, "run", "stages.3={kind: signatures}")


def test_a_damaged_first_pass_is_named(folder: Path, runs: dict[str, Path]) -> None:
    """A flipped byte in its shards is refused with the file and what to do, and so is one in the verdicts."""
    loaded = chained_run(folder, "damaged")
    die_at(loaded, "verdicts.temporary.synced")
    shard = min((loaded.run_dir / "first-pass" / "shards").iterdir())
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 1
    shard.write_bytes(bytes(data))
    with pytest.raises(FormatError, match=shard.name):
        run_pipeline(loaded)
    shutil.rmtree(loaded.run_dir / "first-pass")
    die_at(loaded, "manifest.published", in_second_pass("manifest.published", runs))
    verdicts = next((loaded.run_dir / "index").glob("*-verdicts-*"))
    verdicts.write_bytes(verdicts.read_bytes()[:-4] + b"    ")
    with pytest.raises(FormatError, match=verdicts.name):
        run_pipeline(loaded)


def test_a_first_seen_stage_may_come_before(folder: Path) -> None:
    """It judges alike in both passes: the second stage sees what it left."""
    loaded = chained_run(folder, "both", before="dedup, minhash: null")
    summary = run_pipeline(loaded)
    counts = {c.stage: c for c in summary.counts}
    assert counts["dedup"].dropped.keys() == {"exact_duplicate"}
    assert counts["dedup.2"].dropped.keys() == {"near_duplicate"}
    assert report_data(loaded.run_dir)["dedup"]["stage"] == "dedup.2"
