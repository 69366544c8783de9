"""All repairs over a column of texts, round by round: what one repair brings to light, another may mend."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Literal, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import (
    Array,
    Bytes,
    Classes,
    Column,
    Counts,
    Flags,
    Floats,
    read_only,
    text_array,
    text_buffers,
)

ROUNDS = 8  # a text that still changes after so many was made to do so
_PRIVATE_USE = "[\\x{E000}-\\x{F8FF}\\x{F0000}-\\x{FFFFD}\\x{100000}-\\x{10FFFD}]"
Mended = tuple[Array, dict[str, Counts]]  # texts, and places per repair and text


class Options(Protocol):
    """Which repairs are on."""

    @property
    def mojibake(self) -> bool: ...
    @property
    def pinyin(self) -> bool: ...
    @property
    def look_alikes(self) -> bool: ...
    @property
    def script(self) -> Literal["keep", "simplified", "traditional"]: ...
    @property
    def zero_width(self) -> bool: ...
    @property
    def controls(self) -> bool: ...
    @property
    def bidi(self) -> bool: ...
    @property
    def private_use(self) -> Literal["keep", "remove"]: ...
    @property
    def line_ends(self) -> bool: ...
    @property
    def byte_order_marks(self) -> bool: ...
    @property
    def non_characters(self) -> bool: ...
    @property
    def marks(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Step:
    """One repair: the bits of the scan that call for it, and what it does to texts with such bits."""

    wanted: int
    repair: Callable[[Array, Counts], Mended]


@dataclass(frozen=True, slots=True)
class Repaired:
    """Texts with all repairs made, how many places each repair mended in each, and their private-use characters."""

    texts: Array
    places: dict[str, Floats]
    private_use: Floats


def repaired_column(options: Options, names: tuple[str, ...], texts: Column) -> Repaired:
    """Repair a column; only texts that changed are looked at again, until none does."""
    array = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    array = array.cast(pa.large_string())
    totals = {name: np.zeros(len(array)) for name in names}
    private = np.zeros(len(array), np.bool_)
    steps = steps_of(options)
    rows = np.arange(len(array))
    live = array
    for _ in range(ROUNDS):
        live, places, seen = _round(steps, live, options.marks)
        private[rows] |= seen
        for name, counts in places.items():
            totals[name][rows] += counts
        changed = np.logical_or.reduce([np.zeros(len(rows), np.bool_), *(counts > 0 for counts in places.values())])
        if not changed.any():
            break
        live, rows = live.filter(pa.array(changed)), rows[changed]
        mask = np.zeros(len(array), np.bool_)
        mask[rows] = True
        array = pc.replace_with_mask(array, pa.array(mask), live)
    return Repaired(array, totals, _private_use(array, private))


def _private_use(texts: Array, chosen: Flags) -> Floats:
    """Count private-use characters of the texts that may have some."""
    counts = np.zeros(len(texts))
    if chosen.any():
        found: Array = pc.call_function(
            "count_substring_regex", [texts.filter(pa.array(chosen))], pc.MatchSubstringOptions(_PRIVATE_USE)
        )
        counts[chosen] = found.to_numpy(zero_copy_only=False)
    return counts


def _round(steps: tuple[Step, ...], texts: Array, most_marks: int | None) -> tuple[Array, dict[str, Counts], Flags]:
    """Make each repair once; tell also which texts have private-use characters."""
    from headrace.stages.kernels.repair_scan import PRIVATE, scan
    from headrace.stages.repairing.suspicion import signals

    bits = scan(*text_buffers(texts), signals(), most_marks if most_marks is not None else 1 << 60)
    places: dict[str, Counts] = {}
    for step in steps:
        chosen = bits & step.wanted != 0
        if not chosen.any():
            continue
        mask = pa.array(chosen)
        mended, found = step.repair(texts.filter(mask), bits[chosen])
        if any(counts.any() for counts in found.values()):
            texts = pc.replace_with_mask(texts, mask, mended)
        for name, counts in found.items():
            places[name] = np.zeros(len(bits), np.int64)
            places[name][chosen] = counts
    return texts, places, bits & PRIVATE != 0


def steps_of(options: Options) -> tuple[Step, ...]:
    """Give the repairs that are on, in their order: bytes first, since control characters are among them."""
    from headrace.stages.kernels import repair_scan as bit

    steps: list[Step] = []
    if options.mojibake:
        steps.append(Step(bit.MOJIBAKE, _mojibake))
    if any(switched_on(options)):
        steps.append(Step(_bits_of(options), lambda texts, bits: _scrubbed(options, texts, bits)))
    if options.look_alikes:
        steps.append(Step(bit.LOOK_ALIKES, _look_alikes))
    if options.pinyin:
        steps.append(Step(bit.PINYIN, lambda texts, _: _one_by_one("pinyin", texts, _unannotated)))
    if options.script != "keep":
        steps.append(Step(bit.HAN, lambda texts, _: _one_by_one("script", texts, lambda text: _script(options, text))))
    return tuple(steps)


def switched_on(options: Options) -> tuple[bool, ...]:
    """Tell for each column of the scrub kernel whether its repair is on."""
    from headrace.stages.kernels.repair_tables import COLUMNS

    on = {name: getattr(options, name) for name in COLUMNS}
    on["private_use"] = options.private_use == "remove"
    on["marks"] = options.marks is not None
    return tuple(on.values())


@cache
def fates_of(switches: tuple[bool, ...]) -> Classes:
    """Give each code point's fate: STAY where the repair of its column is off."""
    from headrace.stages.kernels.repair_tables import COLUMN_OF_FATE, fates

    on = np.array(switches)[list(COLUMN_OF_FATE)]
    return read_only(np.where(on[fates()], fates(), 0).astype(np.uint8))


def _bits_of(options: Options) -> int:
    from headrace.stages.kernels.repair_scan import DIRECTIONS

    bits = sum(1 << column for column, on in enumerate(switched_on(options)) if on)
    return bits | (DIRECTIONS if options.bidi else 0)


def _scrubbed(options: Options, texts: Array, bits: Counts) -> Mended:
    from headrace.stages.kernels.repair_scan import RIGHT_TO_LEFT
    from headrace.stages.kernels.repair_scrub import scrub
    from headrace.stages.kernels.repair_tables import COLUMN_OF_FATE, COLUMNS, roles

    directed: Flags = bits & RIGHT_TO_LEFT != 0
    most = options.marks if options.marks is not None else 1 << 60
    columns = np.array(COLUMN_OF_FATE, np.int32)
    fates = fates_of(switched_on(options))
    data, offsets, counts = scrub(*text_buffers(texts), fates, roles(), columns, directed, most)
    return text_array(data, offsets), {name: counts[:, column] for column, name in enumerate(COLUMNS)}


def _look_alikes(texts: Array, _: Counts) -> Mended:
    from headrace.stages.kernels.repair_look_alikes import replace_look_alikes
    from headrace.stages.repairing.look_alikes import forms, surroundings

    data, offsets, counts = replace_look_alikes(*text_buffers(texts), forms(), surroundings())
    return text_array(data, offsets), {"look_alikes": counts}


def _one_by_one(name: str, texts: Array, repair: Callable[[str], tuple[str, int]]) -> Mended:
    pairs = [repair(str(text)) for text in texts.to_pylist()]
    counts = np.array([places for _, places in pairs], np.int64)
    return pa.array([text for text, _ in pairs], pa.large_string()), {name: counts}


def _unannotated(text: str) -> tuple[str, int]:
    from headrace.stages.repairing.pinyin import unannotated

    return unannotated(text)


def _script(options: Options, text: str) -> tuple[str, int]:
    from headrace.stages.repairing.scripts import converted

    return (text, 0) if options.script == "keep" else converted(text, options.script)


def _mojibake(texts: Array, _: Counts) -> Mended:
    """Mend suspicious lines; the places are the lines that changed."""
    from headrace.stages.kernels.repair_scan import suspicious_lines
    from headrace.stages.repairing.suspicion import signals

    data, offsets = text_buffers(texts)
    lines: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for document, begin, end in suspicious_lines(data, offsets, signals()).tolist():
        lines[document].append((begin, end))
    pairs = [_mended_document(data, lines[row], *offsets[row : row + 2].tolist()) for row in range(len(texts))]
    counts = np.array([places for _, places in pairs], np.int64)
    return pa.array([text for text, _ in pairs], pa.large_string()), {"mojibake": counts}


def _mended_document(data: Bytes, spans: list[tuple[int, int]], begin: int, end: int) -> tuple[str, int]:
    """Give a document with its suspicious lines mended, and how many lines changed."""
    from headrace.stages.repairing.mojibake import mended

    cuts = [begin, *(place for span in spans for place in span), end]
    parts = [data[first:last].tobytes().decode() for first, last in pairwise(cuts)]
    after = list(parts)
    after[1::2], after[::2] = mended(parts[1::2], parts[::2])
    changed = sum(a != b for a, b in zip(after[1::2], parts[1::2], strict=True))
    between = zip(after[::2], parts[::2], strict=True)
    changed += sum(a != b for new, old in between for a, b in zip(new.split("\n"), old.split("\n"), strict=True))
    return "".join(after), changed
