"""The trainer sets the pace of a whole run: slow, killed, late, or none at all."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path

import pytest
from tests.pipeline.small_runs import output, small_run, write_texts

from headrace.loader.launch import start_trainer
from headrace.pipeline.events import Event, read_events
from headrace.pipeline.load import LoadedConfig, load_config
from headrace.pipeline.run import run_pipeline
from headrace.schemas.errors import HeadraceError
from headrace.schemas.training import TrainingConfig

AHEAD = 4
TRAINING = """
pace: {{ahead: {ahead}, beat_timeout_s: 20}}
loader: {{global_batch: 4, window_shards: 2, poll_s: 0.05}}
trainer: {{mode: {mode}, epochs: 1, threads: 1, beat_s: 0.2, checkpoint_every: 5, pause_s: {pause},
          model: {{layers: 1, heads: 2, width: 16}}}}
"""


def trained_run(folder: Path, texts: Path, *, mode: str = "required", pause: float = 0.0) -> LoadedConfig:
    """Give a small run with a trainer section."""
    loaded = small_run(folder, texts=texts, tokenizer="model: bytes", shard_tokens=700, unit_bytes=1000)
    text = loaded.path.read_text(encoding="utf-8") + TRAINING.format(ahead=AHEAD, mode=mode, pause=pause)
    loaded.path.write_text(text, encoding="utf-8")
    return load_config(loaded.path)


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_texts(tmp_path_factory.mktemp("pace") / "texts", files=6, lines=60)


@pytest.fixture(scope="module")
def untrained(texts: Path) -> dict[str, str]:
    """Give the output of the run without any trainer: the pace must not change a byte of it."""
    loaded = small_run(
        texts.parent, "untrained", texts=texts, tokenizer="model: bytes", shard_tokens=700, unit_bytes=1000
    )
    run_pipeline(loaded)
    return output(loaded.run_dir)


def distances(run: Path) -> list[int]:
    """Give produced - consumed at every commit."""
    return [e["written"] - e["acknowledged"] for e in read_events(run) if e["kind"] == "committed"]


def losses(run: Path) -> list[float]:
    """Give the loss of every step, each step once."""
    lines = (run / "trainer" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return list({m["step"]: m["loss"] for m in map(json.loads, lines)}.values())


@pytest.mark.slow
def test_a_slow_trainer_holds_the_pipeline_back(texts: Path, untrained: dict[str, str], tmp_path: Path) -> None:
    """Produced - consumed <= ahead at every step, the trainer starts before the pipeline ends, and the loss falls."""
    loaded = trained_run(tmp_path, texts, pause=0.02)
    summary = run_pipeline(loaded)
    assert summary.state == "done"
    assert len(distances(loaded.run_dir)) > 3 * AHEAD
    assert max(distances(loaded.run_dir)) == AHEAD
    assert summary.waits["trainer"] > 1
    assert output(loaded.run_dir) == untrained
    metrics = (loaded.run_dir / "trainer" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    sequences = sum(e["sequences"] for e in read_events(loaded.run_dir) if e["kind"] == "committed")
    assert len(metrics) == sequences // 4
    curve = losses(loaded.run_dir)
    assert sum(curve[-10:]) < sum(curve[:10])


@pytest.mark.slow
def test_a_trainer_that_is_killed_is_started_again(texts: Path, untrained: dict[str, str], tmp_path: Path) -> None:
    """SIGKILL and SIGTERM alike: the next one resumes, the pace holds, every sequence is trained on once."""
    loaded = trained_run(tmp_path, texts, pause=0.02)
    pids: list[int] = []
    signals = [signal.SIGKILL, signal.SIGTERM]

    def watch(event: Event) -> None:
        if event.kind == "trainer" and "pid" in event.data:
            pids.append(event.data["pid"])
        wanted = {6: 1, 12: 2}  # at this line, when so many trainers have been started
        if event.kind == "committed" and wanted.get(event.data["line"]) == len(pids) and signals:
            threading.Thread(target=os.kill, args=(pids[-1], signals.pop(0))).start()

    summary = run_pipeline(loaded, watchers=[watch])
    assert summary.state == "done"
    assert summary.trainer == {"deaths": 2, "ended": True}
    assert max(distances(loaded.run_dir)) <= AHEAD
    assert output(loaded.run_dir) == untrained
    (tmp_path / "straight").mkdir()
    straight = trained_run(tmp_path / "straight", texts)
    run_pipeline(straight)
    assert losses(loaded.run_dir) == losses(straight.run_dir)


@pytest.mark.slow
def test_a_trainer_that_comes_late_binds_and_one_that_dies_is_unbound(
    texts: Path, untrained: dict[str, str], tmp_path: Path
) -> None:
    """`mode: none`: full speed alone, the pace of the trainer while it lives, full speed again behind its death."""
    loaded = trained_run(tmp_path, texts, mode="none")
    loaded = load_config(loaded.path, ["pace.beat_timeout_s=1.5"])
    config = loaded.config
    assert config.loader and config.trainer
    training = TrainingConfig(loader=config.loader, trainer=config.trainer.model_copy(update={"pause_s": 0.2}))
    trainers: list[object] = []

    def watch(event: Event) -> None:
        if event.kind == "committed" and event.data["line"] == 4 and not trainers:
            trainers.append(start_trainer(loaded.run_dir, training))
        if event.kind == "committed" and event.data["line"] == 4 + AHEAD + 1:
            trainers[0].send_signal(signal.SIGKILL)  # type: ignore[attr-defined]
            trainers[0].wait()  # type: ignore[attr-defined]

    summary = run_pipeline(loaded, watchers=[watch])
    assert summary.state == "done"
    assert len(trainers) == 1
    assert summary.waits["trainer"] > 1
    assert max(distances(loaded.run_dir)) <= AHEAD
    assert output(loaded.run_dir) == untrained


def test_without_a_trainer_nothing_is_waited_for(texts: Path, untrained: dict[str, str], tmp_path: Path) -> None:
    """`mode: none` and nobody comes: the run is the one without a trainer section."""
    loaded = trained_run(tmp_path, texts, mode="none")
    summary = run_pipeline(loaded)
    assert summary.waits.get("trainer", 0) < 0.2
    assert output(loaded.run_dir) == untrained


def test_the_end_of_the_trainer_while_stopping_is_no_death(texts: Path, tmp_path: Path) -> None:
    """Ctrl-C in a terminal reaches the trainer too: it is not started again, and the run stops in order."""
    loaded = trained_run(tmp_path, texts, pause=0.05)
    events: list[Event] = []

    def interrupt(event: Event) -> None:
        events.append(event)
        if event.kind == "committed" and event.data["line"] == AHEAD - 1:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(next(e.data["pid"] for e in events if e.kind == "trainer"), signal.SIGINT)

    summary = run_pipeline(loaded, watchers=(interrupt,))
    assert summary.state == "stopped"
    assert [e.data["state"] for e in events if e.kind == "trainer"] == ["started"]


def test_a_run_without_a_token_does_not_wait_for_its_trainer(tmp_path: Path) -> None:
    """Every document may be dropped: then the run says so, once, in place of a trainer that dies again and again."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "00.txt").write_bytes(b"")
    loaded = trained_run(tmp_path, tmp_path / "empty")
    with pytest.raises(HeadraceError, match="there is nothing to train on"):
        run_pipeline(loaded)
    assert [e["state"] for e in read_events(loaded.run_dir) if e["kind"] == "trainer"] == ["started"]


def test_a_trainer_that_refuses_its_configuration_is_not_started_again(texts: Path, tmp_path: Path) -> None:
    """A mistake does not mend itself; what the trainer said is in the message."""
    run_pipeline(load_config(trained_run(tmp_path, texts).path, ["trainer.epochs=null", "trainer.steps=1"]))
    loaded = load_config(trained_run(tmp_path, texts).path, ["trainer.model.width=32"])
    with pytest.raises(HeadraceError, match=r"exit code 2.*trainer\.model\.width was 16 and is 32"):
        run_pipeline(loaded)
    states = [e["state"] for e in read_events(loaded.run_dir) if e["kind"] == "trainer"]
    assert states == ["started", "ended", "started", "died"]
