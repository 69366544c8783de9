"""What cannot work is refused with one message: what, where, why, what to do; and nothing is left half-written."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.pipeline.small_runs import output, small_run, write_texts

from headrace.pipeline.load import load_config
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.run_folder import RunFolder
from headrace.schemas.errors import ConfigError, HeadraceError

BYTES = "model: bytes"


def refusal(folder: Path, *overrides: str, **options: str) -> str:
    """Give the message of a run that is refused; nothing of it may exist afterwards."""
    with pytest.raises(ConfigError) as caught:
        run_pipeline(small_run(folder, "refused", *overrides, tokenizer=BYTES, **options))  # type: ignore[arg-type]
    assert caught.value.exit_code == 2
    assert not (folder / "refused" / "plan.json").exists()
    return str(caught.value)


def edited(folder: Path, old: str, new: str) -> ConfigError:
    """Load the small configuration with one piece of its text replaced; give the refusal."""
    loaded = small_run(folder, tokenizer=BYTES)
    text = loaded.path.read_text(encoding="utf-8")
    assert old in text
    loaded.path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(loaded.path)
    return caught.value


def test_an_unknown_stage_is_named_with_its_line_and_a_suggestion(tmp_path: Path) -> None:
    """The YAML's line, what was written, and what was probably meant."""
    message = str(edited(tmp_path, "kind: normalize", "kind: normalise"))
    assert "run.yaml:11" in message
    assert "'normalise'" in message
    assert "normalize" in message.replace("'normalise'", "")


def test_a_misspelt_option_is_named_with_its_line_and_a_suggestion(tmp_path: Path) -> None:
    """An option that does not exist is never ignored."""
    message = str(edited(tmp_path, "shard_tokens:", "shard_token:"))
    assert "run.yaml:13" in message
    assert "shard_token" in message
    assert "shard_tokens" in message


def test_every_mistake_is_listed_at_once(tmp_path: Path) -> None:
    """Nobody wants to find five mistakes in five tries."""
    message = str(edited(tmp_path, "lanes: 3, window: 4", "lanes: 0, widow: 4"))
    assert "lanes" in message and "widow" in message and "window" in message


def test_a_missing_input_file_is_named(tmp_path: Path) -> None:
    """The pattern, and where relative ones begin."""
    message = refusal(tmp_path, "sources.0.paths=[nowhere/*.txt]")
    assert "source text" in message and "nowhere/*.txt" in message and str(tmp_path) in message


def test_an_input_set_that_the_exclusions_empty_is_refused(tmp_path: Path) -> None:
    """Nothing to read is a mistake, not a run of nothing."""
    message = refusal(tmp_path, "sources.0.exclude=['*.txt']")
    assert "no input file was found" in message and "exclusions" in message


def test_a_run_folder_below_a_file_is_refused(tmp_path: Path) -> None:
    """The output cannot be made; said before anything is read."""
    (tmp_path / "file").write_text("here")
    message = refusal(tmp_path, "run=file/run")
    assert "cannot be made" in message and "is a file" in message and "run:" in message


def test_a_folder_with_other_things_in_it_is_not_taken_for_a_run(tmp_path: Path) -> None:
    """A slip in `run:` must not mix shards into somebody's data, nor may --fresh delete it."""
    folder = tmp_path / "refused"
    folder.mkdir()
    (folder / "thesis.doc").write_text("precious")
    for fresh in (False, True):
        with pytest.raises(ConfigError, match=r"not a run folder.*thesis\.doc"):
            run_pipeline(small_run(tmp_path, "refused", tokenizer=BYTES), fresh=fresh)
    assert (folder / "thesis.doc").read_text() == "precious"


def test_ahead_below_the_formula_is_refused_with_the_formula(tmp_path: Path) -> None:
    """K x (1 + ceil((B - 1) / S)): with fewer shards trainer and pipeline would wait for each other for ever."""
    message = refusal(tmp_path, "loader={global_batch: 200, window_shards: 2}", "pace.ahead=4")
    assert "ahead is too small" in message and "K x (1 + ceil((B - 1) / S)) = 8" in message
    assert "set pace.ahead to 8 or more" in message.lower()


def test_a_trainer_without_tokens_or_loader_is_refused(tmp_path: Path) -> None:
    """It would wait for sequences that never come."""
    assert "loader" in refusal(tmp_path, "trainer={steps: 3}")


def test_write_must_be_last_and_decode_first(tmp_path: Path) -> None:
    """A chain that cannot work is refused as a plan."""
    loaded = small_run(tmp_path, tokenizer=BYTES)
    for stages, match in (
        ("[{kind: decode}, {kind: parse}, {kind: normalize}]", "write must be the last stage"),
        ("[{kind: normalize}, {kind: write, format: parquet}]", "cannot turn bytes into documents"),
        ("[{kind: decode}, {kind: parse}, {kind: write}]", "no tokenize stage"),
    ):
        with pytest.raises(ConfigError, match=match):
            run_pipeline(load_config(loaded.path, [f"stages={stages}"]))


def test_a_changed_option_of_a_started_run_is_named(tmp_path: Path) -> None:
    """The same folder is resumed by the same run only; the message says what differs and what to do."""
    run_pipeline(small_run(tmp_path, tokenizer=BYTES))
    before = output(tmp_path / "run")
    with pytest.raises(ConfigError) as caught:
        run_pipeline(small_run(tmp_path, "run", "stages.5.sequence_length=32", "seed=9", tokenizer=BYTES))
    message = str(caught.value)
    assert "seed was 0 and is now 9" in message
    assert "stages.5.sequence_length was 64 and is now 32" in message
    assert "--fresh" in message
    assert output(tmp_path / "run") == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: (t / "01.txt").write_text("other text, longer than before\n"), "input text:01.txt was changed"),
        (lambda t: (t / "01.txt").unlink(), "input text:01.txt is gone"),
        (lambda t: (t / "99.txt").write_text("one more\n"), "input text:99.txt is new"),
    ],
)
def test_a_changed_input_of_a_started_run_is_named(change: object, said: str, tmp_path: Path) -> None:
    """Changed, removed and added files are told apart, each by name."""
    texts = write_texts(tmp_path / "texts")
    run_pipeline(small_run(tmp_path, texts=texts, tokenizer=BYTES))
    change(texts)  # type: ignore[operator]
    with pytest.raises(ConfigError, match=said):
        run_pipeline(small_run(tmp_path, texts=texts, tokenizer=BYTES))


def test_engine_settings_may_change_between_sessions(tmp_path: Path) -> None:
    """Workers, window, executor and pace do not decide the output, so they never refuse a resume."""
    run_pipeline(small_run(tmp_path, tokenizer=BYTES))
    again = small_run(tmp_path, "run", "engine.window=9", "engine.deadline_s=5", "pace.ahead=30", tokenizer=BYTES)
    assert run_pipeline(again).state == "done"


def test_fresh_starts_over_with_another_configuration(tmp_path: Path) -> None:
    """--fresh is the way out that the message offers."""
    run_pipeline(small_run(tmp_path, tokenizer=BYTES))
    summary = run_pipeline(small_run(tmp_path, "run", "stages.5.sequence_length=32", tokenizer=BYTES), fresh=True)
    assert summary.state == "done" and summary.sequences > 0


def test_a_run_in_use_is_refused_with_its_owner(tmp_path: Path) -> None:
    """Two drivers on one folder would both append to the manifest."""
    loaded = small_run(tmp_path, tokenizer=BYTES)
    folder = RunFolder(loaded.run_dir)
    with pytest.raises(HeadraceError, match=rf"in use.*{os.getpid()}"):
        run_pipeline(loaded)
    folder.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a folder on a disk of 400 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"cannot mount a small tmpfs: {mounted.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=False)


def test_a_full_disk_ends_the_run_with_one_message_and_whole_shards(small_disk: Path, tmp_path: Path) -> None:
    """The committed shards stay good, and the run goes on where it stopped once there is room."""
    loaded = small_run(tmp_path, "full", f"run={small_disk}/run", tokenizer=BYTES)
    command = [sys.executable, "-m", "headrace", "run", str(loaded.path), f"run={small_disk}/run"]
    failed = subprocess.run(command, capture_output=True, text=True)
    assert failed.returncode == 1
    assert "Traceback" not in failed.stderr
    assert "No space left on device" in failed.stderr
    assert str(small_disk) in failed.stderr
    output(small_disk / "run")
    assert not list((small_disk / "run").glob("*/.*.tmp"))
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    assert subprocess.run(command, capture_output=True).returncode == 0
    reference = small_run(tmp_path, "reference", texts=tmp_path / "texts", tokenizer=BYTES)
    run_pipeline(reference)
    assert output(small_disk / "run") == output(reference.run_dir)


@pytest.mark.parametrize(
    ("stages", "said"),
    [
        ("{kind: decode}, {kind: tokenize, model: bytes}", "decode runs once"),
        ("{kind: parse}, {kind: tokenize, model: bytes}", "parse runs once"),
        ("{kind: tokenize, model: bytes}, {kind: tokenize, model: bytes}", "tokenize runs once"),
        ("{kind: tokenize, model: bytes}, {kind: normalize}", "normalize comes after tokenize"),
        ("{kind: tokenize, model: bytes}, {kind: grade}, {kind: clean}", "clean comes after tokenize"),
        ("{kind: tokenize, model: bytes}, {kind: dedup_lines}", "dedup_lines comes after tokenize"),
    ],
)
def test_an_order_that_would_run_and_be_wrong_is_refused(stages: str, said: str, tmp_path: Path) -> None:
    """Decoded twice, every document would be quarantined; cleaned after tokenize, the shards would not show it."""
    assert said in refusal(tmp_path, f"stages=[{{kind: decode}}, {{kind: parse}}, {stages}, {{kind: write}}]")


def test_two_sources_of_one_name_are_refused(tmp_path: Path) -> None:
    """Their doc_ids would be the same, and nobody could tell the documents apart."""
    source = "{name: twin, paths: ['texts/*.txt']}"
    assert "'twin' is the name of 2 sources" in refusal(tmp_path, f"sources=[{source}, {source}]")


@pytest.mark.parametrize("run", ["a\\0b", "x" * 300, "/proc/nowhere"])
def test_a_run_folder_with_an_impossible_name_is_refused(run: str, tmp_path: Path) -> None:
    """What the system says of the name, not a traceback."""
    loaded = small_run(tmp_path, "refused", f'run="{run}"' if "0" in run else f"run={run}", tokenizer=BYTES)
    with pytest.raises(ConfigError, match="the run folder cannot be made"):
        run_pipeline(loaded)


def test_a_file_that_is_no_model_is_refused_as_configuration(tmp_path: Path) -> None:
    """Exit code 2: nothing was started."""
    (tmp_path / "words.txt").write_text("no model")
    loaded = small_run(tmp_path, "refused", tokenizer="model: words.txt")
    with pytest.raises(ConfigError, match="not a whole SentencePiece model"):
        run_pipeline(loaded)


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (
            errno.EFBIG,
            "pace/now: the run folder cannot be written: File too large. Raise the limit on the size of files",
        ),
        (errno.ENOMEM, "pace/now: the system gives no memory: Cannot allocate memory. Make memory free"),
    ],
)
def test_a_limit_of_the_system_is_named_with_the_file(
    number: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the size of files, on memory: not an unexpected error, and how to go on is said."""

    def limited(*_: object, **__: object) -> None:
        raise OSError(number, "words of the system", "pace/now")

    monkeypatch.setattr(RunFolder, "prepare", limited)
    with pytest.raises(HeadraceError) as caught:
        run_pipeline(small_run(tmp_path, "limited", tokenizer=BYTES))
    assert message in str(caught.value)
    assert "run the same command again to go on" in str(caught.value)


def test_a_disk_without_a_byte_left_is_one_message(small_disk: Path, tmp_path: Path) -> None:
    """Even the lock cannot be written; nothing falls back to a traceback."""
    loaded = small_run(tmp_path, "full", f"run={small_disk}/run", tokenizer=BYTES)
    with pytest.raises(OSError, match="No space left"):
        (small_disk / "fill").write_bytes(bytes(10**6))
    command = [sys.executable, "-m", "headrace", "run", str(loaded.path), f"run={small_disk}/run"]
    failed = subprocess.run(command, capture_output=True, text=True)
    assert failed.returncode == 1
    assert "the run folder cannot be written: No space left on device" in failed.stderr
    assert "Traceback" not in failed.stderr and "unexpected" not in failed.stderr


def test_a_missing_path_beside_one_that_exists_is_refused(tmp_path: Path) -> None:
    """A name without wildcards is a promise; a run over the rest of the paths would look complete."""
    write_texts(tmp_path / "texts")
    message = refusal(tmp_path, f"sources.0.paths=[{tmp_path}/texts, {tmp_path}/moved.txt]")
    assert "an input is missing" in message and "moved.txt is not there" in message


def test_a_charset_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    """A slip in `encoding:` would else be a prior that never matches."""
    message = str(edited(tmp_path, "records: lines,", "records: lines, encoding: gbkk,"))
    assert "run.yaml:4" in message and "gbkk" in message
