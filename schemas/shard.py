"""The token shard: packed sequences of ids with document boundaries and provenance.

Both formats hold the same columns. Arrow: one IPC file, one row a sequence. LMDB: one database file without lock; key
= block number as 8 bytes big-endian, value = the Arrow IPC stream of that block of sequences; key b"header" = the
metadata below as JSON. A sequence is `sequence_length` ids: pieces of documents one behind the other, then padding.
"""

from __future__ import annotations

import pyarrow as pa

SHARD_VERSION = 1
ARROW, LMDB, PARQUET, JSONL = "arrow", "lmdb", "parquet", "jsonl"
OF_TEXT = (PARQUET, JSONL)  # these hold documents with every column, the others token ids
LMDB_BLOCK_SEQUENCES = 64  # smaller values waste most of an overflow page: 2.0x at one sequence a key

# Schema metadata of every shard (bytes -> bytes in Arrow, strings in LMDB's header).
VERSION_KEY = b"headrace.shard.version"
LENGTH_KEY = b"headrace.sequence_length"
PAD_KEY = b"headrace.pad_id"
VOCABULARY_KEY = b"headrace.vocabulary_size"
TOKENIZER_KEY = b"headrace.tokenizer_sha256"


def shard_schema(sequence_length: int, vocabulary_size: int, pad_id: int, tokenizer_sha256: str) -> pa.Schema:
    """Give the Arrow schema of a token shard; ids are uint16 when the vocabulary fits, else uint32.

    `tokens`: the ids, padding last. `length`: ids that are not padding. `piece_ends`: where each piece of a document
    ends in the sequence. `piece_units`, `piece_rows`: which document it is (row of the unit's documents file).
    `piece_starts`: how many tokens of that document lie before the piece.
    """
    ids = pa.uint16() if vocabulary_size <= 1 << 16 else pa.uint32()
    return pa.schema(
        [
            ("tokens", pa.list_(ids, sequence_length)),
            ("length", pa.int32()),
            ("piece_ends", pa.list_(pa.int32())),
            ("piece_units", pa.list_(pa.int64())),
            ("piece_rows", pa.list_(pa.int32())),
            ("piece_starts", pa.list_(pa.int32())),
        ],
        metadata={
            VERSION_KEY: str(SHARD_VERSION).encode(),
            LENGTH_KEY: str(sequence_length).encode(),
            PAD_KEY: str(pad_id).encode(),
            VOCABULARY_KEY: str(vocabulary_size).encode(),
            TOKENIZER_KEY: tokenizer_sha256.encode(),
        },
    )
