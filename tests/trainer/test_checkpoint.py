from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.trainer.conftest import training

from headrace.loader.shards import Layout
from headrace.schemas.errors import ConfigError, FormatError
from headrace.trainer.checkpoint import Checkpoints, binding

LAYOUT = Layout(8, 50, 0, "tokenizer")


def checkpoints(folder: Path, keep: int = 2, **trainer: Any) -> Checkpoints:
    return Checkpoints(folder, binding(training(steps=10, **trainer), LAYOUT), keep=keep)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_newest_is_loaded_and_the_oldest_are_removed(tmp_path: Path) -> None:
    """Two stay, each with its seal."""
    c = checkpoints(tmp_path)
    assert c.newest() is None
    for step in (5, 10, 100):
        c.save(step, {"step": step, "x": torch.full((3,), step)})
    found = c.newest()
    assert found is not None
    assert (found["step"], found["x"].tolist()) == (100, [100, 100, 100])
    stems = ["step-00000010", "step-00000100"]
    assert names(tmp_path) == sorted(f"{s}.{e}" for s in stems for e in ("json", "pt"))


def test_a_checkpoint_without_its_seal_does_not_exist(tmp_path: Path) -> None:
    """What a killed process left half done is ignored, and removed with the next save."""
    c = checkpoints(tmp_path)
    c.save(5, {"step": 5})
    (tmp_path / "step-00000009.pt").write_bytes(b"half")
    (tmp_path / ".step-00000009.pt.1.a.tmp").write_bytes(b"less")
    found = c.newest()
    assert found is not None
    assert found["step"] == 5
    c.save(10, {"step": 10})
    assert all("09" not in name for name in names(tmp_path))


@pytest.mark.parametrize("damage", [lambda raw: raw[:-1], lambda raw: raw[:50] + b"?" + raw[51:], None])
def test_damage_is_refused_with_the_way_out(tmp_path: Path, damage: Any) -> None:
    """A cut, altered or missing file is named, and how to go on from the one before."""
    c = checkpoints(tmp_path)
    c.save(5, {"step": 5})
    c.save(6, {"step": 6})
    path = tmp_path / "step-00000006.pt"
    path.write_bytes(damage(path.read_bytes())) if damage else path.unlink()
    with pytest.raises(FormatError, match=r"step-00000006\.pt.*damaged.*emove step-00000006\.json"):
        c.newest()
    path.with_suffix(".json").unlink()
    found = c.newest()
    assert found is not None
    assert found["step"] == 5


def test_another_version_is_refused(tmp_path: Path) -> None:
    """A later release's checkpoint is not guessed at."""
    c = checkpoints(tmp_path)
    c.save(5, {"step": 5})
    seal = tmp_path / "step-00000005.json"
    seal.write_text(json.dumps(json.loads(seal.read_text()) | {"version": 2}))
    with pytest.raises(FormatError, match="version is 2, this release knows 1"):
        c.newest()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"optimizer": {"lr": 0.5}}, r"trainer\.optimizer\.lr was 0\.01 and is 0\.5"),
        ({"model": {"layers": 3}}, r"trainer\.model\.layers was 2 and is 3"),
        ({"seed": 4}, r"trainer\.seed was 0 and is 4"),
    ],
)
def test_another_training_is_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    """What changed is named with both values."""
    checkpoints(tmp_path).save(5, {"step": 5})
    with pytest.raises(ConfigError, match=message):
        checkpoints(tmp_path, **change).newest()


def test_other_tokens_are_refused(tmp_path: Path) -> None:
    """A run with another tokenizer cannot go on with these weights."""
    checkpoints(tmp_path).save(5, {"step": 5})
    other = Checkpoints(tmp_path, binding(training(steps=10), Layout(8, 50, 0, "other")), keep=1)
    with pytest.raises(ConfigError, match=r"shards\.tokenizer_sha256 was tokenizer and is other"):
        other.newest()


def test_what_may_change_may_change(tmp_path: Path) -> None:
    """Length, micro-batch, threads and how often it saves are free."""
    checkpoints(tmp_path).save(5, {"step": 5})
    config = training(steps=99, micro_batch=1, threads=2, checkpoint_every=7)
    found = Checkpoints(tmp_path, binding(config, LAYOUT), keep=1).newest()
    assert found == {"step": 5}
