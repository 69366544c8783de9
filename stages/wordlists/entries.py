"""Files of words: one a line, as people keep them, and as they are searched for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import orjson

from headrace.schemas.errors import ConfigError, FormatError
from headrace.stages.list_files import list_lines
from headrace.stages.view import view

_VERSION = 1
# Between two characters of three bytes from E4 on, which are Han: up to three signs that part letters. What is behind
# is asked last: a pattern that begins with a set of bytes is searched for faster.
_HAN, _SIGN = rb"[\xe4-\xe9][\x80-\xbf]{2}", rb"[ *._|+~/-]"
_BEHIND = b"|".join(b"(?<=" + _HAN + _SIGN * signs + b")" for signs in (1, 2, 3))
_PARTED = re.compile(_SIGN + rb"{1,3}(?=[\xe4-\xe9])(?:" + _BEHIND + b")")

Words = dict[str, float]  # form and weight


def parted_joined(form: bytes) -> bytes:
    """Give a view in which Han characters that spaces or signs part stand side by side.

    >>> parted_joined("赌 博, 老*虎-机 a b".encode()).decode()
    '赌博, 老虎机 a b'
    """
    return _PARTED.sub(b"", form)


def read_words(path: Path) -> Words:
    """Read a list's words as views; ConfigError for a file that is missing, empty or not UTF-8, or has a bad weight."""
    words: Words = {}
    for number, line in list_lines(path, "word list"):
        word, tab, weight = line.partition("\t")
        if form := view(word):
            words[form] = _weight(weight, f"{path}:{number}") if tab else 1.0
    if not words:
        raise ConfigError("the word list is empty", where=str(path), remedy="write a word a line, or leave it out")
    return words


def packed_words(files: Mapping[str, Path]) -> bytes:
    """Read lists, by name, and give them as bytes for `unpacked_words`; the order of lines is no matter."""
    lists = {name: dict(sorted(read_words(path).items())) for name, path in files.items()}
    return orjson.dumps({"version": _VERSION, "lists": lists})


def unpacked_words(packed: bytes) -> dict[str, Words]:
    """Give lists by name; FormatError for what is none."""
    try:
        value = orjson.loads(packed)
    except orjson.JSONDecodeError:
        value = {}
    if value.get("version") != _VERSION:
        raise FormatError("not packed word lists", why=f"this Headrace reads version {_VERSION}", remedy="use --fresh")
    lists: dict[str, Words] = value["lists"]
    return lists


def _weight(text: str, where: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = -1.0
    if 0 <= weight < 1e9:
        return weight
    raise ConfigError("not a weight", where=where, why=repr(text), remedy="write a number from 0 on behind the tab")
