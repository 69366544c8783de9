"""What a rerun owes to the run before: nothing forgotten comes back, verdicts stay, files are those it committed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pyarrow.dataset as ds
import pytest
from tests.pipeline.rerun.small_reruns import MARK, fresh, output, rerun, write_input

from headrace.pipeline.forgetting.forget import forget
from headrace.pipeline.load import load_config
from headrace.pipeline.replay import Replay, make_replay
from headrace.pipeline.replay_choice import Wanted
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.verify import verify
from headrace.schemas.errors import FormatError, HeadraceError
from headrace.schemas.forgetting import request

TAIL = """
  - {kind: tokenize, model: bytes}
  - {kind: write, sequence_length: 64, shard_tokens: 3000, record: full}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of a finished run."""
    folder = tmp_path_factory.mktemp("parents")
    fresh(folder, "run", tail=TAIL)
    return folder


def copied(made: Path, tmp_path: Path) -> Path:
    """Give a run that may be changed, in a folder with all that it needs."""
    shutil.copytree(made, tmp_path / "folder")
    return tmp_path / "folder" / "run"


def kept(run: Path) -> set[str]:
    table = ds.dataset(run / "documents").to_table(columns=["doc_id", "verdict"])
    return {row["doc_id"] for row in table.to_pylist() if row["verdict"] == "kept"}


def test_what_is_forgotten_stays_away(made: Path, tmp_path: Path) -> None:
    """By doc_id, by URL, and what has its text once more: as the stage `forget` at two places does it."""
    shutil.copytree(made, folder := tmp_path / "folder")
    gone = sorted(kept(folder / "run"))[:3]
    forget(folder / "run", [*(request("doc", doc_id) for doc_id in gone), request("url", "http://a.example/4*")])
    new = rerun(folder / "run", folder / "new", "mark.mark=mill")
    assert not kept(new) & {*gone}
    table = ds.dataset(new / "documents").to_table(columns=["doc_id", "reason", "stage"]).to_pylist()
    assert {row["doc_id"] for row in table if row["reason"] == "forgotten"} >= {*gone}
    text = (folder / "run.yaml").read_text()
    for behind in ("{kind: parse}\n", "{kind: normalize}\n"):
        text = text.replace(behind, f"{behind}  - {{kind: forget, lists: [run]}}\n")
    (folder / "again.yaml").write_text(text.replace("mark: gate", "mark: mill").replace("run: run", "run: again"))
    assert run_pipeline(load_config(folder / "again.yaml")).state == "done"
    assert output(new) == output(folder / "again")
    assert not kept(rerun(new, folder / "third", "clean.min_characters=60")) & {*gone}


def test_lists_and_models_may_be_gone(made: Path, tmp_path: Path) -> None:
    """What was packed of a list is kept in the run, and so is its tokenizer; a list that is there is read again."""
    folder = copied(made, tmp_path).parent
    run = folder / "run"
    model = rerun(run, folder / "trained", "stages.8={kind: tokenize, train: {vocab_size: 320, threads: 1}}")
    shutil.copy(next((model / "tokenizer").glob("*.model")), folder / "given.model")
    fresh(folder, "modelled", "stages.8.model=given.model", tail=TAIL)
    whole = rerun(folder / "modelled", folder / "whole", "urls.canonicalize=false")
    (folder / "given.model").unlink()
    (folder / "blocked.txt").rename(folder / "elsewhere.txt")
    assert output(rerun(folder / "modelled", folder / "new", "clean.min_characters=30", first="urls")) == output(
        folder / "modelled"
    )
    assert output(rerun(folder / "modelled", folder / "as_whole", "urls.canonicalize=false")) == output(whole)
    (folder / "blocked.txt").write_text("b.example\n")
    assert kept(rerun(folder / "modelled", folder / "other", first="urls")) > kept(whole)


def test_a_verdict_that_is_not_what_it_was_ends_the_rerun(made: Path, tmp_path: Path) -> None:
    """A stage in front of the first that looks at more than its document: the message names document and verdicts."""
    run = copied(made, tmp_path)
    moody = MARK.replace("> 2:", '> (0 if os.environ.get("MOOD") else 2):')
    (run.parent / "mark.py").write_text(f"import os\n{moody}", encoding="utf-8")
    fresh(run.parent, "moody", tail=TAIL)
    os.environ["MOOD"] = "bad"
    try:
        with pytest.raises(HeadraceError, match="it was let through, and now it is dropped by mark as marked"):
            rerun(run.parent / "moody", tmp_path / "new", "tokenize.eos=false")
        assert rerun(run.parent / "moody", tmp_path / "free", "tokenize.eos=false", first="mark")
    finally:
        del os.environ["MOOD"]


def test_a_damaged_run_is_named(made: Path, tmp_path: Path) -> None:
    """Every file is hashed when it is read."""
    run = copied(made, tmp_path)
    damaged = sorted((run / "documents").iterdir())[7]
    data = bytearray(damaged.read_bytes())
    data[len(data) // 2] ^= 1
    damaged.write_bytes(data)
    with pytest.raises(FormatError, match=rf"{damaged.name}: a file of the run that is run again was changed"):
        rerun(run, tmp_path / "new", "clean.min_characters=60")
    damaged.unlink()
    with pytest.raises(FormatError, match=rf"{damaged.name}: a file of the run that is run again is gone"):
        rerun(run, tmp_path / "new", "clean.min_characters=60")


def test_the_run_is_not_written_to(made: Path, tmp_path: Path) -> None:
    """Not one of its files changes, and `verify` finds the rerun whole."""
    run = copied(made, tmp_path)
    before = {path: path.stat().st_mtime_ns for path in run.rglob("*")}
    new = rerun(run, tmp_path / "new", "clean.min_characters=60")
    assert {path: path.stat().st_mtime_ns for path in run.rglob("*")} == before
    assert verify(new).problems == () == verify(new).leftovers


ORDERED = """
from typing import Literal
import pyarrow.compute as pc
from headrace.stages.base import OrderedStage, RunContext

class Loud(OrderedStage):
    kind: Literal["loud"] = "loud"
    def open(self, context: RunContext):
        return State(context.stage)

class State:
    def __init__(self, stage):
        self.stage = stage
    def accept(self, batch):
        from headrace.stages.apply import settle
        table = batch.documents
        table = table.set_column(table.schema.get_field_index("text"), "text", pc.utf8_upper(table["text"]))
        return settle(self.stage, batch, table), None
    def flush(self, through):
        return ()
    def finish(self):
        return None
"""


def test_texts_that_an_ordered_stage_changes_come_back(tmp_path: Path) -> None:
    """A user's stage with a state that changes documents, in front of one whose option is changed."""
    tail = f"  - {{kind: loud}}\n  - {{kind: mark, mark: MILL}}{TAIL}"
    write_input(tmp_path)
    (tmp_path / "mark.py").write_text(MARK + ORDERED, encoding="utf-8")
    run = fresh(tmp_path, "run", tail=tail)
    assert any(text.isupper() for text in ds.dataset(run / "documents").to_table()["text"].to_pylist())
    again = rerun(run, tmp_path / "new", "mark.2.mark=GATE")
    assert output(again) == output(fresh(tmp_path, "whole", "stages.9.mark=GATE", tail=tail))


def test_a_replay_can_be_run_again_and_a_rerun_replayed(made: Path, tmp_path: Path) -> None:
    """Both name a run before them, and both give what the other way round gives."""
    lines = Wanted("cp037", path="*.txt")
    replayed = started(make_replay(made / "run", lines, tmp_path / "replayed"))
    first = rerun(replayed, tmp_path / "first", "clean.min_characters=20")
    again = rerun(made / "run", tmp_path / "again", "clean.min_characters=20")
    second = started(make_replay(again, lines, tmp_path / "second"))
    assert output(first) == output(second) != output(replayed)
    assert kept(first)


def started(made: Replay) -> Path:
    assert run_pipeline(made.loaded, plan=made.plan).state == "done"
    return made.loaded.run_dir
