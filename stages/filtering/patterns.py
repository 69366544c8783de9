"""Users' patterns: how often each matches in a document, and what share of its characters the matches cover."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from headrace.schemas.arrays import Array, Bytes, Column, Floats, Offsets, text_array, text_buffers

MATCHES, SHARE = "_matches", "_share"
# To find all matches takes up to the square of a text's size, whatever the engine: `a([^z]*z)?` looks for the z behind
# each a up to the end. Stretches bound it: 15 s for a megabyte of a, with that pattern.
STRETCH = 10_000
_RANGE = re.compile(r"(?s).-.")  # [一-龥]: its ends stand for all between them
_PROBES = ("", "a", "a b", "中 文", "1\n2", ".")
_MARK = "\x01"


class Pattern(BaseModel):
    """One pattern: `values.<name>_matches` and `values.<name>_share` of each document."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    pattern: str = Field(min_length=1, max_length=10_000, description="RE2; ^ and $ are the ends of lines.")
    on: Literal["text", "view"] = Field(
        "text", description="view: capitals, full width, traditional characters and white space are no matter."
    )
    ignore_case: bool = Field(default=False, description="Capitals are no matter.")

    @field_validator("pattern")
    @classmethod
    def _linear(cls, pattern: str) -> str:
        """Refuse what RE2 does not take, and what matches between two characters."""
        probes = pa.array(_PROBES, pa.large_string())
        try:
            marked = pc.replace_substring_regex(probes, pattern=pattern, replacement=_MARK)
        except pa.ArrowInvalid as error:
            said = str(error).removeprefix("Invalid regular expression: ")
            raise ValueError(
                f"{pattern!r} is no pattern of linear time: {said}; there is no look-around and no back reference"
            ) from error
        pairs = zip(_PROBES, map(str, marked.to_pylist()), strict=True)
        if any(_MARK in text and text.replace(_MARK, "") == probe for probe, text in pairs):
            raise ValueError(f"{pattern!r} also matches nothing at all, as x* does; write what has to be there, as x+")
        return pattern

    @model_validator(mode="after")
    def _in_the_view(self) -> Pattern:
        """Refuse a character that no view has: its pattern would never match."""
        if self.on == "view" and not self.pattern.isascii():
            from headrace.stages.view import view

            for character in _RANGE.sub("", self.pattern):
                if not character.isspace() and (form := view(character)) != character.lower():
                    instead = f"write {form}" if form else "leave it out"
                    raise ValueError(f"{self.pattern!r}: the view never has {character}; {instead}")
        return self

    @property
    def expression(self) -> str:
        """The pattern with its flags; capitals are no matter in the view, which has none."""
        return ("(?mi)" if self.ignore_case or self.on == "view" else "(?m)") + self.pattern


def _as_written(value: object) -> object:
    """Take a bare pattern for one on the text, and `on` for itself, of which YAML makes true."""
    if isinstance(value, dict):
        return {"on" if key is True else key: option for key, option in value.items()}
    return {"pattern": value} if isinstance(value, str) else value


AnyPattern = Annotated[Pattern, BeforeValidator(_as_written)]
PatternName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]


def found(patterns: Mapping[str, Pattern], column: Column) -> dict[str, Floats]:
    """Give matches and share of each pattern for a text column, by the value's name; a null has none."""
    from headrace.stages.view import views

    made = {"text": text_buffers, "view": views}
    values = {}
    stretches = {on: Stretches(*made[on](column)) for on in dict.fromkeys(p.on for p in patterns.values())}
    for name, pattern in patterns.items():
        values[name + MATCHES], values[name + SHARE] = stretches[pattern.on].matched(pattern.expression)
    return values


class Stretches:
    """Texts in stretches of at most `STRETCH` bytes, which end behind a line or a space where there is one."""

    def __init__(self, data: Bytes, offsets: Offsets) -> None:
        """Cut the texts."""
        cuts = [list(_cuts(data, begin, end)) for begin, end in pairwise(offsets.tolist())]
        bounds = np.array([*(cut for each in cuts for cut in each), offsets[-1]], np.int64)
        self._texts = text_array(data, bounds)
        self._document = np.repeat(np.arange(len(cuts)), [len(each) for each in cuts])
        self._rows = len(cuts)
        self._characters = self._summed(sizes(self._texts))

    def matched(self, expression: str) -> tuple[Floats, Floats]:
        """Give for each text how often a pattern matches, and the share of characters within the matches.

        Arrow counts by cutting the text off behind each match, so that ^ matches there; replacing does not.
        """
        left = pc.replace_substring_regex(self._texts, pattern=expression, replacement="")
        inside = sizes(self._texts) - sizes(left)
        hit = inside > 0
        texts = self._texts.filter(pa.array(hit))
        marked = pc.replace_substring_regex(texts, pattern=expression, replacement=r"\0" + _MARK)
        times = np.zeros(len(inside), np.int64)
        times[hit] = sizes(marked) - sizes(texts)
        return self._summed(times), self._summed(inside) / np.maximum(self._characters, 1)

    def _summed(self, counts: Offsets) -> Floats:
        return np.bincount(self._document, counts, self._rows).astype(np.float64)


def sizes(texts: Array) -> Offsets:
    """Give the characters of each text."""
    counts: Array = pc.call_function("utf8_length", [texts])
    return counts.to_numpy().astype(np.int64)


def _cuts(data: Bytes, begin: int, end: int) -> Iterator[int]:
    """Give where the stretches of one text begin."""
    yield int(begin)
    while end - begin > STRETCH:
        window = data[begin : begin + STRETCH].tobytes()
        at = window.rfind(b"\n") + 1 or window.rfind(b" ") + 1 or STRETCH
        while data[begin + at] & 0xC0 == 0x80:
            at -= 1
        begin += at
        yield int(begin)
