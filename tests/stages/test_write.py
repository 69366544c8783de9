from __future__ import annotations

import json
import os
import pickle
import re
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.protocol.driver_kills import WRITER_STEPS
from tests.stages.token_units import context, files_of, tokenized, unit

from headrace.schemas.durable import sha256_file
from headrace.schemas.errors import ConfigError, HeadraceError
from headrace.schemas.failpoints import FAILPOINT
from headrace.schemas.ledger import StageCounts, UnitLedger
from headrace.schemas.shard import OF_TEXT
from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.base import Stage
from headrace.stages.write import ShardClosed, Write, check_format

OPTIONS: dict[str, Any] = {"sequence_length": 16, "shard_tokens": 100, "shard_bytes": 100}
FORMATS = ["arrow", "lmdb", "parquet", "jsonl"]


def units(form: str, count: int = 6) -> list[UnitBatch]:
    make = unit if form in OF_TEXT else tokenized
    return [make(n, [f"unit {n} " * 5, "水轮" * n], ["short"], broken=n % 2 == 1) for n in range(count)]


def closed(run: Path, form: str, batches: Iterable[UnitBatch], *, first_shard: int = 0) -> list[ShardClosed]:
    """Write the units, finish, and give every report."""
    batches = list(batches)
    state = Write(format=form, **OPTIONS).open(context(run, batches[0].unit, first_shard))
    reports = [state.accept(batch)[1] for batch in batches]
    return [report for report in [*reports, state.finish()] if report is not None]


def refs(reports: Iterable[ShardClosed]) -> list[FileRef]:
    return [
        ref
        for report in reports
        for ref in (
            *report.documents,
            *report.ledgers,
            *report.quarantine,
            *([report.shard.file] if report.shard else []),
        )
    ]


@pytest.mark.parametrize("form", FORMATS)
def test_shards_close_at_the_unit_border_where_the_target_is_reached(tmp_path: Path, form: str) -> None:
    """Ranges of units follow each other without a gap; each but the last holds at least the target."""
    reports = closed(tmp_path, form, units(form))
    assert [report.first for report in reports] == [0, *(report.last + 1 for report in reports[:-1])]
    assert reports[-1].last == 5
    assert len(reports) > 1
    if form not in OF_TEXT:
        tokens = [report.shard.tokens for report in reports if report.shard]
        assert min(tokens[:-1]) >= 100
        assert sum(tokens) == sum(int(sum(b.documents["values.tokens"].to_pylist())) for b in units(form))


@pytest.mark.parametrize("form", FORMATS)
def test_reports_name_every_file_with_its_hash_and_nothing_else_is_there(tmp_path: Path, form: str) -> None:
    """Every file in the folder is named by one report, with the SHA-256 and the size that it has."""
    named = refs(closed(tmp_path, form, units(form)))
    assert sorted(ref.name for ref in named) == sorted(files_of(tmp_path))
    for ref in named:
        assert (sha256_file(tmp_path / ref.name), (tmp_path / ref.name).stat().st_size) == (ref.sha256, ref.bytes)
        assert Path(ref.name).name.partition(".")[0].split("-")[1] == ref.sha256[:12]


@pytest.mark.parametrize("form", FORMATS)
def test_two_runs_write_the_same_bytes(tmp_path: Path, form: str) -> None:
    """The same units give the same names and contents."""
    for name in ("a", "b"):
        closed(tmp_path / name, form, units(form))
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")


@pytest.mark.parametrize("form", FORMATS)
def test_a_writer_that_starts_after_a_commit_writes_the_same_bytes(tmp_path: Path, form: str) -> None:
    """Resume at any shard border: the rest comes out as in one go."""
    reports = closed(tmp_path / "whole", form, units(form))
    for border in range(1, len(reports)):
        run = tmp_path / str(border)
        first = reports[border].first
        rest = closed(run, form, units(form)[first:], first_shard=border)
        assert rest == reports[border:]
        assert files_of(run).items() <= files_of(tmp_path / "whole").items()


def test_documents_and_shard_agree_on_rows(tmp_path: Path) -> None:
    """Piece row i of unit u is row i of the unit's documents file: its ids are that row's text."""
    reports = closed(tmp_path, "arrow", units("arrow"))
    documents = {
        int(Path(r.name).stem[:8]): pq.read_table(tmp_path / r.name) for report in reports for r in report.documents
    }
    checked = 0
    for report in reports:
        assert report.shard is not None
        for row in pa.ipc.open_file(str(tmp_path / report.shard.file.name)).read_all().to_pylist():
            begins = [0, *row["piece_ends"][:-1]]
            for u, i, start, begin, end in zip(
                row["piece_units"], row["piece_rows"], row["piece_starts"], begins, row["piece_ends"], strict=True
            ):
                text = [*documents[u]["text"][i].as_py().encode(), 258]
                assert row["tokens"][begin:end] == text[start : start + end - begin]
                checked += 1
    assert checked >= 12


def test_the_ledger_is_complete(tmp_path: Path) -> None:
    """Each unit's ledger balances, ends with `write` itself, and lists the files."""
    reports = closed(tmp_path, "arrow", units("arrow"))
    ledgers = [UnitLedger.from_json(json.loads((tmp_path / r.name).read_bytes())) for x in reports for r in x.ledgers]
    assert [ledger.unit for ledger in ledgers] == list(range(6))
    for ledger in ledgers:
        ledger.check()
        assert [counts.stage for counts in ledger.stages] == ["decode", "clean", "tokenize", "write"]
        assert ledger.stages[-1].kept == 2
        assert ledger.files[0].path == f"s:{ledger.unit}.txt"


def test_a_ledger_that_does_not_balance_stops_the_run(tmp_path: Path) -> None:
    """A document that a stage lost is found before anything of the unit is written."""
    batch = tokenized(0, ["a", "b"])
    lost = batch.but(
        counts=(*batch.counts[:-1], StageCounts("tokenize", 2, 0, 1)), documents=batch.documents.slice(0, 1)
    )
    state = Write(**OPTIONS).open(context(tmp_path))
    with pytest.raises(HeadraceError, match="stage tokenize: the ledger of unit 0 does not balance"):
        state.accept(lost)
    assert files_of(tmp_path) == {}


def test_quarantine_is_written_only_where_there_is_some(tmp_path: Path) -> None:
    """Units 1, 3 and 5 have a broken record; the others have no quarantine file."""
    names = [
        Path(ref.name).stem[:8] for report in closed(tmp_path, "arrow", units("arrow")) for ref in report.quarantine
    ]
    assert names == ["00000001", "00000003", "00000005"]


def test_parquet_shards_hold_the_kept_documents_with_every_column(tmp_path: Path) -> None:
    """Text, measured values and scores are there in order, without private columns; documents/ has no second copy."""
    reports = closed(tmp_path, "parquet", units("parquet"))
    tables = [pq.read_table(tmp_path / report.shard.file.name) for report in reports if report.shard]
    texts = [text for table in tables for text in table["text"].to_pylist()]
    assert texts == [text for batch in units("parquet") for text in batch.documents["text"].to_pylist()]
    assert {"scores.total", "values.length"} < {*tables[0].column_names}
    assert not [name for name in tables[0].column_names if name.startswith("_")]
    assert [report.shard.sequences for report in reports if report.shard] == [table.num_rows for table in tables]
    stored = pq.read_table(tmp_path / reports[0].documents[0].name)
    assert stored["text"].null_count == stored.num_rows


@pytest.mark.parametrize("form", FORMATS)
def test_units_without_documents_close_without_a_shard(tmp_path: Path, form: str) -> None:
    """Trailing units that keep nothing still leave their files, and the report has no shard."""
    make = unit if form in OF_TEXT else tokenized
    (report,) = closed(tmp_path, form, [make(n, [], ["dropped"]) for n in range(3)])
    assert (report.first, report.last, report.shard) == (0, 2, None)
    assert (len(report.documents), len(report.ledgers)) == (3, 3)


def test_nothing_open_gives_no_last_report(tmp_path: Path) -> None:
    """`finish` right after a closed shard, or before any unit, has nothing to say; `flush` never has."""
    state = Write(**OPTIONS).open(context(tmp_path))
    assert state.finish() is None
    assert state.accept(tokenized(0, ["x" * 200]))[1] is not None
    assert state.finish() is None
    assert state.flush(0) == ()


@pytest.mark.parametrize("wrong", [0, 2])
def test_a_unit_out_of_order_is_refused(tmp_path: Path, wrong: int) -> None:
    """A unit that was taken already, or comes too early, is an error, not a doubled or lost unit."""
    state = Write(**OPTIONS).open(context(tmp_path))
    state.accept(tokenized(0, ["a"]))
    with pytest.raises(HeadraceError, match=f"unit {wrong} came to the writer, unit 1 was due"):
        state.accept(tokenized(wrong, ["a"]))


def test_what_comes_back_is_light(tmp_path: Path) -> None:
    """The batch that `accept` gives back carries the counts alone."""
    batch, _ = Write(**OPTIONS).open(context(tmp_path)).accept(tokenized(0, ["a" * 50_000]))
    assert batch.counts[-1] == StageCounts("write", 1, 0, 1)
    assert len(pickle.dumps(batch)) < 5000


PROGRAM = """
import sys
from pathlib import Path
from tests.stages.test_write import closed, units
closed(Path(sys.argv[1]), sys.argv[2], units(sys.argv[2]))
"""


def write_in_a_process(run: Path, form: str, prelude: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", prelude + PROGRAM, str(run), form],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("place", WRITER_STEPS)
def test_a_writer_killed_at_any_step_leaves_only_whole_files(tmp_path: Path, place: str) -> None:
    """After a kill each file with a final name is the one of a clean run; writing again gives the clean run."""
    closed(tmp_path / "clean", "arrow", units("arrow"))
    killed = write_in_a_process(tmp_path / "run", "arrow", **{FAILPOINT: f"{place}:2"})
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    final = {name: data for name, data in files_of(tmp_path / "run").items() if not name.endswith(".tmp")}
    assert final.items() <= files_of(tmp_path / "clean").items()
    closed(tmp_path / "run", "arrow", units("arrow"))
    final = {name: data for name, data in files_of(tmp_path / "run").items() if not name.endswith(".tmp")}
    assert final == files_of(tmp_path / "clean")


def test_a_writer_that_was_given_up_cannot_damage_a_committed_file(tmp_path: Path) -> None:
    """Two writers at once, step by step: every file keeps its content, and each name stands for one content."""
    expected = refs(closed(tmp_path / "clean", "arrow", units("arrow")))
    batches = units("arrow")
    fresh = Write(**OPTIONS).open(context(tmp_path / "run"))
    zombie = Write(**{**OPTIONS, "sequence_length": 32}).open(context(tmp_path / "run"))
    reports = []
    for batch in batches:
        reports += [report for report in (fresh.accept(batch)[1],) if report]
        zombie.accept(batch)
    reports += [report for report in (fresh.finish(),) if report]
    zombie.finish()
    assert refs(reports) == expected
    for ref in expected:
        assert sha256_file(tmp_path / "run" / ref.name) == ref.sha256


# A limit on the size of files is what a full disk is to every writer: the system refuses in the middle.
LIMIT = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))
"""


@pytest.mark.parametrize(
    ("form", "limit", "folder"),
    [*((form, 200, "documents") for form in FORMATS), *((form, 7000, "shards") for form in FORMATS[:2])],
)
def test_a_refused_write_is_one_clear_message(tmp_path: Path, form: str, limit: int, folder: str) -> None:
    """The message names the file, the cause and what to do; nothing half-written has a final name."""
    done = write_in_a_process(tmp_path, form, LIMIT.format(limit) + BIG)
    message = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1
    assert f"/{folder}/0000000" in message
    assert re.search(
        "cannot write: (File too large. Raise the limit|No space left on device. Free space) on th", message
    )
    assert files_of(tmp_path) == {}


BIG = """
import tests.stages.test_write as module
module.OPTIONS["sequence_length"] = 8192
"""


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("has_tokens", [True, False])
def test_the_format_must_fit_the_chain(form: str, has_tokens: bool) -> None:  # noqa: FBT001  a parameter of the test
    """Token formats need a tokenize stage before `write`, Parquet must have none; the message says both ways out."""
    stage = Write(format=form)
    if has_tokens == (form not in OF_TEXT):
        check_format(stage, has_tokens=has_tokens)
        return
    with pytest.raises(ConfigError, match=r"stage write: format: .*tokenize stage.*`format: "):
        check_format(stage, has_tokens=has_tokens)


def test_the_kind_is_write() -> None:
    """YAML's `kind: write` gives this stage, and it survives its own JSON."""
    assert Stage.registry["write"] is Write
    stage = Write(format="lmdb", packing="concat")
    assert Write(**json.loads(stage.model_dump_json())) == stage
