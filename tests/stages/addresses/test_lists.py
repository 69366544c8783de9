"""Lists in all the forms that people keep them in, and what they match."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from headrace.schemas.errors import ConfigError
from headrace.stages.addresses.canonical import canonical
from headrace.stages.addresses.entries import read_entries
from headrace.stages.addresses.lists import AddressLists, open_lists, packed_lists
from headrace.stages.addresses.parameters import Unwanted

NOTHING = Unwanted(())


def listed(lists: AddressLists, *urls: str) -> list[tuple[str, str, bool] | None]:
    found = lists.listed([canonical(url, NOTHING) for url in urls])
    return [(hit.name, hit.entry, hit.page) if hit else None for hit in found]


def opened(folder: Path, **files: str) -> AddressLists:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return open_lists(packed_lists({"block": {name: name for name in files}}, folder))["block"]


def test_a_plain_list_covers_subdomains_and_pages_below(tmp_path: Path) -> None:
    """Domains with all below them, pages with all below them, in whatever spelling; comments say nothing."""
    text = """\ufeff# what we leave out
    bad.example   # they said so
    *.Worse.Example
    https://www.forum.example/board/7/
    shop.example/list?kind=3
    www.twin.example
    例え.jp
    192.0.2.7
    http://[2001:db8::7]/
    https://www.one.example/#!/board/7
    """
    lists = opened(tmp_path, mine=text)
    hits = {
        "http://bad.example/": "bad.example",
        "https://a.b.bad.example:8080/x?y": "bad.example",
        "http://www.worse.example/": "worse.example",
        "http://forum.example/board/7": "forum.example/board/7",
        "http://www.forum.example/board/7/x.html": "forum.example/board/7",
        "http://forum.example/board/7?page=2": "forum.example/board/7",
        "http://shop.example/list?kind=3&page=2": "shop.example/list?kind=3",
        "http://twin.example/": "www.twin.example",
        "http://xn--r8jz45g.jp/": "xn--r8jz45g.jp",
        "http://192.0.2.7/x": "192.0.2.7",
        "http://[2001:DB8:0::7]:8080/x": "[2001:db8::7]",
        "http://one.example/#!/board/7": "one.example/#!/board/7",
        "http://bad.example/" + "long" * 20_000: "bad.example",
    }
    assert listed(lists, *hits) == [("mine", entry, "/" in entry) for entry in hits.values()]
    misses = [
        "http://notbad.example/",
        "http://example/",
        "http://forum.example/",
        "http://forum.example/board/77",
        "http://shop.example/list?kind=33",
        "http://blog.twin.example/",
        "http://7/",
        "http://one.example/",
        "http://one.example/#!/board/8",
        "urn:bad.example",
    ]
    assert listed(lists, *misses) == [None] * len(misses)


def test_hosts_files(tmp_path: Path) -> None:
    """What a hosts file sends nowhere is listed; the machine's own names are not."""
    lists = opened(tmp_path, hosts="127.0.0.1 localhost\n::1 ip6\n0.0.0.0 ads.example tracker.example # two\n")
    found = listed(lists, "http://ads.example/", "http://x.tracker.example/", "http://localhost/")
    assert found == [("hosts", "ads.example", False), ("hosts", "tracker.example", False), None]


def test_folders_in_the_layout_of_ut1(tmp_path: Path) -> None:
    """A folder a category, with domains, urls and expressions, any of them; all categories, or one by its own name."""
    for name, part, text in (
        ("gambling", "domains", "bet.example\n"),
        ("gambling", "urls", "games.example/poker\n"),
        ("gambling", "expressions", "(^|[-./_])(casino|baccarat)([-./_]|$)\n"),
        ("press", "domains", "paper.example\n"),
    ):
        (tmp_path / "ut1" / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / "ut1" / name / part).write_text(text)
    lists = open_lists(packed_lists({"block": {"ut1": "ut1"}}, tmp_path))["block"]
    urls = ("http://bet.example/", "http://games.example/poker/1", "http://a.example/Best-Casino.html")
    assert listed(lists, *urls, "http://a.example/casinos", "http://paper.example/") == [
        ("ut1/gambling", "bet.example", False),
        ("ut1/gambling", "games.example/poker", True),
        ("ut1/gambling", "(^|[-./_])(casino|baccarat)([-./_]|$)", True),
        None,
        ("ut1/press", "paper.example", False),
    ]
    one = open_lists(packed_lists({"block": {"press": "ut1/press"}}, tmp_path))["block"]
    assert listed(one, *urls, "http://paper.example/")[3] == ("press", "paper.example", False)


def test_the_entry_that_says_most_is_given_and_then_the_list_that_comes_first(tmp_path: Path) -> None:
    """A page counts before its domain, whatever the order of the lists."""
    lists = opened(tmp_path, one="a.example\n", two="b.a.example/x\na.example\n")
    found = listed(lists, "http://b.a.example/x/y", "http://b.a.example/z")
    assert found == [("two", "b.a.example/x", True), ("one", "a.example", False)]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "the list is empty"),
        (b"# nothing\n\n", "the list is empty"),
        ("垃圾.example\n".encode("gb18030"), "the list is in another encoding: byte 0 is not UTF-8"),
        (b"ok.example\n||ads.example^\n", "block:2: rules for ad blockers are not read"),
        (b"ok.example\nads*.example\n", "block:2: the entry is no address"),
        (b"two words\n", "block:1: the entry is no address"),
        (b"1,a.example\n2,b.example\n", "block:1: the entry is no address: 1,a.example"),
        (b"a.example\r\r\nb example\r", "block:3: the entry is no address: b example"),
        (b"\xff\xfea\x00", "the list is in another encoding"),
    ],
)
def test_a_list_that_cannot_be_used_is_refused_with_its_place(content: bytes, says: str, tmp_path: Path) -> None:
    """One message with file, line, cause and remedy."""
    (tmp_path / "block").write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        read_entries("mine", tmp_path / "block")
    assert says in str(caught.value)
    assert caught.value.remedy


def test_what_is_missing_is_refused(tmp_path: Path) -> None:
    """A file that is not there, a folder without lists, an expression that is none."""
    with pytest.raises(ConfigError, match="the list cannot be read: No such file"):
        read_entries("mine", tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="the folder holds no list"):
        read_entries("mine", tmp_path / "empty")
    (tmp_path / "empty/expressions").write_text("(open\n")
    with pytest.raises(ConfigError, match=r"list mine: \(open: an expression cannot be used"):
        packed_lists({"block": {"mine": "empty"}}, tmp_path)


def test_a_list_of_thousands_may_hold_an_odd_line(tmp_path: Path) -> None:
    """One in a thousand that no address can match is passed over; two are not."""
    many = "".join(f"d{number}.example\n" for number in range(1000))
    (tmp_path / "block").write_text(f"{many}so it goes\n")
    assert [entries.count for entries in read_entries("mine", tmp_path / "block")] == [1000]
    (tmp_path / "block").write_text(f"{many}so it goes\nand on\n")
    with pytest.raises(ConfigError, match="block:1001: the entry is no address: so it goes"):
        read_entries("mine", tmp_path / "block")


def test_no_address_takes_long(tmp_path: Path) -> None:
    """Of thousands of levels the fifty that an entry may have are looked up, from the top."""
    lists = opened(tmp_path, mine="a.example/x/x\nb.example\n")
    deep = ("http://a.example/" + "x/" * 4000, "http://" + "a." * 3000 + "b.example/")
    assert listed(lists, *deep) == [("mine", "a.example/x/x", True), ("mine", "b.example", False)]


def test_packed_lists_depend_on_what_they_say_alone(tmp_path: Path) -> None:
    """Order, comments, case and repeats change no byte; another entry does."""
    (tmp_path / "one").write_text("a.example\nb.example/x\n")
    (tmp_path / "two").write_text("# note\nB.example/x/\r\na.example\na.example\n")
    (tmp_path / "other").write_text("a.example\nb.example/y\n")
    one, two, other = (packed_lists({"block": {"mine": name}}, tmp_path) for name in ("one", "two", "other"))
    assert one == two != other


def test_a_large_list_finds_exactly_what_it_holds(tmp_path: Path) -> None:
    """Among 20,000 domains every one is found, by its subdomains too, and none of 20,000 others; ten bytes an entry."""
    chance = random.Random(5)
    names = [f"{chance.randrange(36**5):x}-{number}.example" for number in range(40_000)]
    (tmp_path / "many").write_text("\n".join(names[:20_000]))
    packed = packed_lists({"block": {"many": "many"}}, tmp_path)
    lists = open_lists(packed)["block"]
    found = listed(lists, *(f"http://x{number % 7}.{name}/" for number, name in enumerate(names)))
    assert found == [("many", name, False) for name in names[:20_000]] + [None] * 20_000
    assert len(packed) < 20_000 * 10 + 2_000
    assert bool(np.all(lists.hashes[1:] > lists.hashes[:-1]))
