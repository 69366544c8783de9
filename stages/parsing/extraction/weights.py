"""The weights of the extractor: a file of numbers by the names of the features, which `benchmarks/` fits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from headrace.schemas.arrays import Floats, read_only
from headrace.schemas.errors import FormatError
from headrace.stages.parsing.extraction import containers, features

FILE = Path(__file__).with_name("weights.json")
VERSION = 1
_REMEDY = "install headrace anew, or fit them with `python -m benchmarks.extraction_train --write`"


@dataclass(frozen=True, slots=True)
class Weights:
    """What each feature counts, at the first and at the second look."""

    first: Floats
    second: Floats

    def spelled(self, first_names: Sequence[str], second_names: Sequence[str]) -> str:
        """Give them as the file has them."""
        names = (first_names, (*first_names, *second_names))
        looks = [
            dict(zip(known, values.tolist(), strict=True))
            for known, values in zip(names, (self.first, self.second), strict=True)
        ]
        return json.dumps({"version": VERSION, "first": looks[0], "second": looks[1]}, indent=1) + "\n"


@cache
def weights() -> Weights:
    """Give the weights that are installed."""
    found = json.loads(FILE.read_text(encoding="utf-8"))
    if found["version"] != VERSION:
        raise FormatError(f"the weights have version {found['version']}", where=FILE.name, remedy=_REMEDY)
    names = (features.NAMES, (*features.NAMES, *containers.NAMES))
    return Weights(*(_column(found[key], known) for key, known in zip(("first", "second"), names, strict=True)))


def _column(found: dict[str, float], names: Sequence[str]) -> Floats:
    if list(found) != list(names):
        raise FormatError("the weights are of other features", where=FILE.name, remedy=_REMEDY)
    return read_only(np.array(list(found.values()), np.float64))
