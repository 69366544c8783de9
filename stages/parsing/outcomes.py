"""What became of records, row by row, and the table they make: documents beside the rows that were refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import Array, Column
from headrace.schemas.document import DOCUMENT_SCHEMA, DROPPED, QUARANTINED
from headrace.stages.base import conform, judged
from headrace.stages.parsing.json_values import spelled
from headrace.stages.parsing.tidy import blank, tidy
from headrace.stages.reading.part import LINE

_DROPPED_REASONS = ("empty",)  # nothing is wrong with these; every other reason is a fault of the input
_NONE: tuple[tuple[()], ...] = ((),) * 7


@dataclass
class Outcomes:
    """Documents and refusals, in the order of the records they came from."""

    records: pa.Table  # with `text`, as decode gives them
    placed: bool = True  # a refusal's detail begins with the line and the byte
    # Row, offset, text, url, metadata, reason, detail: one append for each record instead of one for each column.
    _found: list[tuple[int, int, str | None, str | None, str | None, str | None, str | None]] = field(
        default_factory=list
    )

    def keep(self, row: int, text: str, url: str | None, metadata: str | None, offset: int = 0) -> None:
        """Take a document that begins so many bytes into its record; one of white space alone is dropped as empty."""
        self._found.append((row, offset, text, url, metadata, None, None))

    def refuse(
        self, row: int, reason: str, detail: str | None, evidence: bytes | None, offset: int = 0, feeds: int = 0
    ) -> None:
        """Take note of a record, or a part of one behind so many bytes and line feeds, that gives no document.

        The evidence is its UTF-8 text.
        """
        if detail is not None and self.placed:
            detail = f"{self._place(row, offset, feeds)}: {detail}"
        self._found.append((row, offset, evidence.decode() if evidence else None, None, None, reason, detail))

    def _place(self, row: int, offset: int, feeds: int) -> str:
        byte = self.records["offset"][row].as_py() + offset
        line = self.records[LINE][row].as_py() if LINE in self.records.column_names else None
        return f"byte {byte}" if line is None else f"line {line + feeds} (byte {byte})"

    @cached_property
    def _fetched(self) -> frozenset[int]:
        urls = self.records["url"] if "url" in self.records.column_names else None
        if urls is None or urls.null_count == len(urls):
            return frozenset()
        return frozenset(np.flatnonzero(urls.is_valid().to_numpy()).tolist())

    def has_url(self, row: int) -> bool:
        """Say whether the container says where a record was fetched; what the record says itself counts less."""
        return row in self._fetched

    def table(self) -> pa.Table:
        """Give the documents, with what is known of the records they came from, and the verdict columns."""
        rows, offsets, texts, urls, metadata, reasons, details = (
            zip(*self._found, strict=True) if self._found else _NONE
        )
        known = self.records.drop_columns(["text"])  # a file's text would be copied once for each of its elements
        taken = known if rows == tuple(range(known.num_rows)) else known.take(pa.array(rows, pa.int64()))
        columns: dict[str, Column] = {name: taken[name] for name in taken.column_names}
        text = tidy(pa.array(texts, pa.large_string()))
        columns["text"] = pa.chunked_array([text])
        found = pa.chunked_array([pa.array(urls, pa.string())])
        columns["url"] = pc.coalesce(columns["url"], found) if self._fetched else found
        columns["metadata"] = pa.chunked_array([_joined(columns["metadata"], metadata)])
        if any(offsets):
            begins = pc.add(taken["offset"], pa.chunked_array([pa.array(offsets, pa.int64())]))
            place = pc.replace_substring_regex(taken["doc_id"], "#[0-9]+$", "#")
            columns["offset"] = begins
            columns["doc_id"] = pc.call_function("binary_join_element_wise", [place, begins.cast(pa.string()), ""])
        named = [reason or ("empty" if nothing else None) for reason, nothing in zip(reasons, blank(text), strict=True)]
        return verdicts(pa.table(columns), named, list(details))


def _joined(container: Column, found: Sequence[str | None]) -> Array:
    """Give the metadata that records say themselves, with what their container says, which counts more."""
    if container.null_count == len(container):
        return pa.array(found, pa.string())
    pairs = zip(container.to_pylist(), found, strict=True)
    return pa.array([spelled(orjson.loads(f) | orjson.loads(c)) if c and f else c or f for c, f in pairs], pa.string())


def verdicts(table: pa.Table, reasons: list[str | None], details: list[str | None] | None = None) -> pa.Table:
    """Give document columns only, and the verdict that goes with each reason."""
    documents = conform(table).select(DOCUMENT_SCHEMA.names)
    chosen = [None if r is None else DROPPED if r in _DROPPED_REASONS else QUARANTINED for r in reasons]
    return judged(documents, chosen, reasons, detail=details)
