"""docs/reference/published-rules.md says of every number what the presets say."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.stages.filtering.test_published import DATATROVE

from headrace.stages.filtering.presets import PRESETS
from headrace.stages.statistics.shares import VALUES

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "published-rules.md").read_text(encoding="utf-8")
PUBLISHED = ("gopher", "c4", "fineweb", "fineweb2_cmn", "refinedweb", "bigscience_zh")


def rows(name: str) -> dict[str, list[str]]:
    """Give the cells of a preset's table by field."""
    section = PAGE.split(f"\n## {name}\n")[1].split("\n## ")[0]
    cells = [
        [cell.strip().strip("`") for cell in line.split("|")[1:-1]] for line in section.splitlines() if "|" in line
    ]
    return {row[0]: row for row in cells[2:]}


def written(default: object) -> str:
    """Give a default as the page has it."""
    if isinstance(default, tuple):
        return f"{len(default)} words"
    return {None: "null", True: "true", False: "false"}[default] if default in (None, True, False) else str(default)


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_field_has_its_row(name: str) -> None:
    """In the order in which they are asked, with the value and the default."""
    preset, table = PRESETS[name], rows(name)
    assert list(table) == list(preset.model_fields)
    for field, told in preset.model_fields.items():
        assert table[field][1] == (preset.value_of_field(field) or "")
        number = told.default
        assert table[field][2] == (str(number) if type(number) in (int, float) else written(number))


@pytest.mark.parametrize("name", ["gopher", "fineweb", "fineweb2_cmn"])
def test_datatroves_reasons_are_found(name: str) -> None:
    """The name under which datatrove drops a document stands beside our field."""
    for field, row in rows(name).items():
        if PRESETS[name].value_of_field(field):
            assert row[4] == DATATROVE[field]


def test_every_value_is_told() -> None:
    """All values that rules may compare stand on the page, with what they say."""
    for name, value in VALUES.items():
        assert f"| `{name}` | {value.says} |" in PAGE
