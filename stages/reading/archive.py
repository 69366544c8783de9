"""Tar and zip archives: each member is content of its own; a damaged one costs only itself where that is possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import xxhash

from headrace.schemas.source import Source
from headrace.stages.reading.bounded import Bounded
from headrace.stages.reading.content import Content, unpacked
from headrace.stages.reading.part import BEGINNING, FILE_COST, Fault, Position, Records, Stretch
from headrace.stages.reading.stream import ByteStream, StreamFaultError

FLOOR = 4 << 20  # bytes that a compressed member may unpack to: archives hold many, so it is less than for a file


@dataclass(frozen=True, slots=True)
class Entry:
    """What an archive holds at one place: a member, or a fault (of the archive itself where there is no name)."""

    name: str | None
    stream: ByteStream | None = None
    size: int = 0  # of the member
    fault: StreamFaultError | None = None
    offset: int = 0  # of the archive's own faults


class Members(Protocol):
    """The members of one archive, in order; what is no file (directories, links) is only counted."""

    counts: Counter[str]

    def next(self) -> Entry | None:
        """Give what comes next; the member before it may have been read to any place. None at the end."""
        ...


class Opened(Protocol):
    """A member that is being read."""

    def read(self, budget: int) -> Stretch:
        """Give the next records."""
        ...

    def close(self) -> None:
        """Release the member."""
        ...


OpenMember = Callable[[Content, Source, Position], Opened]


class ArchiveFile:
    """An archive that is read from a place in one of its members onwards.

    Whatever was read before, the members in front are passed over by their headers, so that names are counted alike.
    """

    def __init__(
        self, content: Content, members: Members, source: Source, place: Position, open_member: OpenMember
    ) -> None:
        self._content, self._members, self._source, self._open_member = content, members, source, open_member
        self._names = _Names()
        self._entry: Entry | None = None
        self._ordinal = -1
        for _ in range(place.member + 1):
            self._advance()
        if place != BEGINNING:
            members.counts.clear()
        self._place = Position(place.offset, 0, place.line)
        self._member: Opened | None = None

    def read(self, budget: int) -> Stretch:
        """Give the records of the next members, or of a part of one."""
        records: list[Records] = []
        faults: list[Fault] = []
        size = 0
        while self._entry is not None and size < budget:
            self._member = self._member or self._opened(self._entry)
            stretch = self._member.read(budget - size)
            records.extend(r for r in stretch.records if len(r.data))
            faults.extend(stretch.faults)
            size += max(stretch.size, FILE_COST)
            self._members.counts.update(stretch.counts)
            nothing = not (stretch.gave or stretch.faults or stretch.counts)
            if stretch.next is None and self._place == BEGINNING and nothing:
                self._members.counts["empty"] += 1
            self._go_on(stretch.next)
        counts = dict(sorted(self._members.counts.items()))
        self._members.counts.clear()
        return Stretch(self._content.path, tuple(records), tuple(faults), self._following(), size, counts)

    def close(self) -> None:
        """Release the archive."""
        self._content.close()

    def _following(self) -> Position | None:
        return None if self._entry is None else Position(self._place.offset, self._ordinal, self._place.line)

    def _go_on(self, following: Position | None) -> None:
        if following is not None:
            self._place = following
            return
        if self._member:
            self._member.close()
        self._member, self._place = None, BEGINNING
        self._advance()

    def _advance(self) -> None:
        """Go to the next entry, under a name that no other has."""
        entry = self._members.next()
        self._ordinal += 1
        most = self._source.max_members
        if entry is not None and entry.name is not None:
            entry = Entry(self._names.unique(entry.name), entry.stream, entry.size, entry.fault)
        if entry is not None and self._ordinal >= most and not _is_last_word(entry):
            detail = f"only the first {most} members are read (the source's max_members)"
            fault = StreamFaultError("too_many_members", detail, self._ordinal + 1, most)
            entry = Entry(None, fault=fault, offset=self._content.offset) if self._ordinal == most else None
        self._entry = entry

    def _opened(self, entry: Entry) -> Opened:
        if entry.stream is None or entry.fault is not None:
            return _Refused(self._fault(entry, entry.fault or StreamFaultError("corrupt", "it cannot be opened")))
        most = self._source.max_member_bytes
        large = StreamFaultError("member_too_large", "larger than the source's max_member_bytes", most + 1, most)
        try:
            stream = Bounded(unpacked(entry.stream, entry.size, FLOOR, self._source), most, large)
        except StreamFaultError as fault:
            return _Refused(self._fault(entry, fault))
        content = Content(self._content.path, stream, self._source, member=entry.name)
        return self._open_member(content, self._source, self._place)

    def _fault(self, entry: Entry, fault: StreamFaultError) -> Fault:
        path, offset = self._content.path, entry.offset
        return Fault(path, offset, fault.reason, fault.detail, fault.value, fault.threshold, entry.name)


def _is_last_word(entry: Entry) -> bool:
    """Say whether an entry says itself that too many follow: a zip knows how many."""
    return entry.fault is not None and entry.fault.reason == "too_many_members"


class _Refused:
    """A member that gives nothing but the reason why."""

    def __init__(self, fault: Fault) -> None:
        self._fault = fault

    def read(self, budget: int) -> Stretch:
        del budget
        return Stretch(self._fault.path, (), (self._fault,), None, 0)

    def close(self) -> None:
        pass


class _Names:
    """The names that an archive used so far, by digest: an archive may hold several members of one name."""

    def __init__(self) -> None:
        self._used: set[int] = set()

    def unique(self, name: str) -> str:
        """Give the name, with a number in front of its endings where it was used before."""
        candidate, number = name, 1
        folder, slash, last = name.rpartition("/")
        stem, dot, endings = last[1:].partition(".")
        while (digest := xxhash.xxh3_64_intdigest(candidate.encode())) in self._used:
            number += 1
            candidate = f"{folder}{slash}{last[:1]}{stem} ({number}){dot}{endings}"
        self._used.add(digest)
        return candidate
