"""Print the rows of an export as its format's own package reads them: `own_packages.py FORMAT GRAIN FOLDER LENGTH`.

It runs on a Python of its own, that has megatron-core, litdata, mosaicml-streaming or TensorFlow, and nothing of ours.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path


def megatron(folder: Path, grain: str, length: int) -> Iterator[list[int]]:
    """Read with Megatron's IndexedDataset."""
    from megatron.core.datasets.indexed_dataset import IndexedDataset

    data = IndexedDataset(str(folder / "tokens"))
    assert data.document_indices.tolist() == list(range(len(data) + 1))
    yield from (data[number].tolist() for number in range(len(data)))


def litdata(folder: Path, grain: str, length: int) -> Iterator[list[int]]:
    """Read with LitData's StreamingDataset, sequences through its TokensLoader."""
    from litdata import StreamingDataset
    from litdata.streaming.item_loader import TokensLoader

    loader = TokensLoader(block_size=length) if grain == "sequences" else None
    data = StreamingDataset(str(folder), item_loader=loader)
    yield from (data[number].tolist() for number in range(len(data)))


def mds(folder: Path, grain: str, length: int) -> Iterator[list[int]]:
    """Read with MosaicML's StreamingDataset, which checks the hashes."""
    from streaming import StreamingDataset

    data = StreamingDataset(local=str(folder), batch_size=1, shuffle=False, validate_hash="sha256")
    yield from (data[number]["tokens"].tolist() for number in range(len(data)))


def tfrecord(folder: Path, grain: str, length: int) -> Iterator[list[int]]:
    """Read with TensorFlow, which checks the checksums."""
    import tensorflow as tf

    integers = tf.io.VarLenFeature(tf.int64)
    fixed = {"input_ids": tf.io.FixedLenFeature([length], tf.int64), "length": tf.io.FixedLenFeature([], tf.int64)}
    spec = fixed if grain == "sequences" else {"input_ids": integers, "doc_id": tf.io.FixedLenFeature([], tf.string)}
    for record in tf.data.TFRecordDataset(sorted(map(str, folder.glob("*.tfrecord")))):
        ids = tf.io.parse_single_example(record, spec)["input_ids"]
        yield (ids if grain == "sequences" else tf.sparse.to_dense(ids)).numpy().tolist()


if __name__ == "__main__":
    form, grain, folder, length = sys.argv[1:]
    for row in globals()[form](Path(folder), grain, int(length)):
        sys.stdout.write(json.dumps(row) + "\n")
