"""A small run folder, written with the real formats but without the engine: for tests of those who look at runs.

Three units: a kept document and a dropped one each, a repetition in unit 1 whose survivor is in unit 0, and a broken
file in unit 2. Unit 0 and 1 make the first shard, unit 2 the second.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from headrace.pipeline.committed import open_committed, plan_bytes
from headrace.schemas.document import DROPPED, QUARANTINED
from headrace.schemas.durable import canonical_json
from headrace.schemas.ledger import FileCount
from headrace.schemas.manifest import MANIFEST, MANIFEST_VERSION, PUBLISHED, ManifestLine
from headrace.schemas.unit import UnitBatch
from headrace.stages.apply import settle
from headrace.stages.base import RunContext, conform, judged
from headrace.stages.tokenize_text import TokenizeStage
from headrace.stages.write import ShardClosed, WriteStage

LONG = "The mill wheel turns, and the water that turns it is led to it by a headrace. " * 4
KEPT_IDS = ("web:a.txt#0", "web:b.txt#0", "web:c.txt#0")
SHORT_IDS = ("web:a.txt#900", "web:b.txt#900", "web:c.txt#900")
COPY_ID, BROKEN_ID = "web:copy.txt#0", "web:broken.txt#0"


def make_run(folder: Path, form: str = "arrow", *, end: bool = True) -> Path:
    """Write the run and give its folder."""
    run = folder / "run"
    run.mkdir()
    write = WriteStage(format=form, sequence_length=64, shard_tokens=10**9)
    lines = []
    for first, last in ((0, 1), (2, 2)):
        writer = write.open(RunContext(run, "write", first_unit=first, first_shard=len(lines)))
        for unit in range(first, last + 1):
            writer.accept(_unit(unit, tokens=form != "parquet"))
        closed = writer.finish()
        assert closed is not None
        lines.append(_line(len(lines), closed))
    if end:
        lines.append(_line(2, ShardClosed(3, 2, None, (), (), ()), end=True))
    publish_lines(run, lines)
    (run / "plan.json").write_bytes(plan_bytes(_plan(write)))
    (run / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in _events()))
    return run


def publish_lines(run: Path, lines: list[ManifestLine]) -> None:
    """Write the manifest, as the driver would."""
    (run / MANIFEST).write_bytes(b"".join(line.encode() for line in lines))
    (run / PUBLISHED).write_bytes(canonical_json({"version": MANIFEST_VERSION, "lines": len(lines)}))


def lines_of(run: Path) -> list[ManifestLine]:
    """Read the manifest back."""
    return list(open_committed(run).lines)


def _unit(unit: int, *, tokens: bool) -> UnitBatch:
    name = "abc"[unit]
    ids = [KEPT_IDS[unit], SHORT_IDS[unit], *([COPY_ID] if unit == 1 else []), *([BROKEN_ID] if unit == 2 else [])]
    texts = [f"{LONG} {name}", "short", LONG, None]
    table = conform(pa.table({"doc_id": ids, "text": texts[: len(ids)] if unit != 2 else [*texts[:2], None]}))
    paths = pa.array([doc_id[4:].partition("#")[0] for doc_id in ids])
    for column, value in (("path", paths), ("source", pa.array(["web"] * len(ids)))):
        table = table.set_column(table.schema.get_field_index(column), column, value)
    encodings = pa.array(["utf-8"] * len(ids))
    table = table.set_column(table.schema.get_field_index("encoding"), "encoding", encodings)
    files = tuple(FileCount(f"web:{path}", 1) for path in dict.fromkeys(paths.to_pylist()))
    batch = UnitBatch(unit, table, files=files)
    batch = settle("read", batch, table)
    batch = settle("decode", batch, _decoded(batch.documents))
    batch = settle("clean", batch, _cleaned(batch.documents))
    batch = settle("dedup", batch, _deduplicated(batch.documents))
    return settle("tokenize", batch, TokenizeStage(model="bytes").process(batch.documents)) if tokens else batch


def _decoded(table: pa.Table) -> pa.Table:
    broken = [doc_id == BROKEN_ID for doc_id in table["doc_id"].to_pylist()]
    verdict = [QUARANTINED if b else None for b in broken]
    detail = ["invalid byte at 17" if b else None for b in broken]
    return judged(
        table,
        verdict,
        ["undecodable" if b else None for b in broken],
        [0.5 if b else None for b in broken],
        detail=detail,
    )


def _cleaned(table: pa.Table) -> pa.Table:
    lengths = [float(len(text)) for text in table["text"].to_pylist()]
    table = table.append_column("values.characters", pa.array(lengths, pa.float64()))
    short = [length < 50 for length in lengths]
    return judged(
        table,
        [DROPPED if s else None for s in short],
        ["characters" if s else None for s in short],
        lengths,
        [50.0] * len(lengths),
    )


def _deduplicated(table: pa.Table) -> pa.Table:
    copy = [doc_id == COPY_ID for doc_id in table["doc_id"].to_pylist()]
    survivor = [KEPT_IDS[0] if c else None for c in copy]
    verdict, reason = [DROPPED if c else None for c in copy], ["near_duplicate" if c else None for c in copy]
    return judged(table, verdict, reason, [0.97] * len(copy), [0.8] * len(copy), survivor)


def _line(index: int, closed: ShardClosed, *, end: bool = False) -> ManifestLine:
    return ManifestLine(
        index=index,
        first=closed.first,
        last=closed.last,
        shard=closed.shard,
        documents=closed.documents,
        ledgers=closed.ledgers,
        quarantine=closed.quarantine,
        index_runs=(),
        lanes=(),
        turn=0,
        end=end,
    )


def _plan(write: WriteStage) -> dict[str, Any]:
    names = ["a.txt", "b.txt", "broken.txt", "c.txt", "copy.txt"]
    return {
        "version": 1,
        "identity": {"config": "1" * 64, "stages": "2" * 64, "input": "3" * 64},
        "recipe": {"stages": [write.model_dump()], "limit": None},
        "groups": [{"name": "read", "kind": "map", "stages": ["read", "decode", "clean"]}],
        "inputs": [["web", name, 1000, 0] for name in names],
    }


def _events() -> list[dict[str, Any]]:
    """Two sessions: the first one was killed after the first shard, the second one went on."""
    start = {"kind": "started", "executor": "inline", "workers": 1, "groups": ["read"], "bytes": 5000, "pid": 1}
    shard = {"kind": "committed", "sequences": 10, "tokens": 600, "shard": "x"}
    summary = {"waits": {"trainer": 1.5}}
    return [
        {**start, "at": 0.1, "resumed_at": 0},
        {
            "kind": "group",
            "unit": 0,
            "group": "read",
            "at": 2.0,
            "seconds": {"read": 0.5, "clean": 1.0},
            "counts": {},
            "bytes": 2000,
        },
        {**shard, "at": 4.0, "line": 0, "first": 0, "last": 1, "written": 1, "acknowledged": 0},
        {**start, "at": 0.2, "resumed_at": 2},
        {"kind": "group", "unit": 2, "group": "read", "at": 0.5, "seconds": {"read": 0.5}, "counts": {}, "bytes": 1000},
        {"kind": "quarantined", "at": 1.0, "unit": 2, "doc_id": BROKEN_ID, "stage": "decode", "cause": "deadline"},
        {"kind": "strike", "at": 1.1, "unit": 2, "group": "read", "cause": "deadline", "strikes": 1},
        {**shard, "at": 2.0, "line": 1, "first": 2, "last": 2, "written": 2, "acknowledged": 1},
        {"kind": "ended", "at": 3.0, "state": "done", "units": 3, "shards": 2, "summary": summary},
    ]
