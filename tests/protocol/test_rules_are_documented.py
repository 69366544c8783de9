"""The page about the protocol names every rule of the model, code that exists, and tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.protocol.pace_model import FIXES as PACE_FIXES
from tests.protocol.pipe_state import FIXES as PIPE_FIXES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| `")]


def test_every_rule_of_the_model_has_a_row() -> None:
    """Neither is a rule missing on the page, nor does the page have one that the model lacks."""
    assert sorted(row[0].strip("`") for row in ROWS) == sorted(PIPE_FIXES | PACE_FIXES)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip("`"))
def test_code_and_tests_of_a_rule_exist(row: list[str]) -> None:
    """Every file, class and test that a row names is there; only a rule without code has no test of it."""
    files = re.findall(r"`([\w/]+\.py)`", row[2])
    text = "".join((ROOT / file).read_text(encoding="utf-8") for file in files)
    for name in re.findall(r"`([A-Za-z_][\w.]*)`", row[2]):
        if name not in files and not name.endswith(".py"):
            assert re.search(rf"\b{name.split('.')[-1]}\b", text), name
    tests = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row[3])
    assert bool(tests) == bool(files)
    for file, name in tests:
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{name}"
