"""The tombstones of a run: `tombstones.json`, which documents are forgotten on request. Readers skip them.

One canonical JSON object with its own checksum, replaced atomically and durably, so that a reader sees the old file or
the new one. `requests` are what people asked for; `documents` is what they mean among the first `lines` lines of the
manifest, whose bytes have the hash `manifest_sha256`. Whoever reads lines behind those, or another manifest (the run
was started over), asks the requests. A revision is a number that grows with every new request, never by the clock.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from headrace.schemas.durable import canonical_json
from headrace.schemas.errors import FormatError
from headrace.schemas.forgetting import NEVER, Matcher, Request
from headrace.schemas.manifest import MANIFEST

TOMBSTONES_VERSION = 1
TOMBSTONES, TOMBSTONES_LOCK = "tombstones.json", "tombstones.lock"
_RESTORE = "restore it from a copy: without it forgotten documents would be served again"


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A kept document that a request means: row `row` of its unit's kept documents.

    `text` is the fingerprint of its text and `url` its address, for runs in which it has another doc_id.
    """

    doc_id: str
    unit: int
    row: int
    revision: int  # the first that asked for it
    url: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Tombstones:
    """All that is forgotten in a run."""

    revision: int = 0
    requests: tuple[Request, ...] = ()
    documents: tuple[Forgotten, ...] = ()
    lines: int = 0
    manifest_sha256: str = ""

    @property
    def matcher(self) -> Matcher:
        """What the requests mean in this run."""
        return Matcher.of(self.requests)

    @property
    def abroad(self) -> Matcher:
        """What they mean in another run: the documents that are known by their URL, too."""
        return Matcher.of(self.requests, ((d.doc_id, d.url, d.revision) for d in self.documents))

    def request_for(self, doc_id: str, url: str | None) -> Request | None:
        """Give the first request that means a document, or None."""
        row = pa.table({"doc_id": pa.array([doc_id], pa.string()), "url": pa.array([url], pa.string())})
        revision = self.matcher.revisions(row)[0]
        likely = (r for r in self.requests if r.revision == revision)
        return next((r for r in likely if Matcher.of([r]).revisions(row)[0] != NEVER), None)

    def encode(self) -> bytes:
        """Give the file's bytes."""
        body = {"version": TOMBSTONES_VERSION, **asdict(self)}
        return canonical_json({**body, "sum": hashlib.sha256(canonical_json(body)).hexdigest()}) + b"\n"

    @classmethod
    def decode(cls, data: bytes, where: str) -> Tombstones:
        """Read the file's bytes; refuses another version and a wrong checksum."""
        try:
            body = json.loads(data)
            claimed, version = body.pop("sum"), body["version"]
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            why = f"{type(error).__name__}: {error}"
            raise FormatError("not a file of tombstones", where=where, why=why, remedy=_RESTORE) from error
        if version != TOMBSTONES_VERSION:
            why, remedy = f"version {version!r}", "use the release that wrote it"
            raise FormatError("the tombstones are of another release", where=where, why=why, remedy=remedy)
        if hashlib.sha256(canonical_json(body)).hexdigest() != claimed:
            raise FormatError("the tombstones were altered", where=where, why="their checksum differs", remedy=_RESTORE)
        return _tombstones(body)


def _tombstones(body: Mapping[str, Any]) -> Tombstones:
    requests = tuple(Request(**value) for value in body["requests"])
    documents = tuple(Forgotten(**value) for value in body["documents"])
    return Tombstones(body["revision"], requests, documents, body["lines"], body["manifest_sha256"])


def read_tombstones(run: Path) -> Tombstones | None:
    """Give the tombstones of a run, or None when nothing was ever forgotten in it; FormatError if they are damaged."""
    path = run / TOMBSTONES
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:  # not ours to read, no file, a share that is away: not the same as none
        why = error.strerror or str(error)
        raise FormatError("the tombstones cannot be read", where=str(path), why=why, remedy=_RESTORE) from error
    return Tombstones.decode(data, str(path))


def prefix_sha256(run: Path, lines: int) -> str:
    """Hash the bytes of the first `lines` lines of a run's manifest, in hex; of all lines if there are fewer."""
    digest = hashlib.sha256()
    path = run / MANIFEST
    if path.exists():
        with path.open("rb") as f:
            for line in islice(f, lines):
                digest.update(line)
    return digest.hexdigest()
