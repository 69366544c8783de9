"""What a web page says in its marks about licences and robots: parse takes the text alone, so it is caught there."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import orjson

from headrace.stages.parsing.json_values import mended_text

KEY = "rights"  # in the metadata of a page
_SKIPPED = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1|\Z)", re.IGNORECASE | re.DOTALL)
_LINKED_DATA = re.compile(r"<script[^<>]{0,200}ld\+json[^<>]{0,200}>(.*?)(?:</script|\Z)", re.IGNORECASE | re.DOTALL)
# Without a flag for capitals, so that the search leaps from < to <.
_TAG = re.compile(r"<([mM][eE][tT][aA]|[lL][iI][nN][kK]|[aA])\s([^<>]{1,2000})>")
_TELLING = (
    "licen",
    "creativecommons",
    "bot",
    "spider",
    "-ai",
    "-extended",
    "-user",
    "slurp",
    "tdm-",
    "rights",
)  # in small letters; other marks say nothing
_ATTRIBUTE = re.compile(r"""([A-Za-z][\w:.-]{0,40})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_CC = re.compile(r"https?://(?:www\.)?creativecommons\.org/(?:licen[sc]es|publicdomain)/", re.IGNORECASE)
_LICENCE_NAMES = frozenset(
    ("dc.rights", "dc.rights.license", "dc.license", "dcterms.rights", "dcterms.license", "license", "licence")
)
_RESTRICTS = re.compile(r"noindex|noarchive|nocache|none|noai|noimageai", re.IGNORECASE)
_AGENT = re.compile(r"[\w.-]*(?:bot|spider|-ai|-extended|-user|slurp)|(?:google|msn|bing)bot-[a-z]+")
_NO_TEXT = ("ImageObject", "VideoObject", "AudioObject", "MediaObject", "Photograph")
_MOST, _LONGEST = 10, 300  # findings of a kind, characters of each

Rights = dict[str, list[list[str]]]


def rights_of(page: str) -> Rights | None:
    """Give what a page says: `licences` as (kind, statement), `robots` as (agent, directives), `tdm` as (value,).

    None where it says nothing; `index, follow` is nothing. Comments and scripts are not looked at, but for the
    licences in JSON-LD.
    """
    stated = list(_linked_data(page)) if "ld+json" in page else []
    if not stated and next(_marks(page), None) is None:
        return None  # most pages, without a look at what is a comment
    found: Rights = {"licences": [], "robots": [], "tdm": []}
    for name, finding in (*stated, *_marks(_SKIPPED.sub(" ", page))):
        value = [mended_text(html.unescape(part)).strip()[:_LONGEST] for part in finding]
        if all(value) and value not in found[name] and len(found[name]) < _MOST:
            found[name].append(value)
    return {name: values for name, values in found.items() if values} or None


def _linked_data(page: str) -> Iterator[tuple[str, list[str]]]:
    for block in _LINKED_DATA.finditer(page):
        try:
            yield from (("licences", ["json_ld", stated]) for stated in _stated(orjson.loads(block[1])))
        except orjson.JSONDecodeError:
            continue


def _stated(value: object) -> Iterator[str]:
    """Give the licences in JSON-LD, but for those of pictures and recordings, which are not the text's.

    In the order of the text, by a stack of its own: pages nest as deep as they like.
    """
    waiting = [("", value)]
    while waiting:
        name, inner = waiting.pop()
        if isinstance(inner, list):
            waiting += [(name, each) for each in reversed(inner)]
        elif name == "license":
            stated = (inner.get("@id") or inner.get("url")) if isinstance(inner, dict) else inner
            if isinstance(stated, str):
                yield stated
        elif isinstance(inner, dict) and not _is_no_text(inner.get("@type")):
            waiting += reversed(inner.items())


def _is_no_text(kind: object) -> bool:
    kinds = kind if isinstance(kind, list) else [kind]
    return any(isinstance(each, str) and each.endswith(_NO_TEXT) for each in kinds)


def _marks(page: str) -> Iterator[tuple[str, list[str]]]:
    for tag in _TAG.finditer(page):
        lowered = tag[2].lower()
        if not any(hint in lowered for hint in _TELLING):
            continue
        attributes = {a[1].lower(): a[2] or a[3] or a[4] or "" for a in _ATTRIBUTE.finditer(tag[2])}
        if tag[1].lower() == "meta":
            yield from _meta(attributes)
        else:
            yield from _link(attributes)


def _meta(attributes: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
    name = (attributes.get("name") or attributes.get("property") or attributes.get("http-equiv") or "").lower()
    content = attributes.get("content", "")
    if name in _LICENCE_NAMES:
        yield "licences", ["html_meta", content]
    elif name == "tdm-reservation":
        yield "tdm", [content]
    elif (name in {"robots", "x-robots-tag"} or _AGENT.fullmatch(name)) and _RESTRICTS.search(content):
        yield "robots", ["*" if "robots" in name else name, content]


def _link(attributes: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
    target = attributes.get("href", "")
    relations = {*attributes.get("rel", "").lower().split(), attributes.get("itemprop", "").lower()}
    if relations & {"license", "licence"}:
        yield "licences", ["html_link", target]
    elif _CC.match(target):
        yield "licences", ["cc_link", target]
