"""Addresses that lead to one page have one spelling, and no two pages share one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.stages.addresses.canonical import canonical, host_of
from headrace.stages.addresses.parameters import SESSIONS, TRACKING, Unwanted

UNWANTED = Unwanted((*TRACKING, *SESSIONS))
CASES = {
    "HTTP://Example.COM/Path": "http://example.com/Path",
    "http://example.com": "http://example.com/",
    "http://example.com:80/": "http://example.com/",
    "https://example.com:443/a": "https://example.com/a",
    "http://example.com:8080/": "http://example.com:8080/",
    "http://example.com./a": "http://example.com/a",
    "http://user:secret@example.com/": "http://example.com/",
    "http://例え.jp/": "http://xn--r8jz45g.jp/",
    "http://ｅｘａｍｐｌｅ．com/": "http://example.com/",
    "http://example.com/a/./b/../c": "http://example.com/a/c",
    "http://example.com/%7euser/%2E%2e/x": "http://example.com/x",
    "http://example.com/%7euser": "http://example.com/~user",
    "http://example.com/%e4%bd%a0": "http://example.com/%E4%BD%A0",
    "http://example.com/你": "http://example.com/%E4%BD%A0",
    "http://example.com/a%2fb": "http://example.com/a%2Fb",
    "http://example.com/a b": "http://example.com/a%20b",
    "http:\\\\example.com\\a": "http://example.com/a",
    "  http://example.com/a\n": "http://example.com/a",
    "//example.com/a": "http://example.com/a",
    "example.com/a?b=1": "http://example.com/a?b=1",
    "example.com:8080/a": "http://example.com:8080/a",
    "http://example.com/?": "http://example.com/",
    "http://example.com/?b=2&a=1&&": "http://example.com/?a=1&b=2",
    "http://example.com/?a=2&a=1": "http://example.com/?a=1&a=2",
    "http://example.com/?utm_source=x&UTM_Medium=y&id=1": "http://example.com/?id=1",
    "http://example.com/?gclid=1&fbclid=2&spm=a.b.c": "http://example.com/",
    "http://example.com/?spmx=1": "http://example.com/?spmx=1",
    "http://example.com/?PHPSESSID=abc&id=1": "http://example.com/?id=1",
    "http://example.com/?ASPSESSIONIDQQ=abc": "http://example.com/",
    "http://example.com/?sid=0123456789abcdef0123456789abcdef": "http://example.com/",
    "http://example.com/?sid=45": "http://example.com/?sid=45",
    "http://example.com/a;jsessionid=F00.node1?x=1": "http://example.com/a?x=1",
    "http://example.com/(S(abc123))/page.aspx": "http://example.com/page.aspx",
    "http://example.com/a#part": "http://example.com/a",
    "http://example.com/#!page/2": "http://example.com/#!page/2",
    "http://example.com/#/article/7": "http://example.com/#/article/7",
    "http://[2001:DB8::1]/": "http://[2001:db8::1]/",
    "http://0x7f.1/": "http://127.0.0.1/",
    "http://example.com/.;jsessionid=1/x/..;jsessionid=2/y": "http://example.com/y",
    "http://example.com/a;%6Asessionid=1": "http://example.com/a",
    "http://example.com/(A());JSESSIONID=": "http://example.com/",
    "http://example.com/?%75tm_source=1&utm%5Fmedium=2&b=%41": "http://example.com/?b=A",
    "http://user:p%40ss@example.com:80@other.example/": "http://other.example/",
    "urn:isbn:0451450523": "urn:isbn:0451450523",
    "ftp://Example.com/a": "ftp://example.com/a",
}
NONE = (
    "",
    "   ",
    "no address",
    "http://",
    "http://a b.com/",
    "/path/only",
    "\ud800",
    "http://a.example/" + "a" * (1 << 20),
)


@pytest.mark.parametrize("url", CASES)
def test_an_address_gets_its_one_spelling(url: str) -> None:
    """Each spelling is written down; and what is canonical stays as it is."""
    address = canonical(url, UNWANTED)
    assert address is not None
    assert address.url == CASES[url]
    assert canonical(address.url, UNWANTED) == address


@pytest.mark.parametrize("url", NONE)
def test_what_is_no_address_gives_none(url: str) -> None:
    """Nothing is guessed about other texts."""
    assert canonical(url, UNWANTED) is None


PIECES = (
    ".",
    "..",
    "/",
    ";jsessionid=1",
    ";%6asessionid=",
    "(S(x))",
    "/(A())",
    ";PHPSESSID=",
    "%2e",
    "%73",
    "?",
    "&",
    "utm%5Fid=1",
    "#",
    "#!/",
    "你",
)


@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from(PIECES), max_size=9).map(lambda pieces: f"http://a.com/{''.join(pieces)}")
    | st.text("ahtp:/%2.?&=#;[]@\\ 你\t", max_size=60).map(lambda rest: f"http://a.com{rest}")
)
def test_canonical_is_total_and_changes_nothing_twice(url: str) -> None:
    """Any text gives an address or None, never an exception; a second time gives the same."""
    address = canonical(url, UNWANTED)
    if address is not None:
        assert canonical(address.url, UNWANTED) == address


def test_the_same_page_by_another_scheme_or_with_www() -> None:
    """`page` is equal for them, `url` is not; another port is another page."""
    pages = {
        address.page
        for url in ("http://a.com/x", "https://a.com/x", "https://www.a.com/x#top")
        if (address := canonical(url, UNWANTED))
    }
    assert pages == {"a.com/x"}
    ftp = canonical("ftp://a.com/x", UNWANTED)
    assert ftp is not None and ftp.page == "ftp://a.com/x"
    other = canonical("http://a.com:81/x", UNWANTED)
    assert other is not None and other.page == "a.com:81/x"


def test_parameters_are_the_users_to_choose() -> None:
    """More are left out by name or beginning, and listed ones are kept on request."""
    own = Unwanted((*TRACKING, "ref", "x_*"), kept=("SPM", "utm_id"))
    address = canonical("http://a.com/?ref=1&x_a=2&spm=3&utm_id=4&utm_source=5&b=6", own)
    assert address is not None and address.url == "http://a.com/?b=6&spm=3&utm_id=4"


def test_host_names() -> None:
    """A host is spelled as in addresses; a path is none."""
    assert host_of("Bücher.example") == "xn--bcher-kva.example"
    assert host_of("a/b") is None
