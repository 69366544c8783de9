from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from tests.loader.token_runs import make_run, pieces_of

from headrace.loader.batch import Batch
from headrace.loader.stream import ShardedDataset
from headrace.schemas.training import LoaderConfig, ModelConfig
from headrace.trainer.model import Decoder
from headrace.trainer.objective import IGNORED, Examples, loss_sum

SEQUENCE_2 = [3, 4, 3, 3, 4, 5, 0, 0]  # pieces end at 2, 3 and 6
EMPTY = np.empty(0, np.int64)


def read(run: Path, **changes: object) -> Batch:
    make_run(run, [3, 2])
    config = LoaderConfig.model_validate({"global_batch": 5, "window_shards": 2, "shuffle": False, **changes})
    batch = ShardedDataset(run, config, follow=False).next_batch()
    assert batch is not None
    return batch


def model() -> Decoder:
    decoder = Decoder(ModelConfig(layers=1, heads=2, width=16, hidden=32, init_std=0.2), 50)
    decoder.initialise(0)
    return decoder


def test_targets_stay_in_the_document_and_out_of_padding(tmp_path: Path) -> None:
    """The last token of a piece predicts nothing, and padding is neither predicted nor predicts."""
    batch = read(tmp_path)
    assert batch.tokens[2].tolist() == SEQUENCE_2
    assert pieces_of(2, 8) == [2, 3, 6]
    x = IGNORED
    assert Examples.of(batch, within_documents=True).targets[2].tolist() == [4, x, x, 4, 5, x, x, x]
    assert Examples.of(batch, within_documents=False).targets[2].tolist() == [4, 3, 3, 4, 5, x, x, x]


def test_positions_start_anew_only_within_documents(tmp_path: Path) -> None:
    """Without the document mask a sequence is one text."""
    batch = read(tmp_path)
    assert Examples.of(batch, within_documents=True).positions[2, :6].tolist() == [0, 1, 0, 0, 1, 2]
    plain = Examples.of(batch, within_documents=False)
    assert (plain.positions[2].tolist(), plain.segments) == (list(range(8)), None)


def test_a_batch_of_padding_has_no_loss(tmp_path: Path) -> None:
    """Skipped sequences predict nothing and give no gradient and no NaN."""
    batch = read(tmp_path, skip=(0, 1, 2, 3, 4))
    examples = Examples.of(batch, within_documents=True)
    assert examples.count == 0
    decoder = model()
    loss = loss_sum(decoder, examples)
    loss.backward()  # type: ignore[no-untyped-call]
    assert loss.item() == 0
    assert all(p.grad is None or not p.grad.any() for p in decoder.parameters())


def test_what_stands_in_the_padding_does_not_matter(tmp_path: Path) -> None:
    """Other ids behind a sequence's length change neither loss nor gradient."""
    batch = read(tmp_path)
    losses = []
    for filler in (0, 49):
        tokens = np.where(batch.segments() < 0, filler, batch.tokens)
        changed = Batch(**{name: getattr(batch, name) for name in Batch.__slots__} | {"tokens": tokens})
        losses.append(loss_sum(model(), Examples.of(changed, within_documents=True)).item())
    assert losses[0] == losses[1]


def test_parts_add_up_to_the_whole(tmp_path: Path) -> None:
    """The summed loss of micro-batches of any size is that of the batch."""
    examples = Examples.of(read(tmp_path), within_documents=True)
    whole = loss_sum(model(), examples)
    for rows in (1, 2, 4, 100):
        parts = list(examples.split(rows))
        assert sum(part.count for part in parts) == examples.count
        assert torch.allclose(sum(loss_sum(model(), part) for part in parts) + torch.zeros(()), whole, rtol=1e-5)
