from __future__ import annotations

import pyarrow as pa
import pytest

from headrace.schemas.errors import ConfigError
from headrace.schemas.forgetting import NEVER, Kind, Matcher, Request, host_key, request, url_key, url_keys

URLS = [
    "https://Example.com/a/b.html?q=1#top",
    "http://www.example.com:8080/a/",
    "example.com",
    "https://notexample.com/a/b.html",
    "https://user@shop.example.com./x/y/z",
    "https://例子.中国/新闻/1",
    "https://a.b/line\nbreak",
    None,
]


def meant(kind: Kind, value: str) -> list[int]:
    table = pa.table({"doc_id": [f"web:{row}" for row in range(len(URLS))], "url": pa.array(URLS, pa.string())})
    found = Matcher.of([request(kind, value)]).revisions(table)
    return [row for row, revision in enumerate(found.tolist()) if revision != NEVER]


def matches(asked: Request, url: str) -> bool:
    revisions = Matcher.of([asked]).revisions(pa.table({"doc_id": ["web:0"], "url": [url]}))
    return bool(revisions[0] != NEVER)


@pytest.mark.parametrize(
    ("value", "rows"),
    [
        ("example.com", [0, 1, 2, 4]),
        ("EXAMPLE.com.", [0, 1, 2, 4]),
        ("www.example.com", [1]),
        ("com", [0, 1, 2, 3, 4]),
        ("ample.com", []),
        ("例子.中国", [5]),
        ("xn--fsqu00a.xn--fiqs8s", [5]),
    ],
)
def test_a_domain_covers_itself_and_what_is_below_it(value: str, rows: list[int]) -> None:
    """Ports, users, case, a last dot and the two spellings of a host make no difference; part of a label is nothing."""
    assert meant("domain", value) == rows


@pytest.mark.parametrize(
    ("value", "rows"),
    [
        ("https://example.com/a/b.html?q=1", [0]),
        ("example.com/a/b.html", []),
        ("HTTP://EXAMPLE.COM/a/*", [0]),
        ("https://example.com/A/*", []),
        ("*example.com/a/*", [0, 3]),
        ("*://*/a/b*", [0, 3]),
        ("**example.com**", [0, 1, 2, 3, 4]),
        ("*shop.example.com./x/*", []),
        ("*shop.example.com./x/**", [4]),
        ("**/a/**", [0, 1, 3]),
        ("https://例子.中国/新闻/[0-9]", [5]),
        ("https://a.b/l*k", [6]),
        ("https://example.co?/a/b.html?q=1", []),
    ],
)
def test_a_pattern_is_a_glob_over_the_whole_url(value: str, rows: list[int]) -> None:
    """* stays within a part, ** crosses, ? is itself; scheme, the host's case, fragment and last slash do not count."""
    assert meant("url", value) == rows


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("example.com", "example.com:8080/x"),
        ("example.com", "  https://example.com/x"),
        ("example.com", "https://example.com\n"),
        ("example.com", r"https:\\example.com\x"),
        (".example.com", "https://example.com/x"),
        ("例子.中国", "https://%E4%BE%8B%E5%AD%90.中国/x"),
        ("例子。中国", "https://ＷＷＷ.例子.中国/x"),
        ("例子.中国", f"https://{'a' * 70}.例子.中国/x"),
        ("faß.de", "https://xn--fa-hia.de/x"),
    ],
)
def test_a_host_is_found_however_it_is_written(value: str, url: str) -> None:
    """As crawls write them: without a scheme, with white space, backslashes, escapes, wide letters, odd labels."""
    assert matches(request("domain", value), url)


@pytest.mark.parametrize(
    "url",
    ["https://evil-example.com/", "https://example.com.evil.net/", "https://a.b/?u=@example.com", "a.b#@example.com"],
)
def test_a_name_inside_another_address_is_no_host(url: str) -> None:
    """Neither the end of a longer label, nor a query or a fragment."""
    assert not matches(request("domain", "example.com"), url)


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("https://例子.cn/新闻/1", "https://例子.cn/%E6%96%B0%E9%97%BB/1"),
        ("https://例子.cn/%e6%96%b0%e9%97%bb/1", "https://xn--fsqu00a.cn/新闻/1"),
        ("https://例子.cn/新闻/**", "https://xn--fsqu00a.cn/%E6%96%B0%E9%97%BB/1"),
        ("https://例*.cn/**", "https://xn--fsqu00a.cn/1"),
        ("a.b/?q=%d0%c2", "https://a.b/?q=%D0%C2"),
        ("a.b/%7euser/a b", "https://a.b/~user/a%20b"),
        ("a.b:8080/x", "https://a.b:8080/x"),
        ("https://a.b:443/x", "http://a.b/x"),
        ("https://a.b/?id[0]=1", "https://a.b/?id[0]=1"),
        ("https://a.b/[z-a]*", "https://a.b/[z-a]b"),
        ("https://a.b/[[&&~~||\\d]*", "https://a.b/&b"),
        ("**/(x+y)|.*", "https://a.b/(x+y)|.z"),
    ],
)
def test_a_url_means_the_page_however_it_is_written(value: str, url: str) -> None:
    """Escapes, host letters and own ports make no difference, and signs of globs and expressions may be meant."""
    assert matches(request("url", value), url)


@pytest.mark.parametrize(
    ("value", "url"),
    [("a.b/x%2Fy", "a.b/x/y"), ("a.b/%d0%c2", "a.b/%D0%C3"), ("a.b:8080/x", "a.b/x"), ("a.b/X", "a.b/x")],
)
def test_other_addresses_stay_others(value: str, url: str) -> None:
    """An escaped sign is not the sign, and a path has its case."""
    assert not matches(request("url", value), url)


def test_documents_are_named_exactly() -> None:
    """A doc_id is no pattern."""
    assert meant("doc", "web:3") == [3]
    assert meant("doc", "web:*") == []


def test_the_first_request_counts() -> None:
    """A row that several requests mean has the lowest of their revisions."""
    table = pa.table({"doc_id": ["a", "b", "c"], "url": ["https://x.y/1", "https://x.y/2", None]})
    asked = [("domain", "x.y", 3), ("doc", "b", 2), ("url", "x.y/1", 4), ("url", "**/2", 5), ("doc", "c", 7)]
    requests = [type(request("doc", "a"))(kind, value, at) for kind, value, at in asked]  # type: ignore[arg-type]
    assert Matcher.of(requests).revisions(table).tolist() == [3, 2, 7]
    assert Matcher.of(requests).revisions(table.drop_columns("url")).tolist() == [NEVER, 2, 7]
    assert Matcher.of([]).revisions(table.slice(0, 0)).tolist() == []


@pytest.mark.parametrize("value", ["", "a b", "https://a.b", "a.b/c", "*.a.b", ".", "a@b.c"])
def test_what_is_no_domain_is_refused(value: str) -> None:
    """The message shows how parts of a site are named."""
    with pytest.raises(ConfigError, match=r"is no host name.*--url"):
        request("domain", value)


@pytest.mark.parametrize("value", ["", " ", "https://"])
def test_an_empty_url_is_refused(value: str) -> None:
    """It would mean documents without one."""
    with pytest.raises(ConfigError, match="names nothing"):
        request("url", value)


@pytest.mark.parametrize("kind", ["doc", "url", "domain"])
def test_bytes_that_are_no_text_are_refused(kind: Kind) -> None:
    """The shell hands them on as lone surrogates, which no document has."""
    with pytest.raises(ConfigError, match="not UTF-8"):
        request(kind, "a\udcff.example")


def test_keys_of_odd_addresses() -> None:
    """What is no address is compared as it is."""
    assert [url_key(url) for url in ("", "mailto:a@b.c", "//h/x", "a:b", "HTTP://H")] == [
        "",
        "mailto:a@b.c",
        "h/x",
        "a:b",
        "h",
    ]
    assert [host_key(host) for host in ("", "a..b", "x" * 70, "[::1]:80")] == ["", "a..b", "x" * 70, "[::1]"]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_keys_of_any_column(kind: pa.DataType) -> None:
    """Long strings, no rows, nothing but nulls, and columns in several pieces."""
    urls = pa.array(["https://例.cn/%E6%96%B0", None, "B.c"], kind)
    assert url_keys(urls).to_pylist() == ["例.cn/新", None, "b.c"]
    assert url_keys(pa.chunked_array([urls, urls[1:2]], kind)).to_pylist() == ["例.cn/新", None, "b.c", None]
    assert url_keys(urls[:0]).to_pylist() == url_keys(pa.chunked_array([], kind)).to_pylist() == []
    assert url_keys(urls[1:2]).to_pylist() == [None]
