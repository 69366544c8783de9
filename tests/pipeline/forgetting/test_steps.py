"""Training, forgetting, training on: nothing forgotten is served again, and the steps are those of a replay."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.pipeline.forgetting.page_runs import by_row, documents, page_run, samples, served
from tests.trainer.conftest import metrics, run_training, training

from headrace.loader.stream import ShardedDataset
from headrace.pipeline.cli import main
from headrace.pipeline.forgetting.account import Account, account
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.verify import verify
from headrace.schemas.forgetting import request
from headrace.schemas.tombstones import TOMBSTONES
from headrace.schemas.training import LoaderConfig, TrainingConfig

DOMAIN = [request("domain", "b.example")]
ORDER = {"global_batch": 4, "window_shards": 2, "seed": 3}


def config(steps: int) -> TrainingConfig:
    return training(ORDER, steps=steps, checkpoint_every=4, keep_checkpoints=9)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    run_pipeline(page_run(folder, length=256, tokens=3000))
    return folder / "run"


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "run")
    return tmp_path / "run"


def meant(run: Path, part: str = "b.example/") -> set[tuple[int, int]]:
    """Give (unit, row) of the kept documents of a domain, by looking at every row."""
    rows = [row for row in documents(run) if row["verdict"] == "kept" and part in row["url"]]
    return {(row["unit"], row["row"]) for row in rows}


def replayed(run: Path, steps: int) -> dict[int, list[int]]:
    """Read the run once more as the trainer did, and note each step that was given a document of the domain."""
    dataset, wanted, used = _without_tombstones(run), meant(run), defaultdict(list)
    step = 0
    while step < steps:
        if (batch := dataset.next_batch()) is not None:
            step += 1
            if served(batch) & wanted:
                used[batch.epoch].append(step)
    return dict(used)


def used(found: Account) -> dict[int, list[int]]:
    assert found.training is not None
    return {epoch: list(steps) for epoch, steps in found.training.used.items()}


def test_after_a_training_run(run: Path) -> None:
    """Steps of three epochs are those of a replay; further training is served none of it, and verify stays clean."""
    assert run_training(run, config(36))
    found = account(run, DOMAIN)
    assert used(found) == replayed(run, 36)
    assert len(used(found)) >= 3
    assert run_training(run, config(52))
    assert [line["tombstones"] for line in metrics(run)] == [0] * 36 + [1] * 16
    again = account(run, DOMAIN)
    assert not again.written
    assert used(again) == used(found)  # the sixteen steps since did not use it
    assert again.training is not None
    assert again.training.steps == 52
    assert verify(run).problems == ()


def test_a_sequence_that_an_earlier_request_hid_is_not_used_again(run: Path) -> None:
    """Forgotten at step 12 with a neighbour, a document's own request at step 30 lists no step in between for it."""
    assert run_training(run, config(12))
    account(run, DOMAIN)
    assert run_training(run, config(30))
    hidden, wanted, expected = meant(run), meant(run, "c.example/"), defaultdict(list)
    dataset, step = _without_tombstones(run), 0
    while step < 30:
        if (batch := dataset.next_batch()) is not None:
            step += 1
            if any(keys & wanted and not (step > 12 and keys & hidden) for keys in by_row(batch)):
                expected[batch.epoch].append(step)
    assert used(account(run, [request("domain", "c.example")])) == expected


def _without_tombstones(run: Path) -> ShardedDataset:
    shutil.copytree(run, run.parent / "bare", ignore=shutil.ignore_patterns(TOMBSTONES))
    return ShardedDataset(run.parent / "bare", LoaderConfig(**ORDER), follow=False)


def test_checkpoints_before_the_first_step_that_used_it_are_clean(run: Path) -> None:
    """One forgotten document: checkpoints every four steps are told apart by the first step that used it."""
    assert run_training(run, config(16))
    steps = {unit_row: step for step, unit_row in reversed(_first_uses(run, 16))}
    late = max(steps, key=lambda key: steps[key])
    (doc_id,) = [row["doc_id"] for row in documents(run) if (row["unit"], row["row"]) == late]
    found = account(run, [request("doc", doc_id)]).training
    assert found is not None
    assert min(found.used[0]) == steps[late] > 4
    assert found.clean == tuple(s for s in (4, 8, 12, 16) if s < steps[late])
    assert found.tainted == tuple(s for s in (4, 8, 12, 16) if s >= steps[late])


def test_training_goes_on_when_everything_is_forgotten(run: Path) -> None:
    """Batches of nothing but padding are steps without tokens."""
    assert run_training(run, config(4))
    account(run, [request("url", "**")])
    assert run_training(run, config(8))
    assert [line["tokens"] > 0 for line in metrics(run)] == [True] * 4 + [False] * 4


def _first_uses(run: Path, steps: int) -> list[tuple[int, tuple[int, int]]]:
    dataset = ShardedDataset(run, LoaderConfig(**ORDER), follow=False)
    batches = [batch for batch, _ in zip(dataset, range(steps), strict=False)]
    return [(step, key) for step, batch in enumerate(batches, 1) for key in sorted(served(batch))]


def test_no_later_epoch_serves_it_and_the_rest_keeps_its_order(run: Path) -> None:
    """Skipped sequences are padding in their place; no batch of three epochs holds a token of the domain."""
    plain = [batch for epoch in _epochs(run, 3) for batch in epoch]
    gone = set(account(run, DOMAIN).sequences.numbers.tolist())
    assert gone
    after = [batch for epoch in _epochs(run, 3) for batch in epoch]
    wanted, pad = meant(run), ShardedDataset(run, LoaderConfig(**ORDER), follow=False).layout().pad_id
    for a, b in zip(plain, after, strict=True):
        assert b.samples.tolist() == [-1 if n in gone else n for n in a.samples.tolist()]
        assert not served(b) & wanted
        assert (b.tokens[b.samples >= 0] == a.tokens[b.samples >= 0]).all()
        assert (b.tokens[b.samples < 0] == pad).all()
    assert {n for batch in plain for n in samples(batch).tolist()} >= gone


def _epochs(run: Path, count: int) -> list[ShardedDataset]:
    dataset = ShardedDataset(run, LoaderConfig(**ORDER), follow=False)
    return [dataset] * count


def test_a_trainer_that_has_taken_no_step_has_used_nothing(run: Path) -> None:
    """Without metrics and checkpoints there is no training to speak of."""
    assert account(run, DOMAIN).training is None


def test_the_command_names_steps_and_checkpoints(run: Path) -> None:
    """The same for people and for programs."""
    run_training(run, config(16))
    result = CliRunner().invoke(main, ["forget", str(run), "--domain", "b.example"])
    assert "of 16 steps so far used them" in result.stdout
    assert "epoch 0: steps " in result.stdout
    assert "none is kept: remove RUN/trainer" in result.stdout
    found = json.loads(CliRunner().invoke(main, ["forget", str(run), "--json"]).stdout)
    steps = {entry["epoch"]: entry["steps"] for entry in found["training"]["used"]}
    assert steps == replayed(run, 16)
    assert found["training"]["checkpoints"] == {"clean": [], "tainted": [4, 8, 12, 16]}
    assert found["tokens_of_others"] > 0
