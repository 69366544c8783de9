"""Forget documents on request: find them, put up their tombstones, and count what readers will no longer serve.

The run's data files stay as they are, with their hashes: tombstones keep readers away from sequences. One process at a
time changes them (`tombstones.lock`); pipeline, trainer and readers go on beside it.
"""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.pipeline.committed import Committed, open_committed, read_columns, survivors_here, unit_of
from headrace.pipeline.shard_rows import read_shard
from headrace.schemas.document import KEPT
from headrace.schemas.durable import replace_file
from headrace.schemas.errors import ConfigError
from headrace.schemas.failpoints import reach
from headrace.schemas.forgetting import DOC, NEVER, Matcher, Request, Revisions
from headrace.schemas.manifest import ManifestLine
from headrace.schemas.shard import OF_TEXT
from headrace.schemas.tombstones import (
    TOMBSTONES,
    TOMBSTONES_LOCK,
    Forgotten,
    Tombstones,
    prefix_sha256,
    read_tombstones,
)
from headrace.schemas.unit import FileRef
from headrace.stages.forget import fingerprints

_LOOKED_AT = ("doc_id", "url", "verdict", "stage", "reason")  # in the order of Elsewhere


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A document that a request means and that has no tokens: it was dropped or quarantined, or it repeats another."""

    unit: int
    doc_id: str
    url: str | None
    verdict: str
    stage: str
    reason: str


Named = TypeVar("Named", Forgotten, Elsewhere)


@dataclass(frozen=True, slots=True)
class Found:
    """What the requests that were asked just now (all, if none was) mean among the committed documents."""

    requests: tuple[Request, ...]
    documents: tuple[Forgotten, ...]
    gone: tuple[Elsewhere, ...]  # left the chain before they had tokens
    repeats: tuple[Elsewhere, ...]  # dropped only because they repeat a forgotten one
    unknown: tuple[str, ...]  # doc_ids that no committed unit holds


@dataclass(frozen=True, slots=True)
class Outcome:
    """All tombstones as they are now (or would be), what was asked for, and whether the file was written."""

    committed: Committed
    tombstones: Tombstones
    found: Found
    written: bool


def forget(run: Path, asked: Sequence[Request], *, repeats: bool = False, dry_run: bool = False) -> Outcome:
    """Forget what is asked for, on top of what is forgotten already; asking again changes nothing.

    `repeats` takes in the documents that were dropped as repeats of forgotten ones. With `dry_run` nothing is written.
    A doc_id that a finished run does not hold is not recorded. Raises ConfigError if the folder is no run, or cannot be
    written to.
    """
    committed = open_committed(run)
    if dry_run or not (asked or repeats):
        return _outcome(committed, asked, repeats=repeats)
    with _alone(run):
        outcome = _outcome(open_committed(run), asked, repeats=repeats)
        if outcome.tombstones == read_tombstones(run):
            return outcome
        reach("tombstones.resolved")
        with _told(run):
            replace_file(run / TOMBSTONES, outcome.tombstones.encode())
        reach("tombstones.replaced")
        return replace(outcome, written=True)


@contextlib.contextmanager
def _told(run: Path) -> Iterator[None]:
    """Say that nothing was forgotten where a folder is read-only, somebody else's, or full."""
    try:
        yield
    except OSError as error:
        what, why = "nothing was forgotten: the tombstones cannot be written", error.strerror or str(error)
        remedy = "ask where the run folder can be written to; --dry-run only looks"
        raise ConfigError(what, where=str(run), why=why, remedy=remedy) from error


@contextlib.contextmanager
def _alone(run: Path) -> Iterator[None]:
    """Hold the lock of the tombstones; waits for another `forget`. What a killed one left of its new file goes."""
    with _told(run):
        file = (run / TOMBSTONES_LOCK).open("w")
    with file as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for leftover in run.glob(f".{TOMBSTONES}.*.tmp"):
            leftover.unlink(missing_ok=True)
        yield


def _outcome(committed: Committed, asked: Sequence[Request], *, repeats: bool) -> Outcome:
    before = read_tombstones(committed.run) or Tombstones()
    documents, gone = resolve(committed, _with_new(before, asked))
    here = {d.doc_id for d in documents} | {g.doc_id for g in gone}
    mine = list(asked) or list(before.requests)
    unknown = [r for r in mine if r.kind == DOC and r.value not in here]
    known = [r for r in mine if r not in unknown] if committed.ended else mine
    own = _meant(documents, mine)
    again = tuple(_repeats(committed, own, here))
    if repeats:
        known, gone, again = [*known, *(Request(DOC, a.doc_id) for a in again)], [*gone, *again], ()
    now = _with_new(before, known if asked or repeats else [])
    lines = len(committed.lines)
    digest = prefix_sha256(committed.run, lines)
    tombstones = replace(now, documents=tuple(documents), lines=lines, manifest_sha256=digest)
    found = Found(tuple(known), own, _meant(gone, known), again, tuple(r.value for r in unknown))
    return Outcome(committed, tombstones, found, written=False)


def _meant(documents: Sequence[Named], requests: Sequence[Request]) -> tuple[Named, ...]:
    """Give the documents that some of all requests mean."""
    ids, urls = pa.array([d.doc_id for d in documents], pa.string()), pa.array([d.url for d in documents], pa.string())
    revisions = Matcher.of(requests).revisions(pa.table({"doc_id": ids, "url": urls})).tolist()
    return tuple(d for d, revision in zip(documents, revisions, strict=True) if revision != NEVER)


def _with_new(before: Tombstones, asked: Sequence[Request]) -> Tombstones:
    """Add the requests that are new, under the next revision."""
    known = {r.key for r in before.requests}
    new = dict.fromkeys(replace(r, revision=before.revision + 1) for r in asked if r.key not in known)
    return replace(before, revision=before.revision + bool(new), requests=(*before.requests, *new))


def resolve(committed: Committed, tombstones: Tombstones) -> tuple[list[Forgotten], list[Elsewhere]]:
    """Find what the requests mean among all committed documents: kept ones, and those that left the chain."""
    matcher = tombstones.matcher
    documents: list[Forgotten] = []
    gone: list[Elsewhere] = []
    for line in committed.lines:
        for ref in line.documents:
            table = read_columns(committed.run / ref.name, _LOOKED_AT)
            revisions = matcher.revisions(table)
            rows = np.flatnonzero(revisions != NEVER)
            if rows.size:
                documents += _kept(committed.run, line, ref, table, rows, revisions)
                gone += _others(unit_of(ref), table.take(rows))
    return documents, gone


def _kept(
    run: Path, line: ManifestLine, ref: FileRef, table: pa.Table, rows: Revisions, revisions: Revisions
) -> Iterator[Forgotten]:
    """Give the kept ones among some rows of a documents file, in which kept ones come first."""
    kept = [row for row in rows.tolist() if table["verdict"][row].as_py() == KEPT]
    ids = [str(table["doc_id"][row].as_py()) for row in kept]
    texts = _texts(run, line, ref, ids)
    for row, doc_id in zip(kept, ids, strict=True):
        url = table["url"][row].as_py()
        yield Forgotten(doc_id, unit_of(ref), row, int(revisions[row]), url, texts.get(doc_id))


def _texts(run: Path, line: ManifestLine, ref: FileRef, ids: list[str]) -> dict[str, str | None]:
    """Give the fingerprints of documents' texts; a run without tokens keeps the texts in its shards."""
    if line.shard and line.shard.format in OF_TEXT:
        tables = list(read_shard(run, line.shard, ["doc_id", "text"]))
    else:
        tables = [read_columns(run / ref.name, ["doc_id", "text"])]
    wanted = pa.array(ids, pa.string())
    chosen = [table.filter(pc.is_in(table["doc_id"], wanted)) for table in tables if ids]
    return {
        str(doc_id): text
        for table in chosen
        for doc_id, text in zip(table["doc_id"].to_pylist(), fingerprints(table["text"]), strict=True)
    }


def _others(unit: int, table: pa.Table) -> Iterator[Elsewhere]:
    rest = table.filter(pc.not_equal(table["verdict"], pa.scalar(KEPT)))
    columns = (rest[name].to_pylist() for name in _LOOKED_AT)
    yield from (Elsewhere(unit, *row) for row in zip(*columns, strict=True))


def _repeats(committed: Committed, documents: Sequence[Forgotten], here: set[str]) -> Iterator[Elsewhere]:
    """Give what was dropped as a repeat of a forgotten document and is not asked for itself: it may come back later."""
    survivors = pa.array([d.doc_id for d in documents], pa.string())
    if not len(survivors):
        return
    for unit, path in committed.documents():
        table = read_columns(path, [*_LOOKED_AT, "survivor", "detail"])
        if "survivor" in table.column_names:
            again = table.filter(pc.is_in(survivors_here(table), survivors))
            yield from (other for other in _others(unit, again) if other.doc_id not in here)
