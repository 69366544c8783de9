"""A run folder belongs to one run: somebody else's files are never touched, and what is damaged is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.pipeline.small_runs import output, small_run

from headrace.pipeline.inspect_run import inspect_run
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.verify import verify
from headrace.schemas.errors import ConfigError, FormatError, HeadraceError

BYTES = "model: bytes"


def contents(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}


FOREIGN: dict[str, dict[str, str]] = {
    "folders of the same names": {"documents/thesis.txt": "mine", "index/cards.txt": "mine"},
    "a report": {"report.html": "mine"},
    "a lock": {"lock": "held by somebody"},
    "a plan of another program": {"plan.json": '{"version": 4, "terraform_version": "1.5"}'},
    "a plan that is a list": {"plan.json": "[1]"},
    "a plan that is no JSON": {"plan.json": "first, buy bread"},
    "a published.json of another program": {"published.json": '{"date": "today"}'},
}


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("what", FOREIGN)
def test_somebody_elses_folder_is_never_touched(what: str, fresh: bool, tmp_path: Path) -> None:  # noqa: FBT001  # parametrized
    """Not even with --fresh, and not even where its names are those of a run."""
    folder = tmp_path / "run"
    for name, text in FOREIGN[what].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    with pytest.raises(ConfigError, match="not a run folder"):
        run_pipeline(small_run(tmp_path, tokenizer=BYTES), fresh=fresh)
    assert contents(folder) == FOREIGN[what]


def test_what_a_killed_start_leaves_is_no_obstacle(tmp_path: Path) -> None:
    """Folders, the lock and the configuration are there before the plan is."""
    folder = tmp_path / "run"
    (folder / "shards").mkdir(parents=True)
    (folder / "lock").write_text('{"pid": 1}')
    (folder / "config.resolved.yaml").write_text("run: run")
    (folder / ".plan.json.12.ab.tmp").write_text("{")
    assert run_pipeline(small_run(tmp_path, tokenizer=BYTES)).state == "done"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of a finished small run, `run`, with its configuration and input beside it."""
    folder = tmp_path_factory.mktemp("finished")
    run_pipeline(small_run(folder, tokenizer=BYTES))
    return folder


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    """Give a copy of the run alone, which may be damaged."""
    shutil.copytree(finished / "run", tmp_path / "copy")
    return tmp_path / "copy"


def resume(finished: Path, run: Path, *, fresh: bool = False) -> None:
    loaded = small_run(finished, "run", f"run={run}", texts=finished / "texts", tokenizer=BYTES)
    run_pipeline(loaded, fresh=fresh)


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [flipped, Path.unlink])
@pytest.mark.parametrize(
    "name", ["shards/*", "documents/*", "ledger/*", "manifest.jsonl", "published.json", "plan.json"]
)
def test_damage_to_any_file_is_named_by_verify_and_never_ends_in_a_traceback(
    name: str, damage: Callable[[Path], None], finished: Path, copied: Path
) -> None:
    """A flipped bit or a missing file: verify finds it, resuming and looking are refused in words or succeed."""
    path = min(copied.glob(name))
    damage(path)
    try:
        problems = " ".join(verify(copied).problems)
    except HeadraceError as error:
        problems = str(error)
    assert path.name in problems
    for attempt in (lambda: resume(finished, copied), lambda: inspect_run(copied)):
        said = ""
        try:
            attempt()
        except HeadraceError as error:
            said = str(error)
        assert not said or any(name in said for name in (path.name, "lost lines", "shorter than published"))


@pytest.mark.parametrize("name", ["shards/*", "documents/*", "ledger/*", "index/*"])
def test_a_run_that_lost_a_committed_file_is_not_resumed(name: str, finished: Path, copied: Path) -> None:
    """It would go on, and end as if all were well."""
    path = min(copied.glob(name))
    path.unlink()
    with pytest.raises(FormatError, match=f"{path.name}: a committed file is gone or cut"):
        resume(finished, copied)


def test_fresh_mends_any_damage(finished: Path, copied: Path) -> None:
    """The messages offer it, so it has to work without a plan, too."""
    (copied / "plan.json").unlink()
    with pytest.raises(FormatError, match=r"plan\.json: the plan of the run is gone"):
        resume(finished, copied)
    resume(finished, copied, fresh=True)
    assert output(copied) == output(finished / "run")


def test_a_lost_count_of_lines_is_found_again(finished: Path, copied: Path) -> None:
    """Every line of the manifest has its own checksum."""
    (copied / "published.json").unlink()
    resume(finished, copied)
    assert verify(copied).problems == ()


def test_torn_lines_of_the_event_log_cost_only_themselves(finished: Path, copied: Path) -> None:
    """A full disk and a kill tear lines anywhere; the next session's first line does not stick to them."""
    events = copied / "events.jsonl"
    lines = events.read_bytes()
    events.write_bytes(b'{"kind": "gro' + lines + b'\xff{"kind": "group", "at": 1.5, "un')
    resume(finished, copied)
    assert inspect_run(copied)["report"]["state"] == "done"
    assert json.loads(events.read_bytes().splitlines()[-1])["kind"] == "ended"
