"""What says under which licence documents are: counted for every kept document, not for a sample alone."""

from __future__ import annotations

import heapq
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from headrace.pipeline.policy.rates import EXAMPLES
from headrace.stages.privacy.find import ALL, found, masked

COLUMN = "column"  # the column `licence` alone says it: the source's option, or a field
EVIDENCE = "licence_evidence"  # in `metadata`: a list of {licence, kind, where}
_LISTED = 50  # licences of one source
_COUNTED, _LONGEST = (
    1000,
    120,
)  # characters that tell licences apart, and that are shown: some fields hold the whole text
_NO_LICENCE = ""


@dataclass(slots=True)
class Licences:
    """The licences of one source. A document counts once for each licence that something says of it."""

    documents: Counter[str] = field(default_factory=Counter)
    kinds: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    examples: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    several: int = 0  # documents of which different licences are said
    all: int = 0

    def add(self, rows: pa.Table) -> None:
        """Count some documents by `licence` and by the evidence in `metadata`."""
        self.all += rows.num_rows
        stated = np.array([EVIDENCE in (metadata or "") for metadata in rows["metadata"].to_pylist()], np.bool_)
        self._add_plain(rows.filter(~stated))
        with_evidence = rows.filter(stated).select(["doc_id", "licence", "metadata"])
        for row in with_evidence.to_pylist():
            said = list(_said(row["licence"], row["metadata"]))
            self._count(str(row["doc_id"]), said)

    def _add_plain(self, rows: pa.Table) -> None:
        """Count the documents of which nothing but the column says anything: mostly all."""
        of_each: defaultdict[str, list[str]] = defaultdict(list)
        for name, doc_id in zip(rows["licence"].to_pylist(), rows["doc_id"].to_pylist(), strict=True):
            of_each[_cut(name or _NO_LICENCE, _COUNTED)].append(str(doc_id))
        for licence, doc_ids in of_each.items():
            self.documents[licence] += len(doc_ids)
            if licence:
                self.kinds[licence][COLUMN] += len(doc_ids)
            self._show(licence, doc_ids)

    def _count(self, doc_id: str, said: list[tuple[str, str]]) -> None:
        licences = list(dict.fromkeys(licence for licence, _ in said)) or [_NO_LICENCE]
        self.several += len(licences) > 1
        for licence in licences:
            self.documents[licence] += 1
            self._show(licence, (doc_id,))
        for licence, kind in dict.fromkeys(said):
            self.kinds[licence][kind] += 1

    def _show(self, licence: str, doc_ids: Iterable[str]) -> None:
        """Keep the first doc_ids in alphabetical order: the same ones, however the run was cut."""
        self.examples[licence] = heapq.nsmallest(EXAMPLES, [*self.examples[licence], *doc_ids])

    def to_json(self) -> dict[str, object]:
        """Give the licences, most frequent first, and the documents of which nothing is said."""
        ranked = sorted(
            ((name, n) for name, n in self.documents.items() if name), key=lambda found: (-found[1], found[0])
        )
        return {
            "rows": [self._row(name) for name, _ in ranked[:_LISTED]],
            "left_out": max(0, len(ranked) - _LISTED),
            "several": self.several,
            "without": self._row(_NO_LICENCE),
        }

    def _row(self, name: str) -> dict[str, object]:
        count = self.documents[name]
        return {
            "licence": _public(name) or None,
            "documents": count,
            "share": count / self.all if self.all else None,
            "evidence": dict(sorted(self.kinds[name].items())),
            "examples": list(self.examples[name]),
        }


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} ..."


def _public(licence: str) -> str:
    """Give a licence as it may be passed on: whoever holds the rights of a page is named there with an address."""
    texts = pa.array([licence], pa.large_string())
    return _cut(str(masked(texts, found(texts), ALL)[0].as_py()), _LONGEST)


def _said(licence: str | None, metadata: str) -> Iterator[tuple[str, str]]:
    """Give licence and kind of all evidence of one document, then the column's licence where nothing else says it.

    Metadata are the user's: what is no evidence there is passed over.
    """
    evidence = [(_cut(name, _COUNTED), kind) for name, kind in _evidence(metadata)]
    yield from evidence
    stated = _cut(licence or _NO_LICENCE, _COUNTED)
    if stated and stated not in {name for name, _ in evidence}:
        yield stated, COLUMN


def _evidence(metadata: str) -> Iterator[tuple[str, str]]:
    try:
        evidence = json.loads(metadata).get(EVIDENCE)
    except (ValueError, AttributeError):
        return
    for one in evidence if isinstance(evidence, list) else []:
        if isinstance(one, dict) and one.get("licence"):
            yield str(one["licence"]), str(one.get("kind") or "unknown")
