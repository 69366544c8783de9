"""The formats that an export can have: how each is written, and what its rows are unless one asks for others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from headrace.pipeline.exporting.litdata import write_litdata
from headrace.pipeline.exporting.mds import write_mds
from headrace.pipeline.exporting.megatron import write_megatron
from headrace.pipeline.exporting.npy import write_npy
from headrace.pipeline.exporting.out_folder import OutFolder
from headrace.pipeline.exporting.reading import Grain
from headrace.pipeline.exporting.rows import Rows
from headrace.pipeline.exporting.shape import Shape
from headrace.pipeline.exporting.tfrecord import write_tfrecord


@dataclass(frozen=True, slots=True)
class Format:
    """A writer, the rows it is usually given, and whether it writes the padding of sequences."""

    write: Callable[[Iterator[Rows], OutFolder, Shape], None]
    grain: Grain
    padded: bool


FORMATS = {
    "megatron": Format(write_megatron, "documents", padded=False),  # it packs by itself, and would train on padding
    "tfrecord": Format(write_tfrecord, "sequences", padded=True),
    "mds": Format(write_mds, "sequences", padded=True),
    "litdata": Format(write_litdata, "sequences", padded=True),
    "npy": Format(write_npy, "sequences", padded=True),
}
