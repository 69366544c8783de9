"""At least 200 positives and negatives of each kind, written down and made by rule, with exact output."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pyarrow as pa
import pytest
from tests.stages.privacy.generated import made
from tests.stages.privacy.tables import Case, written

from headrace.stages.pii import Pii
from headrace.stages.privacy.find import personal_data
from headrace.stages.privacy.kinds import NAMES

Tabled = Callable[..., pa.Table]
MASK_ALL = Pii.model_validate(dict.fromkeys(NAMES, "mask"))


@cache
def cases(kind: str) -> tuple[Case, ...]:
    return tuple({case.text: case for case in (*written(kind), *made(kind))}.values())


@pytest.mark.parametrize("kind", NAMES)
def test_every_case_gives_its_exact_output(kind: str, table_of: Tabled) -> None:
    """Masking gives each text of the table with placeholders where its brackets were, and not a character else."""
    result = MASK_ALL.process(table_of([case.text for case in cases(kind)]))
    differing = [
        (case.text, case.masked, masked)
        for case, masked in zip(cases(kind), result["text"].to_pylist(), strict=True)
        if masked != case.masked
    ]
    assert differing == []
    own = [sum(name == kind for name, _ in case.found) for case in cases(kind)]
    assert result[f"values.pii_{kind}"].to_pylist() == own


@pytest.mark.parametrize("kind", NAMES)
def test_every_case_names_what_it_finds(kind: str) -> None:
    """For review the kind and the characters of each finding are given; they are those at its place in the text."""
    for case in cases(kind)[::7]:
        items = personal_data(case.text)
        assert [(item.kind, item.text) for item in items] == list(case.found)
        assert all(case.text[item.begin : item.end] == item.text for item in items)


@pytest.mark.parametrize("kind", NAMES)
def test_there_are_200_cases_of_both_signs(kind: str) -> None:
    """No two texts are the same, at least 50 hold something of the kind, and at least 50 hold nothing of it."""
    positive = sum(any(name == kind for name, _ in case.found) for case in cases(kind))
    assert len(cases(kind)) >= 200
    assert positive >= 50
    assert len(cases(kind)) - positive >= 40
