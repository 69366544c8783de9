"""Kills: wherever a run dies, the next start gives the bytes of a run that never died, and leaves no process behind."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from tests.pipeline.small_runs import output, page_run, write_pages

from headrace.pipeline.events import read_events
from headrace.pipeline.load import LoadedConfig
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.verify import verify
from headrace.schemas.failpoints import FAILPOINT, ONCE

ROOT = Path(__file__).parents[1]
FAILPOINTS = sorted(
    {
        name.replace("{self.steps}", "index")
        for folder in ("pipeline", "stages", "tokenizers", "schemas")
        for path in (ROOT / folder).rglob("*.py")
        for name in re.findall(r'reach\(f?"([a-z_.{}]+)"\)', path.read_text(encoding="utf-8"))
        # Of `forget`, and of runs of two passes: tests/pipeline/forgetting and tests/pipeline/two_pass kill these.
        if not name.startswith(("tombstones.", "verdicts.", "policies."))
    }
)
RANDOM_KILLS = 20


def headrace(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command line to its end."""
    command = [sys.executable, "-m", "headrace", *arguments]
    return subprocess.run(command, env={**os.environ, **(env or {})}, capture_output=True, text=True, timeout=300)


def assert_sound(loaded: LoadedConfig) -> None:
    """`verify` finds nothing, and no file is there that no manifest line names."""
    checked = verify(loaded.run_dir)
    assert not checked.problems
    named = set(output(loaded.run_dir))
    for folder in ("shards", "documents", "ledger", "quarantine", "index"):
        there = {f"{folder}/{p.name}" for p in (loaded.run_dir / folder).iterdir()}
        assert there <= named


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Give the input texts, and the output of a run that nothing happened to."""
    folder = tmp_path_factory.mktemp("clean")
    texts = write_pages(folder / "texts")
    loaded = page_run(folder, texts=texts)
    summary = run_pipeline(loaded)
    assert summary.state == "done"
    dropped = {reason for counts in summary.counts for reason in counts.dropped}
    assert dropped == {"url_blocked", "url_repeated", "exact_duplicate"}  # both ordered stages have something to lose
    return texts, output(loaded.run_dir)


def test_the_source_names_enough_failpoints() -> None:
    """A failpoint stands between any two steps of the commit; FAILPOINTS is read from the source, so none is missed."""
    steps = {
        "unit.documents.written", "unit.ledger.written", "shard.temporary.written", "shard.temporary.synced",
        "shard.renamed", "shard.folder.synced", "unit.files.synced", "manifest.appended", "manifest.synced",
        "manifest.published", "model.temporary.written", "model.renamed",
    }  # fmt: skip
    assert steps <= set(FAILPOINTS)
    assert any(name.startswith("index.") for name in FAILPOINTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAILPOINTS)
def test_a_kill_at_every_step_of_the_commit_changes_nothing(
    name: str, clean: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    """SIGKILL where the step is reached for the second time: the resumed run has the bytes of the clean one."""
    texts, expected = clean
    loaded = page_run(tmp_path, texts=texts)
    count = 1 if name.startswith("model.") else 2
    mark = tmp_path / "died"
    died = headrace("run", str(loaded.path), env={FAILPOINT: f"{name}:{count}", ONCE: str(mark)})
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert mark.exists()
    assert run_pipeline(loaded).state == "done"
    assert output(loaded.run_dir) == expected
    assert_sound(loaded)


@pytest.mark.soak
@pytest.mark.parametrize("name", FAILPOINTS)
def test_kills_at_one_step_again_and_again_change_nothing(
    name: str, clean: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    """Five sessions in a row die at the same step, each a little further: still the bytes of the clean run."""
    texts, expected = clean
    loaded = page_run(tmp_path, texts=texts)
    for count in (1, 1, 2, 3, 2):
        headrace("run", str(loaded.path), env={FAILPOINT: f"{name}:{count}"})
    assert headrace("run", str(loaded.path)).returncode == 0
    assert output(loaded.run_dir) == expected
    assert_sound(loaded)


# Random kills on Ray: driver, stage worker, ordered stages, trainer


@dataclass(frozen=True)
class Victim:
    """A process of a run that is to be killed."""

    role: str
    pid: int


def victims(run: Path, driver: int, since: int) -> Iterator[Victim]:
    """Give the processes of the newest session that are alive, with what they do."""
    yield Victim("driver", driver)
    for event in read_events(run)[since:]:
        role = event.get("role") or ("trainer" if event["kind"] == "trainer" and "pid" in event else None)
        if role and psutil.pid_exists(event["pid"]):
            yield Victim(role, event["pid"])


def kill_one(run: Path, process: subprocess.Popen[bytes], role: str, rng: random.Random, since: int) -> str | None:
    """Wait a random moment, then kill one process of the role; give what the log says it was doing."""
    for _ in range(180):
        if process.poll() is not None:
            break
        time.sleep(rng.uniform(0.05, 0.6))
        chosen = [v for v in victims(run, process.pid, since) if v.role.split()[0] == role]
        if not chosen or len(read_events(run)) <= since:
            continue
        victim = rng.choice(chosen)
        units = [e["unit"] for e in read_events(run)[since:] if e["kind"] == "admitted"]
        os.kill(victim.pid, signal.SIGKILL)
        return f"{victim.role} (pid {victim.pid}) at unit {units[-1] if units else 0}"
    return None


@pytest.mark.soak
def test_twenty_random_kills_change_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """SIGKILL of driver, stage worker, dedup, writer and trainer at random: same bytes, balanced, no process left."""
    rng = random.Random(20)
    texts = write_pages(tmp_path / "texts", seed=3, files=12, lines=120)
    trained = tmp_path / "trained.yaml"
    loaded = _with_trainer(page_run(tmp_path, "killed", texts=texts, window=6), trained)
    reference = page_run(tmp_path, "clean", texts=texts)
    run_pipeline(reference)
    expected = output(reference.run_dir)
    log: list[str] = []
    roles = ["driver", "worker", "urls", "dedup", "write", "trainer"]
    kills = 0
    started: list[psutil.Process] = []
    while kills < RANDOM_KILLS:
        fresh = ["--fresh"] if _ended(loaded.run_dir) else []
        since = 0 if fresh else len(read_events(loaded.run_dir))
        command = [
            sys.executable,
            "-m",
            "headrace",
            "run",
            str(trained),
            "--executor",
            "ray",
            "engine.workers=2",
            *fresh,
        ]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        started.append(psutil.Process(process.pid))
        while process.poll() is None and kills < RANDOM_KILLS:
            if fresh and (loaded.run_dir / "events.jsonl").exists():
                since = min(since, len(read_events(loaded.run_dir)))
            what = kill_one(loaded.run_dir, process, roles[kills % len(roles)], rng, since)
            if what is None:
                break
            kills += 1
            log.append(what)
        process.wait(300)
    ended = headrace("run", str(trained), "--executor", "ray", "engine.workers=2")
    assert ended.returncode == 0, ended.stderr
    with capsys.disabled():
        sys.stdout.write("".join(f"\nkill {i + 1:2}: {what}" for i, what in enumerate(log)))
    assert output(loaded.run_dir) == expected
    assert_sound(loaded)
    assert not _leftovers(loaded.run_dir)


def _with_trainer(loaded: LoadedConfig, path: Path) -> LoadedConfig:
    from headrace.pipeline.load import load_config

    text = loaded.path.read_text(encoding="utf-8") + (
        "pace: {ahead: 4, restarts: 50}\n"
        "loader: {global_batch: 4, window_shards: 2}\n"
        "trainer: {epochs: 1, threads: 1, checkpoint_every: 5, model: {layers: 1, heads: 2, width: 16}}\n"
    )
    path.write_text(text, encoding="utf-8")
    return load_config(path)


def _ended(run: Path) -> bool:
    manifest = run / "manifest.jsonl"
    lines = manifest.read_bytes().splitlines() if manifest.exists() else []
    return bool(lines) and bool(json.loads(lines[-1])["end"])


def _leftovers(run: Path) -> list[psutil.Process]:
    """Give processes of any session of the run, Ray's actors among them, that are alive three seconds after its end."""
    time.sleep(3)
    pids = {event["pid"] for event in read_events(run) if "pid" in event}
    alive = [p for p in psutil.process_iter(["cmdline", "status"]) if p.pid in pids]
    ours = ("headrace", "ray::", "Worker", "OrderedHost")
    return [
        p
        for p in alive
        if p.info["status"] != psutil.STATUS_ZOMBIE and any(word in " ".join(p.info["cmdline"] or []) for word in ours)
    ]
