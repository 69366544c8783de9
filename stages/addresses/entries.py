"""Lists of domains and pages, as people keep them: one entry a line, hosts files, folders in the layout of UT1."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from headrace.schemas.errors import ConfigError
from headrace.stages.addresses.canonical import canonical, host_of
from headrace.stages.addresses.parameters import Unwanted
from headrace.stages.list_files import list_lines

LAYOUT = ("domains", "urls", "expressions")  # the files of a category, any of them
_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9_-]+)*\.[a-z][a-z0-9-]*")  # nothing to do: spelled as canonical
_HOSTS = re.compile(r"(?:0\.0\.0\.0|127\.0\.0\.1|255\.255\.255\.255|::1?|fe80::1%lo0|ff0[0-2]::[0-3]?)[ \t]+(\S.*)")
_LOCAL = frozenset(("localhost", "localhost.localdomain", "local", "broadcasthost", "0.0.0.0"))  # noqa: S104  # a name
_ADBLOCK = ("||", "|", "!", "[Adblock", "@@", "##", "/^")
_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\]")  # `1,a.example` of a table of ranks is none
_NOTHING = Unwanted(())
_ODD = 1000  # entries for one line that is none


@dataclass(slots=True)
class Entries:
    """What one list names. Pages are host and beginning of a path, without scheme and `www.`."""

    name: str
    hosts: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    expressions: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Count the entries."""
        return len(self.hosts) + len(self.pages) + len(self.expressions)


def read_entries(name: str, path: Path) -> list[Entries]:
    """Read a list from a file, a category from a folder, all categories from a folder of such.

    ConfigError for what is missing, empty, in another encoding than UTF-8, or written as rules for ad blockers.
    """
    if not path.is_dir():
        return [_checked(_from_files(name, {"list": path}), path)]
    files = {part: path / part for part in LAYOUT if (path / part).is_file()}
    if files:
        return [_checked(_from_files(name, files), path)]
    inner = sorted(folder for folder in path.iterdir() if any((folder / part).is_file() for part in LAYOUT))
    found = [entries for folder in inner for entries in read_entries(f"{name}/{folder.name}", folder)]
    if not found:
        remedy = f"name a file, or a folder with files called {', '.join(LAYOUT)}, or a folder of such folders"
        raise ConfigError("the folder holds no list", where=str(path), remedy=remedy)
    return found


def _checked(entries: Entries, path: Path) -> Entries:
    if entries.count:
        return entries
    why = "a list without an entry would block nothing, or allow nothing"
    raise ConfigError("the list is empty", where=str(path), why=why, remedy="fill it, or leave it out")


def _from_files(name: str, files: dict[str, Path]) -> Entries:
    entries = Entries(name)
    odd: list[tuple[str, str]] = []
    for part, path in files.items():
        if part == "expressions":
            entries.expressions.extend(line for _, line in list_lines(path))
            continue
        for number, line in list_lines(path):
            if _PLAIN.fullmatch(line):
                entries.hosts.append(line)
            elif not _added(entries, line, where := f"{path}:{number}"):
                odd.append((where, line))
    _check_odd(odd, entries.count)
    return entries


def _check_odd(odd: list[tuple[str, str]], count: int) -> None:
    """Refuse lines that are no address, but for the few that a list of thousands always has: nothing can match them."""
    if len(odd) * _ODD > count:
        where, line = odd[0]
        remedy = "write a domain, a URL or the beginning of one, without * but for a leading `*.`; # begins a comment"
        raise ConfigError("the entry is no address", where=where, why=line[:80], remedy=remedy)


def _added(entries: Entries, line: str, where: str) -> bool:
    """Take an entry; False if it is none."""
    if line.startswith(_ADBLOCK) or line.endswith("^"):
        remedy = "use the list's form as plain domains or as a hosts file"
        raise ConfigError("rules for ad blockers are not read", where=where, why=line[:80], remedy=remedy)
    hosts = _HOSTS.fullmatch(line)
    if hosts:
        entries.hosts += [host for name in hosts[1].split() if name not in _LOCAL and (host := host_of(name))]
        return True
    entry = line.removeprefix("*.").lstrip(".")
    address = canonical(entry if "://" in entry else f"http://{entry}", _NOTHING)
    if address is None or "*" in entry or not _HOST.fullmatch(address.host):
        return False
    if "#" in address.page:
        entries.pages.append(address.page)
    elif address.rest == "/":
        entries.hosts.append(address.host)
    else:
        entries.pages.append(f"{address.site}{address.rest}".rstrip("/"))
    return True
