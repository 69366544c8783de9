"""Numbers that JSON has no word for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def finite(value: Any) -> Any:
    """Give a JSON value with null for infinities and what is no number: a stage of the user's own may measure them.

    >>> finite({"loss": float("nan"), "values": [1.5, float("inf")]})
    {'loss': None, 'values': [1.5, None]}
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return value
