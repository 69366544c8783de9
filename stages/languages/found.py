"""What the stage knows of documents: the result of `find.found`, which needs the kernels; this needs none of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Floats

ModelName = Literal["py3langid", "scripts"]
Names = npt.NDArray[np.str_]
ONE_VARIANT = 0.9  # from this share of telling characters on a text is in one variant


@dataclass(frozen=True, slots=True)
class Found:
    """What each document is. `hant_share` is NaN where no Han character tells the variants apart."""

    language: Names
    script: Names
    confidence: Floats
    language_share: Floats
    hant_share: Floats
    classical: Floats
    cantonese: Floats
    code_share: Floats
    table_share: Floats
    digit_share: Floats
