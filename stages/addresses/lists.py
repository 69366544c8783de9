"""Lists of addresses, packed: sorted hashes of all entries, which every worker maps into its memory and bisects.

Memory and size: 10 bytes an entry (a 64-bit hash and the number of its list), 50 MB for 5 million, shared by the
workers of a machine. The entries themselves are not kept: what matched is a part of the address that is looked up.
Hashes meet by chance: among 5 million entries one look-up in 3.7 * 10^12 finds what is not there.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
import orjson
import pyarrow as pa
import pyarrow.compute as pc
from xxhash import xxh3_64_intdigest

from headrace.schemas.arrays import Column, Hashes
from headrace.schemas.errors import ConfigError, FormatError
from headrace.stages.addresses.canonical import Address
from headrace.stages.addresses.entries import Entries, read_entries

_KEY = b"headrace.address.lists"
_VERSION = 1
_DEEPEST = 50  # levels of a path and of a domain that an entry may have, so that no address takes long
_BORDER = re.compile(r"[/?&]")
Numbers = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Listed:
    """Which list an address is on, and by which entry of it."""

    name: str
    entry: str
    page: bool  # the entry is more than a domain: the beginning of a URL, or an expression


@dataclass(frozen=True, slots=True)
class AddressLists:
    """Some lists, ready to be asked. Where several name an address, the entry that says most about it is given."""

    names: tuple[str, ...]
    hashes: Hashes  # sorted
    owners: Numbers  # the list of each
    expressions: tuple[tuple[str, str], ...]  # list and pattern

    def listed(self, addresses: Sequence[Address | None]) -> list[Listed | None]:
        """Say of each address which list it is on."""
        found: list[Listed | None] = [None] * len(addresses)
        rows, probes = _probes(addresses)
        keys = _hashes(probes)
        places = np.searchsorted(self.hashes, keys)
        if not len(self.hashes):
            hits = np.zeros(0, np.int64)
        else:
            hits = np.flatnonzero(self.hashes[np.minimum(places, len(self.hashes) - 1)] == keys)
        for hit in hits[::-1]:  # the first probe of a row is the one that says most
            found[rows[hit]] = Listed(self.names[self.owners[places[hit]]], probes[hit], page="/" in probes[hit])
        self._match(addresses, found)
        return found

    def _match(self, addresses: Sequence[Address | None], found: list[Listed | None]) -> None:
        if not self.expressions:
            return
        urls = pa.array([address.url if address and address.host else None for address in addresses], pa.string())
        for name, pattern in self.expressions:
            for row in pc.indices_nonzero(matches(urls, pattern)).to_numpy():
                found[row] = found[row] or Listed(name, pattern, page=True)


def packed_lists(roles: Mapping[str, Mapping[str, str]], base: Path) -> bytes:
    """Read lists, by role and name, and give them as bytes for `open_lists`; the order of lines is no matter."""
    out = io.BytesIO()
    schema = pa.schema([pa.field("hash", pa.uint64()), pa.field("owner", pa.uint16())])
    read = {
        role: [entries for name, path in files.items() for entries in read_entries(name, base / path)]
        for role, files in roles.items()
    }
    about = {
        role: {"names": [e.name for e in lists], "expressions": _checked_expressions(lists)}
        for role, lists in read.items()
    }
    told = orjson.dumps({"version": _VERSION, "roles": about})
    with pa.ipc.new_file(out, schema.with_metadata({_KEY: told})) as writer:
        for lists in read.values():
            writer.write_batch(pa.record_batch(list(_table(lists)), schema=schema))
    return out.getvalue()


def open_lists(file: Path | bytes) -> dict[str, AddressLists]:
    """Map packed lists into memory, by role."""
    source = pa.memory_map(str(file)) if isinstance(file, Path) else pa.BufferReader(file)
    with pa.ipc.open_file(source) as reader:
        about = orjson.loads((reader.schema.metadata or {}).get(_KEY, b"{}"))
        if about.get("version") != _VERSION:
            why = f"this Headrace reads version {_VERSION}"
            raise FormatError("not packed lists of addresses", where=str(file)[:200], why=why, remedy="use --fresh")
        batches = [reader.get_batch(number) for number in range(reader.num_record_batches)]
    return {
        role: AddressLists(
            tuple(known["names"]),
            batch["hash"].to_numpy(),
            batch["owner"].to_numpy(),
            tuple((name, pattern) for name, pattern in known["expressions"]),
        )
        for (role, known), batch in zip(about["roles"].items(), batches, strict=True)
    }


def matches(urls: Column, pattern: str) -> Column:
    """Search a regular expression in each URL, by RE2, whose time is bounded; capitals are no matter."""
    found: Column = pc.match_substring_regex(urls, pattern, ignore_case=True)
    return found


def _checked_expressions(lists: Sequence[Entries]) -> list[tuple[str, str]]:
    pairs = [(entries.name, pattern) for entries in lists for pattern in entries.expressions]
    nothing = pa.array([""], pa.string())
    for name, pattern in pairs:
        try:
            matches(nothing, pattern)
        except pa.ArrowInvalid as error:
            why = str(error).partition("\n")[0]
            remedy = "write it for RE2: no look-around, no references back"
            raise ConfigError(
                "an expression cannot be used", where=f"list {name}: {pattern}", why=why, remedy=remedy
            ) from error
    return pairs


def _table(lists: Sequence[Entries]) -> tuple[Hashes, Numbers]:
    """Give the hashes of all entries, sorted, each once, and the first list that holds each."""
    if len(lists) > np.iinfo(np.uint16).max:
        raise ConfigError(f"{len(lists)} lists are too many", where="urls", remedy="join some to 65,535")
    parts = [_hashes([*entries.hosts, *entries.pages]) for entries in lists]
    owners = np.repeat(np.arange(len(lists), dtype=np.uint16), [len(part) for part in parts])
    hashes, first = np.unique(np.concatenate([np.zeros(0, np.uint64), *parts]), return_index=True)
    return hashes, owners[first]


def _hashes(texts: Sequence[str]) -> Hashes:
    return np.fromiter(map(xxh3_64_intdigest, map(str.encode, texts)), np.uint64, len(texts))


def _probes(addresses: Sequence[Address | None]) -> tuple[list[int], list[str]]:
    """Give what is looked up for each address, longest first: pages above it, its host, the domains above that."""
    rows: list[int] = []
    probes: list[str] = []
    for row, address in enumerate(addresses):
        if address is None or not address.host:
            continue
        own = [*_pages(address), *_domains(address)]
        probes += own
        rows += [row] * len(own)
    return rows, probes


def _pages(address: Address) -> list[str]:
    """Give the page and those above it: the borders are / ? and &; before them the page with what `#!` names."""
    whole = f"{address.site}{address.rest}"
    ends = [border.start() for border in islice(_BORDER.finditer(whole, len(address.site) + 1), _DEEPEST)]
    fragment = [address.page] if "#" in address.page else []
    return [*fragment, whole.rstrip("/"), *(whole[:end] for end in reversed(ends) if whole[end - 1] != "/")]


def _domains(address: Address) -> list[str]:
    """Give the host and the domains above it; an entry www.a.com is meant for a.com as well."""
    labels = address.host.split(".")
    numeric = labels[-1].isdigit() or address.host.startswith("[")
    above = [] if numeric else [".".join(labels[i:]) for i in range(max(1, len(labels) - _DEEPEST), len(labels))]
    return [address.host, *above] if labels[0] == "www" else [address.host, f"www.{address.host}", *above]
