"""What `headrace export` refuses, leaves out and leaves behind, and what it says."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sentencepiece
from click.testing import CliRunner, Result
from tests.pipeline.exporting.readers import read
from tests.pipeline.exporting.small_models import small_model
from tests.pipeline.exporting.token_runs import LENGTH, ids_of, texts_of, token_run

from headrace.pipeline.cli import main
from headrace.pipeline.committed import open_committed
from headrace.pipeline.exporting.export import RECORD, Wanted, export
from headrace.pipeline.exporting.forgotten import LeftOut
from headrace.pipeline.exporting.formats import FORMATS
from headrace.pipeline.exporting.reading import Grain
from headrace.pipeline.forgetting.account import account
from headrace.pipeline.shard_rows import read_shard
from headrace.schemas.errors import ConfigError, FormatError, HeadraceError
from headrace.schemas.forgetting import request
from headrace.schemas.tombstones import TOMBSTONES, read_tombstones


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return token_run(tmp_path / "a")


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["export", *map(str, arguments)])


def forget(run: Path, *doc_ids: str) -> None:
    account(run, [request("doc", doc_id) for doc_id in doc_ids])


def put_back(run: Path) -> None:
    """Make the tombstones older than every manifest line: readers then ask the requests themselves."""
    old = read_tombstones(run)
    assert old is not None
    (run / TOMBSTONES).write_bytes(replace(old, lines=0, documents=()).encode())


@pytest.mark.parametrize("settled", [True, False])
@pytest.mark.parametrize("form", FORMATS)
def test_forgotten_documents_are_left_out(run: Path, tmp_path: Path, form: str, settled: bool) -> None:  # noqa: FBT001
    """A forgotten document is in no export, whether the tombstones name its row or only ask for it."""
    gone = [max(texts_of(unit).items(), key=lambda item: len(item[1]))[0] for unit in (0, 3)]
    forget(run, *gone)
    if not settled:
        put_back(run)
    found = export(run, tmp_path / "out", Wanted(form, "documents"))
    expected = [ids_of(t) for unit in range(6) for name, t in texts_of(unit).items() if name not in gone]
    assert [row["ids"] for row in read(form, tmp_path / "out")] == expected
    assert found.left_out == 2
    assert found.left_out_tokens == sum(
        len(ids_of(texts_of(unit)[name])) for unit, name in zip((0, 3), gone, strict=True)
    )


def test_sequences_with_forgotten_documents_are_left_out(run: Path, tmp_path: Path) -> None:
    """A sequence that holds a piece of a forgotten document is left out as a whole, as loaders do; the others stay."""
    gone = next(iter(texts_of(4)))
    forget(run, gone)
    found = export(run, tmp_path / "out", Wanted("npy"))
    committed = open_committed(run)
    expected = [
        row["tokens"]
        for line in committed.lines
        if line.shard
        for table in read_shard(run, line.shard)
        for row in table.to_pylist()
        if (4, 0) not in zip(row["piece_units"], row["piece_rows"], strict=True)
    ]
    assert [row["ids"] for row in read("npy", tmp_path / "out")] == expected
    assert found.left_out == sum(s.shard.sequences for s in committed.lines if s.shard) - len(expected) > 0


def test_nothing_is_left_to_export(run: Path, tmp_path: Path) -> None:
    """If every document is forgotten there is no export, and a message that says so."""
    forget(run, *(name for unit in range(6) for name in texts_of(unit)))
    with pytest.raises(HeadraceError, match="nothing to export: every row holds a forgotten document"):
        export(run, tmp_path / "out", Wanted("megatron"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a"]


def test_forgetting_meanwhile(run: Path) -> None:
    """A request that comes while an export is written fails it: nothing forgotten gets away."""
    before = LeftOut.of(run)
    before.check_unchanged()
    forget(run, next(iter(texts_of(0))))
    with pytest.raises(HeadraceError, match=r"forgotten while the export was written.*revision 0 .*, 1 at its end"):
        before.check_unchanged()


@pytest.mark.parametrize("form", FORMATS)
def test_a_damaged_shard_leaves_nothing(run: Path, tmp_path: Path, form: str) -> None:
    """Each shard is hashed: one changed byte in the last one fails the export, of which nothing stays."""
    last = [line.shard for line in open_committed(run).lines if line.shard][-1]
    data = bytearray((run / last.file.name).read_bytes())
    data[len(data) // 2] ^= 1
    (run / last.file.name).write_bytes(bytes(data))
    with pytest.raises(FormatError, match="SHA-256 differs"):
        export(run, tmp_path / "out", Wanted(form, file_bytes=400))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a"]


def test_a_gap_in_a_document(run: Path, tmp_path: Path) -> None:
    """A document whose pieces do not follow each other is an error, not a shorter document."""
    import headrace.pipeline.exporting.reading as reading

    line = next(line for line in open_committed(run).lines if line.shard)
    assert line.shard is not None
    whole = reading._Whole.of(reading.open_shard(run, line.shard, verify=True))
    torn = replace(whole, starts=whole.starts + (whole.starts > 0))
    with pytest.raises(FormatError, match="leave a gap"):
        list(reading._documents(run, line, torn, whole.keys[:0], reading.Tally()))


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_runs_of_texts(tmp_path: Path, form: str) -> None:
    """A run without tokens is refused by name."""
    with pytest.raises(ConfigError, match="holds texts, not tokens"):
        export(token_run(tmp_path / "a", form), tmp_path / "out", Wanted("mds"))


def test_unfinished_runs(tmp_path: Path) -> None:
    """A run that goes on is refused; --unfinished exports what is committed, and the record says that it is a part."""
    run = token_run(tmp_path / "a", end=False)
    with pytest.raises(ConfigError, match=r"not finished: 3 shards are committed so far.*--unfinished"):
        export(run, tmp_path / "out", Wanted("mds"))
    result = call(run, "--to", "mds", "--out", tmp_path / "out", "--unfinished")
    assert result.exit_code == 0, result.output
    assert "the run is not finished" in result.output
    assert json.loads((tmp_path / "out" / RECORD).read_bytes())["finished"] is False


def test_runs_without_shards(tmp_path: Path) -> None:
    """A run that has written nothing has nothing to export."""
    run = token_run(tmp_path / "a", units=0, lines=0)
    with pytest.raises(HeadraceError, match="has no shards"):
        export(run, tmp_path / "out", Wanted("mds"))


def test_folders_that_are_not_free(run: Path, tmp_path: Path) -> None:
    """A folder with anything in it, a file, and the run's own folder are refused; an empty folder is taken."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "empty").mkdir()
    for name, message in (("full", "not empty"), ("file", "no folder"), ("a/run/export", "folder of its run")):
        result = call(run, "--to", "npy", "--out", tmp_path / name)
        assert (result.exit_code, message in result.output) == (2, True), result.output
    assert (tmp_path / "full" / "x").read_text() == "mine"
    assert call(run, "--to", "npy", "--out", tmp_path / "empty").exit_code == 0
    assert (tmp_path / "empty" / RECORD).is_file()


@pytest.mark.parametrize("size", [0, (1 << 31) + 1])
def test_sizes_of_files(run: Path, tmp_path: Path, size: int) -> None:
    """A size that files of some format cannot have is refused before anything is read."""
    result = call(run, "--to", "npy", "--out", tmp_path / "out", "--file-bytes", str(size))
    assert (result.exit_code, "no size of a file" in result.output) == (2, True)


def test_a_full_disk(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that fails names the file and the cause, and leaves nothing."""

    def full(*_: object) -> Iterator[None]:
        raise OSError(28, "No space left on device", "tokens.bin")

    monkeypatch.setattr("headrace.pipeline.exporting.out_folder.HashedFile.write", full)
    with pytest.raises(HeadraceError, match=r"tokens.bin: cannot write: No space left on device\. Free space"):
        export(run, tmp_path / "out", Wanted("megatron"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a"]


def test_two_exports_at_once(run: Path, tmp_path: Path) -> None:
    """Of two exports to one folder at the same time one is there as a whole, and the other is refused."""
    ends: list[str] = []

    def work() -> None:
        try:
            export(run, tmp_path / "out", Wanted("npy"))
            ends.append("done")
        except HeadraceError as error:
            ends.append(error.what)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ends) == ["done", "the folder is not empty"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "out"]


@pytest.mark.parametrize(("form", "grain"), [("megatron", "documents"), ("mds", "sequences")])
def test_what_the_command_says(run: Path, tmp_path: Path, form: str, grain: Grain) -> None:
    """The command says what was exported, and with --json the record; each format has the rows that suit it."""
    result = call(run, "--to", form, "--out", tmp_path / "out")
    record = json.loads((tmp_path / "out" / RECORD).read_bytes())
    assert (record["rows"], record["format"], record["sequence_length"]) == (grain, form, LENGTH)
    assert f"exported  {record['count']:,} {grain}, {record['tokens']:,} tokens, as {form}" in result.output
    assert ("padding" in result.output) == (form == "mds")
    as_json = call(run, "--to", form, "--out", tmp_path / "other", "--json")
    assert json.loads(as_json.output) == {"folder": str(tmp_path / "other"), **record}


def test_addresses(run: Path) -> None:
    """An address of an object store is not taken for a folder's name."""
    result = call(run, "--to", "npy", "--out", "s3://bucket/data")
    assert (result.exit_code, "not to object stores" in result.output) == (2, True)


KILLED = """
import os, sys
from pathlib import Path
from headrace.pipeline.exporting import out_folder
from headrace.pipeline.exporting.export import Wanted, export
written = []
def write(self, content, _write=out_folder.HashedFile.write):
    written.append(content)
    if len(written) == 9:
        os._exit(9)
    _write(self, content)
out_folder.HashedFile.write = write
export(Path(sys.argv[1]), Path(sys.argv[2]), Wanted("npy", file_bytes=700))
"""


def test_a_kill_on_the_way(run: Path, tmp_path: Path) -> None:
    """A killed export leaves nothing under its name, and the same command makes it whole."""
    killed = subprocess.run([sys.executable, "-c", KILLED, str(run), str(tmp_path / "out")], check=False)
    assert (killed.returncode, (tmp_path / "out").exists()) == (9, False)
    export(run, tmp_path / "out", Wanted("npy", file_bytes=700))
    export(run, tmp_path / "other", Wanted("npy", file_bytes=700))
    assert (tmp_path / "out" / RECORD).read_bytes() == (tmp_path / "other" / RECORD).read_bytes()


def test_the_tokenizer_goes_along(tmp_path: Path) -> None:
    """The model lies beside the tokens, and decodes them; one that is not the committed one is an error."""
    run = token_run(tmp_path / "a", model=small_model())
    export(run, tmp_path / "out", Wanted("megatron"))
    engine = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "out" / "tokenizer.model"))
    texts = [text for unit in range(6) for text in texts_of(unit).values()]
    assert [engine.decode(row["ids"]) for row in read("megatron", tmp_path / "out")] == texts
    (run / "tokenizer" / "model.model").write_bytes(b"another")
    with pytest.raises(FormatError, match="tokenizer model was changed"):
        export(run, tmp_path / "other", Wanted("megatron"))


def test_progress(run: Path, tmp_path: Path) -> None:
    """After each shard the export says how many are done, of how many."""
    said: list[tuple[int, int]] = []
    export(run, tmp_path / "out", Wanted("mds"), lambda *counts: said.append(counts))
    assert said == [(1, 3), (2, 3), (3, 3)]
