"""The open token shard: token arrays of its documents, laid into sequences when it closes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from headrace.schemas.errors import HeadraceError
from headrace.schemas.shard import ARROW, PAD_KEY, TOKENIZER_KEY, VOCABULARY_KEY, shard_schema
from headrace.schemas.unit import UnitBatch
from headrace.stages.tokenize_text import TOKENS
from headrace.stages.writing.arrow_file import write_arrow
from headrace.stages.writing.lmdb_file import write_lmdb
from headrace.stages.writing.packing import Packed, Packing, pack
from headrace.stages.writing.packing_kernels import copy_pieces


@dataclass(frozen=True, slots=True)
class UnitTokens:
    """The tokens of one unit's kept documents: document i is ids[offsets[i]:offsets[i + 1]]."""

    unit: int
    ids: NDArray[Any]
    offsets: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Layout:
    """How token shards look: format, length of a sequence, and how documents are laid into sequences."""

    format: str
    sequence_length: int
    packing: Packing
    window: int


class TokenShard:
    """Collects units until their tokens reach `target`; `write` makes the file and `clear` begins the next shard."""

    def __init__(self, layout: Layout, target: int) -> None:
        self.format, self.suffix = layout.format, f".{layout.format}"
        self._layout, self._target = layout, target
        self._units: list[UnitTokens] = []
        self._tokenizer: dict[bytes, bytes] | None = None

    @property
    def tokens(self) -> int:
        """Tokens collected so far."""
        return sum(len(unit.ids) for unit in self._units)

    @property
    def full(self) -> bool:
        """Whether the shard closes after this unit."""
        return self.tokens >= self._target

    @property
    def empty(self) -> bool:
        """Whether no token was collected."""
        return not self.tokens

    def add(self, batch: UnitBatch) -> None:
        """Take over the tokens of one unit, copied, so that nothing else of the batch stays in memory."""
        tokens = unit_tokens(batch)
        if tokens is None:
            return
        made_by = batch.documents.schema.field(TOKENS).metadata
        if self._tokenizer not in (None, made_by):
            raise HeadraceError(
                f"unit {batch.unit} was tokenized with another model than the units before it",
                where="stage write",
                remedy="start again with --fresh",
            )
        self._tokenizer = made_by
        self._units.append(tokens)

    def write(self, path: Path) -> tuple[int, int]:
        """Write the packed shard; give its number of sequences and of tokens without padding."""
        table = shard_table(self._units, self._layout, self._tokenizer or {})
        (write_arrow if self.format == ARROW else write_lmdb)(path, table)
        return table.num_rows, self.tokens

    def clear(self) -> None:
        """Begin the next shard."""
        self._units = []


def unit_tokens(batch: UnitBatch) -> UnitTokens | None:
    """Give a copy of the unit's tokens; None when it has no document."""
    table = batch.documents
    if not table.num_rows:
        return None
    if TOKENS not in table.column_names:
        raise HeadraceError(
            "there are no tokens to write",
            where="stage write",
            why="no tokenize stage ran before it",
            remedy="put `- kind: tokenize` before `write`, or set `format: parquet`",
        )
    column: Any = table[TOKENS].combine_chunks()
    offsets = column.offsets.to_numpy().astype(np.int64)
    ids = column.values.to_numpy(zero_copy_only=True)[offsets[0] : offsets[-1]].copy()
    return UnitTokens(batch.unit, ids, offsets - offsets[0])


def shard_table(units: list[UnitTokens], layout: Layout, tokenizer: dict[bytes, bytes]) -> pa.Table:
    """Give the shard as the table both formats store: packed sequences with the pieces' ends and origins."""
    pad, vocabulary = int(tokenizer[PAD_KEY]), int(tokenizer[VOCABULARY_KEY])
    schema = shard_schema(layout.sequence_length, vocabulary, pad, tokenizer[TOKENIZER_KEY].decode())
    lengths = np.concatenate([np.diff(unit.offsets) for unit in units])
    packed = pack(lengths, layout.sequence_length, layout.packing, layout.window)
    begins, ends, filled = _positions(packed, layout.sequence_length)
    ids = np.concatenate([unit.ids for unit in units])
    tokens = np.full(packed.count * layout.sequence_length, pad, ids.dtype)
    sources = (np.cumsum(lengths) - lengths)[packed.documents] + packed.starts
    copy_pieces(ids, sources, packed.sequences * layout.sequence_length + begins, packed.lengths, tokens)
    rows = np.concatenate([np.arange(len(unit.offsets) - 1, dtype=np.int32) for unit in units])
    origins = np.repeat(np.array([unit.unit for unit in units], np.int64), [len(unit.offsets) - 1 for unit in units])
    columns = [
        pa.FixedSizeListArray.from_arrays(pa.array(tokens), layout.sequence_length),
        pa.array(filled.astype(np.int32)),
        _per_sequence(packed, ends.astype(np.int32)),
        _per_sequence(packed, origins[packed.documents]),
        _per_sequence(packed, rows[packed.documents]),
        _per_sequence(packed, packed.starts.astype(np.int32)),
    ]
    return pa.table(columns, schema=schema)


def _positions(packed: Packed, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Where each piece begins and ends in its sequence, and how far each sequence is filled."""
    running = np.cumsum(packed.lengths)
    filled = np.bincount(packed.sequences, packed.lengths, packed.count).astype(np.int64)
    before = np.cumsum(filled) - filled
    ends = running - before[packed.sequences]
    return ends - packed.lengths, ends, filled


def _per_sequence(packed: Packed, values: NDArray[Any]) -> pa.ListArray[Any]:
    offsets = np.zeros(packed.count + 1, np.int32)
    np.cumsum(np.bincount(packed.sequences, minlength=packed.count), out=offsets[1:])
    items: pa.Array[Any] = pa.array(values)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), items)
