"""Forgetting on request: what is found, what the file says, what the other commands say, and what a crash leaves."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.pipeline.forgetting.page_runs import documents, page, page_run
from tests.pipeline.small_runs import output
from tests.protocol.power_disk import PowerDisk

from headrace.pipeline.cli import main
from headrace.pipeline.explain import explain
from headrace.pipeline.forgetting.account import account
from headrace.pipeline.forgetting.forget import forget
from headrace.pipeline.inspect_run import inspect_run
from headrace.pipeline.load import load_config
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.verify import verify
from headrace.schemas.errors import ConfigError, FormatError
from headrace.schemas.failpoints import FAILPOINT
from headrace.schemas.forgetting import Kind, request
from headrace.schemas.tombstones import TOMBSTONES, TOMBSTONES_LOCK, read_tombstones


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    run_pipeline(page_run(folder))
    return folder / "run"


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    """Give a copy of the finished run, in which nothing is forgotten yet."""
    shutil.copytree(made, tmp_path / "run")
    return tmp_path / "run"


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def forgotten(run: Path) -> set[str]:
    tombstones = read_tombstones(run)
    return {d.doc_id for d in tombstones.documents} if tombstones else set()


def ids(run: Path, part: str, verdict: str = "kept") -> set[str]:
    return {row["doc_id"] for row in documents(run) if part in row["url"] and row["verdict"] == verdict}


@pytest.mark.parametrize(
    ("kind", "value", "part"),
    [
        ("domain", "b.example", "b.example/"),
        ("domain", "WWW.B.example.", "www.b.example/"),
        ("url", "https://a.example/p/**", "//a.example/"),
        ("url", "**.example/p/7", "/p/7"),
        ("url", "http://www.b.example/p/1", "b.example/p/1"),
    ],
)
def test_documents_are_found_by_url_and_domain(run: Path, kind: Kind, value: str, part: str) -> None:
    """A domain covers its subdomains, a pattern may cross folders, the scheme makes no difference."""
    forget(run, [request(kind, value)])
    found = forgotten(run)
    assert found == ids(run, part) if value != "http://www.b.example/p/1" else len(found) == 1
    assert found


def test_nothing_but_the_tombstones_is_written_and_verify_stays_clean(run: Path) -> None:
    """Every committed file keeps its bytes."""
    before = output(run)
    assert forget(run, [request("domain", "a.example")]).written
    assert output(run) == before
    checked = verify(run)
    assert (checked.problems, checked.leftovers) == ((), ())


def test_asking_again_writes_nothing(run: Path) -> None:
    """The file is the same file; another request gets the next revision, and the first documents keep theirs."""
    asked = [request("domain", "a.example")]
    forget(run, asked)
    stamp = (run / TOMBSTONES).stat()
    assert not forget(run, asked).written
    assert (run / TOMBSTONES).stat() == stamp
    forget(run, [*asked, request("url", "**")])
    tombstones = read_tombstones(run)
    assert tombstones is not None
    assert [r.revision for r in tombstones.requests] == [1, 2]
    assert {d.revision for d in tombstones.documents if d.doc_id in ids(run, "//a.example")} == {1}


def test_a_dry_run_writes_nothing(run: Path) -> None:
    """It says what would be."""
    found = account(run, [request("domain", "a.example")], dry_run=True)
    assert {d.doc_id for d in found.tombstones.documents} == ids(run, "//a.example")
    assert not list(run.glob("tombstones*"))


def test_what_has_no_tokens_is_said_and_remembered(run: Path) -> None:
    """A dropped document is asked for in later runs; an unknown id of a finished run is not recorded, and named."""
    (copy,) = ids(run, "/copy", "dropped")
    result = call("forget", run, "--doc", copy, "--doc", "web:0.jsonl#1", "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == 1
    assert "no document has the id 'web:0.jsonl#1'. Did you mean web:0.jsonl#0" in result.stderr
    assert [r["value"] for r in found["requests"]] == [copy]
    assert [d["reason"] for d in found["without_tokens"]] == ["exact_duplicate"]
    assert (found["documents"], found["sequences"]["numbers"]) == ([], [])


def test_repeats_of_a_forgotten_document_are_named_and_can_be_included(run: Path) -> None:
    """Without its survivor a later run would keep the copy."""
    (copy,) = ids(run, "/copy", "dropped")
    asked = [request("url", "https://c.example/p/3")]
    assert [d.doc_id for d in account(run, asked).found.repeats] == [copy]
    found = account(run, asked, repeats=True)
    assert [d.doc_id for d in found.found.gone] == [copy]
    assert found.found.repeats == ()


def test_the_answer_is_about_what_was_asked(run: Path) -> None:
    """Earlier requests stay, and are told in one line."""
    forget(run, [request("domain", "a.example")])
    result = call("forget", run, "--url", "**/p/3")
    assert "forgotten   1 document by url **/p/3" in result.stdout
    assert "in all      11 documents by 2 requests" in result.stdout
    assert "forgotten   11 documents by domain a.example, url **/p/3" in call("forget", run).stdout


def test_explain_and_inspect_say_so_and_show_no_text(run: Path) -> None:
    """The verdict stays, the text is not shown."""
    doc_id = min(ids(run, "//a.example"))
    assert explain(run, doc_id)["text"]
    forget(run, [request("domain", "a.example")])
    found = explain(run, doc_id)
    assert (found["text"], found["forgotten"]["value"]) == (None, "a.example")
    assert "kept; forgotten on request (domain a.example)" in call("explain", run, doc_id).stdout
    shown = {d["doc_id"]: d["text"] for d in inspect_run(run)["documents"]}
    assert all((text == "(forgotten on request)") is (doc in forgotten(run)) for doc, text in shown.items())
    assert doc_id in shown


def test_the_command_says_what_is_skipped_and_where_it_still_is(run: Path) -> None:
    """Documents, sequences, what other documents lose, files."""
    result = call("forget", run, "--domain", "a.example")
    assert result.exit_code == 0, result.output
    assert "forgotten   10 documents by domain a.example" in result.stdout
    assert "no step was taken on this run" in result.stdout
    assert "nothing is erased from files" in result.stdout
    assert call("forget", run).stdout == result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--domain", "https://a.example/"], "is no host name"),
        (["--url", ""], "is empty"),
        (["--doc", " "], "is empty"),
    ],
)
def test_requests_that_cannot_be_meant_are_refused(run: Path, arguments: list[str], message: str) -> None:
    """Nothing is written."""
    result = call("forget", run, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (run / TOMBSTONES).exists()


def test_a_long_list_of_ids(run: Path) -> None:
    """Hundreds of unknown ones say no more than a screen holds, programs get all, and known ones among them count."""
    known = sorted(ids(run, "a.example"))[:2]
    options = [option for name in [*(f"web:none#{n}" for n in range(300)), *known] for option in ("--doc", name)]
    said = call("forget", run, *options)
    assert said.exit_code == 1 and forgotten(run) == set(known)
    assert said.stderr.count("no document has the id") == 10 and "and 290 more such ids" in said.stderr
    assert len(json.loads(call("forget", run, *options, "--json").stdout)["unknown"]) == 300


def test_altered_tombstones_are_refused_everywhere(run: Path) -> None:
    """Forgetting does not build on them, and verify names them."""
    forget(run, [request("domain", "a.example")])
    data = (run / TOMBSTONES).read_bytes()
    (run / TOMBSTONES).write_bytes(data.replace(b"a.example", b"x.example", 1))
    with pytest.raises(FormatError, match="were altered"):
        forget(run, [request("domain", "c.example")])
    assert [p for p in verify(run).problems if "were altered" in p]


def test_tombstones_that_cannot_be_read_are_not_taken_for_none(run: Path) -> None:
    """Not ours to read, a share that is away, a folder in their place: nobody goes on as if nothing was forgotten."""
    (run / TOMBSTONES).mkdir()
    for arguments in (["forget"], ["forget", "--domain", "a.example"], ["report", "--policy"], ["inspect"]):
        said = call(arguments[0], run, *arguments[1:])
        assert said.exit_code != 0 and "the tombstones cannot be read: Is a directory. Restore" in said.output


@pytest.mark.parametrize("place", ["lock", "file"])
def test_a_folder_that_cannot_be_written_to_is_named(run: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """A read-only folder shows what is forgotten; a request in it fails in one line, and so does one on a full disk."""

    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    if place == "lock":
        (run / TOMBSTONES_LOCK).mkdir()  # as root nothing is read-only
    else:
        monkeypatch.setattr("headrace.pipeline.forgetting.forget.replace_file", full)
    said = call("forget", run, "--domain", "a.example")
    assert said.exit_code == 2 and "nothing was forgotten: the tombstones cannot be written" in said.output
    assert forgotten(run) == set()
    assert call("forget", run).exit_code == call("forget", run, "--domain", "a.example", "--dry-run").exit_code == 0


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    """Nothing is made in it."""
    with pytest.raises(ConfigError, match="not a run folder"):
        forget(tmp_path, [request("domain", "a.example")])
    assert not list(tmp_path.iterdir())


def test_reports_from_before_the_request_are_named_until_they_are_written_again(run: Path, tmp_path: Path) -> None:
    """In a run of texts they quote what others repeat: the new ones do not."""
    page_run(run.parent)  # its pages
    text = (run.parent / "run.yaml").read_text(encoding="utf-8")
    head, _, _ = text.partition("  - {kind: tokenize")
    (tmp_path / "texts.yaml").write_text(
        f"{head}  - {{kind: write, format: parquet}}\nengine: {{executor: inline}}\n".replace("run: run", "run: texts")
    )
    run_pipeline(load_config(tmp_path / "texts.yaml"))
    texts = tmp_path / "texts"
    assert call("report", texts).exit_code == 0
    words = page(3, 23)["text"][:60]
    names = ["report.html", "report.json"]
    (before,) = [row["doc_id"] for row in documents(texts) if row["url"].endswith("/p/3")]
    assert all(words in (texts / name).read_text(encoding="utf-8") for name in names)
    for options in (["--dry-run"], [], []):
        said = call("forget", texts, "--doc", before, *options).output
        assert "of shards/, report.html, report.json, in the input" in said
        assert f"may quote   report.html, report.json: from before the request; `headrace report {texts}`" in said
    (texts / "policy.html").write_bytes(b"a report of a sample")
    assert call("report", texts).exit_code == 0
    assert not any(words in (texts / name).read_text(encoding="utf-8") for name in names)
    os.utime(texts / "policy.html", ns=(0, 0))
    assert account(texts, []).to_json()["reports"] == ["policy.html"]
    assert f"`headrace report {texts} --policy` writes them" in call("forget", texts).output
    (texts / "policy.html").unlink()
    assert "report" not in call("forget", texts).output


@pytest.mark.parametrize("place", ["tombstones.resolved", "tombstones.replaced"])
def test_a_kill_leaves_the_old_tombstones_or_the_new_ones(run: Path, place: str) -> None:
    """The same command goes on, and nothing of the killed one is left."""
    forget(run, [request("domain", "a.example")])
    old = forgotten(run)
    (run / f".{TOMBSTONES}.1.00000000.tmp").write_bytes(b"half")  # as a kill within the replacement leaves it
    command = [sys.executable, "-m", "headrace", "forget", str(run), "--domain", "c.example"]
    killed = subprocess.run(command, env={**os.environ, FAILPOINT: place}, check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    new = old | ids(run, "//c.example")
    assert forgotten(run) == (old if place == "tombstones.resolved" else new)
    assert forget(run, [request("domain", "c.example")]).written == (place == "tombstones.resolved")
    assert forgotten(run) == new
    assert not list(run.glob(".*.tmp"))


def test_the_tombstones_are_durable_when_the_command_returns(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Content and name are synced: a power loss takes no request back."""
    disk = PowerDisk(run, tmp_path / "after", random.Random(0))
    disk.install(monkeypatch)
    forget(run, [request("domain", "a.example")])
    disk.close()
    assert disk.complaints == []
    assert disk.durable(run / TOMBSTONES)


def _forget_one(run: Path, number: int) -> None:
    forget(run, [request("url", f"**/p/{number}")])


def test_requests_at_the_same_time_are_all_kept(run: Path) -> None:
    """Each process waits for the one before it."""
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_forget_one, args=(run, number)) for number in range(6)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    tombstones = read_tombstones(run)
    assert tombstones is not None
    assert sorted(r.value for r in tombstones.requests) == [f"**/p/{number}" for number in range(6)]
    assert sorted(r.revision for r in tombstones.requests) == [1, 2, 3, 4, 5, 6]
