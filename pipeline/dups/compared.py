"""Clusters as they are shown: members by name and, where asked for, what is different in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from headrace.pipeline.dups.difference import Difference, difference
from headrace.pipeline.dups.members import Cluster, Member, Reader
from headrace.pipeline.dups.texts import Text, Wanted, all_texts, stored_texts, text_elsewhere

_PORTION = 1 << 17  # members whose names are in memory at a time
_TEXTS = 256  # members whose texts are


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
    for cluster, members in reader.members(_TEXTS if diff else _PORTION, most):
        if diff:
            yield _with_differences(reader, cluster, members)
        else:
            text = _survivor_text(reader, cluster) if excerpts else Text(None)
            yield Part(cluster, [Compared(member) for member in members], text)


def _survivor_text(reader: Reader, cluster: Cluster) -> Text:
    """Give the text that is stored of the document that stays."""
    survivor = cluster.survivor
    if cluster.run is not None:
        return text_elsewhere(reader.committed, cluster.run, survivor.doc_id)
    return stored_texts(reader.committed, [Wanted(survivor)])[survivor.doc_id]


def _with_differences(reader: Reader, cluster: Cluster, members: Sequence[Member]) -> Part:
    wanted = [Wanted(member, cluster.stage) for member in members]
    if cluster.run is None:
        wanted.append(Wanted(cluster.survivor, cluster.stage))
    texts = all_texts(reader.committed, wanted)
    text = _survivor_text(reader, cluster) if cluster.run else texts[cluster.survivor.doc_id]
    return Part(cluster, [_beside(text, member, texts[member.doc_id]) for member in members], text)


def _beside(kept: Text, member: Member, text: Text) -> Compared:
    if text.text is None:
        return Compared(member, why=text.why)
    if kept.text is None:
        return Compared(member, why=f"of the one that stays: {kept.why}")
    return Compared(member, difference(kept.text, text.text))
