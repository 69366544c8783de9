"""`ray job submit` against a head that was started by hand: the job runs, stops in order, and goes on again."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from tests.pipeline.small_runs import output, small_run, write_texts

from headrace.pipeline.events import read_events
from headrace.pipeline.run import run_pipeline

RAY = str(Path(sys.executable).with_name("ray"))
ENV = {**os.environ, "RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0", "RAY_ADDRESS": ""}


def free_ports(count: int) -> list[int]:
    """Give TCP ports below the range that Ray's workers take."""
    found: list[int] = []
    for port in range(8300, 9900):
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)):
                found.append(port)
        if len(found) == count:
            return found
    raise RuntimeError("too few free ports")


@pytest.fixture(scope="module")
def dashboard() -> Iterator[str]:
    """Start a head with a dashboard as a child process, and end all of its processes afterwards."""
    folder = tempfile.mkdtemp(prefix="hr-head-")
    port, gcs, client, agent = free_ports(4)
    command = [RAY, "start", "--head", "--block", f"--port={gcs}", f"--dashboard-port={port}", "--num-cpus=2"]
    # The defaults of these two are taken when another cluster runs on the machine; without its agent no job is taken.
    command += [f"--ray-client-server-port={client}", f"--dashboard-agent-listen-port={agent}"]
    command += ["--dashboard-host=127.0.0.1", "--object-store-memory=150000000", f"--temp-dir={folder}"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{ENV['PATH']}"
    with (Path(folder) / "head.log").open("wb") as log:
        head = subprocess.Popen(command, env={**ENV, "PATH": path}, stdout=log, stderr=log, start_new_session=True)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address)
        yield address
    finally:
        family = (
            [psutil.Process(head.pid), *psutil.Process(head.pid).children(recursive=True)]
            if head.poll() is None
            else []
        )
        head.send_signal(signal.SIGTERM)
        for process in psutil.wait_procs(family, timeout=15)[1]:
            process.kill()
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(address: str) -> None:
    for _ in range(240):
        try:
            urllib.request.urlopen(f"{address}/api/jobs/", timeout=2)
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    pytest.fail(f"no job server at {address}")


def job(dashboard: str, *arguments: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    """Run one `ray job` command."""
    verb, *rest = arguments
    command = [RAY, "job", verb, "--address", dashboard, *rest]
    return subprocess.run(command, env=ENV, capture_output=True, text=True, timeout=timeout)


def status(dashboard: str, submission: str) -> str:
    """Give the state of a job."""
    with urllib.request.urlopen(f"{dashboard}/api/jobs/{submission}", timeout=10) as answer:
        return str(json.loads(answer.read())["status"])


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_job_runs_stops_in_order_and_goes_on(dashboard: str, tmp_path: Path) -> None:
    """SIGTERM from `ray job stop` drains within its grace time; submitted again, the run ends with inline's bytes."""
    texts = write_texts(tmp_path / "texts", files=40, lines=100)
    slow, stopped_once = tmp_path / "slow.py", tmp_path / "stopped"
    slow.write_text(
        "import os\nimport time\nfrom typing import Literal\n"
        "from headrace.stages.base import Document, DocumentStage\n\n"
        "class Slow(DocumentStage):\n"
        '    """Takes its time, so that the job can be stopped in the middle."""\n\n'
        '    kind: Literal["slow"] = "slow"\n\n'
        "    def process(self, document: Document) -> Document:\n"
        f"        time.sleep(0 if os.path.exists({str(stopped_once)!r}) else 0.004)\n        return document\n"
    )
    loaded = small_run(
        tmp_path, "job", texts=texts, plugins=["slow.py"], before="{kind: slow}", tokenizer="model: bytes"
    )
    command = ["headrace", "run", str(loaded.path), "engine.executor=ray", "engine.workers=1"]
    _wait_until(lambda: job(dashboard, "submit", "--submission-id", "probe", "--", "true").returncode == 0)
    first = job(dashboard, "submit", "--submission-id", "first", "--no-wait", "--", *command)
    assert first.returncode == 0, first.stdout + first.stderr
    _wait_until(lambda: sum(e["kind"] == "committed" for e in read_events(loaded.run_dir)) >= 2)
    stopped = job(dashboard, "stop", "first")
    assert stopped.returncode == 0, stopped.stdout + stopped.stderr
    _wait_until(lambda: status(dashboard, "first") != "RUNNING")
    stopped_once.touch()
    assert read_events(loaded.run_dir)[-1]["kind"] == "ended"
    assert read_events(loaded.run_dir)[-1]["state"] == "stopped"
    committed = sum(e["kind"] == "committed" for e in read_events(loaded.run_dir))
    again = job(dashboard, "submit", "--submission-id", "second", "--", *command)
    assert again.returncode == 0, again.stdout + again.stderr
    resumed = [e["resumed_at"] for e in read_events(loaded.run_dir) if e["kind"] == "started"]
    assert len(resumed) == 2
    assert resumed[1] > 0
    assert sum(e["kind"] == "committed" for e in read_events(loaded.run_dir)) > committed
    reference = small_run(
        tmp_path, "inline", texts=texts, plugins=["slow.py"], before="{kind: slow}", tokenizer="model: bytes"
    )
    run_pipeline(reference)
    assert output(loaded.run_dir) == output(reference.run_dir)


def _wait_until(true: Callable[[], bool], tries: int = 2400) -> None:
    for _ in range(tries):
        if true():
            return
        time.sleep(0.1)
    pytest.fail("it never came")
