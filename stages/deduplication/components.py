"""Which documents belong together, and which of them stays: the two policies that look at all before they judge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headrace.schemas.arrays import Classes, Counts, Flags, Floats, Signatures, read_only
from headrace.schemas.errors import HeadraceError
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.scratch import Scratch
from headrace.stages.deduplication.telling import Tell, told, unheard
from headrace.stages.kernels import components as k
from headrace.stages.kernels.band_index import EXACT, NEAR
from headrace.stages.kernels.entries import Entries
from headrace.stages.kernels.sorted_postings import frozen


@dataclass(frozen=True, slots=True)
class Components:
    """Which documents are tied to each other; all numbers are documents in unit order."""

    twins: Counts  # each document's first twin: what is equal counts once
    firsts: Counts  # the first document of each one's component
    ties: tuple[Counts, Counts, Floats]  # pairs of first twins that hold the components together
    first_seen: Flags | None  # what would stay by `first_seen`, where that is asked for


@dataclass(frozen=True, slots=True)
class Dropped:
    """The documents that go, in order: why, for whom, how similar they are, and to whom (-1: to the survivor)."""

    documents: Counts
    fates: Classes
    survivors: Counts
    similarities: Floats
    ways: Counts


_NONE = read_only(np.zeros(0, np.int64))
NOTHING = Dropped(_NONE, read_only(np.zeros(0, np.uint8)), _NONE, read_only(np.zeros(0)), _NONE)


def components(known: Entries, rules: Rules, scratch: Scratch, *, compare: bool, tell: Tell = unheard) -> Components:
    """Tie every two documents whose views are equal or that share a band and are at least as similar as the threshold.

    A tie that joins nothing new is left out. In memory: at most 120 bytes a document, 40 of them in the result; in
    `scratch`, with `compare`, 12 more for each band. HeadraceError where there are more documents than can be numbered.
    """
    if len(known.signed) >= k.ALONE:
        raise HeadraceError(
            "too many documents to look at all of them at once",
            where="dedup",
            why=f"there are {len(known.signed):,}, and up to {k.ALONE - 1:,} can be numbered",
            remedy="use `keep: first_seen`, or run over parts of the input, each `against` those before it",
        )
    known = frozen(known)
    tell("twins", 0, 1)
    prints = k.document_prints(known, rules.policy)
    twins = k.first_twins(np.argsort(prints, kind="stable"), prints, known, rules.policy)
    del prints
    count = len(twins)
    parents = np.arange(count)
    different = np.flatnonzero(twins == parents)
    members = different[known.signed[different]]
    ties = k.Ties(np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count), np.zeros(1, np.int64))
    runs = scratch.array((rules.bands * compare, count), np.uint32)
    runs[:] = k.ALONE
    for band in told(tell, "bands", range(rules.bands)):
        _unite(known, members, parents, ties, rules, band, runs[band : band + 1])
    tied = int(ties.used[0])
    tell("counts and verdicts", 0, 1)
    kept = _first_seen(known, different, runs, rules, scratch) if compare else None
    return Components(
        twins, k.tops(parents, twins), (ties.ones[:tied], ties.others[:tied], ties.similarities[:tied]), kept
    )


def _unite(
    known: Entries, members: Counts, parents: Counts, ties: k.Ties, rules: Rules, band: int, runs: Signatures
) -> None:
    prints = k.band_prints(known, members, band, rules.policy, rules.masks)
    roots = k.tops(parents, members)
    order = np.lexsort((roots, prints))  # stable: equal ones stay in order of their numbers
    members, prints, roots = members[order], prints[order], roots[order]
    k.unite(members, prints, roots, known, parents, ties, rules.policy, band)
    if len(runs):
        k.run_begins(members, prints, runs[0])


def _first_seen(known: Entries, members: Counts, runs: Signatures, rules: Rules, scratch: Scratch) -> Flags:
    held, taken = scratch.array(runs.shape, np.uint32), scratch.array(runs.shape, np.uint32)
    return k.first_seen(members, runs, held, taken, known, rules.policy)


def best(firsts: Counts, grades: Floats, authorities: Floats) -> Counts:
    """Give for each document the best of its component: by grade, then by authority, then the first.

    >>> best(np.array([0, 0, 2, 0]), np.array([2.0, 3.0, 1.0, 3.0]), np.array([0.5, 0.5, 0.5, 0.9])).tolist()
    [3, 3, 2, 3]
    """
    order = np.lexsort((np.arange(len(firsts)), -authorities, -grades, firsts))  # each component in a row, best first
    begins = np.flatnonzero(np.diff(firsts[order], prepend=-1))
    stays = np.empty(len(firsts), np.int64)
    stays[firsts[order][begins]] = order[begins]
    return stays[firsts]


def dropped(known: Entries, found: Components, survivors: Counts, rules: Rules) -> Dropped:
    """Say of every document that is not its own survivor how it belongs to it.

    By its own similarity to the survivor, where that is at least the threshold; else by that to the next document on
    the way there, over as few ties as there are. In memory, with the components: at most 150 bytes a document.
    """
    known = frozen(known)
    numbers = np.arange(len(survivors))
    goes = np.flatnonzero(survivors != numbers)
    twins, heads = found.twins, np.flatnonzero(found.twins == numbers)
    direct = np.ones(len(numbers))
    to = twins[survivors[heads]]
    direct[heads] = np.where(to == heads, 1.0, k.similarities(known, heads, to, rules.policy))
    way, tied = _ways(found, heads[direct[heads] >= rules.threshold])
    same = twins[goes] == twins[survivors[goes]]
    near = direct[twins[goes]]
    straight = same | (near >= rules.threshold)
    equal = _equal_views(known, goes, survivors[goes], rules)
    return Dropped(
        goes,
        np.where(equal, EXACT, NEAR).astype(np.uint8),
        survivors[goes],
        np.where(same, 1.0, np.where(straight, near, tied[twins[goes]])),
        np.where(straight, -1, way[twins[goes]]),
    )


def _ways(found: Components, starts: Counts) -> tuple[Counts, Floats]:
    """Give for each first twin the next one on the way to its survivor, and how similar it is to that."""
    ones, others, similarities = found.ties
    froms, neighbours = np.concatenate([ones, others]), np.concatenate([others, ones])
    order = np.argsort(froms, kind="stable")
    begins = np.searchsorted(froms[order], np.arange(len(found.twins) + 1))
    reached = k.ways(starts, begins, neighbours[order])
    way, tied = np.full(len(reached), -1, np.int64), np.zeros(len(reached))
    met = reached >= 0
    ties = order[reached[met]]
    way[met], tied[met] = froms[ties], np.concatenate([similarities, similarities])[ties]
    return way, tied


def _equal_views(known: Entries, ones: Counts, others: Counts, rules: Rules) -> Flags:
    if not rules.exact:
        return np.zeros(len(ones), np.bool_)
    return np.asarray((known.keys[ones] == known.keys[others]).all(axis=1))
