"""What the tests of the protocol share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from tests.protocol.small_runs import CHAINS, Case, some_files


@pytest.fixture(scope="package", autouse=True)
def _no_waiting_for_storage() -> Iterator[None]:
    """Let fsync return at once: these tests end drivers, not machines, and where power fails they watch fsync."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    """Give cases of lanes of different length, with a clean run in each."""
    made = {}
    for name, chain in CHAINS.items():
        made[name] = Case(tmp_path_factory.mktemp("restart"), some_files(4), chain).prepare()
        made[name].run("clean")
    return made


@pytest.fixture(params=CHAINS)
def case(request: pytest.FixtureRequest, cases: dict[str, Case]) -> Case:
    """Give one case after the other."""
    return cases[request.param]


@pytest.fixture
def plain(cases: dict[str, Case]) -> Case:
    """Give the case without a tokenizer to train."""
    return cases["bytes"]
