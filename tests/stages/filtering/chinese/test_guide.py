"""docs/how-to/chinese-rules.md says of every number what the presets say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from headrace.stages.filtering.presets import PRESETS

PAGE = (Path(__file__).parents[4] / "docs/how-to/chinese-rules.md").read_text(encoding="utf-8")
SECTION = PAGE.split("\n## The numbers\n")[1].split("\n## ")[0]
CHINESE = ("modern_chinese", "literary_chinese", "cantonese", "verse")
NAMES = (*CHINESE, "general")


class Row(NamedTuple):
    """What the page says of a field: its number, and those of the presets that the row names."""

    number: str
    named: dict[str, str]
    alone: list[str]

    def number_of(self, preset: str) -> str | None:
        """Give the number that a reader takes from the row for a Chinese preset, None where it has no such field."""
        if self.alone:
            return self.number if preset in self.alone else None
        return self.named.get(preset, self.number or None)


def told() -> Iterator[tuple[str, Row]]:
    """Give the fields in the order of the table."""
    for fields, cell in re.findall(r"^\| (`[^|]+`) \| ([^|]+) \|", SECTION, re.MULTILINE):
        number = re.match(r"[\d.]+|null", cell)
        row = Row(
            number[0] if number else "",
            dict(re.findall(r"`(\w+)` ([\d.]+)", cell)),
            re.findall(r"`(\w+)` alone", cell),
        )
        yield from ((field, row) for field in re.findall(r"`(\w+)`", fields))


def numbers(preset: str) -> list[tuple[str, str]]:
    """Give the fields and defaults of a preset as the page writes them."""
    fields = PRESETS[preset].model_fields.items()
    return [(name, "null" if field.default is None else str(field.default)) for name, field in fields]


@pytest.mark.parametrize("preset", CHINESE)
def test_every_field_has_its_row(preset: str) -> None:
    """No field is missing, none too many, each with its default, in the order in which they are asked."""
    found = [(field, row.number_of(preset)) for field, row in told()]
    assert [pair for pair in found if pair[1] is not None] == numbers(preset)


def test_the_fields_of_the_other_languages() -> None:
    """The sentence above the table names them, the rows have their numbers."""
    sentence = SECTION.split("`general` has ")[1].split(".")[0]
    rows = dict(told())
    assert [
        (field, rows[field].named.get("general", rows[field].number)) for field in re.findall(r"`(\w+)`", sentence)
    ] == numbers("general")


def test_no_row_names_what_is_not_there() -> None:
    """Every preset that a row names has the field."""
    for field, row in told():
        assert {*row.named, *row.alone} <= {name for name in NAMES if field in PRESETS[name].model_fields}
