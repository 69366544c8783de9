"""What a page asks of robots: directives of X-Robots-Tag and <meta name=robots>, and the TDM reservation protocol."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

HINTS = ("noindex", "noarchive", "noai", "tdm_reserved")
_MEANS = {
    "noindex": "noindex",
    "none": "noindex",  # noindex, nofollow
    "noarchive": "noarchive",
    "nocache": "noarchive",
    "noai": "noai",
    "noimageai": "noai",
}
_VALUED = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
_AGENT = re.compile(r"([A-Za-z][A-Za-z0-9._-]{0,60}|\*)[ \t]*:(?!\d)[ \t]*(.*)")  # no 15:00 of a date
_PARTS = re.compile(r"[;\s]+")  # commas are the rule, others are meant alike

Asked = Mapping[str, str]  # hint -> where it stands


def directives(text: str, agent: str = "*") -> Iterator[tuple[str, str]]:
    """Give (agent, directive) of the value of a header or a meta: `noarchive, googlebot: noindex, nofollow`.

    An agent holds for what follows it in its line, as the header's users have it; each header is a line.
    """
    for line in text.split("\n"):
        ruled = agent
        for part in line.split(","):
            named = _AGENT.fullmatch(part.strip())
            if named and named[1].lower() not in _VALUED:
                ruled, part = named[1].lower(), named[2]
            for word in _PARTS.split(part.lower()):
                yield ruled, word


def asked(values: Iterable[tuple[str, str, str]], reserved: Iterable[tuple[str, str]], agents: frozenset[str]) -> Asked:
    """Give the hints that hold, each with the first place that says so.

    `values` are (place, agent, directives), `reserved` (place, value of tdm-reservation). Rules for one agent hold if
    it is among `agents`.
    """
    found: dict[str, str] = {}
    for place, named, text in values:
        for agent, directive in directives(text, named):
            if directive in _MEANS and (agent == "*" or agent in agents):
                found.setdefault(_MEANS[directive], place)
    for place, value in reserved:
        if value.strip() == "1":
            found.setdefault("tdm_reserved", place)
    return found
