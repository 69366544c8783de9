"""What each element of HTML means to an extractor: does it begin a new block, does it hold text at all."""

from __future__ import annotations

from headrace.stages.kernels.extraction_model import (
    BLOCK,
    CELL,
    EMPHASIS,
    IMAGE,
    INLINE,
    ITEM,
    LEFT_OUT,
    LINE_BREAK,
    LINK,
    NO_BOX,
    ORDERED,
    PAGE_BODY,
    PREFORMATTED,
    RAW,
    ROW,
    RULE,
    SUPERSCRIPT,
    TABLE,
    VOID,
)
from headrace.stages.kernels.extraction_tags import CUSTOM

# Elements by their part in the layout, as the HTML standard (section 15, rendering) has them. What is not named here
# is part of a line, unless its name holds a dash: those are boxes that a script defines.
_ROLES = {
    BLOCK: """address article aside blockquote body button caption center dd details dir div dl dt fieldset figcaption
        figure footer form h1 h2 h3 h4 h5 h6 header hgroup legend li listing main marquee menu nav ol optgroup option p
        plaintext pre search section summary table tbody td tfoot th thead tr ul xmp""",
    RULE: "hr",
    LINE_BREAK: "br",
    IMAGE: "img picture",
    LINK: "a",
    EMPHASIS: "b strong em i",
    LEFT_OUT: """annotation annotation-xml applet audio canvas datalist dialog frameset head map meter noscript object
        progress rp rt rtc select svg template textarea title video""",
    RAW: "iframe noembed noframes script style",
    NO_BOX: "html",
    INLINE: """abbr acronym area base basefont bdi bdo bgsound big cite code col colgroup data del dfn embed font frame
        g-emoji input ins kbd keygen label link local-time mark math meta nobr output param q relative-time s samp
        slot small source span strike sub sup time time-ago track tt u var wbr""",
}
_TRAITS = {
    PREFORMATTED: "pre listing plaintext xmp",
    ROW: "tr",
    CELL: "td th",
    TABLE: "table",
    ITEM: "li",
    ORDERED: "ol",
    VOID: "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr",
    SUPERSCRIPT: "sup",
    PAGE_BODY: "body",
}
TAGS = ("", "-", *(name for role in sorted(_ROLES) for name in _ROLES[role].split()))
NUMBERS = {name: number for number, name in enumerate(TAGS)}
ROLES = {name: role for role, listed in _ROLES.items() for name in listed.split()} | {TAGS[CUSTOM]: BLOCK}
TRAITS = {name: sum(t for t, listed in _TRAITS.items() if name in listed.split()) for name in TAGS}
# What comes in series if it has a class: teasers, comments, products. Paragraphs with a class are but styled.
SERIES = (
    *("article", "aside", "dd", "div", "dl", "dt", "fieldset", "figure", "form", "li", "main", "nav", "ol"),
    *("section", "table", "tbody", "tr", "ul"),
)
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
