"""Units as they reach tokenize and write: kept documents, settled rows, and counts that balance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from headrace.schemas.document import DROPPED, QUARANTINED, RAW_SCHEMA
from headrace.schemas.ledger import FileCount, StageCounts
from headrace.schemas.unit import UnitBatch
from headrace.stages.apply import apply
from headrace.stages.base import RunContext, conform, judged
from headrace.stages.tokenize_text import TokenizeStage

BYTES = TokenizeStage(model="bytes")


def table(unit: int, texts: Sequence[str], first: int = 0) -> pa.Table:
    """Give documents with a measured value, a score and a private column."""
    ids = [f"s:{unit}.txt#{first + i}" for i in range(len(texts))]
    columns = {
        "doc_id": pa.array(ids, pa.string()),
        "text": pa.array(texts, pa.large_string()),
        "source": pa.array(["s"] * len(texts), pa.string()),
        "path": pa.array([f"{unit}.txt"] * len(texts), pa.string()),
        "scores.total": pa.array([0.5] * len(texts), pa.float64()),
        "values.length": pa.array([float(len(t)) for t in texts], pa.float64()),
        "_signature": pa.array([b"x"] * len(texts), pa.binary()),
    }
    return conform(pa.table(columns))


def broken_records(unit: int) -> pa.Table:
    """Give one record that could not be decoded, as decode settles it."""
    raw = {"doc_id": [f"s:{unit}.txt#bad"], "data": pa.array([b"\xff\xfe"], pa.large_binary()), "format": ["text"]}
    verdicts = judged(conform(pa.table(raw), RAW_SCHEMA), [QUARANTINED], ["undecodable"], value=[0.5], threshold=[0.1])
    return verdicts.append_column("stage", pa.array(["decode"]))


def short_documents(unit: int, texts: Sequence[str]) -> pa.Table:
    """Give documents that clean dropped."""
    n = len(texts)
    verdicts = judged(table(unit, texts, first=1000), [DROPPED] * n, ["too_short"] * n, [1.0] * n, [9.0] * n)
    return verdicts.append_column("stage", pa.array(["clean"] * n, pa.string()))


def unit(number: int, kept: Sequence[str], dropped: Sequence[str] = (), *, broken: bool = False) -> UnitBatch:
    """Give a unit whose ledger balances, before tokenize."""
    settled = [broken_records(number)] * broken + ([short_documents(number, dropped)] if dropped else [])
    after_decode = len(kept) + len(dropped)
    counts = (
        StageCounts("decode", after_decode + broken, 0, after_decode, {}, {"undecodable": 1} if broken else {}),
        StageCounts("clean", after_decode, 0, len(kept), {"too_short": len(dropped)} if dropped else {}, {}),
    )
    files = (FileCount(f"s:{number}.txt", after_decode + broken),)
    return UnitBatch(number, table(number, kept), tuple(settled), counts, files)


def tokenized(number: int, kept: Sequence[str], dropped: Sequence[str] = (), *, broken: bool = False) -> UnitBatch:
    """Give a unit with byte tokens."""
    return apply("tokenize", BYTES, unit(number, kept, dropped, broken=broken))


def context(run: Path, first_unit: int = 0, first_shard: int = 0) -> RunContext:
    """Give the context of a writer that starts after these."""
    return RunContext(run, "write", first_unit=first_unit, first_shard=first_shard)


def files_of(run: Path) -> dict[str, bytes]:
    """Give every file of the run by name."""
    return {path.relative_to(run).as_posix(): path.read_bytes() for path in sorted(run.rglob("*")) if path.is_file()}
