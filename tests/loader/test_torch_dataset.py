from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import torch
from tests.loader.token_runs import make_run, tokens_of
from torch.utils.data import DataLoader

from headrace.loader.stream import ShardedDataset
from headrace.loader.torch_dataset import DistributedSampler, TokenDataset, TokenStream
from headrace.schemas.errors import ConfigError, HeadraceError
from headrace.schemas.training import LoaderConfig

CONFIG = LoaderConfig(global_batch=4, window_shards=2, seed=1)


@pytest.fixture(scope="module", params=["arrow", "lmdb"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    make_run(folder, [5, 3, 6, 4, 7, 3, 5], format=request.param)
    return folder


def test_a_map_style_dataset_has_every_sequence(run: Path) -> None:
    """Length, single items, negative indices and lists of items."""
    dataset = TokenDataset(run, verify=True)
    assert len(dataset) == 33
    assert dataset[32]["tokens"].tolist() == dataset[-1]["tokens"].tolist() == tokens_of(32, 8)
    many = dataset.__getitems__([7, 0, 7])
    assert [item["sample"].item() for item in many] == [7, 0, 7]
    assert many[1]["segments"].tolist() == [0] * 8
    with pytest.raises(IndexError, match="33 sequences"):
        dataset[33]


def test_an_unfinished_run_has_no_length(tmp_path: Path) -> None:
    """A map-style data set needs the whole; the message names the one that does not."""
    make_run(tmp_path, [4], end=False)
    with pytest.raises(HeadraceError, match=r"not finished.*1 shards.*TokenStream"):
        TokenDataset(tmp_path)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_data_loader_with_the_sampler_reads_every_sequence(run: Path, workers: int) -> None:
    """Default collation works, in worker processes too."""
    dataset = TokenDataset(run)
    loader = DataLoader(dataset, batch_size=5, sampler=DistributedSampler(dataset), num_workers=workers)
    samples = torch.cat([batch["sample"] for batch in loader]).tolist()
    assert sorted(samples) == list(range(33))
    assert samples == list(DistributedSampler(dataset))


@pytest.mark.parametrize("drop_last", [True, False])
def test_the_sampler_shares_an_epoch_among_ranks(drop_last: bool) -> None:  # noqa: FBT001
    """Ranks get equal counts; without drop_last the first samples fill up the last round, as in torch."""
    samplers = [DistributedSampler(range(10), 4, r, drop_last=drop_last) for r in range(4)]
    parts = [list(s) for s in samplers]
    assert [len(part) for part in parts] == [len(s) for s in samplers] == [2 if drop_last else 3] * 4
    counts = Counter(x for part in parts for x in part)
    assert len(counts) == (8 if drop_last else 10)
    order = list(DistributedSampler(range(10)))
    assert [parts[i % 4][i // 4] for i in range(8)] == order[:8]


def test_set_epoch_changes_the_order_on_all_ranks() -> None:
    """Epochs differ, and a rank computes the same epoch again."""
    sampler = DistributedSampler(range(1000), seed=3)
    first = list(sampler)
    sampler.set_epoch(1)
    assert list(sampler) != first
    sampler.set_epoch(0)
    assert list(sampler) == first
    assert list(DistributedSampler(range(5), shuffle=False)) == [0, 1, 2, 3, 4]


def test_a_rank_beyond_the_world_is_refused() -> None:
    """The sampler says how ranks are counted."""
    with pytest.raises(ConfigError, match="rank 2 does not exist among 2"):
        DistributedSampler(range(4), 2, 2)


@pytest.mark.parametrize(("workers", "keep"), [(0, False), (1, False), (2, False), (2, True)])
def test_a_stream_gives_the_same_order_with_any_number_of_workers(run: Path, workers: int, keep: bool) -> None:  # noqa: FBT001
    """Two epochs through a DataLoader equal two epochs of the plain reader, with kept workers too."""
    plain = ShardedDataset(run, CONFIG)
    expected = [[batch.samples.tolist() for batch in plain] for _ in range(2)]
    stream = TokenStream(ShardedDataset(run, CONFIG))
    loader = DataLoader(stream, batch_size=None, num_workers=workers, persistent_workers=keep)
    for epoch in range(2):
        stream.set_epoch(epoch)
        assert [batch["sample"].tolist() for batch in loader] == expected[epoch]


@pytest.mark.parametrize("workers", [0, 2])
def test_the_state_is_behind_the_last_received_batch(run: Path, workers: int) -> None:
    """What workers have read ahead is neither lost nor repeated after a resume."""
    expected = [batch.samples.tolist() for batch in ShardedDataset(run, CONFIG)]
    stream = TokenStream(ShardedDataset(run, CONFIG))
    for number, batch in enumerate(DataLoader(stream, batch_size=None, num_workers=workers)):
        stream.received(batch)
        if number == 2:
            break
    resumed = TokenStream(ShardedDataset(run, CONFIG))
    resumed.load_state_dict(stream.state_dict())
    rest = DataLoader(resumed, batch_size=None, num_workers=workers)
    assert [batch["sample"].tolist() for batch in rest] == expected[3:]
