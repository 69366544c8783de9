"""JSON as it is found: strict and fast where it can be, patient with what Python's own writer lets through."""

from __future__ import annotations

import json
import math
from typing import Any

import orjson

_COMPACT = (",", ":")
# orjson would round integers of more than 64 bits.
LONG_NUMBER = r"[0-9]{19}"


class InvalidJsonError(Exception):
    """The text is not JSON; the message says where."""


def parsed(text: str, *, exact: bool) -> Any:
    """Give the value of a JSON text; NaN, lone surrogates and (with `exact`) long integers are taken as they are."""
    if not exact:
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            pass  # refused for a fault, or for what Python's parser takes
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidJsonError(f"{error.msg} at character {error.pos}") from error
    except RecursionError as error:
        raise InvalidJsonError("nested too deeply") from error
    except ValueError as error:  # an integer of more than 4,300 digits
        raise InvalidJsonError(str(error)) from error


def spelled(value: Any) -> str:
    """Give strict JSON with sorted keys: what is no number becomes null, a lone surrogate U+FFFD."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:
        pass  # lone surrogates, long integers, or nested deeper than orjson goes
    try:
        return json.dumps(_mended(value), ensure_ascii=False, sort_keys=True, separators=_COMPACT, allow_nan=False)
    except RecursionError as error:
        raise InvalidJsonError("nested too deeply") from error


def mended_text(text: str) -> str:
    """Give text that can be written as UTF-8: pairs of surrogates joined, lone ones replaced by U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return mended_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {mended_text(key): _mended(item) for key, item in value.items()}
    return value
