"""What a preset says of documents, by the code that judges them in a run."""

from __future__ import annotations

import numpy as np
from tests.stages.conftest import documents

from headrace.stages.filtering.preset import Preset
from headrace.stages.filtering.verdicts import Verdicts
from headrace.stages.statistics.statistics import Statistics


def first_reasons(preset: Preset, statistics: Statistics) -> list[str | None]:
    """Give the reason of the first rule that each document breaks, or None."""
    verdicts = Verdicts(statistics.rows)
    verdicts.by_presets(preset.rules(), preset.measured(statistics), np.arange(statistics.rows))
    reasons: list[str | None] = verdicts.on(documents([""] * statistics.rows))["reason"].to_pylist()
    return reasons
