"""The values of a batch of documents: each document's by the presets of its profile, and those that all have."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import Array, Column, Counts, Flags, Floats, text_array, text_buffers
from headrace.stages.filtering.names import ALWAYS, BYTES, asking, owners
from headrace.stages.filtering.patterns import sizes
from headrace.stages.filtering.preset import Preset
from headrace.stages.statistics.shares import VALUES

if TYPE_CHECKING:  # so that reading a configuration loads no kernels
    from headrace.stages.statistics.statistics import Statistics

T = TypeVar("T", bound=Hashable)


class Group(NamedTuple):
    """Documents that are measured together: those of one profile whose words are cut alike."""

    profile: str | None
    chinese: bool
    traditional: bool


@dataclass(frozen=True, slots=True)
class ToMeasure:
    """What is measured: `names` of every document, and what the presets of its profile ask."""

    names: tuple[str, ...]
    profiles: Mapping[str, tuple[Preset, ...]]
    presets: Mapping[str, Preset]

    @property
    def columns(self) -> list[str]:
        """All values that a batch gets, in order, whatever its documents are."""
        of_profiles = (
            rule.value for presets in self.profiles.values() for preset in presets for rule in preset.rules()
        )
        return list(dict.fromkeys((*self.names, *of_profiles)))


@dataclass(frozen=True, slots=True)
class Measured:
    """Values by name, NaN where a document has none, and the texts of which presets take out lines."""

    values: Mapping[str, Floats]
    texts: Array
    changed: Flags


def measured(
    texts: Array, of: Sequence[Group], asked: ToMeasure, statistics: Callable[[Array, Group], Statistics]
) -> Measured:
    """Measure texts, those of one group together; `statistics` counts some of them."""
    values = {name: np.full(len(texts), np.nan) for name in asked.columns}
    changed = np.zeros(len(texts), np.bool_)
    for group, rows in groups(of).items():
        profile = asked.profiles.get(group.profile or "", ())
        found = statistics(texts.take(_places(rows)), group)
        for name, value in values_of(asked.names, profile, asked.presets, found).items():
            values[name][rows] = value
        for preset in profile:
            if (kept := preset.kept(found)) is not None:
                inside = np.zeros(len(changed), np.bool_)
                inside[rows] = True
                changed |= inside
                texts = pc.replace_with_mask(texts, pa.array(inside), kept)
    return Measured(values, texts, changed)


def _places(rows: Counts) -> Array:
    places: Array = pa.array(rows, pa.int64())
    return places


def groups(keys: Sequence[T]) -> dict[T, Counts]:
    """Give the rows of each key, in the order in which keys come first."""
    found: dict[T, list[int]] = {}
    for row, key in enumerate(keys):
        found.setdefault(key, []).append(row)
    return {key: np.array(rows, np.int64) for key, rows in found.items()}


def values_of(
    names: Sequence[str], profile: Sequence[Preset], presets: Mapping[str, Preset], statistics: Statistics
) -> dict[str, Floats]:
    """Give what the presets of a profile ask, and values by name; those of other presets by `presets`' settings."""
    values: dict[str, Floats] = {}
    for preset in profile:
        values |= preset.measured(statistics)
    rest = [name for name in names if name not in values]
    for owner in dict.fromkeys(owners()[name] for name in rest if name in owners()):
        values |= asking(presets[owner], rest).measured(statistics)
    return values | {name: counted(name, statistics) for name in rest if name not in values}


def counted(name: str, statistics: Statistics) -> Floats:
    """Give a value that is no preset's own."""
    if name in VALUES:
        return statistics[name]
    if name == BYTES:
        return np.diff(text_buffers(statistics.column)[1]).astype(np.float64)
    if name == "sentences":
        return statistics.once(name, statistics.sentences)
    if name in ALWAYS:
        return statistics.count(name).astype(np.float64)
    raise KeyError(name)


def han_share(column: Column) -> Floats:
    """Give the share of Han characters among the letters of each text; 0 without letters."""
    texts = text_array(*text_buffers(column))
    size = sizes(texts)
    others, rest = (
        sizes(pc.replace_substring_regex(texts, pattern=pattern, replacement=""))
        for pattern in (r"\p{Han}+", r"[\p{L}\p{M}]+")
    )
    share: Floats = np.divide(size - others, size - rest, out=np.zeros(len(size)), where=size > rest)
    return np.minimum(share, 1.0)
