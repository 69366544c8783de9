"""What all tests share: the corpus, if there is one, and one Ray cluster for the whole session."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from tests.s3_server import S3Server

# `make test` tries the same inputs each time, so that a change is to blame for what fails; `make soak` tries new ones.
hypothesis.settings.register_profile("same", derandomize=True, deadline=None)
hypothesis.settings.register_profile("new", max_examples=500, deadline=None)
hypothesis.settings.load_profile("same")

os.environ["RAY_AUTH_MODE"] = "disabled"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"


@cache
def _shares_the_cluster(file: str) -> bool:
    """Tell whether tests of this file join the Ray cluster of the session."""
    return "ray_cluster" in (Path(__file__).parents[1] / file).read_text(encoding="utf-8")


class _OneCluster(LoadScopeScheduling):
    """Gives a whole file to one process, and all files that share the Ray cluster to the same one."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "cluster" if _shares_the_cluster(file) else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> _OneCluster:
    """Let two processes share the tests (`pytest -n 2`)."""
    return _OneCluster(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests on the cluster: they take longest, and the others fill up the second process."""
    items.sort(key=lambda item: not _shares_the_cluster(item.nodeid.partition("::")[0]))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a test by what it is about, never by bytes: packed ones hold the second in which they were packed.

    Two processes that collect the tests a second apart would then know different ones, and run none.
    """
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Give the corpus folder, or skip: it is material that is never part of the repository."""
    named = os.environ.get("HEADRACE_CORPUS")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared" / "corpus"
    if not (folder / "MANIFEST.tsv").is_file():
        pytest.skip(f"no corpus at {folder}: set HEADRACE_CORPUS")
    return folder


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[None]:
    """Run one local Ray cluster; runs with `executor: ray` join it, which saves each of them the start."""
    import ray

    folder = tempfile.mkdtemp(prefix="hr-ray-")  # short: socket paths are limited
    ray.init(
        address="local",
        num_cpus=4,
        object_store_memory=200_000_000,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="error",
        _temp_dir=folder,
    )
    yield
    ray.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def s3_session() -> Iterator[S3Server]:
    """Run one S3-speaking server for the whole session; tests take the fixture `s3`."""
    from tests.s3_server import S3Server

    server = S3Server()
    yield server
    server.stop()


@pytest.fixture
def s3_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set credentials the way users do, and keep the SDK away from this machine's own and from long retries."""
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id-of-the-test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-of-the-test")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "2")


@pytest.fixture
def s3(s3_session: S3Server, s3_environment: None) -> S3Server:
    """Give the session's S3 server with an empty bucket, which lets every request through."""
    s3_session.reset()
    return s3_session
