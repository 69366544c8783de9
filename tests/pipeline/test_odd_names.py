"""Files whose names are not UTF-8, and empty ones, through run, explain, replay and read: each has a name."""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from headrace.pipeline.cli import main
from headrace.pipeline.verify import verify

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux alone")
CONFIG = r"""
run: run
sources: [{name: web, paths: ['in\xff'], records: lines}]
stages:
  - {kind: decode, max_damage: 0.01}
  - {kind: parse}
  - {kind: write, format: parquet}
engine: {executor: inline}
"""
MILL = "水车转得很稳，石磨不会发热。"
FOLDER = "旧".encode("gb18030")  # \xbe\xc9


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def at(folder: Path, *names: bytes) -> Path:
    return Path(os.fsdecode(b"/".join([os.fsencode(folder), *names])))


def packed() -> bytes:
    """Give a zip with a member whose name is Latin-1."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("café.txt".encode("latin-1").decode("cp437"), MILL)
    return out.getvalue()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a finished run over a folder whose own name is not UTF-8 either."""
    base = tmp_path_factory.mktemp("names")
    folder = at(base, b"in\xff", FOLDER)
    folder.mkdir(parents=True)
    at(folder, b"caf\xe9.txt").write_bytes(MILL.encode() + b"\n" + MILL.encode().replace("水".encode(), b"\xe6\xff"))
    at(folder, b"caf\xe9.zip").write_bytes(packed())
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"text": [MILL]}), sink)
    at(folder, b"\xe9.parquet").write_bytes(sink.getvalue().to_pybytes())
    at(base, b"in\xff", b"plain.txt").write_text(MILL, encoding="utf-8")
    at(base, b"in\xff", b"empty.txt").write_bytes(b"")
    (base / "c.yaml").write_text(CONFIG)
    result = call("run", base / "c.yaml")
    assert result.exit_code == 0, result.stderr
    return base


def documents(run: Path) -> list[dict[str, Any]]:
    return ds.dataset(run / "documents").to_table().sort_by("doc_id").to_pylist()


def test_every_file_is_in_the_run(made: Path) -> None:
    """Text, archive and table: kept under names that are UTF-8, and the run verifies."""
    rows = [(row["doc_id"], row["verdict"]) for row in documents(made / "run")]
    (member,) = [doc_id for doc_id, _ in rows if ".zip!" in doc_id]
    assert member.startswith(r"web:\xbe\xc9/caf\xe9.zip!")
    assert sorted(rows) == sorted(
        [
            (member, "kept"),
            (r"web:\xbe\xc9/\xe9.parquet#0", "kept"),
            (r"web:\xbe\xc9/caf\xe9.txt#0", "kept"),
            (rf"web:\xbe\xc9/caf\xe9.txt#{len(MILL.encode()) + 1}", "quarantined"),
            ("web:plain.txt#0", "kept"),
        ]
    )
    assert verify(made / "run").problems == ()


def test_explain_and_replay_take_the_names(made: Path, tmp_path: Path) -> None:
    """As they stand in doc_ids, in globs as well."""
    shown = call("explain", made / "run", r"web:\xbe\xc9/caf\xe9.txt#0", "--json")
    assert json.loads(shown.stdout)["document"]["path"] == r"\xbe\xc9/caf\xe9.txt"
    command = ("replay", made / "run", "--encoding", "latin-1", "--path", r"\xbe\xc9/*.txt", "--run", tmp_path / "new")
    result = call(*command)
    assert result.exit_code == 0, result.stderr
    (row,) = documents(tmp_path / "new")
    assert (row["path"], row["encoding_method"]) == (r"\xbe\xc9/caf\xe9.txt", "forced")


@pytest.mark.parametrize("named", [r"in\xff/\xbe\xc9/\xe9.parquet", os.fsdecode(b"in\xff/\xbe\xc9/\xe9.parquet")])
def test_read_takes_the_name_as_it_is_and_as_it_prints_it(
    made: Path, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a row calls `path` names the file in the next command."""
    monkeypatch.chdir(made)
    result = call("read", named, "--json")
    assert result.exit_code == 0
    row = json.loads(result.stdout)
    assert (row["path"], row["text"]) == (r"in\xff/\xbe\xc9/\xe9.parquet", MILL)


def test_read_of_the_folder(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From above and by its full name: all files, none refused."""
    monkeypatch.chdir(made)
    for argument in (r"in\xff", os.fsdecode(b"in\xff"), str(at(made, b"in\xff"))):
        rows = [json.loads(line) for line in call("read", argument, "--json").stdout.splitlines()]
        assert len(rows) == 5
        assert not any("unreadable" in str(row.get("error")) for row in rows)


def test_an_empty_file_is_explained(made: Path) -> None:
    """It has no document; its unit's ledger says that it is empty, and so does `explain`."""
    for doc_id in ("web:empty.txt", "web:empty.txt#0"):
        found = json.loads(call("explain", made / "run", doc_id, "--json").stdout)
        verdict = tuple(found[name] for name in ("doc_id", "verdict", "stage", "reason"))
        assert verdict == ("web:empty.txt#0", "dropped", "read", "empty")
        assert (made / "run" / found["place"]["file"]).is_file()
    words = call("explain", made / "run", "web:empty.txt").stdout
    assert "dropped by read: empty, the file is empty" in words and "record: full" not in words
    assert call("explain", made / "run", "web:plain.txt").exit_code == 2
    assert call("explain", made / "run", "web:empty.txt#1").exit_code == 2


def test_no_name_commands_the_terminal(tmp_path: Path) -> None:
    """Escape sequences, line ends and turned writing in names, as archives may hold them, are printed as escapes."""
    name = "\x1b[31mred\n\u202egpj.txt"
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / name).write_text(f"{MILL}电话 13812345678。", encoding="utf-8")
    (tmp_path / "c.yaml").write_text(CONFIG.replace(r"in\xff", "in"))
    said = [call("run", tmp_path / "c.yaml")]
    run = tmp_path / "run"
    said += [call("report", run, "--policy"), call("forget", run, "--doc", f"web:{name}#0"), call("forget", run)]
    said += [call("forget", run, "--doc", f"web:{name}#9")]
    assert [one.exit_code for one in said] == [0, 0, 0, 0, 1], said[-1].output
    assert not any(set(one.output) & {"\x1b", "\u202e"} for one in said)
    assert all(r"web:\x1b[31mred\n\u202egpj.txt#" in one.output for one in said[1:])
