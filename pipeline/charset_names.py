"""Charsets as a person writes them: which are known, and which was probably meant."""

from __future__ import annotations

from encodings.aliases import aliases

from headrace.pipeline.config_errors import suggestion
from headrace.schemas.errors import ConfigError
from headrace.stages.base import Stage
from headrace.stages.decoding.charsets import codec_of

_SHORTEST = 4  # characters of a name worth suggesting: Python's aliases hold "u8" and "cp"


def forced(stage: Stage, encoding: str) -> Stage:
    """Give a decode stage that takes every input for a charset; ConfigError with a suggestion if there is none such."""
    check_charset(encoding)
    return type(stage).model_validate({**stage.model_dump(), "encoding": encoding})


def check_charset(name: str) -> None:
    """Raise ConfigError if nothing can decode by this name, with the nearest name that there is."""
    if codec_of(name) is not None:
        return
    known = {alias.replace("_", "-") for alias in (*aliases, *aliases.values()) if len(alias) >= _SHORTEST}
    near = suggestion(name, sorted(charset for charset in known if codec_of(charset))).removeprefix("; ")
    raise ConfigError(f"there is no charset {name!r}", remedy=near or "gb18030, big5, euc-tw and utf-8 are some")
