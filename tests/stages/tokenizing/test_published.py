from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from headrace.schemas.errors import FormatError
from headrace.schemas.failpoints import FAILPOINT
from headrace.stages.tokenizing.published import RECORD, REPORT, committed_model, publish_model, trained_model

MODEL = b"a model"

PROGRAM = """
import sys
from pathlib import Path
from headrace.stages.tokenizing.published import publish_model
publish_model(Path(sys.argv[1]), b"a model", {}, {})
"""


def test_a_published_model_is_found_again(tmp_path: Path) -> None:
    """The record names the file, which carries its hash in its name; options and report stand beside it."""
    ref = publish_model(tmp_path, MODEL, {"vocab_size": 400}, {"byte_share": 0.5})
    assert (tmp_path / ref.name).read_bytes() == MODEL
    assert ref.name == f"tokenizer/model-{ref.sha256[:12]}.model"
    assert trained_model(tmp_path) == committed_model(tmp_path, ref) == ref
    assert json.loads((tmp_path / RECORD).read_bytes())["options"] == {"vocab_size": 400}
    assert json.loads((tmp_path / REPORT).read_bytes()) == {"byte_share": 0.5}


def test_without_a_record_there_is_no_model(tmp_path: Path) -> None:
    """A model file that no record names was never finished."""
    assert trained_model(tmp_path) is None
    ref = publish_model(tmp_path, MODEL, {}, {})
    (tmp_path / RECORD).unlink()
    assert (tmp_path / ref.name).exists()
    assert trained_model(tmp_path) is None


@pytest.mark.parametrize("damage", ["cut", "altered", "gone"])
def test_a_damaged_model_is_not_used(tmp_path: Path, damage: str) -> None:
    """Before the first commit it is trained again; after it the run says that the model was altered."""
    ref = publish_model(tmp_path, MODEL, {}, {})
    path = tmp_path / ref.name
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(MODEL[:-1] if damage == "cut" else MODEL[::-1])
    assert trained_model(tmp_path) is None
    with pytest.raises(FormatError, match=r"model-.*\.model: the tokenizer model was altered"):
        committed_model(tmp_path, ref)


@pytest.mark.parametrize("text", ["not json", '{"version": 2}'])
def test_an_unknown_record_is_refused(tmp_path: Path, text: str) -> None:
    """A record of another version, or noise, is an error, never a silent new training."""
    publish_model(tmp_path, MODEL, {}, {})
    (tmp_path / RECORD).write_text(text)
    with pytest.raises(FormatError, match="not a tokenizer record"):
        trained_model(tmp_path)


@pytest.mark.parametrize("place", ["model.temporary.written", "model.renamed"])
def test_a_kill_while_publishing_leaves_no_model(tmp_path: Path, place: str) -> None:
    """Killed between any two steps, the run has no model yet; publishing again gives the same one."""
    environment = {**os.environ, FAILPOINT: place}
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    assert trained_model(tmp_path) is None
    ref = publish_model(tmp_path, MODEL, {}, {})
    final = {path.name for path in (tmp_path / "tokenizer").iterdir() if path.suffix != ".tmp"}
    assert final == {Path(ref.name).name, "report.json", "tokenizer.json"}
