"""Where datatrove is: a Python of its own, since its dependencies clash with ours."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def python_of_datatrove() -> Path:
    """Give the Python that has datatrove, or skip."""
    named = os.environ.get("HEADRACE_DATATROVE_PYTHON")
    python = Path(named) if named else ROOT / ".bench-env" / "datatrove" / "bin" / "python"
    if not python.is_file():
        pytest.skip("datatrove is not installed: make bench-env, or set HEADRACE_DATATROVE_PYTHON")
    return python
