"""`headrace run` over the whole corpus, broken files and all: it ends with 0 and accounts for every file by name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.test_corpus_reading import READABLE, manifest

from headrace.pipeline.verify import verify
from headrace.schemas.manifest import read_manifest

CONFIG = """
run: {run}
sources:
  - {{name: corpus, paths: ["{corpus}"], authority: 0.7}}
stages:
  - {{kind: decode}}
  - {{kind: parse}}
  - {{kind: repair}}
  - {{kind: clean}}
  - {{kind: dedup}}
  - {{kind: grade}}
  - {{kind: normalize}}
  - {{kind: tokenize, train: {{vocab_size: 4000, sample_bytes: 1000000}}}}
  - {{kind: write, sequence_length: 1024, shard_tokens: 1000000}}
engine: {{executor: inline}}
"""
SETTLED_BEFORE_TEXT = {"read", "decode", "parse"}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def ended(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Run the command line over the corpus once; give the run folder and how it ended."""
    folder = tmp_path_factory.mktemp("corpus")
    config = folder / "corpus.yaml"
    config.write_text(CONFIG.format(run=folder / "run", corpus=corpus), encoding="utf-8")
    command = [sys.executable, "-m", "headrace", "run", str(config)]
    return folder / "run", subprocess.run(command, capture_output=True, text=True, timeout=380)


def rows(run: Path) -> list[dict[str, Any]]:
    """Give path, stage and verdict of every document of the run."""
    columns = ["path", "verdict", "stage", "reason", "detail"]
    refs = [ref for line in read_manifest(run) for ref in line.documents]
    return [row for ref in refs for row in pq.read_table(run / ref.name, columns=columns).to_pylist()]


def test_the_run_ends_with_0_and_verifies(ended: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    """Data faults are counted, not fatal; the ledger balances."""
    run, process = ended
    assert process.returncode == 0, process.stderr
    assert "Traceback" not in process.stderr + process.stdout
    assert not verify(run).problems


def test_every_file_is_in_the_ledger_by_name(
    ended: tuple[Path, subprocess.CompletedProcess[str]], corpus: Path
) -> None:
    """1,815 names in the corpus's list, each in a ledger; what gave no text is named in the report with the reason."""
    run, _ = ended
    listed = {f"corpus:{row['path']}" for row in manifest(corpus)}
    counted: set[str] = set()
    for line in read_manifest(run):
        for ref in line.ledgers:
            counted |= {file["path"] for file in json.loads((run / ref.name).read_bytes())["files"]}
    assert listed <= counted


def test_readable_files_yield_text(ended: tuple[Path, subprocess.CompletedProcess[str]], corpus: Path) -> None:
    """At least 95 % of the files that the corpus's list calls readable give a document that reaches the rules."""
    run, _ = ended
    rows_of_text = [row["path"] for row in manifest(corpus) if row["kind"] in READABLE]
    readable = {path for path in rows_of_text if not path.endswith("metadata.json")}  # titles and authors, no text
    yielded = {row["path"] for row in rows(run) if row["stage"] not in SETTLED_BEFORE_TEXT}
    assert len(readable) > 1000
    assert len(readable & yielded) / len(readable) >= 0.95


def test_every_fault_belongs_to_a_file(ended: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    """What a stage raised is in the ledger beside the file it belongs to, and nowhere else."""
    run, process = ended
    faults = [row for row in rows(run) if row["verdict"] == "quarantined"]
    assert faults
    assert all(row["path"] and row["reason"] and row["stage"] for row in faults)
    assert not [row for row in faults if row["reason"] == "exception"]
    for name in ("ArrowInvalid", "JSONDecodeError", "UnicodeDecodeError", "OSError", "ValueError"):
        assert name not in process.stderr
