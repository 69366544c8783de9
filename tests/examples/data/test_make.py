"""The example files are what their script writes, and each is read as what it is."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest
from tests.stages.parts import Outcome, a_source

DATA = Path(__file__).parents[3] / "examples" / "data"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """Load the script, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("make", DATA / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def read() -> Outcome:
    """Read the committed files."""
    return Outcome(DATA, a_source(".", exclude=("*.py", "__pycache__")))


def test_the_committed_files_are_what_the_script_writes(script: ModuleType, tmp_path: Path) -> None:
    """Nobody edits an encoded file by hand."""
    script.main(tmp_path)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    committed = {path.name: path.read_bytes() for path in DATA.iterdir() if path.is_file()}
    committed.pop("make.py")
    written.pop("records.jsonl.gz")  # another zlib packs the same lines in other bytes
    committed.pop("records.jsonl.gz")
    assert written == committed


def test_every_file_gives_its_text(script: ModuleType, read: Outcome) -> None:
    """Whatever the encoding, the text is the one that was written."""
    assert not read.settled
    for name, text in (
        ("gbk-mill.txt", script.MILL),
        ("gb18030-rare.txt", script.RARE),
        ("big5-letter.txt", script.LETTER),
        ("utf16-notes.txt", script.NOTES),
        ("utf16be-no-mark.txt", script.LETTER),
        ("pinyin-polluted.txt", script.POLLUTED),
        ("gate-copy.md", script.COPIED),
    ):
        assert read.texts(name) == [text.rstrip("\n")], name
    assert read.texts("records.jsonl.gz") == [script.MILL, script.NOTES, script.LETTER]
    assert len(read.texts("catalogue-gbk.csv")) == len(script.MILL.splitlines()) - 2


def test_a_page_that_lies_about_its_charset(read: Outcome) -> None:
    """It says UTF-8 and is GBK; menus are left out, the title is kept."""
    (page,) = [row for row in read.documents if row["path"] == "gbk-declared-utf8.html"]
    assert page["encoding"] == "gb18030"
    assert "渠里的水既不能断，也不能漫" in page["text"]
    assert "关于我们" not in page["text"]
    assert json.loads(page["metadata"]) == {"title": "水磨坊的引水渠"}
