"""What the tests of the protocol share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="package", autouse=True)
def _no_waiting_for_storage() -> Iterator[None]:
    """Let fsync return at once: these tests end drivers, not machines, and where power fails they watch fsync."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield
