"""Clusters as they are shown: members by name and, where asked for, what is different in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from headrace.pipeline.dups.difference import Difference, difference
from headrace.pipeline.dups.members import Cluster, Member, Reader
from headrace.pipeline.dups.texts import Elsewhere, Text, Wanted, all_texts, stored_texts, texts_elsewhere

_PORTION = 1 << 17  # members whose names are in memory at a time
_TEXTS = 256  # members whose texts are

_Named: TypeAlias = tuple[Cluster, Sequence[Member]]


@dataclass(frozen=True, slots=True)
class Compared:
    """A member beside the document that stays; `why` says why there is no difference, "" where none was asked for."""

    member: Member
    difference: Difference | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A cluster with some of its members, one behind the other; `text` is that of the document that stays."""

    cluster: Cluster
    members: Sequence[Compared]
    text: Text = field(default=Text(None))


def compared(reader: Reader, most: int | None, *, diff: bool, excerpts: bool) -> Iterator[Part]:
    """Give the clusters of a reader part by part, with at most `most` members each."""
    for portion in _portions(reader.members(_TEXTS if diff else _PORTION, most)):
        if diff:
            yield from _with_differences(reader, portion)
            continue
        texts = _survivor_texts(reader, portion) if excerpts else {}
        for cluster, members in portion:
            yield Part(cluster, [Compared(member) for member in members], texts.get(cluster.number, Text(None)))


def _portions(parts: Iterator[_Named]) -> Iterator[list[_Named]]:
    """Put clusters together whose texts are looked up at a time: a shard has texts of many."""
    portion: list[_Named] = []
    for part in parts:
        portion.append(part)
        if sum(len(members) for _, members in portion) >= _TEXTS:
            yield portion
            portion = []
    if portion:
        yield portion


def _survivor_texts(reader: Reader, portion: Sequence[_Named]) -> dict[int, Text]:
    """Give the texts that are stored of the documents that stay, by the numbers of their clusters."""
    clusters = [cluster for cluster, _ in portion]
    own = stored_texts(reader.committed, [Wanted(c.survivor) for c in clusters if c.run is None])
    return {c.number: own[c.survivor.doc_id] for c in clusters if c.run is None} | _elsewhere(reader, portion)


def _elsewhere(reader: Reader, portion: Sequence[_Named]) -> dict[int, Text]:
    """Give the texts of those that stay in earlier runs, by the numbers of their clusters."""
    there = {c.number: Elsewhere(c.run, c.survivor.doc_id) for c, _ in portion if c.run is not None}
    texts = texts_elsewhere(reader.committed, there.values())
    return {number: texts[named] for number, named in there.items()}


def _with_differences(reader: Reader, portion: Sequence[_Named]) -> Iterator[Part]:
    wanted = [Wanted(member, cluster.stage) for cluster, members in portion for member in members]
    wanted += [Wanted(cluster.survivor, cluster.stage) for cluster, _ in portion if cluster.run is None]
    texts, elsewhere = all_texts(reader.committed, wanted), _elsewhere(reader, portion)
    for cluster, members in portion:
        text = texts[cluster.survivor.doc_id] if cluster.run is None else elsewhere[cluster.number]
        yield Part(cluster, [_beside(text, member, texts[member.doc_id]) for member in members], text)


def _beside(kept: Text, member: Member, text: Text) -> Compared:
    if text.text is None:
        return Compared(member, why=text.why)
    if kept.text is None:
        return Compared(member, why=f"of the one that stays: {kept.why}")
    return Compared(member, difference(kept.text, text.text))
