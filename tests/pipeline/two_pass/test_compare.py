"""Runs of first_seen that only count: what they write besides, and that the counts are those of runs that judge so."""

from __future__ import annotations

import json
import os
import shutil
import signal
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.pipeline.small_runs import output
from tests.pipeline.two_pass.chained_texts import chained_run, die_at, rows, write_chains
from tests.protocol.fault_executors import MortalExecutor, StateDies, kills_at
from tests.protocol.small_runs import starting

from headrace.pipeline.cli import main
from headrace.pipeline.committed import open_committed
from headrace.pipeline.events import Event
from headrace.pipeline.load import LoadedConfig
from headrace.pipeline.plan import make_plan
from headrace.pipeline.report import write_report
from headrace.pipeline.report_data import report_data
from headrace.pipeline.report_documents import Row
from headrace.pipeline.rerun.make import make_rerun
from headrace.pipeline.rerun.settings import Wanted
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.verify import verify
from headrace.schemas.errors import ConfigError
from headrace.schemas.manifest import MANIFEST, POLICIES

COMPARE = "compare: true"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compare")
    write_chains(folder)
    return folder


@pytest.fixture(scope="module")
def plain(folder: Path) -> Path:
    """Give a run of first_seen that does not count."""
    return done(first_seen(folder, "plain"))


@pytest.fixture(scope="module")
def counted(folder: Path) -> Path:
    """Give the same run with `compare: true`."""
    return done(first_seen(folder, "counted", COMPARE))


def first_seen(folder: Path, run: str, options: str = "", *overrides: str, before: str = "grade") -> LoadedConfig:
    return chained_run(folder, run, *overrides, keep="first_seen", before=before, options=options)


def done(loaded: LoadedConfig) -> Path:
    assert run_pipeline(loaded).state == "done"
    return loaded.run_dir


def stopped(loaded: LoadedConfig) -> None:
    """Run until the first commit of the run itself, not that of the first pass inside it."""

    def watch(event: Event) -> None:
        manifest = loaded.run_dir / MANIFEST
        if event.kind == "committed" and manifest.is_file() and manifest.stat().st_size:
            os.kill(os.getpid(), signal.SIGTERM)

    assert run_pipeline(loaded, watchers=[watch]).state == "stopped"


def kept(run: Path) -> int:
    return sum(row["verdict"] == "kept" for row in rows(run))


def policies(run: Path) -> Row:
    found: Row = report_data(run)["dedup"]["policies"]
    return found


@pytest.mark.parametrize(
    "options", ["verify: exact", "minhash: null", "minhash: null, simhash: {bits: 6}", "exact: false"]
)
def test_what_is_counted_for_first_seen_is_what_the_run_keeps(options: str, folder: Path) -> None:
    """For every kind of signature: the barrier counts in its own way, and the run judges as any run of one pass."""
    loaded = first_seen(folder, "kinds", f"{options}, {COMPARE}")
    assert run_pipeline(loaded, fresh=True).state == "done"
    found = policies(loaded.run_dir)
    assert found["documents"] == len(rows(loaded.run_dir)) > found["first_seen"] >= found["components"]
    assert found["first_seen"] == kept(loaded.run_dir)


def test_each_count_is_what_a_run_of_that_policy_keeps(folder: Path, plain: Path, counted: Path) -> None:
    """Three runs of one pass or two, and what the one that only counts says of them."""
    found = policies(counted)
    assert found["first_seen"] == kept(plain) == kept(counted) > found["components"]
    for keep in ("components", "best"):
        other = done(chained_run(folder, keep, keep=keep))
        assert found[keep] == kept(other)
        assert found == policies(other)


def test_counting_changes_no_byte_of_the_output(folder: Path, plain: Path, counted: Path) -> None:
    """Manifest and all that it names, with first_seen and with a policy whose verdicts the barrier makes."""
    assert output(counted) == output(plain)
    assert (counted / POLICIES).is_file()
    assert not (plain / POLICIES).exists()
    checked = verify(counted)
    assert (checked.problems, checked.leftovers) == ((), ())
    runs = [done(chained_run(folder, f"best-{n}", keep="best", options=f"compare: {n}")) for n in ("true", "false")]
    assert [policies(run)["first_seen"] for run in runs] == [kept(plain), None]
    assert output(runs[0]) == output(runs[1])


def test_the_report_has_it_where_it_was_counted(plain: Path, counted: Path) -> None:
    """In both forms; a run that did not count has no such section."""
    assert report_data(plain)["dedup"] is None
    assert {name: report_data(counted)["dedup"][name] for name in ("stage", "keep")} == {
        "stage": "dedup",
        "keep": "first_seen",
    }
    for run, there in ((plain, False), (counted, True)):
        write_report(run)
        html = (run / "report.html").read_text(encoding="utf-8")
        assert ("<h2>Which one stays</h2>" in html) == there
        assert ("best keeps another document than components" in html) == there
    stored = json.loads((counted / "report.json").read_text(encoding="utf-8"))
    assert stored["dedup"]["policies"] == policies(counted)


def test_ungraded_documents_have_no_best(folder: Path) -> None:
    """Without `grade` in front the best cannot be told; the other two are counted."""
    run = done(first_seen(folder, "ungraded", COMPARE, before=""))
    found = policies(run)
    assert (found["best"], found["moved"]) == (None, None)
    assert found["first_seen"] == kept(run) > found["components"]


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("shard.renamed", 2),
        ("manifest.appended", 2),
        ("policies.written", 1),
        *((name, -1) for name in ("shard.renamed", "manifest.appended", "manifest.published")),
        ("manifest.published", -2),
    ],
)
def test_a_kill_in_either_pass_changes_nothing(name: str, count: int, folder: Path, counted: Path) -> None:
    """In the first pass, at the barrier, and at the first commit (-1) and the second (-2) of the run itself."""
    first = sum(
        line.shard is not None or name.startswith("manifest.") for line in open_committed(counted / "first-pass").lines
    )
    loaded = first_seen(folder, f"killed-{name}-{count}", COMPARE)
    die_at(loaded, name, count if count > 0 else first - count)
    assert output(done(loaded)) == output(counted)
    shutil.rmtree(loaded.run_dir)


@pytest.mark.parametrize("stage", ["signatures", "dedup"])
def test_a_state_that_dies_in_either_pass_changes_nothing(stage: str, folder: Path, counted: Path) -> None:
    """The pass goes back to its last commit, twice."""
    loaded = first_seen(folder, f"died-{stage}", COMPARE)
    assert run_pipeline(loaded, start_executor=starting(StateDies(stage, 2, times=2), 1)).state == "done"
    assert output(loaded.run_dir) == output(counted)


def test_a_document_that_was_killed_while_it_was_counted_is_judged_all_the_same(folder: Path, counted: Path) -> None:
    """One less is counted, the report names it, and the run keeps what it would have kept."""
    victim = next(str(row["doc_id"]) for row in rows(counted) if row["verdict"] == "kept")
    loaded = first_seen(folder, "struck", COMPARE)
    executor = MortalExecutor(kills_at("signatures", victim))
    assert run_pipeline(loaded, start_executor=starting(executor, 1)).state == "done"
    assert policies(loaded.run_dir)["documents"] == policies(counted)["documents"] - 1
    assert [(row["doc_id"], row["pass"]) for row in report_data(loaded.run_dir)["struck"]] == [(victim, 1)]
    assert kept(loaded.run_dir) == kept(counted)


@pytest.mark.parametrize("keep", ["first_seen", "components"])
@pytest.mark.parametrize(("before", "after"), [("true", "false"), ("false", "true")])
def test_a_run_goes_on_with_or_without_counting(keep: str, before: str, after: str, folder: Path, plain: Path) -> None:
    """Stopped at the first commit of the run itself: where the disk has no room to count, it is done without."""
    name, wanted = f"switched-{keep}-{before}", partial(chained_run, folder, keep=keep, shard_bytes=400)
    stopped(wanted(name, "engine.window=1", options=f"compare: {before}"))
    assert not open_committed(folder / name).ended
    run = done(wanted(name, options=f"compare: {after}"))
    expected = done(wanted(f"expected-{name}"))
    assert output(run) == output(expected)
    found = report_data(run)["dedup"]
    if after == "true" or keep == "first_seen":  # what was counted before stays
        assert found["policies"]["first_seen"] == kept(plain)


def test_counts_that_cannot_be_read_are_counted_again(folder: Path) -> None:
    """They are no part of what is committed: half a file, or that of another first pass, is replaced."""
    loaded = first_seen(folder, "half", COMPARE)
    die_at(loaded, "policies.written")
    whole = (loaded.run_dir / POLICIES).read_bytes()
    for content in (whole[:40], b"[]", whole.replace(b'"first_pass":"', b'"first_pass":"0')):
        (loaded.run_dir / POLICIES).write_bytes(content)
        die_at(loaded, "policies.written")
        assert (loaded.run_dir / POLICIES).read_bytes() == whole


def test_fresh_forgets_the_counts(folder: Path, plain: Path) -> None:
    """With the first pass, which belongs to another run now."""
    loaded = first_seen(folder, "over", COMPARE, "limit=30")
    run_pipeline(loaded)
    assert (loaded.run_dir / POLICIES).exists()
    changed = first_seen(folder, "over")
    run_pipeline(changed, fresh=True)
    assert output(changed.run_dir) == output(plain)
    assert not (changed.run_dir / "first-pass").exists()
    assert not (changed.run_dir / POLICIES).exists()


def test_a_finished_run_is_counted_by_a_rerun(folder: Path, plain: Path, counted: Path) -> None:
    """From what it stores; a rerun of one that counted counts anew where a stage before dedup is another."""
    rerun = make_rerun(plain, Wanted(("dedup.compare=true",)), folder / "rerun")
    assert run_pipeline(rerun.loaded, plan=rerun.plan).state == "done"
    assert policies(folder / "rerun") == policies(counted)
    fewer = make_rerun(counted, Wanted(("clean.min_characters=60", "on_drop_band=ignore")), folder / "fewer")
    assert run_pipeline(fewer.loaded, plan=fewer.plan).state == "done"
    assert policies(folder / "fewer")["documents"] < policies(counted)["documents"]
    assert policies(folder / "fewer")["first_seen"] == kept(folder / "fewer")


def test_a_rerun_behind_dedup_counts_the_same(folder: Path, counted: Path) -> None:
    """Only what comes behind is another: the verdicts and the counts are those of before."""
    rerun = make_rerun(counted, Wanted(("write.shard_bytes=5000",)), folder / "behind")
    assert run_pipeline(rerun.loaded, plan=rerun.plan).state == "done"
    assert policies(folder / "behind") == policies(counted)
    assert kept(folder / "behind") == kept(counted)


def test_later_runs_are_compared_with_what_was_kept(folder: Path, counted: Path, plain: Path) -> None:
    """The counts are no index file: a run against one that counted is that against one that did not."""
    found = []
    for earlier in (counted, plain):
        loaded = first_seen(folder, f"after-{earlier.name}", "", f"stages.4.against=[{earlier.name}]")
        run = done(loaded)
        assert kept(run) == 0
        found.append([(row["doc_id"], row["survivor"], row["value"]) for row in rows(run)])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["stages.4.against=[plain]"], "only first_seen goes with against"),
        (["stages.3={kind: dedup, keep: components}"], "two passes, not three"),
        (["stages.3={kind: dedup, compare: true}"], "without `compare`"),
    ],
)
def test_what_cannot_be_counted_is_refused_at_check(overrides: list[str], said: str, folder: Path) -> None:
    """With earlier runs, and with another stage that looks at all documents."""
    with pytest.raises(ConfigError, match=said):
        make_plan(first_seen(folder, "refused", COMPARE, *overrides))


def test_tokens_are_not_made_twice(folder: Path) -> None:
    """Everything in front of dedup runs twice, and the message says what asks for it."""
    tokens = ["stages.3={kind: tokenize, model: bytes}", "stages.6.format=arrow", "stages.5={kind: grade}"]
    with pytest.raises(ConfigError, match="compare: true asks for"):
        make_plan(first_seen(folder, "tokens", COMPARE, *tokens))


def test_check_says_that_the_first_pass_only_counts(folder: Path) -> None:
    """Both passes are in the printed plan; without `compare` there is one."""
    said = [
        CliRunner().invoke(main, ["check", str(first_seen(folder, "shown", options).path)]).output
        for options in (COMPARE, "")
    ]
    assert "first pass, only to count what each policy would keep" in said[0]
    assert "second pass" in said[0]
    assert "pass" not in said[1].partition("identity")[0]


@pytest.mark.slow
def test_ray_gives_the_bytes_of_inline(folder: Path, counted: Path, ray_cluster: None) -> None:
    """Three signers, and an index in two processes."""
    more = ["engine.executor=ray", "engine.workers=3", "engine.index={partitions: 2}"]
    assert output(done(first_seen(folder, "ray", COMPARE, *more))) == output(counted)
