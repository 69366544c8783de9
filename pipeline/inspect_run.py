"""What a run folder holds: its shards, its first documents, and its report, written again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from headrace.pipeline.committed import Committed, open_committed, read_columns, where
from headrace.pipeline.report import write_report
from headrace.pipeline.shard_rows import read_shard
from headrace.schemas.document import KEPT
from headrace.schemas.manifest import ManifestLine, ShardInfo
from headrace.schemas.shard import OF_TEXT
from headrace.schemas.tombstones import Tombstones, read_tombstones

_DOCUMENTS = 5
_CHARACTERS = 80  # of each text


def inspect_run(run: Path) -> dict[str, Any]:
    """Give the shards, the first kept documents and the report of a run; ConfigError if the folder is none."""
    committed = open_committed(run)
    return {
        "run": str(run),
        "finished": committed.ended,
        "shards": [_shard(line, line.shard) for line in committed.lines if line.shard],
        "documents": _first_documents(committed),
        "report": write_report(run),
    }


def _shard(line: ManifestLine, shard: ShardInfo) -> dict[str, Any]:
    return {
        "line": line.index,
        "file": shard.file.name,
        "format": shard.format,
        "units": f"{line.first} to {line.last}",
        "sequences": shard.sequences,
        "tokens": shard.tokens,
        "bytes": shard.file.bytes,
        "sha256": shard.file.sha256,
    }


def _first_documents(committed: Committed) -> list[dict[str, Any]]:
    """Give the first kept documents and how their texts begin; a run without tokens keeps texts in its shards."""
    first = next((line.shard for line in committed.lines if line.shard), None)
    names = ["doc_id", "grade", "url", "text"]
    if first is not None and first.format in OF_TEXT:
        tables = read_shard(committed.run, first, names)
    else:
        tables = (where(read_columns(path, [*names, "verdict"]), "verdict", KEPT) for _, path in committed.documents())
    rows: list[dict[str, Any]] = []
    for table in tables:
        rows += table.select(names).slice(0, _DOCUMENTS - len(rows)).to_pylist()
        if len(rows) == _DOCUMENTS:
            break
    tombstones = read_tombstones(committed.run) or Tombstones()
    return [{"doc_id": row["doc_id"], "grade": row["grade"], "text": _shown(row, tombstones)} for row in rows]


def _shown(row: dict[str, Any], tombstones: Tombstones) -> str:
    if tombstones.request_for(row["doc_id"], row["url"]):
        return "(forgotten on request)"
    return " ".join((row["text"] or "").split())[:_CHARACTERS]
