"""The words that a user adds to the dictionary by which Chinese is cut."""

from __future__ import annotations

from pathlib import Path

from headrace.schemas.errors import ConfigError


def read_dictionary(path: Path) -> bytes:
    """Read a file in jieba's format; ConfigError for one that is missing, empty or not UTF-8."""
    try:
        data = path.read_bytes()
    except OSError as error:
        why = error.strerror or str(error)
        remedy = "name a file relative to the configuration"
        raise ConfigError("the user dictionary cannot be read", where=str(path), why=why, remedy=remedy) from error
    for number, line in enumerate(data.split(b"\n"), start=1):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            remedy = "convert it: headrace read prints any text as UTF-8"
            where = f"{path}:{number}"
            raise ConfigError("the user dictionary is not UTF-8", where=where, why=str(error), remedy=remedy) from error
    if not data.strip():
        remedy = "write a word a line, or leave it out"
        raise ConfigError("the user dictionary is empty", where=str(path), remedy=remedy)
    return data
