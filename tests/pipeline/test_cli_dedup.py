from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from tests.pipeline.dups.repeating_runs import chinese, english, pages
from tests.s3_server import BUCKET, S3Server

from headrace.pipeline.cli import main


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["dedup", *(str(argument) for argument in arguments)])


def told(*arguments: str | Path) -> dict[str, Any]:
    result = call(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def kept(out: Path) -> pa.Table:
    return pa.concat_tables([pq.read_table(path) for path in sorted((out / "shards").iterdir())])


def every_form(folder: Path) -> list[Path]:
    """Write one text as GBK, JSON lines, Parquet, HTML and a file of lines, and a text of its own beside each."""
    folder.mkdir()
    paths = [folder / name for name in ("a.txt", "b.jsonl.gz", "c.parquet", "sub/d.html")]
    (folder / "sub").mkdir()
    paths[0].write_text(chinese(1), encoding="gb18030")
    records = [{"text": chinese(1)}, {"text": english(2), "title": "of b"}]
    paths[1].write_bytes(gzip.compress("".join(f"{json.dumps(r)}\n" for r in records).encode()))
    pq.write_table(pa.table({"text": [chinese(1), chinese(3)], "stars": [1, 2]}), paths[2])
    page = f"<html><head><title>x</title></head><body><article><p>{chinese(1)}</p></article></body></html>"
    paths[3].write_text(page, encoding="utf-8")
    return paths


def test_repetitions_are_found_whatever_the_files_are(tmp_path: Path) -> None:
    """GBK text, gzipped JSON lines, Parquet and a folder with a page: the first of four equal texts stays."""
    text, lines, table, _ = every_form(tmp_path / "in")
    found = told(text, lines, table, tmp_path / "in/sub", "--out", tmp_path / "out")
    assert {name: found[name] for name in ("documents", "exact", "near", "kept", "left_out")} == {
        "documents": 6,
        "exact": 3,
        "near": 0,
        "kept": 3,
        "left_out": {},
    }
    rows = {row["text"]: row for row in kept(tmp_path / "out").to_pylist()}
    assert set(rows) == {chinese(1), english(2), chinese(3)}
    assert rows[chinese(1)]["path"] == "a.txt"
    assert [json.loads(rows[text]["metadata"]) for text in (english(2), chinese(3))] == [
        {"title": "of b"},
        {"stars": 2},
    ]
    assert [tmp_path / "out" / name for name in found["shards"]] == sorted((tmp_path / "out/shards").iterdir())


def test_the_summary_says_what_was_found_and_where_to_look_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts, the folder, and commands that work as they are printed; a small input is done in one process."""
    monkeypatch.chdir(tmp_path)
    lines = "".join(json.dumps(page) + "\n" for page in pages())
    Path("pages.jsonl").write_text(lines + '{"text": ""}\n', encoding="utf-8")
    result = call("pages.jsonl", "--out", "out")
    assert result.exit_code == 0
    said = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert said[:6] == [
        "documents 12 in 1 file",
        "exact 4 dropped",
        "near 2 dropped",
        f"left out 1 parse: empty, such as input:pages.jsonl#{len(lines.encode())}",
        "kept 5 in out/shards",
        "every document, with what became of it and why: out/documents",
    ]
    for line in result.stdout.splitlines():
        if "headrace " in line:
            words = line.partition("headrace ")[2].replace("'", "").split()
            assert CliRunner().invoke(main, words).exit_code == 0, words
    assert "started on the inline executor" in result.stderr


def test_the_same_command_goes_on_and_the_run_can_be_run_from_its_own_configuration(tmp_path: Path) -> None:
    """Nothing is left to do for either; other options are refused, and --fresh takes them."""
    text = tmp_path / "in.txt"
    text.write_text(f"{english(1)}\n\n{english(1)}\n", encoding="utf-8")
    command = (text, "--records", "paragraphs", "--out", tmp_path / "out")
    first = told(*command)
    assert (first["exact"], first["kept"]) == (1, 1)
    assert told(*command) == first
    again = CliRunner().invoke(main, ["run", str(tmp_path / "out/config.resolved.yaml")])
    assert "nothing was left to do" in again.stderr
    assert call(*command, "--exact-only").exit_code == 2
    assert told(*command, "--exact-only", "--fresh")["near"] is None


def test_the_same_command_goes_on_in_whatever_order_its_input_is_given(tmp_path: Path) -> None:
    """It is one run, with the same bytes wherever it is made anew."""
    files = [tmp_path / name for name in ("a.txt", "b.txt", "d")]
    files[2].mkdir()
    for path in (*files[:2], files[2] / "c.txt"):
        path.write_text(english(1), encoding="utf-8")
    first = told(*files, "--out", tmp_path / "out")
    assert first["kept"] == 1
    assert told(*reversed(files), files[0], "--out", tmp_path / "out") == first
    assert told(*files[1:], files[0], "--out", tmp_path / "other")["shards"] == first["shards"]


def test_a_threshold_finds_what_is_as_similar_as_it_says(tmp_path: Path) -> None:
    """Texts of which a fifth differs stay by default, and go at 0.5; --exact-only keeps them, too."""
    one = chinese(1, 400)
    other = one[:200] + chinese(2, 40) + one[240:]
    for name, text in (("a", one), ("b", other)):
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    files = (tmp_path / "a.txt", tmp_path / "b.txt")
    assert told(*files, "--out", tmp_path / "1", "--threshold", "0.95")["near"] == 0
    assert told(*files, "--out", tmp_path / "2", "--threshold", "0.5")["near"] == 1
    assert told(*files, "--out", tmp_path / "3", "--exact-only")["kept"] == 2


@pytest.mark.parametrize("scheme", ["datasketch_legacy", "datatrove", "nemo", "fss", "simhash"])
def test_every_scheme_finds_an_edited_copy(tmp_path: Path, scheme: str) -> None:
    """One word of 400 is another."""
    text = english(1, 400)
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    (tmp_path / "b.txt").write_text(text + " end", encoding="utf-8")
    assert told(tmp_path / "a.txt", tmp_path / "b.txt", "--out", tmp_path / "o", "--scheme", scheme)["near"] == 1


def test_what_an_earlier_run_kept_is_dropped_and_shown(tmp_path: Path) -> None:
    """The second arrival repeats the first one; `dups` names the run that has the document that stays."""
    for name, texts in (("jan", [english(1), chinese(2)]), ("feb", [english(3), english(1), f"{chinese(2)}新"])):
        lines = [json.dumps({"text": text}) + "\n" for text in texts]
        (tmp_path / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    january, february = tmp_path / "january", tmp_path / "february"
    told(tmp_path / "jan.jsonl", "--out", january)
    found = told(tmp_path / "feb.jsonl", "--out", february, "--against", january)
    assert (found["exact"], found["near"], found["kept"]) == (1, 1, 1)
    said = CliRunner().invoke(main, ["dups", str(february), "--diff"]).stdout
    assert "stays   input:jan.jsonl#0, in ../january" in said
    assert f"{chinese(2)[-24:]}{{+新+}}" in said
    of_old = CliRunner().invoke(main, ["dups", str(february), "--of", "input:jan.jsonl#0", "--json"]).stdout
    assert [json.loads(line)["run"] for line in of_old.splitlines()[:1]] == ["../january"]


@pytest.mark.parametrize("keep", ["first_seen", "components", "best"])
def test_which_one_stays_is_chosen(tmp_path: Path, keep: str) -> None:
    """One of two, by each policy."""
    (tmp_path / "a.txt").write_text(english(1), encoding="utf-8")
    (tmp_path / "b.txt").write_text(english(1) + " end", encoding="utf-8")
    assert told(tmp_path / "a.txt", tmp_path / "b.txt", "--out", tmp_path / "o", "--keep", keep)["kept"] == 1


def test_what_each_policy_would_have_kept_is_counted(tmp_path: Path) -> None:
    """Ten states of a page, the last ones far from the first: one stays by components, and more by first_seen."""
    before, after = english(1, 400).split(), english(2, 400).split()
    files = [tmp_path / f"{number}.txt" for number in range(10)]
    for number, path in enumerate(files):
        path.write_text(" ".join([*after[: 20 * number], *before[20 * number :]]), encoding="utf-8")
    found = told(*files, "--out", tmp_path / "1", "--compare")
    assert found["kept"] == found["policies"]["first_seen"] == 4
    assert (found["policies"]["components"], found["policies"]["best"]) == (1, 1)
    assert told(*files, "--out", tmp_path / "2")["policies"] is None
    said = [" ".join(line.split()) for line in call(*files, "--out", tmp_path / "1", "--compare").stdout.splitlines()]
    assert [line for line in said if "by --keep" in line] == [
        "4 by --keep first_seen",
        "1 by --keep components",
        "1 by --keep best",
    ]


def test_files_in_a_store_and_on_disk_go_together(tmp_path: Path, s3: S3Server) -> None:
    """Each store is a source of its own, named after it; they go by name, so what is on disk comes first and stays."""
    (tmp_path / "a.txt").write_text(english(1), encoding="utf-8")
    s3.put_folder("texts", tmp_path)
    found = told(tmp_path / "a.txt", s3.uri("texts/*.txt"), "--out", tmp_path / "out")
    assert (found["exact"], found["kept"], found["example"]) == (1, 1, f"s3-{BUCKET}:a.txt#0")
    assert told(s3.uri("texts/*.txt"), tmp_path / "a.txt", "--out", tmp_path / "out") == found
    again = told(s3.uri("texts/*.txt"), tmp_path / "a.txt", "--out", tmp_path / "other")
    assert again["shards"] == found["shards"]


def test_where_the_text_field_is_not_found_the_option_is_named(tmp_path: Path) -> None:
    """In JSON lines and in a table; with the option both are read."""
    (tmp_path / "a.jsonl").write_text(json.dumps({"content": english(1)}) + "\n", encoding="utf-8")
    pq.write_table(pa.table({"content": [english(1), english(2)]}), tmp_path / "b.parquet")
    files = (tmp_path / "a.jsonl", tmp_path / "b.parquet")
    said = " ".join(call(*files, "--out", tmp_path / "1").stdout.split())
    assert (
        "left out 1 parse: no_text_field: name it by --text-field (the fields are: content), such as input:a.jsonl#0"
        in said
    )
    assert "left out 1 read: no_text_column: name it by --text-field" in said
    assert "kept 0 nothing is written" in said
    assert told(*files, "--out", tmp_path / "2", "--text-field", "content")["kept"] == 2


def test_the_result_may_lie_in_a_folder_that_is_read(tmp_path: Path) -> None:
    """It is no input."""
    (tmp_path / "a.txt").write_text(english(1), encoding="utf-8")
    assert told(tmp_path, "--out", tmp_path / "out") == told(tmp_path, "--out", tmp_path / "out")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.txt", "--out", "o"], "none.txt is not there"),
        (["a.txt"], "Missing option '--out'"),
        (["a.txt", "--out", "full"], "not a run folder"),
        (["a.txt", "--out", "o", "--exact-only", "--threshold", "0.7"], "do not go together"),
        (["a.txt", "--out", "o", "--scheme", "simhash", "--threshold", "0.7"], "do not go together"),
        (["a.txt", "--out", "o", "--threshold", "0"], "'--threshold'"),
        (["a.txt", "--out", "o", "--against", "full"], "full"),
        (["a.txt", "--out", "o", "--against", "full", "--compare"], "only first_seen goes with against"),
        (["", "--out", "o"], "an empty path names nothing"),
    ],
)
def test_mistakes_are_told_and_nothing_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    """Exit code 2, and no folder."""
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(english(1), encoding="utf-8")
    Path("full").mkdir()
    Path("full/mine").write_text("")
    result = call(*arguments)
    assert (result.exit_code, said in result.output) == (2, True), result.output
    assert not Path("o").exists()


def test_the_result_may_be_json_lines(tmp_path: Path) -> None:
    """A file that `headrace read` prints again; explain, dups and verify know it."""
    lines = "".join(json.dumps(page) + "\n" for page in pages())
    (tmp_path / "in.jsonl").write_text(lines, encoding="utf-8")
    found = told(tmp_path / "in.jsonl", "--out", tmp_path / "out", "--format", "jsonl")
    (name,) = found["shards"]
    rows = CliRunner().invoke(main, ["read", str(tmp_path / "out" / name), "--json"]).stdout_bytes.splitlines()
    texts = dict.fromkeys(page["text"] for page in pages())
    assert len(rows) == found["kept"] == 5
    assert {json.loads(row)["text"] for row in rows} <= set(texts)
    out = str(tmp_path / "out")
    assert CliRunner().invoke(main, ["verify", out]).exit_code == 0
    assert " wheel {+and axle +}" in CliRunner().invoke(main, ["dups", out, "--diff"]).stdout
    assert pages()[0]["text"][:50] in CliRunner().invoke(main, ["explain", out, "input:in.jsonl#0"]).stdout
    assert CliRunner().invoke(main, ["inspect", out]).exit_code == 0


def test_an_earlier_run_is_named_from_the_folder_of_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--against` as it is typed or absolute is one run, and neither the verdicts nor the plan tell of a machine."""
    (tmp_path / "a.txt").write_text(english(1), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    told("a.txt", "--out", "runs/week1")
    found = told("a.txt", "--out", "runs/week2", "--against", "runs/week1")
    assert found["exact"] == 1
    assert told("a.txt", "--out", "runs/week2", "--against", tmp_path / "runs/week1") == found
    (table,) = (pq.read_table(path) for path in Path("runs/week2/documents").iterdir())
    assert table["detail"].to_pylist() == ["in ../week1"]
    recipe = json.loads(Path("runs/week2/plan.json").read_bytes())["recipe"]
    assert str(tmp_path) not in json.dumps([recipe["stages"], recipe["earlier"]])
