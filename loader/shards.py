"""Token shards on local storage, memory-mapped: the same rows out of an Arrow file and out of an LMDB file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from weakref import WeakValueDictionary

import lmdb
import numpy as np
import pyarrow as pa

from headrace.loader.batch import Block
from headrace.loader.order import IntArray
from headrace.schemas.durable import sha256_file
from headrace.schemas.errors import FormatError
from headrace.schemas.manifest import ShardInfo
from headrace.schemas.shard import (
    LENGTH_KEY,
    LMDB,
    LMDB_BLOCK_SEQUENCES,
    PAD_KEY,
    SHARD_VERSION,
    TOKENIZER_KEY,
    VERSION_KEY,
    VOCABULARY_KEY,
)

_COPY_AGAIN = "copy the shard again from where it was written, or run `headrace verify`"


@dataclass(frozen=True, slots=True)
class Layout:
    """What all shards of a run have in common."""

    sequence_length: int
    vocabulary_size: int
    pad_id: int
    tokenizer_sha256: str

    @classmethod
    def read(cls, metadata: Mapping[bytes, bytes], where: str) -> Layout:
        """Read the layout from a shard's metadata; refuses other versions."""
        if (version := metadata.get(VERSION_KEY)) != str(SHARD_VERSION).encode():
            why = f"its version is {version.decode() if version else 'missing'}, this release reads {SHARD_VERSION}"
            raise FormatError("the shard cannot be read", where=where, why=why, remedy="use the release that wrote it")
        length, vocabulary, pad = (int(metadata[key]) for key in (LENGTH_KEY, VOCABULARY_KEY, PAD_KEY))
        return cls(length, vocabulary, pad, metadata[TOKENIZER_KEY].decode())


class Shard(Protocol):
    """One open shard: rows by number, in blocks that share memory with the file."""

    layout: Layout
    sequences: int

    def blocks(self, rows: IntArray) -> Iterator[tuple[Block, IntArray, IntArray]]:
        """Give each block that holds some of `rows`: the block, the rows inside it, and where they stand in `rows`."""


class ArrowShard:
    """A shard in Arrow's IPC file format; the mapping outlives the file handle, so many can be open."""

    def __init__(self, path: Path) -> None:
        with pa.memory_map(str(path)) as source:
            reader = pa.ipc.open_file(source)
            self.layout = Layout.read(reader.schema.metadata or {}, str(path))
            batches = [reader.get_batch(i) for i in range(reader.num_record_batches)]
        self._blocks = [Block.of(batch, str(path)) for batch in batches]
        self._starts = np.cumsum([0] + [len(block.lengths) for block in self._blocks])
        self.sequences = int(self._starts[-1])

    def blocks(self, rows: IntArray) -> Iterator[tuple[Block, IntArray, IntArray]]:
        """Give each block that holds some of `rows`."""
        for block, places in groups(np.searchsorted(self._starts, rows, "right") - 1):
            yield self._blocks[block], rows[places] - self._starts[block], places


class LmdbShard:
    """A shard in one LMDB file, a block of sequences a key."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)
        self._environment = _environment(self._path)
        with self._environment.begin() as transaction:
            header = json.loads(transaction.get(b"header") or b"{}")
            entries = transaction.stat()["entries"]
        self.layout = Layout.read({key.encode(): str(value).encode() for key, value in header.items()}, self._path)
        last = entries - 2  # one entry is the header
        self.sequences = last * LMDB_BLOCK_SEQUENCES + len(self._block(last).lengths) if last >= 0 else 0

    def blocks(self, rows: IntArray) -> Iterator[tuple[Block, IntArray, IntArray]]:
        """Give each block that holds some of `rows`."""
        for block, places in groups(rows // LMDB_BLOCK_SEQUENCES):
            yield self._block(block), rows[places] % LMDB_BLOCK_SEQUENCES, places

    def _block(self, number: int) -> Block:
        # A view outlives its transaction: nobody ever writes to a published shard, so its pages are not reused.
        with self._environment.begin(buffers=True) as transaction:
            value = transaction.get(number.to_bytes(8, "big"))
        if value is None:
            why = f"block {number} is missing"
            raise FormatError("the shard is damaged", where=self._path, why=why, remedy=_COPY_AGAIN)
        with pa.ipc.open_stream(pa.py_buffer(value)) as reader:
            return Block.of(reader.read_next_batch(), self._path, owner=self._environment)


# LMDB allows one environment a file and process, so data sets over the same run share it. Weak: it closes with its last
# user. This is the one piece of process-wide state of the loader.
_ENVIRONMENTS: WeakValueDictionary[str, lmdb.Environment] = WeakValueDictionary()


def _environment(path: str) -> lmdb.Environment:
    name = str(Path(path).resolve())
    if (found := _ENVIRONMENTS.get(name)) is None:
        found = lmdb.open(name, subdir=False, readonly=True, lock=False, readahead=False)
        _ENVIRONMENTS[name] = found
    return found


def groups(keys: IntArray) -> Iterator[tuple[int, IntArray]]:
    """Give each different key, with the places it stands at."""
    if len(keys) == 1:  # the usual case in a shuffled epoch
        yield int(keys[0]), np.zeros(1, np.int64)
        return
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    cuts = np.flatnonzero(np.diff(ordered)) + 1
    for places in np.split(order, cuts):
        if places.size:
            yield int(keys[places[0]]), places


def open_shard(run: Path, info: ShardInfo, *, verify: bool) -> Shard:
    """Open a shard and check that it is what the manifest says: size, version, sequences, and by option its SHA-256."""
    path = run / info.file.name
    _check_file(path, info, verify=verify)
    try:
        shard: Shard = LmdbShard(path) if info.format == LMDB else ArrowShard(path)
    except (pa.ArrowInvalid, lmdb.Error, ValueError, KeyError) as error:
        raise FormatError("the shard is damaged", where=str(path), why=str(error), remedy=_COPY_AGAIN) from error
    if shard.sequences != info.sequences:
        why = f"it holds {shard.sequences} sequences, the manifest says {info.sequences}"
        raise FormatError("the shard is damaged", where=str(path), why=why, remedy=_COPY_AGAIN)
    return shard


def _check_file(path: Path, info: ShardInfo, *, verify: bool) -> None:
    if not path.is_file():
        raise FormatError("a committed shard is missing", where=str(path), remedy=_COPY_AGAIN)
    if (size := path.stat().st_size) != info.file.bytes:
        why = f"it has {size} bytes, the manifest says {info.file.bytes}"
        raise FormatError("the shard is damaged", where=str(path), why=why, remedy=_COPY_AGAIN)
    if verify and sha256_file(path) != info.file.sha256:
        why = "its SHA-256 differs from the manifest's"
        raise FormatError("the shard is damaged", where=str(path), why=why, remedy=_COPY_AGAIN)
