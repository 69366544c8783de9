"""The words that a user adds to the dictionary by which Chinese is cut."""

from __future__ import annotations

from pathlib import Path

from headrace.schemas.errors import ConfigError
from headrace.stages.segmentation.lexicon import user_words


def read_dictionary(path: Path) -> bytes:
    """Read a file in jieba's format; ConfigError for one that is missing, empty or not UTF-8."""
    try:
        data = path.read_bytes()
    except OSError as error:
        why = error.strerror or str(error)
        remedy = "name a file relative to the configuration"
        raise ConfigError("the user dictionary cannot be read", where=str(path), why=why, remedy=remedy) from error
    for _ in user_words(data, str(path)):
        pass  # reading them is the check
    if not data.strip():
        remedy = "write a word a line, or leave it out"
        raise ConfigError("the user dictionary is empty", where=str(path), remedy=remedy)
    return data
