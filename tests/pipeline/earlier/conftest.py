"""What the tests of runs that are compared with earlier ones share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.pipeline.earlier.weeks import Weeks, arrivals


@pytest.fixture(autouse=True)
def _no_waiting_for_storage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def two(tmp_path: Path) -> Weeks:
    """Give two weeks, the first with a finished run."""
    weeks = Weeks(tmp_path)
    weeks.write_weeks(arrivals(7, 2))
    weeks.run("week0", ["week0"])
    return weeks
