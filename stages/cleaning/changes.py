"""The changes that clean makes to texts, and what was lost by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Bytes, Column, Counts, Flags, Floats, Offsets, text_array, text_buffers
from headrace.stages.cleaning.boilerplate import matches
from headrace.stages.kernels.characters import classes


class Options(Protocol):
    """The options that decide which lines go."""

    @property
    def boilerplate(self) -> tuple[str, ...]: ...
    @property
    def footers(self) -> tuple[str, ...]: ...
    @property
    def footer_lines(self) -> int: ...
    @property
    def max_boilerplate_bytes(self) -> int: ...
    @property
    def max_line_copies(self) -> int: ...
    @property
    def min_copy_bytes(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Texts after the changes, and per document how many lines they lost.

    `repeated_line_share` is the share of bytes in lines that repeat an earlier one, before further copies were removed.
    """

    data: Bytes
    offsets: Offsets
    removed_lines: Floats
    repeated_line_share: Floats


def cleaned(options: Options, texts: Column) -> Cleaned:
    """Remove boilerplate lines, then copies of lines beyond the limit."""
    from headrace.stages.kernels.lines import earlier_copies, line_bounds, trim, without_lines

    data, offsets = text_buffers(texts)
    bounds, firsts = line_bounds(data, offsets)
    begins, sizes, lettered = trim(data, bounds, classes())
    boilerplate = _boilerplate(options, data, begins, sizes, firsts)
    copies = earlier_copies(data, begins, sizes, firsts, lettered & ~boilerplate)
    gone = boilerplate | ((copies >= options.max_line_copies) & (sizes >= options.min_copy_bytes))
    if gone.any():
        data, offsets = without_lines(data, bounds, firsts, gone)
    content = np.where(boilerplate, 0, sizes)
    share = _by_document(np.where(copies > 0, content, 0), firsts) / np.maximum(1, _by_document(content, firsts))
    return Cleaned(data, offsets, _by_document(gone, firsts).astype(np.float64), share)


def _boilerplate(options: Options, data: Bytes, begins: Offsets, sizes: Counts, firsts: Offsets) -> Flags:
    from headrace.stages.kernels.lines import gather

    short = np.flatnonzero((sizes > 0) & (sizes <= options.max_boilerplate_bytes))
    lines = text_array(*gather(data, begins[short], sizes[short]))
    found = np.zeros(len(sizes), np.bool_)
    found[short] = matches(lines, options.boilerplate)
    left = np.repeat(firsts[1:], np.diff(firsts)) - np.arange(len(sizes))  # lines of the document from this one on
    last = np.flatnonzero(left[short] <= options.footer_lines)
    found[short[last]] |= matches(lines.take(pa.array(last, pa.int64())), options.footers)
    return found


def _by_document(per_line: Counts | Flags, firsts: Offsets) -> Counts:
    sums = np.concatenate([[0], np.cumsum(per_line, dtype=np.int64)])
    return np.asarray(sums[firsts[1:]] - sums[firsts[:-1]])
