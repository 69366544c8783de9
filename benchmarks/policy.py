"""How fast documents are held against policies: addresses against a long list, words of lists, statements on licences.

Seconds are those of one core. The list's domains and the addresses are made; one address in a hundred is on the list,
and all of these, and no other, must be found before anything is timed.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from benchmarks import text
from benchmarks.harness import Benchmark, Measured, Scale, Target, progress, scratch
from benchmarks.pii import len_utf8, take, units

from headrace.stages.addresses.canonical import canonical
from headrace.stages.addresses.lists import AddressLists, open_lists, packed_lists
from headrace.stages.addresses.parameters import SESSIONS, TRACKING, Unwanted
from headrace.stages.rights import Rights
from headrace.stages.wordlists.options import WordList
from headrace.stages.words import Words

TARGETS = {
    "entries_packed_s": Target(500_000, 1_000_000),
    "bytes_an_entry": Target(12, 10.1),
    "addresses_spelled_s": Target(50_000, 150_000),
    "addresses_looked_up_s": Target(50_000, 100_000),
    "words_mb_s": Target(20, 50),
    "words_parted_mb_s": Target(10, 30),
    "rights_mb_s": Target(20, 50),
}
_LISTED = 100  # one address in so many
_NO_COPIES = text.Shape(exact=0, near=0)


@dataclass(frozen=True, slots=True)
class Size:
    """Entries of the list, addresses, words of the list, bytes of text of each language, and rounds."""

    entries: int
    addresses: int
    words: int
    bytes: int
    rounds: int


SIZES: dict[Scale, Size] = {
    "full": Size(5_000_000, 200_000, 5_000, 8_000_000, 5),
    "quick": Size(500_000, 50_000, 5_000, 2_000_000, 3),
    "tiny": Size(2_000, 500, 50, 100_000, 1),
}


def measure(scale: Scale, seed: int) -> Measured:
    """Time the list, the addresses, then the stages over text of both languages."""
    size = SIZES[scale]
    with scratch() as folder:
        progress("addresses ...")
        figures = addresses(folder, size, random.Random(seed))
        progress("words and rights ...")
        texts = [
            *take(text.documents("en", seed, _NO_COPIES), size.bytes),
            *take(text.documents("zh", seed, _NO_COPIES), size.bytes),
        ]
        figures |= stages(folder, texts, size, random.Random(seed))
    return Measured(figures, {"entries": size.entries, "addresses": size.addresses, "rounds": size.rounds})


def addresses(folder: Path, size: Size, chance: random.Random) -> dict[str, float]:
    """Pack a list, spell addresses, and look them up."""
    domains = [f"{chance.randrange(36**6):x}-{number:x}.example" for number in range(size.entries)]
    (folder / "block").write_text("\n".join(domains), encoding="utf-8")
    start = time.process_time()
    packed = packed_lists({"block": {"block": "block"}}, folder)
    packing = time.process_time() - start
    lists = open_lists(packed)["block"]
    urls = [
        f"https://www.{domains[n] if n % _LISTED == 0 else f'site{n % 977}.test'}/a/{n}.html?b={n}&utm_source=x"
        for n in range(size.addresses)
    ]
    unwanted = Unwanted((*TRACKING, *SESSIONS))
    spelled = [canonical(url, unwanted) for url in urls]
    check_found(lists, urls, unwanted)
    return {
        "entries_packed_s": size.entries / packing,
        "bytes_an_entry": len(packed) / size.entries,
        "addresses_spelled_s": len(urls) / best(lambda: [canonical(url, unwanted) for url in urls], size.rounds),
        "addresses_looked_up_s": len(urls) / best(lambda: lists.listed(spelled), size.rounds),
    }


def check_found(lists: AddressLists, urls: Sequence[str], unwanted: Unwanted) -> None:
    """Raise unless just the addresses that are on the list are found."""
    found = [hit is not None for hit in lists.listed([canonical(url, unwanted) for url in urls])]
    if found != [number % _LISTED == 0 for number in range(len(urls))]:
        raise SystemExit("the list finds other addresses than those that are on it")


def stages(folder: Path, texts: Sequence[str], size: Size, chance: random.Random) -> dict[str, float]:
    """Time `words`, with words out of the texts, and `rights`."""
    starts = [(one := chance.choice(texts), chance.randrange(max(1, len(one) - 8))) for _ in range(size.words)]
    words = {"".join(one[at : at + chance.randrange(5, 9)].split()) for one, at in starts} - {""}
    (folder / "words").write_text("\n".join(sorted(words)), encoding="utf-8")
    lists = {"mine": WordList(file=str(folder / "words"))}
    tables, mb = units(texts), sum(map(len_utf8, texts)) / 1e6

    def speed(process: Callable[[pa.Table], pa.Table]) -> float:
        process(tables[0].slice(0, 1))  # compiles the kernels and builds the automaton
        return mb / best(lambda: [process(table) for table in tables], size.rounds)

    return {
        "words_mb_s": speed(Words(lists=lists).process),
        "words_parted_mb_s": speed(Words(lists=lists, parted=True).process),
        "rights_mb_s": speed(Rights().process),
    }


def best(work: Callable[[], object], rounds: int) -> float:
    """Give the least seconds of a core that some work takes."""
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


BENCHMARK = Benchmark("policy", "Addresses, words and rights, in a second of one core", TARGETS, measure)

if __name__ == "__main__":
    BENCHMARK.command()
