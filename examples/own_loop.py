"""A training loop of your own on the shards of a run, finished or still growing: `python own_loop.py RUN`."""

import json
import sys
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader

from headrace.loader.stream import ShardedDataset
from headrace.loader.torch_dataset import TokenStream
from headrace.schemas.training import LoaderConfig

CHECKPOINT = "own_loop.json"  # beside it you save the model and the optimizer


def train(run: Path) -> list[float]:
    """Train one epoch and give the losses; go on where the last call was stopped."""
    dataset = ShardedDataset(run, LoaderConfig(global_batch=8), rank=0, world=1)  # your rank, your world size
    stream = TokenStream(dataset)
    state = Path(CHECKPOINT)
    if state.exists():
        stream.load_state_dict(json.loads(state.read_text()))
    size = dataset.layout().vocabulary_size
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Embedding(size, 32), torch.nn.Linear(32, size))  # put yours here
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for batch in DataLoader(stream, batch_size=None):  # ends with the epoch, which `set_epoch` begins
        loss = next_token_loss(model, batch["tokens"], batch["segments"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        stream.received(batch)
        state.write_text(json.dumps(stream.state_dict()))
    return losses


def next_token_loss(model: torch.nn.Module, tokens: torch.Tensor, segments: torch.Tensor) -> torch.Tensor:
    """Give the loss of predicting each next token of the same document; padding has segment -1 and is left out."""
    follows = (segments[:, 1:] == segments[:, :-1]) & (segments[:, 1:] >= 0)
    targets = tokens[:, 1:].masked_fill(~follows, -100)
    return cross_entropy(model(tokens[:, :-1]).flatten(0, 1), targets.flatten())


if __name__ == "__main__":
    found = train(Path(sys.argv[1]))
    sys.stdout.write(f"{len(found)} steps, loss {found[0]:.3f} to {found[-1]:.3f}\n" if found else "nothing is left\n")
