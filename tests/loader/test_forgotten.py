"""Readers serve nothing of a forgotten document: when it is forgotten while they read, or before it was written."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.pipeline.forgetting.page_runs import by_row, documents, page_run, served
from torch.utils.data import DataLoader

from headrace.loader.batch import Batch
from headrace.loader.stream import ShardedDataset
from headrace.loader.torch_dataset import TokenDataset, TokenStream
from headrace.pipeline.forgetting.forget import forget
from headrace.pipeline.run import run_pipeline
from headrace.schemas.errors import FormatError
from headrace.schemas.forgetting import request
from headrace.schemas.manifest import PUBLISHED
from headrace.schemas.tombstones import TOMBSTONES, read_tombstones
from headrace.schemas.training import LoaderConfig

ASKED = [request("domain", "b.example"), request("url", "c.example/p/7")]
CONFIG = LoaderConfig(global_batch=4, window_shards=2, seed=1, poll_s=0.01, drop_last=False)


@pytest.fixture(scope="module", params=["arrow", "lmdb"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    run_pipeline(page_run(folder, form=request.param))
    return folder / "run"


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "run")
    return tmp_path / "run"


def meant(run: Path, *hosts: str) -> set[tuple[int, int]]:
    rows = [row for row in documents(run) if row["verdict"] == "kept"]
    parts = hosts or ("b.example/", "c.example/p/7")
    return {(row["unit"], row["row"]) for row in rows if any(part in f"{row['url']}" for part in parts)}


def reader(run: Path) -> ShardedDataset:
    return ShardedDataset(run, CONFIG, follow=False)


def given(batches: list[Batch]) -> set[tuple[int, int]]:
    return set().union(*(served(batch) for batch in batches))


def test_from_the_next_batch_on(run: Path) -> None:
    """A reader that is at work takes the request in at its next batch; what it gave before it cannot take back."""
    dataset = reader(run)
    before = [dataset.next_batch() for _ in range(5)]
    assert given([b for b in before if b]) & meant(run)
    forget(run, ASKED)
    after = list(dataset)
    assert after
    assert not given(after) & meant(run)
    assert {b.tombstones for b in before if b} == {0}
    assert {b.tombstones for b in after} == {1}


def test_every_other_sequence_stays_in_its_place(run: Path) -> None:
    """All that is skipped holds a token of a forgotten document, all that does is skipped, and all ranks agree."""
    plain = list(reader(run))
    forget(run, ASKED)
    wanted = meant(run)
    for a, b in zip(plain, reader(run), strict=True):
        bad = [bool(keys & wanted) for keys in by_row(a)]
        assert b.samples.tolist() == np.where(bad, -1, a.samples).tolist()
        assert (b.lengths[b.samples < 0] == 0).all()
        assert (b.tokens[b.samples >= 0] == a.tokens[b.samples >= 0]).all()
    ranks = [ShardedDataset(run, CONFIG, rank=rank, world=2, follow=False) for rank in range(2)]
    merged = [np.stack([a.samples, b.samples], 1).ravel().tolist() for a, b in zip(*ranks, strict=True)]
    assert merged == [batch.samples.tolist() for batch in reader(run)]


def test_a_state_from_before_is_resumed_without_it(run: Path) -> None:
    """A checkpoint knows no tombstones, the run does."""
    dataset = reader(run)
    for _ in range(3):
        dataset.next_batch()
    state = json.loads(json.dumps(dataset.state_dict()))
    forget(run, ASKED)
    resumed = reader(run)
    resumed.load_state_dict(state)
    batches = [*resumed, *resumed]  # the rest of the first epoch, and the second
    assert {b.epoch for b in batches} == {0, 1}
    assert not given(batches) & meant(run)


@pytest.mark.parametrize("published", [0, 1, 3])
def test_what_is_committed_after_the_request_is_covered(run: Path, published: int) -> None:
    """A growing run: pattern, domain and doc_id are asked of the documents of each later line."""
    late = max(row["doc_id"] for row in documents(run) if row["verdict"] == "kept" and "a.example" in row["url"])
    count = json.loads((run / PUBLISHED).read_bytes())
    (run / PUBLISHED).write_text(json.dumps({**count, "lines": published}))
    forget(run, [*ASKED, request("doc", late)])
    (run / PUBLISHED).write_text(json.dumps(count))
    tombstones = read_tombstones(run)
    assert tombstones is not None
    wanted = meant(run) | {(r["unit"], r["row"]) for r in documents(run) if r["doc_id"] == late}
    assert {(d.unit, d.row) for d in tombstones.documents} < wanted
    batches = list(reader(run))
    assert not given(batches) & wanted
    every = {(r["unit"], r["row"]) for r in documents(run) if r["verdict"] == "kept"}
    assert given(batches) <= every - wanted
    assert len(given(batches)) > len(every - wanted) / 4  # what shares no sequence with one of them is served


def test_a_run_that_was_started_over_is_asked_again(run: Path, tmp_path: Path) -> None:
    """With --fresh the requests stay, while rows have other numbers: those of the old run are not believed."""
    forget(run, ASKED)
    old, wanted = read_tombstones(run), meant(run)
    run_pipeline(page_run(tmp_path, unit_bytes=3500), fresh=True)
    assert read_tombstones(run) == old
    assert meant(run) != wanted
    assert not given(list(reader(run))) & meant(run)
    forget(run, ASKED)
    assert read_tombstones(run) != old
    assert not given(list(reader(run))) & meant(run)


def test_torch_data_sets_skip_it_too(run: Path) -> None:
    """By number a forgotten sequence is padding with sample -1; a stream looks in each of its worker processes."""
    dataset = TokenDataset(run)
    stream = TokenStream(reader(run))
    forget(run, ASKED)
    rows = dataset.__getitems__(range(len(dataset)))
    gone = [int(i) for i, row in enumerate(rows) if row["sample"] < 0]
    left = {n for batch in reader(run) for n in batch.samples.tolist()} - {-1}
    assert sorted({*range(len(dataset))} - left) == gone
    assert all(rows[i]["length"] == 0 and (rows[i]["segments"] == -1).all() for i in gone)
    read = [batch["sample"].tolist() for batch in DataLoader(stream, batch_size=None, num_workers=2)]
    assert sorted(n for row in read for n in row if n >= 0) == sorted(left)


def test_what_was_seen_stays_forgotten_in_this_process(run: Path) -> None:
    """Removing the file brings nothing back to a reader that knew it."""
    forget(run, ASKED)
    dataset = reader(run)
    dataset.next_batch()
    (run / TOMBSTONES).unlink()
    assert not given(list(dataset)) & meant(run)


def test_damaged_tombstones_stop_the_reader(run: Path) -> None:
    """Nothing is served while nobody can say what must not be."""
    forget(run, ASKED)
    dataset = pickle.loads(pickle.dumps(reader(run)._forgotten))  # as a worker process receives it
    dataset.look()
    (run / TOMBSTONES).write_bytes(b"{}")
    with pytest.raises(FormatError, match=r"not a file of tombstones.*Restore it"):
        dataset.look()
    with pytest.raises(FormatError, match="not a file of tombstones"):
        reader(run).next_batch()


def test_older_tombstones_in_their_place_stop_the_reader(run: Path) -> None:
    """A reader that knew more says so, instead of serving what it knew; a new one goes by the file."""
    forget(run, ASKED[:1])
    older = (run / TOMBSTONES).read_bytes()
    forget(run, ASKED)
    dataset = reader(run)
    dataset.next_batch()
    (run / TOMBSTONES).write_bytes(older)
    for _ in range(2):
        with pytest.raises(FormatError, match="revision 1 came after revision 2"):
            dataset.next_batch()
    assert reader(run).next_batch() is not None


def test_a_later_document_file_that_is_missing_stops_the_reader(run: Path) -> None:
    """A copy of the shards alone cannot be asked; the message says what to copy."""
    count = json.loads((run / PUBLISHED).read_bytes())
    (run / PUBLISHED).write_text(json.dumps({**count, "lines": 0}))
    forget(run, ASKED)
    (run / PUBLISHED).write_text(json.dumps(count))
    shutil.rmtree(run / "documents")
    with pytest.raises(FormatError, match=r"documents file cannot be read.*headrace forget RUN"):
        list(reader(run))
