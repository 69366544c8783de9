"""Everything that says under which licence a document is, with its kind and its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow.compute as pc

from headrace.schemas.arrays import Column
from headrace.stages.licensing.pages import KEY
from headrace.stages.licensing.spdx import expression, named_in, spdx_id

EVIDENCE = "licence_evidence"  # in the metadata
# Kinds in the order of their weight.
KINDS = ("source", "field", "header", "html_link", "json_ld", "html_meta", "spdx", "phrase", "cc_link", "reserved")
FIELDS = (
    *("license", "licence", "license_name", "license_url", "license_type", "licenses", "licences", "rights"),
    *("detected_licenses", "max_stars_repo_licenses", "dc:rights", "dcterms:license"),
)
_KEYS = ("spdx_id", "@id", "url", "id", "key", "name", "title", "type")  # of an object
_SAYS_NOTHING = frozenset(
    (
        *("", "-", "?", "none", "null", "nan", "n/a", "na", "nil", "unknown", "other", "unspecified", "not specified"),
        *("noassertion", "no license", "no licence", "无", "無", "未知", "其他", "不详", "不詳"),
    )
)
_HINT = (
    r"licen[sc]|gpl|gfdl|odbl|apache|creative ?commons|spdx-|\bcc[ -]?(?:by|\d)|\bby-[ns]|public domain"
    r"|all rights reserved|署名|姓名[标標]示|公有[领領]域|公共[领領]域|版[权權]所有|保留所有|保留一切|[转轉][载載]"
    r"|[许許]可|授[权權]"
)
_SOME = re.compile(_HINT, re.IGNORECASE | re.ASCII)
_SEARCHED = 200_000  # characters of one document, so that none takes longer than a second
_MARGIN = 150  # characters around a hint, for the longest name and what says so
_SPDX = re.compile(r"SPDX-License-Identifier:[ \t]*([A-Za-z0-9.+()\- ]{2,120})", re.IGNORECASE)
_SAYS_SO = re.compile(
    r"licen[sc]ed|\bunder\b|\bterms of\b|dedicated to|\bis in\b|\bare in\b|\blicen[sc]e:"
    r"|采用|採用|遵循|遵守|依[据據]|基[于於]|按照|根[据據]|[许許]可|授[权權]|[发發]布|[释釋]出|[条條]款|[协協][议議]",
    re.IGNORECASE | re.ASCII,
)
_LINK = re.compile(r"creativecommons\.org/(?:licen[sc]es|publicdomain)/", re.IGNORECASE)
_RESERVED = re.compile(
    r"all rights reserved|版[权權]所有|保留(?:所有|一切)[权權]利"
    r"|(?:禁止|不得|[谢謝][绝絕]|[请請]勿)(?:任何)?[转轉][载載]",
    re.IGNORECASE,
)
_HEADER_LINK = re.compile(r"<([^<>]{1,500})>([^<,]{0,500})")  # target and parameters
_IS_LICENCE = re.compile(r"rel=\"?[^\",;]{0,200}\blicen[sc]e\b", re.IGNORECASE)
_BEFORE, _AFTER, _MOST = 60, 40, 20  # characters around a name, findings in a document
_FIELD_MOST = 200  # statements in a field


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that says so. `where` is a field, `html`, a header, or `text:` and a character's number."""

    licence: str
    kind: str
    where: str

    def to_json(self) -> dict[str, str]:
        """Give the JSON form."""
        return {"licence": self.licence, "kind": self.kind, "where": self.where}


def may_say(texts: Column) -> list[bool]:
    """Say which texts may hold a statement: a quick look at all, so that few are searched."""
    found = pc.match_substring_regex(texts, _HINT, ignore_case=True)
    return [bool(hit) for hit in found.to_pylist()]


def gathered(licence: str | None, metadata: Mapping[str, object], text: str | None) -> list[Evidence]:
    """Give the evidence of one document, the weightiest first, the same of one kind once; no text: not searched."""
    found = [] if not licence else [Evidence(spdx_id(licence), "source", "licence")]
    found += [*_of_fields(metadata), *_of_headers(metadata), *_of_page(metadata)]
    found += [] if text is None else sorted(_of_text(text), key=lambda each: int(each.where.partition(":")[2]))
    once: dict[tuple[str, str], Evidence] = {}
    for each in found:
        once.setdefault((each.kind, each.licence), each)
    return sorted(once.values(), key=lambda each: KINDS.index(each.kind))[:_MOST]


def _of_fields(metadata: Mapping[str, object]) -> Iterator[Evidence]:
    for name, value in metadata.items():
        if name.lower() not in FIELDS:
            continue
        for each in value[:_FIELD_MOST] if isinstance(value, list) else [value]:
            statement = _stated(each)
            if statement.strip().lower() not in _SAYS_NOTHING:
                yield Evidence(spdx_id(statement), "field", f"metadata.{name}")


def _stated(value: object) -> str:
    """Give the statement of a field: a text, or that of an object as code hosts and catalogues give it."""
    if isinstance(value, dict):
        value = next((value[key] for key in _KEYS if isinstance(value.get(key), str)), None)
    return value if isinstance(value, str) else ""


def _of_headers(metadata: Mapping[str, object]) -> Iterator[Evidence]:
    for target, parameters in _HEADER_LINK.findall(headers(metadata).get("link", "")):
        if _IS_LICENCE.search(parameters):
            yield Evidence(spdx_id(target), "header", "header.link")


def _of_page(metadata: Mapping[str, object]) -> Iterator[Evidence]:
    for kind, statement in pairs(metadata, "licences"):
        if kind in KINDS:
            yield Evidence(spdx_id(statement), kind, "html")


def _of_text(text: str) -> Iterator[Evidence]:
    for begin, end, last in windows(text):
        for place, kind, licence in _of_window(text[begin:end]):
            if begin + place < last:
                yield Evidence(licence, kind, f"text:{begin + place}")


def _of_window(window: str) -> Iterator[tuple[int, str, str]]:
    for stated in _SPDX.finditer(window):
        yield stated.start(), "spdx", expression(stated[1].strip()) or spdx_id(stated[1])
    for place, licence in named_in(window):
        if _LINK.match(window, place):
            yield place, "cc_link", licence
        elif _SAYS_SO.search(window, max(0, place - _BEFORE), place + _AFTER):
            yield place, "phrase", licence
    for said in _RESERVED.finditer(window):
        yield said.start(), "reserved", "LicenseRef-all-rights-reserved"


def windows(text: str) -> Iterator[tuple[int, int, int]]:
    """Give the parts of a text around its hints, for which alone all patterns are searched; `_SEARCHED` at most.

    Each is begin, end, and where the last statement may begin: where the search breaks off, one may be cut in two.
    """
    begin = end = searched = 0
    for hint in _SOME.finditer(text):
        if hint.start() - _MARGIN > end:
            if end:
                yield begin, end, end
                searched += end - begin
            begin = hint.start() - _MARGIN
        end = hint.end() + _MARGIN
        if searched + end - begin >= _SEARCHED:
            yield begin, end, hint.start()
            return
    if end:
        yield begin, end, end


def headers(metadata: Mapping[str, object]) -> dict[str, str]:
    """Give the HTTP headers that the reader of WARC files hands on."""
    warc = metadata.get("warc")
    found = warc.get("headers") if isinstance(warc, dict) else None
    return {str(name): str(value) for name, value in found.items()} if isinstance(found, dict) else {}


def pairs(metadata: Mapping[str, object], name: str) -> list[tuple[str, str]]:
    """Give what parse caught in a page, of one name: pairs, the second empty where there is one value."""
    rights = metadata.get(KEY)
    found = rights.get(name) if isinstance(rights, dict) else None
    if not isinstance(found, list):
        return []
    rows = [row for row in found if isinstance(row, list) and row and all(isinstance(part, str) for part in row)]
    return [(row[0], row[1] if len(row) > 1 else "") for row in rows]
