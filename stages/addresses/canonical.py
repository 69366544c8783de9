"""One spelling for each address: what a browser makes of it (WHATWG URL), without what does not change the page."""

from __future__ import annotations

import re
from dataclasses import dataclass

import can_ada

from headrace.stages.addresses.parameters import Unwanted

_PORTS = {"http:": "80", "https:": "443"}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?!\d)")  # a.com:80 begins with a host
_HOST = re.compile(r"[^\s/?#@\\]+\.[^\s/?#@\\]+")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")  # RFC 3986, 2.3
_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid)=[^/?#;]*|/\((?:[SAF]\([^/)]*\))+\)(?=/|$)", re.IGNORECASE)
_MOST = 1 << 20  # characters: longer ones are data, not addresses


@dataclass(frozen=True, slots=True)
class Address:
    """An address in its one spelling, and its parts; `host` is empty where there is none, as in `urn:isbn:...`."""

    url: str
    host: str
    rest: str  # path and query

    @property
    def site(self) -> str:
        """Give the host without a leading `www.`."""
        return self.host.removeprefix("www.")

    @property
    def page(self) -> str:
        """Give what is equal for http and https, with and without `www.`."""
        if not self.url.startswith(("http://", "https://")):
            return self.url
        _, border, fragment = self.url.partition("#")
        return f"{self.site}{self.rest}{border}{fragment}"


def canonical(url: str, unwanted: Unwanted) -> Address | None:
    r"""Give an address in its one spelling, None where it is none.

    Scheme and host are in lower case, host names in Punycode and without a dot at the end; no user, no default port, no
    dot segments; escapes only where they are needed, in capitals; parameters without the unwanted ones, sorted;
    no session ids; no fragment, but for those that name a page (`#!...`, `#/...`).

    >>> canonical("HTTP://www.Example.com.:80/a/../%7eb;jsessionid=1?b=2&utm_source=x&a=%e4#top", Unwanted(["utm_*"]))
    Address(url='http://www.example.com/~b?a=%E4&b=2', host='www.example.com', rest='/~b?a=%E4&b=2')
    """
    parsed = _parsed(url.strip())
    if parsed is None:
        return None
    scheme, host = parsed.protocol, parsed.hostname
    if scheme not in _PORTS:
        return Address(_unescaped(parsed.href), host.rstrip(".").lower(), _unescaped(parsed.pathname + parsed.search))
    host = host.rstrip(".")
    if not host:
        return None
    path = _path(parsed)
    query = _query(parsed.search, unwanted)
    fragment = parsed.hash if parsed.hash.startswith(("#!", "#/")) else ""
    port = f":{parsed.port}" if parsed.port else ""
    return Address(f"{scheme}//{host}{port}{path}{query}{fragment}", host, f"{port}{path}{query}")


def host_of(text: str) -> str | None:
    """Give a host name as `canonical` spells it, None where the text is none."""
    parsed = _parsed(f"http://{text}/")
    return (parsed.hostname.rstrip(".") or None) if parsed is not None and parsed.pathname == "/" else None


def _parsed(url: str) -> can_ada.URL | None:
    if len(url) > _MOST:
        return None
    if url.startswith("//"):
        url = f"http:{url}"
    elif not _SCHEME.match(url) and _HOST.match(url):
        url = f"http://{url}"
    try:
        return can_ada.parse(url)
    except (ValueError, TypeError):  # the second for half a character, which has no UTF-8
        return None


def _path(parsed: can_ada.URL) -> str:
    path = _unescaped(parsed.pathname)
    while _PATH_SESSION.search(path):  # one may hide another: `/(S(1));jsessionid=2`, `/.;jsessionid=1`
        parsed.pathname = _PATH_SESSION.sub("", path)
        path = _unescaped(parsed.pathname)
    return path or "/"


def _query(search: str, unwanted: Unwanted) -> str:
    if not search:
        return ""
    parameters = sorted(part for part in map(_unescaped, search[1:].split("&")) if not unwanted(part))
    return f"?{'&'.join(parameters)}" if parameters else ""


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_escape, text) if "%" in text else text


def _escape(found: re.Match[str]) -> str:
    character = chr(int(found[1], 16))
    return character if character in _UNRESERVED else found[0].upper()
