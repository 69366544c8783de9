"""Whole runs whose input lies in an object store: the bytes of local runs, and an end that can be resumed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.pipeline.small_runs import output, small_run, write_texts
from tests.s3_server import BUCKET, Request, S3Server

from headrace.pipeline.cli import main
from headrace.pipeline.load import LoadedConfig
from headrace.pipeline.plan import make_plan
from headrace.pipeline.run import run_pipeline
from headrace.schemas.errors import ConfigError, HeadraceError


def stored_run(folder: Path, run: str, s3: S3Server, pattern: str = "texts/*.txt") -> LoadedConfig:
    """Give the configuration of a small run that reads from the server."""
    return small_run(folder, run, f'sources.0.paths=["{s3.uri(pattern)}"]')


def written(run: Path) -> str:
    """Give every text file of a run folder in one string, to look for what must not be there."""
    return "".join(p.read_bytes().decode(errors="replace") for p in sorted(run.rglob("*")) if p.is_file())


def test_a_run_from_a_store_gives_the_bytes_of_a_local_run(s3: S3Server, tmp_path: Path) -> None:
    """Shards, documents, ledgers, tokenizer and manifest: where the files lay decides nothing."""
    local = small_run(tmp_path, "local")
    s3.put_folder("texts", tmp_path / "texts")
    run_pipeline(local)
    run_pipeline(stored_run(tmp_path, "stored", s3))
    assert output(tmp_path / "stored") == output(tmp_path / "local")
    assert "secret-of-the-test" not in written(tmp_path / "stored")


def test_how_a_store_is_reached_is_no_part_of_the_identity(
    s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The endpoint may change between two sessions, or come from the environment; the recipe does not name it."""
    write_texts(tmp_path / "texts")
    s3.put_folder("texts", tmp_path / "texts")
    run_pipeline(stored_run(tmp_path, "run", s3))
    plan = json.loads((tmp_path / "run" / "plan.json").read_text())
    assert plan["recipe"]["sources"][0]["paths"] == [f"s3://{BUCKET}/texts/*.txt"]
    endpoint = s3.options.split("&")[0].partition("=")[2]
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{endpoint}")
    again = small_run(tmp_path, "run", f'sources.0.paths=["s3://{BUCKET}/texts/*.txt?region=us-east-1"]')
    assert make_plan(again).identity == plan["identity"]
    run_pipeline(again)


def test_an_object_that_changed_is_refused_when_the_run_is_resumed(s3: S3Server, tmp_path: Path) -> None:
    """Size and time of every object are part of the identity; the message names the object."""
    write_texts(tmp_path / "texts")
    s3.put_folder("texts", tmp_path / "texts")
    run_pipeline(stored_run(tmp_path, "run", s3))
    s3.put("texts/03.txt", b"something else\n")
    with pytest.raises(ConfigError, match=r"not the run that was started here: input text:03.txt was changed"):
        run_pipeline(stored_run(tmp_path, "run", s3))


def test_a_store_that_falls_silent_ends_the_run_and_it_is_resumed(s3: S3Server, tmp_path: Path) -> None:
    """Nothing is quarantined: exit code 1, one message, and the same command goes on to the bytes of a local run."""
    run_pipeline(small_run(tmp_path, "local"))
    s3.put_folder("texts", tmp_path / "texts")

    def silent(request: Request) -> tuple[int, str] | None:
        late = sum(r.method == "GET" and r.path.endswith("04.txt") for r in s3.requests)
        return (503, "SlowDown") if late else None

    s3.refuse = silent
    with pytest.raises(HeadraceError, match=r"the store does not answer.*goes on behind the last commit") as caught:
        run_pipeline(stored_run(tmp_path, "run", s3))
    assert caught.value.exit_code == 1
    assert list((tmp_path / "run" / "quarantine").iterdir()) == []
    s3.refuse = lambda request: None
    summary = run_pipeline(stored_run(tmp_path, "run", s3))
    assert summary.state == "done"
    assert output(tmp_path / "run") == output(tmp_path / "local")


def test_an_object_that_may_not_be_read_is_counted(s3: S3Server, tmp_path: Path) -> None:
    """The run goes on without it, ends with 0, and the ledger names the object and the reason."""
    write_texts(tmp_path / "texts")
    s3.put_folder("texts", tmp_path / "texts")
    s3.refuse = lambda r: (403, "AccessDenied") if r.path.endswith("03.txt") and r.method != "PUT" else None
    config = stored_run(tmp_path, "run", s3)
    result = CliRunner().invoke(main, ["run", str(config.path), f'sources.0.paths=["{s3.uri("texts/*.txt")}"]'])
    assert result.exit_code == 0, result.output
    quarantined = [json.loads(line) for p in (tmp_path / "run" / "ledger").iterdir() for line in p.open()]
    notes = [file for ledger in quarantined for file in ledger["files"] if "03.txt" in json.dumps(file)]
    assert "unreadable_file" in json.dumps(notes)


@pytest.mark.parametrize(
    ("path", "code", "message"),
    [
        ("texts/none.txt", 2, f"s3://{BUCKET}/texts/none.txt is not there"),
        ("none/*.txt", 2, f"nothing matches s3://{BUCKET}/none/*.txt"),
    ],
)
def test_the_command_line_ends_with_one_message(
    s3: S3Server, tmp_path: Path, path: str, code: int, message: str
) -> None:
    """Exit code 2 before anything is started, one line, no traceback, no run folder."""
    config = stored_run(tmp_path, "run", s3)
    result = CliRunner().invoke(main, ["run", str(config.path), f'sources.0.paths=["{s3.uri(path)}"]'])
    assert result.exit_code == code
    assert message in " ".join(result.stderr.split()) and "Traceback" not in result.output
    assert not (tmp_path / "run" / "plan.json").exists()


def test_headrace_read_takes_uris(s3: S3Server) -> None:
    """Objects are shown by their URI without options; an object that is not there is a line with the reason."""
    s3.put("d/a.txt", "水车转动".encode("gb18030"))
    result = CliRunner().invoke(main, ["read", s3.uri("d/*.txt"), "--json"])
    assert result.exit_code == 0, result.output
    (row,) = [json.loads(line) for line in result.stdout.splitlines()]
    assert (row["path"], row["text"].strip()) == (f"s3://{BUCKET}/d/a.txt", "水车转动")
    gone = CliRunner().invoke(main, ["read", s3.uri("d/b.txt"), "--json"])
    assert gone.exit_code == 1 and "is not there" in gone.stdout and "Traceback" not in gone.output
