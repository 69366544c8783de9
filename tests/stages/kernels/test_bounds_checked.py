"""Every kernel once more with its array bounds checked: compiled as usual, a place outside an array is just memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parents[1]
FUZZ = ("stages/decoding/test_properties.py", "stages/reading/test_same_units.py")


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("tests", [".", *FUZZ])
def test_no_kernel_leaves_its_arrays(tests: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The twins' tests and the fuzz pass where each index out of bounds raises an error.

    The checked code is no other kernel's: its cache is a folder of its own, shared by these tests.
    """
    cache = tmp_path_factory.getbasetemp() / "bounds-checked"
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(cache)}
    where = HERE if tests == "." else TESTS / tests
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not soak", "-p", "no:cacheprovider", str(where)]
    done = subprocess.run(command, env=environment, cwd=TESTS.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    assert list(cache.rglob("*.nbi"))  # it was this cache that was used


@pytest.mark.soak
def test_a_place_outside_is_found(tmp_path: Path) -> None:
    """The check is on: a kernel that reads behind its array is told apart from one that does not."""
    script = tmp_path / "kernel.py"
    script.write_text(
        "import sys\nimport numpy as np\nfrom headrace.schemas.compiled import kernel\n\n\n"
        "@kernel\ndef at(data, place):\n    return data[place]\n\n\nat(np.zeros(3, np.uint8), int(sys.argv[1]))\n"
    )
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    codes = [
        subprocess.run(
            [sys.executable, str(script), place], env=environment, capture_output=True, check=False
        ).returncode
        for place in ("2", "3")
    ]
    assert codes == [0, 1]
