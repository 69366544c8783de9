"""Workers count once they say that they are ready; when none ever does, the run says so instead of waiting for ever."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from headrace.pipeline import hosts as hosts_module
from headrace.pipeline.events import EventLog
from headrace.pipeline.executor import Call, HostDiedError, InlineExecutor
from headrace.pipeline.host import HostSetup
from headrace.pipeline.hosts import Hosts
from headrace.schemas.errors import HeadraceError

SETUP = HostSetup("{}", (), ".")


class Starting(InlineExecutor):
    """Workers that never come up (a cluster without free CPUs), or that die on the way."""

    def __init__(self, *, die: bool) -> None:
        self.started, self._die = 0, die

    def start_worker(self, setup: HostSetup, *, extra: bool = False) -> Any:
        self.started += 1
        return self.started

    def order(self, host: Any, method: str, argument: Any) -> Call:
        return Call(host, None, HostDiedError("killed on the way"), 0.0)

    def wait(self, calls: Sequence[Call], timeout_s: float) -> list[Call]:
        return list(calls[:1]) if self._die else []


def test_no_worker_within_the_deadline_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster that is out of CPUs leaves actors pending without an error."""
    monkeypatch.setattr(hosts_module, "_START_DEADLINE_S", -1.0)
    hosts = Hosts(Starting(die=False), SETUP, EventLog(tmp_path))
    hosts.start_worker()
    with pytest.raises(HeadraceError, match=r"do not start.*lower engine\.workers"):
        hosts.poll()


def test_workers_that_die_before_they_are_ready_end_the_run(tmp_path: Path) -> None:
    """A few deaths at the start are retried; five in a row are no accident."""
    executor = Starting(die=True)
    hosts = Hosts(executor, SETUP, EventLog(tmp_path))
    hosts.start_worker()
    for _ in range(4):
        hosts.poll()
    assert executor.started == 5
    with pytest.raises(HeadraceError, match="die before they are ready"):
        hosts.poll()
