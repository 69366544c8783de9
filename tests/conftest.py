"""What all tests share: the corpus, if there is one, and one Ray cluster for the whole session."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ["RAY_AUTH_MODE"] = "disabled"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"


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
