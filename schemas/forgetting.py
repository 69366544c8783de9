"""Which documents a request to forget means: the same answer for a run, its loaders, and a later run."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import unquote, unquote_to_bytes

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.errors import ConfigError
from headrace.schemas.globs import expression

if TYPE_CHECKING:  # pyarrow's classes take parameters in its stubs only
    Column: TypeAlias = pa.ChunkedArray[pa.StringScalar] | pa.Array[pa.StringScalar]

Revisions = npt.NDArray[np.int64]

DOC: Literal["doc"] = "doc"
URL: Literal["url"] = "url"
DOMAIN: Literal["domain"] = "domain"
NEVER = np.iinfo(np.int64).max  # the revision of what no request means
_GLOB = re.compile(r"\*|\[[^]]+\]")
# A scheme ends with two slashes: what stands before the colon of `example.com:8080/x` is a host.
_HOST = r"(?s)^(?:(?:[A-Za-z][A-Za-z0-9+.-]*:)?//)?(?P<host>[^/?#]*)(?P<rest>[^#]*?)/?(?:#.*)?$"
_PORT = re.compile(r":\d*$")
_OWN_PORTS = (":", ":80", ":443")  # of http and https: written or not, it is the same page
_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
# Bytes that mean the same, escaped or not: unreserved ones (RFC 3986, 2.3), and those that no URL may hold unescaped.
_PLAIN = re.compile(rb"[A-Za-z0-9._~ \"<>`{|}^\x80-\xff-]+")
_NAME = re.compile(r"[^\s/?#@:*\[\]]+")


Kind: TypeAlias = Literal["doc", "url", "domain"]


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody wants forgotten, and in which revision of the tombstones it came."""

    kind: Kind
    value: str
    revision: int = 0

    @property
    def key(self) -> tuple[str, str]:
        """What makes two requests the same one."""
        return self.kind, self.value

    def __str__(self) -> str:
        return f"{self.kind} {self.value}"


def request(kind: Kind, value: str) -> Request:
    """Check a request as a person typed it; a domain is brought into the form that hosts are compared in."""
    if not value.isprintable() and any("\ud800" <= character <= "\udfff" for character in value):
        why, remedy = "it is not UTF-8", "type it as documents/ and the report write it"
        raise ConfigError("the request cannot be used", where=f"--{kind}", why=why, remedy=remedy)
    if kind == DOMAIN:
        if not _NAME.fullmatch(value) or not value.strip("."):
            why = f"{value!r} is no host name"
            remedy = "write example.com; for parts of a site use --url 'https://example.com/part/**'"
            raise ConfigError("the domain cannot be used", where="--domain", why=why, remedy=remedy)
        return Request(kind, host_key(value))
    if not value.strip() or (kind == URL and not url_key(value)):
        raise ConfigError("it names nothing", where=f"--{kind}", why=f"{value!r} is empty", remedy="leave it out")
    return Request(kind, value)


def url_key(url: str) -> str:
    """Give the form in which URLs are compared: as people read them, without scheme, fragment and last slash.

    >>> url_key("HTTPS://Example.COM:443/A/?q=1#top"), url_key("http://xn--fsqu00a.cn/%e6%96%b0/")
    ('example.com/A/?q=1', '例子.cn/新')
    """
    return str(url_keys(pa.array([url], pa.string()))[0].as_py())


def url_keys(urls: Column) -> Column:
    """Give the compared form of a column of URLs; null stays null."""
    written = pc.replace_substring(pc.utf8_trim_whitespace(urls.cast(pa.string())), "\\", "/")  # as browsers do
    parts = pc.extract_regex(written, _HOST)
    hosts, rests = (pc.struct_field(parts, name) for name in ("host", "rest"))
    escaped = pc.any(pc.match_substring(rests, "%")).as_py()
    joined: tuple[Any, ...] = (_mapped(hosts, _site), _mapped(rests, _read) if escaped else rests, "")
    keys: Column = pc.binary_join_element_wise(*joined)
    return keys


def _mapped(names: Column, change: Callable[[str], str]) -> Column:
    """Change each different name once; null stays null."""
    found = pc.unique(names)
    changed = pa.array([None if name is None else change(name) for name in found.to_pylist()], pa.string())
    mapped: Column = pc.take(changed, pc.index_in(names, found))
    return mapped


def _site(host: str) -> str:
    user, at, rest = host.rpartition("@")
    port = _PORT.search(rest)
    return user + at + host_key(rest) + (port[0] if port and port[0] not in _OWN_PORTS else "")


def _read(rest: str) -> str:
    """Give what follows the host as it is read: escaped UTF-8 and letters are themselves, other escapes upper case."""
    return _ESCAPED.sub(_unescaped, rest)


def _unescaped(escapes: re.Match[str]) -> str:
    """Undo a row of escapes; one of bytes that are no UTF-8 (a form in GBK) stays, and so do signs such as %2F."""
    pieces = re.split(rb"(" + _PLAIN.pattern + rb")", unquote_to_bytes(escapes[0]))
    return "".join(_piece(piece) for piece in pieces)


def _piece(piece: bytes) -> str:
    try:
        return piece.decode() if _PLAIN.fullmatch(piece) else _escape(piece)
    except UnicodeDecodeError:
        return _escape(piece)


def _escape(piece: bytes) -> str:
    return "".join(f"%{byte:02X}" for byte in piece)


def host_key(host: str) -> str:
    """Give the form in which hosts are compared: lower case, in letters (RFC 3492), without user, port and last dot.

    >>> host_key("user@WWW.Example.com.:8080"), host_key("xn--fsqu00a.xn--fiqs8s")
    ('www.example.com', '例子.中国')
    """
    name = unicodedata.normalize("NFKC", unquote(_PORT.sub("", host.rpartition("@")[2])))
    labels = name.lower().replace("。", ".").strip(".").split(".")
    return ".".join(map(_in_letters, labels))


def _in_letters(label: str) -> str:
    try:
        return label[4:].encode("ascii").decode("punycode") if label.startswith("xn--") else label
    except UnicodeError:  # no such host, but a crawl may have written it
        return label


@dataclass(frozen=True, slots=True)
class Matcher:
    """Says for each row of a table in which revision it was first asked for.

    `docs` and `urls` are whole names (the latter as `url_key` gives them), `domains` cover their subdomains, and
    `patterns` are expressions over url keys.
    """

    docs: Mapping[str, int]
    urls: Mapping[str, int]
    domains: Mapping[str, int]
    patterns: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, requests: Iterable[Request], docs: Iterable[tuple[str, str | None, int]] = ()) -> Matcher:
        """Make a matcher of requests, and of documents that are known by (doc_id, url, revision)."""
        every = list(requests)
        known = list(docs)
        globs = [r for r in every if r.kind == URL and _GLOB.search(r.value)]
        whole = [(r.value, r.revision) for r in every if r.kind == URL]  # `/x?id[0]=1` may be meant as it is written
        whole += [(url, at) for _, url, at in known if url]
        keys = url_keys(pa.array([url for url, _ in whole], pa.string())).to_pylist()
        return cls(
            _first([*((r.value, r.revision) for r in every if r.kind == DOC), *((doc, at) for doc, _, at in known)]),
            _first(zip(map(str, keys), (at for _, at in whole), strict=True)),
            _first((host_key(r.value), r.revision) for r in every if r.kind == DOMAIN),
            tuple((_expression(r.value), r.revision) for r in globs),
        )

    def revisions(self, table: pa.Table) -> Revisions:
        """Give the first revision that asks for each row, NEVER for those that nobody asks for.

        Looks at `doc_id` and `url`; a table without `url` has none.
        """
        found = _looked_up(table["doc_id"], self.docs)
        if "url" not in table.column_names or table["url"].null_count == table.num_rows:
            return found
        return np.minimum(found, self._by_url(table["url"]))

    def _by_url(self, urls: Column) -> Revisions:
        keys = url_keys(urls)
        found = np.minimum(_looked_up(keys, self.urls), self._by_host(keys))
        for pattern, revision in self.patterns:
            hits = pc.fill_null(pc.match_substring_regex(keys, pattern), pa.scalar(value=False))
            found[np.asarray(hits)] = np.minimum(found[np.asarray(hits)], revision)
        return found

    def _by_host(self, keys: Column) -> Revisions:
        if not self.domains:
            return np.full(len(keys), NEVER)
        hosts = pc.struct_field(pc.extract_regex(keys, r"(?s)^(?P<host>[^/?]*)"), "host")
        every = map(str, hosts.unique().drop_null().to_pylist())
        return _looked_up(hosts, {host: at for host in every if (at := self._asked(host)) is not None})

    def _asked(self, host: str) -> int | None:
        """Give the first revision that asks for a host or for a domain above it."""
        labels = host_key(host).split(".")
        above = (self.domains.get(".".join(labels[level:])) for level in range(len(labels)))
        return min((at for at in above if at is not None), default=None)


def _expression(pattern: str) -> str:
    """Turn a URL glob into an expression; `?` is itself, since URLs are full of them, and `x/**` covers `x/`."""
    inner = expression(url_key(re.sub(r"^\*+://", "", pattern)).replace("?", "[?]"), deep=False).pattern
    below = inner.removesuffix("/.*")
    return f"(?s)^(?:{inner if below == inner else f'{below}(?:/.*)?'})$"


def _first(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    first: dict[str, int] = {}
    for name, revision in pairs:
        first[name] = min(revision, first.get(name, revision))
    return first


def _looked_up(names: Column, revisions: Mapping[str, int]) -> Revisions:
    """Give the revision of each name, NEVER for unknown ones."""
    if not revisions:
        return np.full(len(names), NEVER)
    at = pc.fill_null(pc.index_in(names, pa.array(list(revisions), pa.string())), pa.scalar(len(revisions), pa.int32()))
    found: Revisions = np.append(np.fromiter(revisions.values(), np.int64), NEVER)[np.asarray(at)]
    return found
