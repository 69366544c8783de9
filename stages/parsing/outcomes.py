"""What became of records, row by row, and the table they make: documents beside the rows that were refused."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.document import DOCUMENT_SCHEMA, DROPPED, QUARANTINED
from headrace.stages.base import conform, judged
from headrace.stages.kernels.arrays import Column
from headrace.stages.parsing.tidy import blank, tidy

_DROPPED_REASONS = ("empty",)  # nothing is wrong with these; every other reason is a fault of the input


@dataclass(slots=True)
class Outcomes:
    """Columns of documents and refusals, in the order of the records they came from."""

    rows: list[int] = field(default_factory=list)  # the record each came from
    offsets: list[int] = field(default_factory=list)  # where it begins inside the record, in bytes
    texts: list[str | None] = field(default_factory=list)
    urls: list[str | None] = field(default_factory=list)
    metadata: list[str | None] = field(default_factory=list)
    reasons: list[str | None] = field(default_factory=list)
    details: list[str | None] = field(default_factory=list)

    def keep(self, row: int, text: str, url: str | None, metadata: str | None, offset: int = 0) -> None:
        """Take a document; one of white space alone will be dropped as empty."""
        self._add(row, text, url, metadata, None, None, offset)

    def refuse(self, row: int, reason: str, detail: str | None, evidence: bytes | None, offset: int = 0) -> None:
        """Take note of a record that gives no document; the evidence is its UTF-8 text."""
        self._add(row, evidence.decode() if evidence else None, None, None, reason, detail, offset)

    def _add(
        self,
        row: int,
        text: str | None,
        url: str | None,
        metadata: str | None,
        reason: str | None,
        detail: str | None,
        offset: int,
    ) -> None:
        self.rows.append(row)
        self.offsets.append(offset)
        self.texts.append(text)
        self.urls.append(url)
        self.metadata.append(metadata)
        self.reasons.append(reason)
        self.details.append(detail)

    def table(self, records: pa.Table) -> pa.Table:
        """Give the documents, with what is known of the records they came from, and the verdict columns."""
        known = records.drop_columns(["text"])  # a file's text would be copied once for each of its elements
        taken = known if self.rows == list(range(known.num_rows)) else known.take(pa.array(self.rows, pa.int64()))
        columns: dict[str, Column] = {name: taken[name] for name in taken.column_names}
        text = tidy(pa.array(self.texts, pa.large_string()))
        columns["text"] = pa.chunked_array([text])
        columns["url"] = pa.chunked_array([pa.array(self.urls, pa.string())])
        columns["metadata"] = pa.chunked_array([pa.array(self.metadata, pa.string())])
        if any(self.offsets):
            offsets = pc.add(taken["offset"], pa.chunked_array([pa.array(self.offsets, pa.int64())]))
            place = pc.replace_substring_regex(taken["doc_id"], "#[0-9]+$", "#")
            columns["offset"] = offsets
            columns["doc_id"] = pc.call_function("binary_join_element_wise", [place, offsets.cast(pa.string()), ""])
        reasons = [
            reason or ("empty" if nothing else None) for reason, nothing in zip(self.reasons, blank(text), strict=True)
        ]
        return verdicts(pa.table(columns), reasons, self.details)


def verdicts(table: pa.Table, reasons: list[str | None], details: list[str | None] | None = None) -> pa.Table:
    """Give document columns only, and the verdict that goes with each reason."""
    documents = conform(table).select(DOCUMENT_SCHEMA.names)
    chosen = [None if r is None else DROPPED if r in _DROPPED_REASONS else QUARANTINED for r in reasons]
    return judged(documents, chosen, reasons, detail=details)
