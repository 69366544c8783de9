"""The kernels on other processors, and with every place in an array checked."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
CHECKED = {"NUMBA_BOUNDSCHECK": "1"}
OLD = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": "+sse2"}  # no vectors of more than 16 bytes


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "environment",
    [
        CHECKED,
        pytest.param(OLD, marks=pytest.mark.skipif(platform.machine() != "x86_64", reason="for that processor only")),
    ],
    ids=["bounds", "no-avx"],
)
def test_the_tests_pass_elsewhere(environment: dict[str, str], tmp_path: Path) -> None:
    """The kernels compiled for the first 64-bit processors, or with checks of bounds, pass the same tests."""
    files = ["tokenizers/test_sentencepiece_kernels.py", "tokenizers/kernels/test_pieces.py"]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        *(str(TESTS / file) for file in files),
    ]
    done = subprocess.run(
        command,
        env={**os.environ, **environment, "NUMBA_CACHE_DIR": str(tmp_path)},
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    assert list(tmp_path.rglob("*.nbi"))  # compiled for this test
