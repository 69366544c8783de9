"""Tell which records of a WARC are documents, and make documents of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import orjson
import pyarrow as pa

from headrace.schemas.arrays import Array
from headrace.schemas.document import DROPPED, QUARANTINED
from headrace.schemas.source import Source
from headrace.stages.reading.part import Fault, Records
from headrace.stages.reading.warc_bodies import Body, body_of
from headrace.stages.reading.warc_digests import holds
from headrace.stages.reading.warc_frames import Frame
from headrace.stages.reading.warc_http import Response, charset_of, media_type, response_of, rights_headers
from headrace.stages.reading.warc_types import found, promised

_NEVER = frozenset(("request", "warcinfo", "revisit"))  # they hold no page
_KNOWN = frozenset(("response", "resource", "conversion", "metadata"))
_NO_LOSS = frozenset(("http_status", "not_text"))
_HTTP = "application/http"
_ABOUT_CRAWL = ("metadata:", "urn:x-wpull:", "urn:pageinfo:")  # logs and notes that wget, wpull, Browsertrix keep
_UTF8 = "utf-8"  # what the standard says of text that was converted


@dataclass(frozen=True, slots=True)
class Page:
    """A document, and what was wrong about its payload and could be mended."""

    records: Records
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Payload:
    """A record that may be a document: its bytes, what they are said to be, and how they came."""

    data: bytes
    content_type: str
    response: Response | None


def taken(frame: Frame, path: str, source: Source) -> Page | Fault | str:
    """Give a record's document, why it gives none, or the type of a record that is not meant to give one."""
    kind, said = frame.head.kind, frame.head.fields.get("content-type", "")
    if kind == "resource" and (url_of(frame.head.fields) or "").lower().startswith(_ABOUT_CRAWL):
        kind = "metadata"
    if kind in _NEVER or (kind in _KNOWN and kind not in source.warc_records):
        return kind
    if media_type(said) == "text/dns":
        return "dns"
    judge = _Judge(frame, path, source)
    if kind not in _KNOWN:
        known = "segmented_record" if kind == "continuation" else "unknown_record"
        return judge.fault(known, f"a WARC record of type {kind or '(none)'}")
    response = response_of(frame.block) if kind == "response" else None
    if kind == "response" and response is None and media_type(said) == _HTTP:
        return judge.fault("invalid_http", "the response does not begin with a status line")
    if response is None:
        return judge.judged(_Payload(frame.block, said, None))
    if not source.reads_status(response.status):
        return judge.fault("http_status", "left out by the source's http_status", response.status)
    return judge.judged(_Payload(response.body, response.content_type, response))


class _Judge:
    """One record on its way to a document or a verdict."""

    def __init__(self, frame: Frame, path: str, source: Source) -> None:
        self._frame, self._path, self._source = frame, path, source

    def fault(self, reason: str, detail: str, value: float | None = None, most: float | None = None) -> Fault:
        """Say why the record is no document."""
        fields = self._frame.head.fields
        verdict = DROPPED if reason in _NO_LOSS else QUARANTINED
        place, known_as = self._frame.offset, fields.get("warc-record-id")
        return Fault(
            self._path, place, reason, detail, value, most, verdict=verdict, record_id=known_as, url=url_of(fields)
        )

    def judged(self, page: _Payload) -> Page | Fault:
        """Give the document of a record whose type and status are right."""
        frame, most = self._frame, self._source.max_record_bytes
        promise = promised(media_type(page.content_type))
        if promise is None:
            return self.fault("not_text", media_type(page.content_type))
        if frame.size > len(frame.block):
            return self._too_large(frame.size, "longer than the source's max_record_bytes")
        body = body_of(page.response, most) if page.response else Body(page.data)
        if len(body.data) > most:
            return self._too_large(len(body.data), "unpacked, longer than the source's max_record_bytes")
        form, seems = found(promise, body.data)
        if form is None:
            detail = f"{media_type(page.content_type) or 'no media type'}, but it is {seems}"
            return self.fault("not_text", detail)
        return self._document(page, body, form)

    def _too_large(self, size: int, detail: str) -> Fault:
        return self.fault("record_too_large", detail, size, self._source.max_record_bytes)

    def _document(self, page: _Payload, body: Body, form: str) -> Page:
        fields = self._frame.head.fields
        faults = (*body.faults, *self._wrong_digest(page, body))
        known = self._about(page, (*self._frame.faults, *faults))
        about = orjson.dumps({"warc": known}, option=orjson.OPT_SORT_KEYS).decode()
        declared = charset_of(page.content_type) or self._source.encoding
        records = Records(
            self._path,
            "html" if form == "xml" else form,  # the parser of pages reads both
            _UTF8 if self._frame.head.kind == "conversion" else declared,
            _column(body.data),
            np.array([self._frame.offset], np.int64),
            pa.array([about], pa.string()),
            record_id=fields.get("warc-record-id"),
            url=url_of(fields),
        )
        return Page(records, faults)

    def _wrong_digest(self, page: _Payload, body: Body) -> tuple[str, ...]:
        if not self._source.check_digests:
            return ()
        right = holds(self._frame.head.fields, self._frame.block, lambda: [page.data, body.data])
        return ("digest_wrong",) if right is False else ()

    def _about(self, page: _Payload, faults: tuple[str, ...]) -> dict[str, object]:
        """Give what a person or an index (CDX) knows the record by, and what was wrong with it."""
        frame, fields = self._frame, self._frame.head.fields
        about = {
            "date": fields.get("warc-date"),
            "record_id": fields.get("warc-record-id"),
            "type": frame.head.kind,
            "offset": frame.place,
            "mime": media_type(page.content_type) or None,
            "status": page.response.status if page.response else None,
            "truncated": fields.get("warc-truncated"),
            "language": fields.get("warc-identified-content-language"),
            "headers": rights_headers(page.response.fields) if page.response else None,
            "faults": faults or None,
        }
        return {name: value for name, value in about.items() if value is not None}


def _column(data: bytes) -> Array:
    """Give one value as a column, without copying it."""
    borders = np.array([0, len(data)], np.int64)
    buffers = [None, pa.py_buffer(borders.data), pa.py_buffer(data)]
    column: Array = pa.LargeBinaryArray.from_buffers(pa.large_binary(), 1, buffers)
    return column


def url_of(fields: Mapping[str, str]) -> str | None:
    """Give a record's target; some writers put it between angle brackets."""
    return fields.get("warc-target-uri", "").strip("<> ") or None
