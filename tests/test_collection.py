"""Tests have the same names in each process that collects them; else two processes cannot share them."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[1]


def test_names_do_not_change_from_second_to_second(pytester: pytest.Pytester) -> None:
    """Bytes that were packed at another time, and objects at another place, give the same names."""
    pytester.makeconftest("from tests.conftest import pytest_make_parametrize_id")
    names = set()
    for second in (1, 2):
        packed = gzip.compress(b"a", mtime=second)
        pytester.makepyfile(
            f"""
            import pytest

            @pytest.mark.parametrize("content", [{packed!r}, {packed + packed!r}, None, "b", object()])
            def test_it(content): ...
            """
        )
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": str(second)}
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
        done = subprocess.run(command, cwd=pytester.path, env=environment, capture_output=True, text=True, check=True)
        names.add(tuple(line for line in done.stdout.splitlines() if "::" in line))
    (found,) = names
    assert len({*found}) == 5
