"""Forget: take out documents that were forgotten on request in earlier runs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import xxhash
from pydantic import Field, PrivateAttr

from headrace.schemas.arrays import Column
from headrace.schemas.document import DROPPED
from headrace.schemas.errors import ConfigError, HeadraceError
from headrace.schemas.forgetting import NEVER
from headrace.schemas.tombstones import TOMBSTONES, Forgotten, Tombstones
from headrace.stages.base import BatchStage, judged
from headrace.stages.view import views

SHORTEST = 32  # bytes of a view: shorter texts ("OK, thanks") are the same by chance


class Forget(BatchStage):
    """Drop documents that `headrace forget` has forgotten, by doc_id, URL, domain or text.

    `lists` are folders of earlier runs, or copies of their `tombstones.json`. A document is dropped as `forgotten` if a
    request names its doc_id, URL or domain, if its URL is that of a forgotten document, or if its text is one's, up to
    spelling (case, width, white space). Put it right after `parse`; texts are compared with those that the earlier run
    stored, so where later stages change them, put it a second time behind these. The lists are part of the run's
    identity: for a long run name a copy that stays as it is.
    """

    version: ClassVar[int] = 2

    kind: Literal["forget"] = "forget"
    lists: tuple[str, ...] = Field(
        min_length=1, description="Run folders, or copies of their tombstones.json; from the configuration's folder."
    )
    texts: bool = Field(True, description="false compares doc_ids, URLs and domains alone.")

    _tombstones: Tombstones | None = PrivateAttr(None)

    def packed(self, base: Path) -> bytes:
        """Give all lists as one; ConfigError for a list that is not there or damaged."""
        return merged(_read(base / name) for name in self.lists).encode()

    def unpacked(self, path: Path) -> Forget:
        """Give a copy that works with the run's own list."""
        stage = self.model_copy()
        stage._tombstones = Tombstones.decode(path.read_bytes(), str(path))
        return stage

    def process(self, table: pa.Table) -> pa.Table:
        """Give the table with verdicts by `forgotten`."""
        if self._tombstones is None:
            remedy = "run it by `headrace run`, which reads the lists"
            raise HeadraceError("the lists were not read", where="stage forget", remedy=remedy)
        gone = self._tombstones.abroad.revisions(table) != NEVER
        if self.texts and (known := {d.text for d in self._tombstones.documents if d.text}):
            gone |= np.array([text in known for text in fingerprints(table["text"])], np.bool_)
        drop = pa.array(gone)
        verdict, reason = (pc.if_else(drop, pa.scalar(word), pa.scalar(None, pa.string())) for word in _VERDICT)
        return judged(table, verdict, reason)


_VERDICT = (DROPPED, "forgotten")


def fingerprints(texts: Column) -> list[str | None]:
    """Give 128 bits of the view of each text, in hex; None for null and for texts too short to mean anything."""
    data, offsets = views(texts)
    room, bounds = data.tobytes(), offsets.tolist()
    valid = np.asarray(pc.is_valid(texts)).tolist()
    parts = zip(bounds, bounds[1:], valid, strict=False)
    return [
        xxhash.xxh3_128_hexdigest(room[begin:end]) if there and end - begin >= SHORTEST else None
        for begin, end, there in parts
    ]


def merged(lists: Iterable[Tombstones]) -> Tombstones:
    """Make one list of several, without places in any run, in one order whatever theirs."""
    every = list(lists)
    requests = {r.key: type(r)(r.kind, r.value, 1) for each in every for r in each.requests}
    found = {(d.doc_id, d.url, d.text) for each in every for d in each.documents}
    order = sorted(found, key=lambda known: tuple(part or "" for part in known))
    documents = tuple(Forgotten(doc_id, -1, -1, 1, url, text) for doc_id, url, text in order)
    return Tombstones(1, tuple(requests[key] for key in sorted(requests)), documents)


def _read(path: Path) -> Tombstones:
    file = path / TOMBSTONES if path.is_dir() else path
    try:
        return Tombstones.decode(file.read_bytes(), str(file))
    except OSError as error:
        why = error.strerror or str(error)
        remedy = "name a run in which `headrace forget` has forgotten something, or a copy of its tombstones.json"
        raise ConfigError("the list cannot be read", where=str(file), why=why, remedy=remedy) from error
    except HeadraceError as error:
        raise ConfigError(error.what, where=error.where, why=error.why, remedy=error.remedy) from error
