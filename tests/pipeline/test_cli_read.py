"""`headrace read`: text to standard output, what is to be said about it to standard error, JSON for programs."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from headrace.pipeline import read_files
from headrace.pipeline.cli import main
from headrace.pipeline.cli_rows import repairs
from headrace.schemas.source import Source
from headrace.stages.read import Reader

MILL = "水车转得很稳，石磨不会发热。\n渠道里的水既不能断，也不能漫。\n"


def call(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["read", *map(str, arguments)], input=stdin)


def lines(*arguments: str | Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in call(*arguments, "--json").stdout.splitlines()]


def file(folder: Path, name: str, text: str | bytes = MILL, encoding: str = "gb18030") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return path


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_text_alone_goes_to_standard_output(tmp_path: Path) -> None:
    """`headrace read old.txt > new.txt`: UTF-8 and nothing else; the charset is named on standard error."""
    file(tmp_path, "old.txt")
    result = call("old.txt")
    assert (result.exit_code, result.stdout) == (0, MILL)
    assert result.stderr.startswith("== old.txt: gb18030 (detected")
    assert call("old.txt", "-q").stderr == ""


def test_decode_only_gives_every_character_as_it_was(tmp_path: Path) -> None:
    """Line ends, blank lines at the end and a missing last line feed stay: an iconv that finds the charset."""
    text = "\r\n" + MILL.replace("\n", "\r\n") + "尾\n\n\n  没有换行"
    file(tmp_path, "old.txt", text)
    assert call("old.txt", "--decode-only").stdout_bytes == text.encode()
    assert call("old.txt").stdout == "\n" + MILL + "尾\n\n\n  没有换行\n"


def test_lines_of_json_are_decoded_one_by_one_and_lose_nothing(tmp_path: Path) -> None:
    """Records are cut at line feeds, so their texts in a row are the file."""
    text = "".join(json.dumps({"text": f"{n} {MILL}"}, ensure_ascii=False) + "\n" for n in range(5))
    file(tmp_path, "a.jsonl", text)
    assert call("a.jsonl", "--decode-only").stdout == text
    assert [line["text"] for line in lines("a.jsonl")] == [f"{n} {MILL}" for n in range(5)]


def test_json_says_all_that_is_known_of_a_document(tmp_path: Path) -> None:
    """One line a document: path, offset, text, charset with method and confidence, damage, metadata, repairs."""
    row = json.dumps({"text": MILL, "url": "https://mill.example/", "year": 1998}, ensure_ascii=False)
    file(tmp_path, "in/a.jsonl", f"{row}\n{row}\n", "utf-8")
    first, second = lines("in")
    assert first == {
        "path": "in/a.jsonl",
        "member": None,
        "offset": 0,
        "text": MILL,
        "encoding": "utf-8",
        "method": "utf-8",
        "confidence": 1.0,
        "damage": 0.0,
        "detail": None,
        "url": "https://mill.example/",
        "metadata": {"year": 1998},
        "repairs": first["repairs"],
        "private_use": 0,
    }
    assert second["offset"] == len(row.encode()) + 1


def test_json_counts_private_use_characters(tmp_path: Path) -> None:
    """Those that stay; null where repair did not look."""
    file(tmp_path, "a.txt", f"{MILL}\ue000\uf8ff", "utf-8")
    assert [row["private_use"] for row in (*lines("a.txt"), *lines("a.txt", "--decode-only"))] == [2, None]


def test_a_bad_file_and_a_bad_record_are_named_and_the_rest_is_printed(tmp_path: Path) -> None:
    """A JSON line with the error for each, exit code 1; an empty file is no fault."""
    file(tmp_path, "1.jsonl", '{"text": "one"}\n{"text": "tw\n{"text": "three"}\n')
    file(tmp_path, "2.jsonl.gz", gzip.compress(b'{"text": "x"}\n' * 2000)[:-30])
    file(tmp_path, "3.txt", b"")
    result = call(".", "nowhere.txt", "--json")
    assert result.exit_code == 1
    found = [json.loads(line) for line in result.stdout.splitlines()]
    texts = [row["text"] for row in found if "text" in row]
    assert texts[:2] == ["one", "three"] and texts[2:] and set(texts[2:]) == {"x"}
    assert [row["offset"] for row in found[:3]] == [0, 16, 29]
    errors = {row["path"]: row["error"] for row in found if "error" in row}
    assert set(errors) == {"1.jsonl", "2.jsonl.gz", "nowhere.txt"}
    assert errors["1.jsonl"]["reason"] == "invalid_json"
    assert errors["nowhere.txt"]["reason"] == "no_input"
    assert set(errors["1.jsonl"]) == {"reason", "detail", "value", "threshold"}
    assert [row["dropped"]["reason"] for row in found if "dropped" in row] == ["empty"]
    assert call("3.txt").exit_code == 0


def test_faults_are_said_on_standard_error_too(tmp_path: Path) -> None:
    """Place, reason and words of the fault, even with --quiet."""
    file(tmp_path, "a.jsonl", '{"text": "one"}\n{"text": "tw\n')
    result = call("a.jsonl", "-q")
    assert (result.exit_code, result.stdout) == (1, "one\n")
    assert result.stderr.startswith("headrace: a.jsonl#16: invalid_json: ")


def test_what_is_lost_is_said(tmp_path: Path) -> None:
    """A document with damage is printed, and how much of it is gone; over the budget it is a fault with figures."""
    file(tmp_path, "a.txt", (MILL * 20).encode() + b"\xe6\n")
    result = call("a.txt", "-q")
    assert result.exit_code == 0 and "\ufffd" in result.stdout
    assert "headrace: a.txt: 0." in result.stderr and "% lost" in result.stderr
    file(tmp_path, "b.txt", (MILL * 2).encode() + b"\xe6\xe6\xe6 \xff\xff\xff\n")
    [row] = lines("b.txt", "--force-encoding", "utf-8", "--max-damage", "0.01")
    assert row["error"]["reason"] == "undecodable"
    assert row["error"]["value"] > row["error"]["threshold"] == 0.01
    assert call("b.txt", "--force-encoding", "utf-8", "--max-damage", "1").exit_code == 0


def test_what_is_odd_about_lines_is_said(tmp_path: Path) -> None:
    """A line in another charset than its file's is decoded, and named."""
    file(tmp_path, "a.txt", (MILL * 20).encode() + MILL.encode("gb18030"))
    result = call("a.txt")
    assert (result.exit_code, result.stdout) == (0, MILL * 21)
    assert "   lines 41-42" in result.stderr and "as gb18030" in result.stderr
    assert call("a.txt", "-q").stderr == ""


def test_standard_input_is_a_file_like_others(tmp_path: Path) -> None:
    """`-`, packed or not; its name is `-`."""
    for data in (MILL.encode("big5hkscs", "ignore"), gzip.compress(MILL.encode("gb18030"))):
        result = call("-", stdin=data)
        assert result.exit_code == 0
        assert result.stderr.startswith("== -: ")
    assert result.stdout == MILL


def test_the_order_is_that_of_the_arguments_and_offsets(tmp_path: Path) -> None:
    """Two files of one name in two folders keep apart; refused records stand where they are."""
    file(tmp_path, "b/x.jsonl", '{"text": "b1"}\n{"no": 1}\n{"text": "b3"}\n')
    file(tmp_path, "a/x.jsonl", '{"text": "a1"}\n')
    found = lines("b/x.jsonl", "a", tmp_path / "b/x.jsonl")
    assert [row["path"] for row in found] == ["b/x.jsonl"] * 3 + ["a/x.jsonl"] + [str(tmp_path / "b/x.jsonl")] * 3
    assert ["error" in row for row in found] == [False, True, False, False, False, True, False]


def test_options_describe_the_input(tmp_path: Path) -> None:
    """Format, records, field and charset are those of a source; a limit counts documents."""
    file(tmp_path, "a.log", '{"body": "x"}\n{"body": "y"}\n', "utf-8")
    assert [row["text"] for row in lines("a.log", "--format", "jsonl", "--text-field", "body")] == ["x", "y"]
    assert [row["text"] for row in lines("a.log", "--records", "lines", "--limit", "1")] == ['{"body": "x"}']
    file(tmp_path, "b.txt", "Żółta łódź płynie przez śluzę młyna.", "iso8859-2")
    [row] = lines("b.txt", "--encoding", "latin2")
    assert (row["text"][:10], row["method"]) == ("Żółta łódź", "declared")


def test_a_forced_charset_is_taken_whatever_the_bytes_look_like(tmp_path: Path) -> None:
    """UTF-8 that is decoded as something else by force is other characters."""
    file(tmp_path, "a.txt", MILL, "utf-8")
    [row] = lines("a.txt", "--force-encoding", "cp1252", "--max-damage", "1")
    assert (row["encoding"], row["method"]) == ("cp1252", "forced")
    assert row["text"] != MILL.strip()


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--encoding", "klingon", "there is no charset 'klingon'"),
        ("--force-encoding", "gb-18031", "there is no charset 'gb-18031'. Did you mean 'gb18030'?"),
        ("--format", "docx", "--format 'docx' cannot be: Input should be 'auto', 'text'"),
        ("--records", "words", "--records 'words' cannot be: Input should be 'file', 'lines' or 'paragraphs'"),
    ],
)
def test_an_option_that_cannot_be_is_refused_by_name(option: str, value: str, said: str, tmp_path: Path) -> None:
    """Exit code 2, the option and what it takes; nothing is read."""
    file(tmp_path, "a.txt")
    result = call("a.txt", option, value)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_a_file_that_changes_while_others_are_read_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files before and behind it are printed; its row says what happened."""
    for name in "abcd":
        file(tmp_path, f"{name}.txt", f"{name} {MILL}", "utf-8")
    listed = read_files.resolve_source

    def changed(*arguments: Any, **options: Any) -> Any:
        found = listed(*arguments, **options)
        file(tmp_path, "b.txt", "longer than it was when it was listed " + MILL * 3, "utf-8")
        (tmp_path / "d.txt").unlink()
        return found

    monkeypatch.setattr(read_files, "resolve_source", changed)
    found = lines("*.txt")
    assert [(row["path"], "error" in row) for row in found] == [
        ("a.txt", False),
        ("b.txt", True),
        ("c.txt", False),
        ("d.txt", True),
    ]
    assert {row["error"]["reason"] for row in found if "error" in row} == {"unreadable_file"}


def test_reading_begins_to_print_before_it_has_read_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows come unit by unit: after the first, a part was read and no more."""
    file(tmp_path, "a.jsonl", ('{"text": "' + "x" * 990 + '"}\n') * 12_000)
    parts: list[Any] = []
    read_part = Reader.read_part
    monkeypatch.setattr(Reader, "read_part", lambda *a: parts.append(a) or read_part(*a))  # type: ignore[func-returns-value]
    found = read_files.read_rows("a.jsonl", Source(name="read", paths=("-",)), [read_files.stage("decode")])
    assert next(found)["offset"] == 0
    assert len(parts) == 1
    assert sum(1 for _ in found) == 11_999
    assert len(parts) > 2


def test_rows_of_tables_and_packed_files_are_read_like_the_rest(tmp_path: Path) -> None:
    """A Parquet file has rows as offsets and its other columns as metadata."""
    pq.write_table(pa.table({"text": ["one", "two"], "n": [1, 2]}), tmp_path / "a.parquet")
    assert [(row["offset"], row["text"], row["metadata"], row["method"]) for row in lines("a.parquet")] == [
        (0, "one", {"n": 1}, "native"),
        (1, "two", {"n": 2}, "native"),
    ]


def test_members_of_an_archive_are_named(tmp_path: Path) -> None:
    """Each member is judged alone, in the archive's order; offsets count in the member."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("z.txt", MILL.encode("gb18030"))
        archive.writestr("a.jsonl", '{"text": "one"}\n{no json}\n')
    found = lines("a.zip")
    assert [(row["path"], row["member"], row["offset"]) for row in found] == [
        ("a.zip", "z.txt", 0),
        ("a.zip", "a.jsonl", 0),
        ("a.zip", "a.jsonl", 16),
    ]
    said = call("a.zip").stderr.splitlines()
    assert said[0].startswith("== a.zip!z.txt: gb18030") and said[1] == "== a.zip!a.jsonl: utf-8 (utf-8)"
    assert said[2].startswith("headrace: a.zip!a.jsonl#16: invalid_json")


def test_repairs_are_counted_by_name() -> None:
    """Only those that found something."""
    row = {"values.repaired_mojibake": 2.0, "values.repaired_controls": 0.0, "values.length": 7.0, "text": "x"}
    assert repairs(row) == {"mojibake": 2}


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    """`headrace read big.txt | head -1` says nothing about the pipe."""
    file(tmp_path, "big.txt", MILL * 20_000)
    read = subprocess.Popen(
        [sys.executable, "-m", "headrace", "read", "big.txt"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert read.stdout is not None and read.stderr is not None
    assert read.stdout.read(10)
    read.stdout.close()
    said = read.stderr.read().decode()
    assert read.wait() in (0, 1)
    assert said.startswith("== big.txt") and said.count("\n") == 1


def test_a_locale_that_is_not_utf_8_changes_no_byte(tmp_path: Path) -> None:
    """What goes into a file is UTF-8, in an old Chinese locale too."""
    file(tmp_path, "a.txt")
    environment = {**os.environ, "PYTHONIOENCODING": "gbk"}
    command = [sys.executable, "-m", "headrace", "read", "a.txt", "-q"]
    assert subprocess.run(command, capture_output=True, check=True, env=environment).stdout == MILL.encode()


def test_neither_ray_nor_torch_is_needed_to_read_a_file(tmp_path: Path) -> None:
    """The start is quick because nothing of a run is imported."""
    file(tmp_path, "a.txt")
    code = (
        "import sys; from headrace.pipeline.cli import main; main(['read', 'a.txt'], standalone_mode=False); "
        "print(sorted({'ray', 'torch', 'spacy', 'matplotlib', 'trafilatura'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux alone")
def test_a_name_that_is_no_utf8_is_escaped(tmp_path: Path) -> None:
    """Dumps from elsewhere have names in GBK: they are read like any other."""
    file(tmp_path, "in/a.txt")
    file(tmp_path, os.fsdecode(b"in/\xba\xd3.txt"))
    assert [(row["path"], row["text"]) for row in lines("in")] == [
        ("in/a.txt", MILL.rstrip("\n")),
        (r"in/\xba\xd3.txt", MILL.rstrip("\n")),
    ]


def test_a_folder_that_cannot_be_listed_costs_no_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named, and the files beside it are printed."""
    file(tmp_path, "in/a.txt")
    file(tmp_path, "in/shut/b.txt")
    scandir = os.scandir

    def shut(path: Path) -> Any:
        if path.name == "shut":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", shut)
    fault, document = lines("in")
    assert fault["error"]["detail"] == f"a folder cannot be listed: {tmp_path / 'in' / 'shut'}: Permission denied"
    assert document["path"] == "in/a.txt"


def test_a_pipe_that_is_named_is_read(tmp_path: Path) -> None:
    """`headrace read <(command)` names a pipe; inside folders none is opened, since it might wait for ever."""
    os.mkfifo("pipe")
    with subprocess.Popen(["sh", "-c", "printf 'hello pipe' > pipe"], cwd=tmp_path) as writer:
        (line,) = lines("pipe")
        assert (line["path"], line["text"]) == ("pipe", "hello pipe")
    assert writer.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["-", "<&-"], 1, "standard input cannot be read: it is closed"),
        (["a.txt", ">&-"], 1, "there is nowhere to print to"),
        (["a.txt", "--max-damage", "nan"], 2, "a share is a number from 0 to 1"),
        (["''"], 1, "an empty path names nothing"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(tmp_path: Path, arguments: list[str], code: int, said: str) -> None:
    """Closed standard files, a share that is no number, a variable that is empty in a script: no traceback."""
    file(tmp_path, "a.txt")
    command = " ".join([sys.executable, "-m", "headrace", "read", *arguments])
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert said in done.stderr
    assert "traceback" not in done.stderr.lower()
