from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.pipeline.small_runs import output, small_run, write_texts

from headrace.pipeline.cli import main
from headrace.pipeline.drop_bands.bands import DropBandError
from headrace.pipeline.events import Event
from headrace.pipeline.load import LoadedConfig
from headrace.pipeline.plan import make_plan
from headrace.pipeline.report_data import report_data
from headrace.pipeline.run import run_pipeline
from headrace.schemas.manifest import read_manifest

SHORT = "{kind: clean, min_characters: 110, min_function_word_share: null, max_noise_share: null}"
BAND = "drop_bands={clean.min_characters: [0, 0.05]}"
FEW, STOP = "drop_band_documents=60", "on_drop_band=stop"
BYTES = "model: bytes"


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_texts(tmp_path_factory.mktemp("texts") / "in", files=5, lines=50)


def made(folder: Path, texts: Path, *overrides: str, before: str = SHORT, window: int = 4) -> LoadedConfig:
    """Give a run in which a rule drops a part of the documents."""
    folder.mkdir(exist_ok=True)
    return small_run(
        folder, "run", *overrides, texts=texts, before=before, tokenizer=BYTES, shard_tokens=6000, window=window
    )


def events(run: Path, kind: str) -> list[dict[str, object]]:
    lines = (run / "events.jsonl").read_text(encoding="utf-8").splitlines()
    return [event for event in map(json.loads, lines) if event["kind"] == kind]


def stopped(loaded: LoadedConfig) -> str:
    """Give the message with which the run stops."""
    with pytest.raises(DropBandError) as error:
        run_pipeline(loaded)
    return str(error.value).partition("run: ")[2]


def test_a_run_warns_once_and_goes_on(tmp_path: Path, texts: Path) -> None:
    """The watcher hears rule, share, band and three documents with what was measured."""
    heard: list[Event] = []
    loaded = made(tmp_path, texts, BAND, FEW)
    assert run_pipeline(loaded, watchers=(heard.append,)).state == "done"
    [event] = [event.data for event in heard if event.kind == "drop_band"]
    assert (event["stage"], event["rule"], event["high"]) == ("clean", "min_characters", 0.05)
    assert event["share"] > 0.05
    assert len(event["examples"]) == 3
    assert all(value < bar == 110 for _, value, bar in event["examples"])


def test_bands_change_neither_identity_nor_output(tmp_path: Path, texts: Path) -> None:
    """A run that is watched is the run that is not."""
    plain, watched = made(tmp_path / "a", texts, "on_drop_band=ignore"), made(tmp_path / "b", texts, BAND, FEW)
    assert make_plan(plain).identity == make_plan(watched).identity
    run_pipeline(plain)
    run_pipeline(watched)
    assert output(plain.run_dir) == output(watched.run_dir)
    assert events(plain.run_dir, "drop_band") == []


def test_a_stop_comes_at_the_same_unit_at_every_window(tmp_path: Path, texts: Path) -> None:
    """Units are judged in order as the writer takes them, so what is committed and what is said are equal."""
    loaded = [made(tmp_path / str(window), texts, BAND, FEW, STOP, window=window) for window in (1, 9)]
    assert len({stopped(one) for one in loaded}) == 1
    first, second = (one.run_dir for one in loaded)
    assert output(first) == output(second)
    assert events(first, "drop_band")[0]["unit"] == events(second, "drop_band")[0]["unit"]


def test_a_stopped_run_stops_again_and_goes_on_with_a_wider_band(tmp_path: Path, texts: Path) -> None:
    """The output is then that of a run which was never stopped."""
    assert "more than the 0 % to 5 % expected" in stopped(made(tmp_path, texts, BAND, FEW, STOP))
    before = len(list(read_manifest(tmp_path / "run")))
    assert "for example text:" in stopped(made(tmp_path, texts, BAND, FEW, STOP))
    assert len(list(read_manifest(tmp_path / "run"))) == before
    wider = made(tmp_path, texts, "drop_bands={clean.min_characters: [0, 0.9]}", FEW, STOP)
    assert run_pipeline(wider).state == "done"
    whole = made(tmp_path / "whole", texts)
    run_pipeline(whole)
    assert output(wider.run_dir) == output(whole.run_dir)


def test_what_is_committed_counts_after_a_restart(tmp_path: Path, texts: Path) -> None:
    """A finished run whose bands are narrowed stops at once, with examples from its documents files."""
    run_pipeline(made(tmp_path, texts))
    message = stopped(made(tmp_path, texts, BAND, FEW, STOP))
    assert "clean: min_characters dropped" in message
    assert message.count(" against 110)") == 3


def test_a_rule_that_drops_everything_stops_the_run_before_any_shard(tmp_path: Path, texts: Path) -> None:
    """It does not have to read all input to find that nothing comes out."""
    loaded = made(tmp_path, texts, FEW, STOP, before="{kind: clean, min_characters: 5000}")
    assert "dropped 100 % of" in stopped(loaded)
    assert list(read_manifest(loaded.run_dir)) == []
    whole = made(tmp_path / "whole", texts, "on_drop_band=ignore")
    run_pipeline(whole)
    assert len(events(loaded.run_dir, "admitted")) < len(events(whole.run_dir, "admitted")) - 4


def test_a_source_that_is_ruined_among_others_is_named(tmp_path: Path, texts: Path) -> None:
    """Of all documents the rule takes few enough."""
    short = tmp_path / "short"
    short.mkdir()
    (short / "a.txt").write_text("\n".join(f"line {number} of a page of few words" for number in range(70)), "utf-8")
    both = [f"{{name: {name}, paths: [{folder}], records: lines}}" for name, folder in (("a", texts), ("b", short))]
    band = "drop_bands={clean.min_characters: [0, 0.9]}"
    loaded = made(tmp_path, texts, band, FEW, f"sources=[{', '.join(both)}]")
    run_pipeline(loaded)
    [event] = events(loaded.run_dir, "drop_band")
    assert (event["source"], event["share"], event["documents"] >= 60) == ("b", 1.0, True)
    rows = report_data(loaded.run_dir)["drop_bands"]["rows"]
    [row] = [row for row in rows if row["outside"]]
    assert row["words"].startswith("clean: min_characters dropped 100 % of 70 documents of b")
    assert [doc_id.partition("#")[0] for doc_id, _, _ in row["examples"]] == ["b:a.txt"] * 3
    of_rule = {row["source"]: row["documents"] for row in rows if row["rule"] == "min_characters"}
    assert of_rule[""] == of_rule["a"] + of_rule["b"]


def test_the_command_ends_with_1_and_leaves_a_report(tmp_path: Path, texts: Path) -> None:
    """The message says what, why and what to do; the report shows the rule and its documents."""
    loaded = made(tmp_path, texts, BAND, FEW, STOP)
    result = CliRunner().invoke(main, ["run", str(loaded.path), BAND, FEW, STOP])
    assert result.exit_code == 1, result.output
    assert "Look at them (`headrace explain RUN DOC_ID`" in result.stderr
    report = json.loads((loaded.run_dir / "report.json").read_bytes())
    assert report["drop_bands"]["on"] == "stop"


def test_report_and_terminal_show_what_is_outside(tmp_path: Path, texts: Path) -> None:
    """The bands are those of the newest session; `inspect`, which knows no configuration, finds them in the log."""
    loaded = made(tmp_path, texts, BAND, FEW)
    run_pipeline(loaded)
    result = CliRunner().invoke(main, ["inspect", str(loaded.run_dir)])
    assert "drop band   clean: min_characters dropped" in result.stdout
    report = json.loads((loaded.run_dir / "report.json").read_bytes())
    [row] = [row for row in report["drop_bands"]["rows"] if row["outside"]]
    assert (row["rule"], row["low"], row["high"], len(row["examples"])) == ("min_characters", 0.0, 0.05, 3)
    page = (loaded.run_dir / "report.html").read_text(encoding="utf-8")
    assert "<h2>Drop bands</h2>" in page
    assert 'class="warning">clean: min_characters dropped' in page
