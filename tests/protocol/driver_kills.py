"""Kills of a driver: the steps of a commit at which they strike, and a stretch in which one does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from tests.protocol.fault_executors import killed

from headrace.schemas.failpoints import FAILPOINT

WRITER_STEPS = (
    "unit.documents.written",
    "unit.ledger.written",
    "shard.temporary.written",
    "shard.temporary.synced",
    "shard.renamed",
    "shard.folder.synced",
    "unit.files.synced",
)
COMMIT_STEPS = (*WRITER_STEPS, "manifest.appended", "manifest.synced", "manifest.published")


@contextmanager
def dying_at(step: str, count: int = 1, kill: Callable[..., object] = killed) -> Iterator[None]:
    """Let the driver die, unless `kill` does something else, when it reaches a step for the `count`-th time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FAILPOINT, f"{step}:{count}")
        patch.setattr(os, "kill", kill)
        yield
