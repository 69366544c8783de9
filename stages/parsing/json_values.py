"""JSON as it is found: strict and fast where it can be, patient with what Python's own writer lets through."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import orjson

from headrace.stages.kernels.json_array import depth

MAX_DEPTH = 250  # orjson writes 254 levels; Python's own limit would depend on who calls
_TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"
_COMPACT = (",", ":")
_KINDS = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
LONG_DIGITS = 19  # orjson would round integers of more than 64 bits
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % LONG_DIGITS)


class InvalidJsonError(Exception):
    """The text is not JSON; the message says where."""


def holds_long_number(data: bytes) -> bool:
    """Say whether a JSON text may hold an integer that does not fit into 64 bits."""
    return _LONG_NUMBER.search(data) is not None


def parsed(data: bytes, *, exact: bool) -> Any:
    """Give the value of a JSON text: NaN and infinity as null, lone surrogates as U+FFFD, long integers if `exact`."""
    if not exact:
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError:
            pass  # refused for a fault, or for what Python's parser takes
    if depth(np.frombuffer(data, np.uint8)) > MAX_DEPTH:
        raise InvalidJsonError(_TOO_DEEP)
    try:
        return _mended(json.loads(data.decode()))
    except json.JSONDecodeError as error:
        raise InvalidJsonError(f"{error.msg.removesuffix(' at')} at character {error.pos}") from error
    except ValueError as error:  # an integer of more than 4,300 digits
        raise InvalidJsonError(str(error)) from error


def kind_of(value: Any) -> str:
    """Say what a value that was parsed here is, in JSON's words.

    >>> kind_of([1]), kind_of(2.5), kind_of(None)
    ('an array', 'a number', 'null')
    """
    return _KINDS.get(type(value), "a number")


def spelled(value: Any) -> str:
    """Give the strict JSON of a value that was parsed here, keys sorted."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError as error:
        if "recursion" in str(error).lower():
            raise InvalidJsonError(_TOO_DEEP) from error
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=_COMPACT, allow_nan=False)


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
