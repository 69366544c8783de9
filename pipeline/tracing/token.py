"""From a place in a shard to the token there, and to the document that it is of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from headrace.loader.batch import Block
from headrace.loader.shards import Shard, open_shard
from headrace.pipeline.committed import Committed
from headrace.pipeline.exporting.reading import shards_of
from headrace.pipeline.exporting.rows import Ids
from headrace.pipeline.shard_rows import pieces_of
from headrace.schemas.errors import ConfigError
from headrace.schemas.manifest import ManifestLine, ShardInfo

WHOLE_RUN = "run"  # in place of a shard: sequences are counted through the run, as loaders do


@dataclass(frozen=True, slots=True, eq=False)
class Token:
    """A token: where it lies, and that it is number `index` of the document in row `row` of unit `unit`.

    `ids` are all ids of the document. Padding belongs to no document: then `unit` is None.
    """

    line: ManifestLine
    shard: ShardInfo
    sequence: int
    position: int
    length: int  # of the sequence, without padding
    id: int
    unit: int | None = None
    row: int = 0
    index: int = 0
    ids: Ids | None = None

    @property
    def tokens(self) -> int:
        """Number of ids of the document."""
        return 0 if self.ids is None else len(self.ids)


def token_at(committed: Committed, shard: str, sequence: int, position: int) -> Token:
    """Look a token up; ConfigError if there is no such place, FormatError if the shard is not what was committed."""
    line, info, sequence = _place(committed, shard, sequence)
    opened = open_shard(committed.run, info, verify=True)
    _check(sequence, info.sequences, "sequence", info.file.name)
    block, at = _row(opened, sequence)
    tokens = block.tokens[at]
    _check(position, len(tokens), "position", f"{info.file.name}, sequence {sequence}")
    length = int(block.lengths[at])
    if position >= length:
        return Token(line, info, sequence, position, length, int(tokens[position]))
    first, last = int(block.offsets[at]), int(block.offsets[at + 1])
    ends, units, rows, starts = (column[first:last] for column in block.pieces)
    piece = int(np.searchsorted(ends, position, "right"))
    begin = int(ends[piece - 1]) if piece else 0
    unit, row, index = int(units[piece]), int(rows[piece]), int(starts[piece]) + position - begin
    ids = _ids(committed.run, opened, info, unit, row)
    return Token(line, info, sequence, position, length, int(tokens[position]), unit, row, index, ids)


def _row(shard: Shard, sequence: int) -> tuple[Block, int]:
    block, rows, _ = next(shard.blocks(np.array([sequence])))
    return block, int(rows[0])


def _ids(run: Path, shard: Shard, info: ShardInfo, unit: int, row: int) -> Ids:
    """Put the document's pieces together again."""
    parts = []
    for piece in pieces_of(run, info, unit, row):
        block, at = _row(shard, piece.sequence)
        parts.append(block.tokens[at][piece.begin : piece.end])
    ids: Ids = np.concatenate(parts)
    return ids


def _place(committed: Committed, shard: str, sequence: int) -> tuple[ManifestLine, ShardInfo, int]:
    """Find a shard by its manifest line or its file name, or the one that holds a sequence of the run."""
    shards = list(shards_of(committed.lines))
    if shard == WHOLE_RUN:
        return _counted(shards, sequence, str(committed.run))
    for line, info in shards:
        if shard.isdecimal() and int(shard) == line.index:
            return line, info, sequence
        if not shard.isdecimal() and Path(shard).name == Path(info.file.name).name:
            return line, info, sequence
    why = f"there are {len(shards)}: `headrace inspect {committed.run}` shows their lines and files"
    remedy = f"name a manifest line, a file of shards/, or `{WHOLE_RUN}` to count sequences through the run"
    raise ConfigError(f"there is no shard '{shard}'", where=str(committed.run), why=why, remedy=remedy)


def _counted(
    shards: Sequence[tuple[ManifestLine, ShardInfo]], sequence: int, where: str
) -> tuple[ManifestLine, ShardInfo, int]:
    total = sum(info.sequences for _, info in shards)
    _check(sequence, total, "sequence", where)
    starts = np.cumsum([0, *(info.sequences for _, info in shards)])
    number = int(np.searchsorted(starts, sequence, "right")) - 1
    return *shards[number], sequence - int(starts[number])


def _check(number: int, count: int, what: str, where: str) -> None:
    if not 0 <= number < count:
        remedy = f"they count from 0 to {count - 1}" if count else ""
        raise ConfigError(f"there is no {what} {number}", where=where, remedy=remedy)
