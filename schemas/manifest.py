"""The manifest: the append-only list of committed shards. What is not in it does not exist.

One canonical JSON object a line, each with its own checksum. `published.json` tells readers how many lines are durable:
a line counts only once the fsync behind it has returned.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from headrace.schemas.durable import canonical_json
from headrace.schemas.errors import FormatError
from headrace.schemas.source import Cursor, LanePosition
from headrace.schemas.unit import FileRef

MANIFEST_VERSION = 1
MANIFEST, PUBLISHED = "manifest.jsonl", "published.json"
POLICIES = "policies.json"  # what each policy of dedup would have kept; no part of the output
FIRST_PASS = "first-pass"  # folder in a run of two passes: a run of its own


@dataclass(frozen=True, slots=True)
class ShardInfo:
    """One committed shard: its file and what a reader must know before it opens it."""

    file: FileRef
    format: str  # arrow | lmdb | parquet | jsonl
    sequences: int  # rows for parquet and jsonl
    tokens: int  # without padding; 0 for these


@dataclass(frozen=True, slots=True)
class ManifestLine:
    """A range of units [first, last] that is committed, with every file it made.

    `shard` is None only in the `end` line, which closes the run and covers trailing units without tokens. `lanes` and
    `turn` say where reading goes on after unit `last`; `documents`, `ledgers` and `quarantine` name the unit files.
    """

    index: int
    first: int
    last: int
    shard: ShardInfo | None
    documents: tuple[FileRef, ...]
    ledgers: tuple[FileRef, ...]
    quarantine: tuple[FileRef, ...]
    index_runs: tuple[FileRef, ...]
    lanes: tuple[LanePosition, ...]
    turn: int
    tokenizer: FileRef | None = None
    end: bool = False

    @property
    def files(self) -> list[FileRef]:
        """Every file the line vouches for."""
        shard = [self.shard.file] if self.shard else []
        model = [self.tokenizer] if self.tokenizer else []
        return [*shard, *self.documents, *self.ledgers, *self.quarantine, *self.index_runs, *model]

    def encode(self) -> bytes:
        """Give the line's bytes, newline included; `sum` is the SHA-256 of the line without it."""
        body = _body(self)
        body["sum"] = hashlib.sha256(canonical_json(body)).hexdigest()
        return canonical_json(body) + b"\n"

    @classmethod
    def decode(cls, line: bytes, number: int) -> ManifestLine:
        """Read one line; refuses a wrong checksum, version or number."""
        where = f"{MANIFEST}, line {number + 1}"
        try:
            body = json.loads(line)
            claimed = body.pop("sum")
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise FormatError("not a manifest line", where=where, why=str(error), remedy=_REMEDY) from error
        if hashlib.sha256(canonical_json(body)).hexdigest() != claimed:
            raise FormatError("the line was altered", where=where, why="its checksum differs", remedy=_REMEDY)
        if body["version"] != MANIFEST_VERSION or body["index"] != number:
            why = f"version {body['version']}, index {body['index']}"
            raise FormatError("unexpected manifest line", where=where, why=why, remedy=_REMEDY)
        return _line(body)


_REMEDY = "restore the file from a copy, or start again with --fresh"


def _body(line: ManifestLine) -> dict[str, Any]:
    shard = line.shard
    return {
        "version": MANIFEST_VERSION,
        "index": line.index,
        "first": line.first,
        "last": line.last,
        "shard": shard
        and {
            "file": shard.file.to_json(),
            "format": shard.format,
            "sequences": shard.sequences,
            "tokens": shard.tokens,
        },
        "documents": [f.to_json() for f in line.documents],
        "ledgers": [f.to_json() for f in line.ledgers],
        "quarantine": [f.to_json() for f in line.quarantine],
        "index_runs": [f.to_json() for f in line.index_runs],
        "lanes": [_lane(position) for position in line.lanes],
        "turn": line.turn,
        "tokenizer": line.tokenizer and line.tokenizer.to_json(),
        "end": line.end,
    }


def _lane(position: LanePosition) -> dict[str, Any]:
    c = position.cursor
    at = c and asdict(c)
    return {"lane": position.lane, "cursor": at}


def _refs(values: list[Mapping[str, Any]]) -> tuple[FileRef, ...]:
    return tuple(FileRef.from_json(v) for v in values)


def _line(body: dict[str, Any]) -> ManifestLine:
    shard = body["shard"]
    lanes = [LanePosition(p["lane"], Cursor(**p["cursor"]) if p["cursor"] else None) for p in body["lanes"]]
    return ManifestLine(
        index=body["index"],
        first=body["first"],
        last=body["last"],
        shard=shard
        and ShardInfo(FileRef.from_json(shard["file"]), shard["format"], shard["sequences"], shard["tokens"]),
        documents=_refs(body["documents"]),
        ledgers=_refs(body["ledgers"]),
        quarantine=_refs(body["quarantine"]),
        index_runs=_refs(body["index_runs"]),
        lanes=tuple(lanes),
        turn=body["turn"],
        tokenizer=body["tokenizer"] and FileRef.from_json(body["tokenizer"]),
        end=body["end"],
    )


def read_published(run: Path) -> int:
    """Give how many manifest lines readers may use; 0 before the first commit."""
    try:
        value = json.loads((run / PUBLISHED).read_bytes())
        version, lines = value["version"], int(value["lines"])
    except FileNotFoundError:
        return 0
    except (OSError, ValueError, KeyError, TypeError) as error:
        remedy = f"remove the file: the next start reads {MANIFEST} again, whose lines have checksums"
        raise FormatError("not a count of lines", where=PUBLISHED, why=str(error), remedy=remedy) from error
    if version != MANIFEST_VERSION:
        remedy = "use the release that wrote the run"
        raise FormatError(f"version {version!r} is not known", where=PUBLISHED, remedy=remedy)
    return lines


def read_manifest(run: Path) -> list[ManifestLine]:
    """Give the published lines of a run, checked one by one."""
    return list(iterate_manifest(run))


def iterate_manifest(run: Path) -> Iterator[ManifestLine]:
    """Go through the published lines without holding them all: a long run has millions of files in its manifest."""
    count = read_published(run)
    number = 0
    for number, line in enumerate(islice(_whole_lines(run / MANIFEST), count), 1):
        yield ManifestLine.decode(line, number - 1)
    if number < count:
        why = f"{count} lines were published, {number} are there"
        raise FormatError("the manifest is shorter than published", where=MANIFEST, why=why, remedy=_REMEDY)


def _whole_lines(path: Path) -> Iterator[bytes]:
    if not path.exists():
        return
    with path.open("rb") as f:
        yield from (line[:-1] for line in f if line.endswith(b"\n"))
