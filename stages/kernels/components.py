"""Who belongs together, of all documents at once: those that share a band and are near enough, and so on from each.

Documents are numbered in unit order. Those that nothing tells apart (twins: equal signatures, and equal sets where
these decide) count as one, the first of them, so that a band that 100,000 of them share costs no square. A pair that is
in one component already is not measured.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.schemas.arrays import Counts, Flags, Floats, Hashes, Signatures
from headrace.schemas.compiled import kernel, lean, part
from headrace.stages.kernels.band_index import meets, same_key
from headrace.stages.kernels.entries import SIGNATURE, Entries, Policy
from headrace.stages.kernels.likeness import likeness, same_band, whole
from headrace.stages.kernels.mixing import mix64, rolled

_SCREEN = 16  # values of a cache line
ALONE = (1 << 32) - 1  # in `begins`: nobody else has this band


class Ties(NamedTuple):
    """Pairs that united two components, and how similar they are; `used[0]` rows are taken."""

    ones: Counts
    others: Counts
    similarities: Floats
    used: Counts


@kernel
def document_prints(known: Entries, policy: Policy) -> Hashes:
    """Hash what makes documents twins: the signature and the set, or, where there is no signature, the key."""
    prints = np.empty(len(known.signed), np.uint64)
    for document in range(len(prints)):
        value = np.uint64(document)
        if known.signed[document]:
            value = np.uint64(1)
            for slot in range(known.signatures.shape[1]):
                value = rolled(value, np.uint64(known.signatures[document, slot]))
            for at in range(known.ends[document], known.ends[document + 1]):
                value = rolled(value, known.sets[at])
        elif policy.exact:
            value = known.keys[document, 0]
        prints[document] = mix64(value)
    return prints


@part
def twins(known: Entries, one: int, other: int, policy: Policy) -> bool:
    """Tell whether nothing tells two documents apart."""
    if known.signed[one] != known.signed[other]:
        return False
    if not known.signed[one]:
        return policy.exact and same_key(known, one, known, other)
    if not same_band(known.signatures[one], known.signatures[other], 0, known.signatures.shape[1]):
        return False
    begin, size = known.ends[one], known.ends[one + 1] - known.ends[one]
    shift = known.ends[other] - begin
    same: bool = size == known.ends[other + 1] - known.ends[other]
    at = begin
    while same and at < begin + size:
        same = known.sets[at] == known.sets[at + shift]
        at += 1
    return same


@kernel
def first_twins(order: Counts, prints: Hashes, known: Entries, policy: Policy) -> Counts:
    """Give each document's first twin, often itself; `order` sorts the prints, equal ones by number."""
    firsts = np.arange(len(order))
    begin = 0
    for place in range(1, len(order)):
        document = order[place]
        if prints[document] != prints[order[place - 1]]:
            begin = place
        at = begin
        while at < place and not (firsts[order[at]] == order[at] and twins(known, order[at], document, policy)):
            at += 1
        firsts[document] = order[at]
    return firsts


@kernel
def band_prints(known: Entries, members: Counts, band: int, policy: Policy, masks: Hashes) -> Hashes:
    """Hash one band of some documents."""
    prints = np.empty(len(members), np.uint64)
    for place in range(len(members)):
        signature = known.signatures[members[place]]
        value = np.uint64(band + 1)
        if policy.bits:
            value = whole(signature) & masks[band]
        for slot in range(band * policy.rows, (band + 1) * policy.rows):
            value = rolled(value, np.uint64(signature[slot]))
        prints[place] = mix64(value)
    return prints


@part
def top(parents: Counts, document: int) -> int:
    """Give the first document of a component, and shorten the way to it."""
    while parents[document] != document:
        parents[document] = parents[parents[document]]
        document = parents[document]
    return document


@kernel
def tops(parents: Counts, members: Counts) -> Counts:
    """Give the first document of each one's component."""
    found = np.empty(len(members), np.int64)
    for place in range(len(members)):
        found[place] = top(parents, members[place])
    return found


@part
def near(known: Entries, one: int, other: int, band: int, policy: Policy) -> float:
    """Give the similarity of two documents that were found together in a band; -1 where it does not count.

    It is measured first: that ends early where two are unlike.
    """
    similarity = likeness(known, one, known, other, policy, policy.threshold)
    if similarity < policy.threshold or not meets(known.signatures[one], known.signatures[other], band, policy):
        return -1.0
    return similarity


@lean
def far(signatures: Signatures, one: int, other: int, least: float) -> bool:
    """Tell whether fewer than `least` pieces of two signatures are equal."""
    slots = signatures.shape[1]
    equal, end = 0, min(_SCREEN, slots)
    for slot in range(end):
        equal += int(signatures[one, slot] == signatures[other, slot])
    while end < slots and equal + slots - end >= least:
        equal += int(signatures[one, end] == signatures[other, end])
        end += 1
    short: bool = equal + slots - end < least
    return short


@part
def tie(
    members: Counts, group: int, group_end: int, begin: int, end: int, known: Entries, policy: Policy, band: int
) -> tuple[int, int, float]:
    """Give the first pair of two groups of members that is near enough; a similarity of -1 where none is."""
    for at in range(group, group_end):
        for place in range(begin, end):
            similarity = near(known, members[at], members[place], band, policy)
            if similarity >= policy.threshold:
                return members[at], members[place], similarity
    return -1, -1, -1.0


class Groups(NamedTuple):
    """The members of a run by groups, a component each as it was before; a group is the place of its first member.

    Groups that were united since are a chain: `parts` has the first of each, `following` the next one (-1: none).
    """

    ends: Counts
    following: Counts
    tails: Counts  # of a chain, at its first group
    parts: Counts


@part
def united(
    members: Counts,
    groups: Groups,
    chain: int,
    group: int,
    known: Entries,
    parents: Counts,
    ties: Ties,
    policy: Policy,
    band: int,
) -> bool:
    """Unite a group with a chain of groups if a pair of theirs is near enough; tell whether it is."""
    ends = groups.ends
    one = -1
    while chain >= 0 and one < 0:
        one, other, similarity = tie(members, chain, ends[chain], group, ends[group], known, policy, band)
        chain = groups.following[chain]
    if one < 0:
        return False
    row = ties.used[0]
    ties.ones[row], ties.others[row], ties.similarities[row] = one, other, similarity
    ties.used[0] = row + 1
    first, second = top(parents, one), top(parents, other)
    parents[max(first, second)] = min(first, second)
    return True


@part
def join(groups: Groups, chain: int, other: int) -> int:
    """Hang one chain on another and give it."""
    groups.following[groups.tails[chain]] = other
    groups.tails[chain] = groups.tails[other]
    return chain


@part
def unite_run(
    members: Counts,
    roots: Counts,
    groups: Groups,
    begin: int,
    end: int,
    known: Entries,
    parents: Counts,
    ties: Ties,
    policy: Policy,
    band: int,
) -> None:
    """Unite the components that meet in one run of equal prints: each group with the chains of those before it.

    Two single documents that are far apart are passed over before anything is called for them.
    """
    count, at = 0, begin
    signatures, following, ends, parts = known.signatures, groups.following, groups.ends, groups.parts
    least = policy.threshold * signatures.shape[1] - 0.5  # `near` decides where it is close
    if policy.by != SIGNATURE or policy.bits or policy.width > 1:
        least = 0.0
    while at < end:
        groups.ends[at] = at + 1
        while groups.ends[at] < end and roots[groups.ends[at]] == roots[at]:
            groups.ends[at] += 1
        groups.following[at], groups.tails[at] = -1, at
        mine, place = at, 0
        while place < count:
            chain = parts[place]
            single = following[chain] < 0 and ends[chain] == chain + 1 and ends[at] == at + 1
            passed = single and far(signatures, members[chain], members[at], least)
            if passed or not united(members, groups, chain, at, known, parents, ties, policy, band):
                place += 1
            elif mine == at:
                mine = join(groups, chain, at)
                place += 1
            else:
                join(groups, mine, chain)
                count -= 1
                groups.parts[place] = groups.parts[count]
        if mine == at:
            groups.parts[count] = at
            count += 1
        at = groups.ends[at]


@kernel
def unite(
    members: Counts,
    prints: Hashes,
    roots: Counts,
    known: Entries,
    parents: Counts,
    ties: Ties,
    policy: Policy,
    band: int,
) -> None:
    """Unite components whose documents share a band and are near enough, in `parents`.

    `members` are sorted by print, then by the first document of their component (`roots`), then by number.
    """
    size = len(members)
    groups = Groups(
        np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    )
    begin = 0
    while begin < len(members):
        end = begin + 1
        while end < len(members) and prints[end] == prints[begin]:
            end += 1
        if roots[begin] != roots[end - 1]:
            unite_run(members, roots, groups, begin, end, known, parents, ties, policy, band)
        begin = end


@kernel
def run_begins(members: Counts, prints: Hashes, begins: Signatures) -> None:
    """Write where the run of each member's print begins, for those that are not alone in it."""
    begin = 0
    for place in range(len(members)):
        if place and prints[place] != prints[place - 1]:
            begin = place
        alone = place + 1 == len(members) or prints[place + 1] != prints[place]
        begins[members[place]] = ALONE if alone and begin == place else begin


@part
def repeats(
    begins: Signatures, held: Signatures, taken: Signatures, known: Entries, document: int, policy: Policy
) -> bool:
    """Tell whether a document is near enough to a kept one."""
    for band in range(policy.bands):
        begin = begins[band, document]
        if begin == ALONE:
            continue
        for place in range(begin, begin + taken[band, begin]):
            if near(known, held[band, place], document, band, policy) >= policy.threshold:
                return True
    return False


@kernel
def first_seen(
    members: Counts, begins: Signatures, held: Signatures, taken: Signatures, known: Entries, policy: Policy
) -> Flags:
    """Tell which documents would stay if each were compared with the kept ones before it.

    The kept ones of a run stand in `held` from where it begins; `taken` says, there, how many they are.
    """
    kept = np.zeros(len(known.signed), np.bool_)
    for row in range(len(members)):
        document = members[row]
        if repeats(begins, held, taken, known, document, policy):
            continue
        kept[document] = True
        for band in range(policy.bands):
            begin = begins[band, document]
            if begin != ALONE:
                held[band, begin + taken[band, begin]] = document
                taken[band, begin] += 1
    return kept


@kernel
def similarities(known: Entries, ones: Counts, others: Counts, policy: Policy) -> Floats:
    """Measure pairs; 0 for two that are compared by nothing but a key."""
    found = np.zeros(len(ones), np.float64)
    for pair in range(len(ones)):
        if known.signed[ones[pair]] and known.signed[others[pair]]:
            found[pair] = likeness(known, ones[pair], known, others[pair], policy, 0.0)
    return found


@kernel
def ways(starts: Counts, begins: Counts, neighbours: Counts) -> Counts:
    """Go from the starts over ties, the nearest first, and give the tie by which each document was reached; else -1.

    Document i is tied to `neighbours[begins[i] : begins[i + 1]]`; a tie is its place there.
    """
    reached = np.full(len(begins) - 1, -1, np.int64)
    known = np.zeros(len(begins) - 1, np.bool_)
    known[starts] = True
    queue = np.empty(len(begins) - 1, np.int64)
    queue[: len(starts)] = starts
    first, last = 0, len(starts)
    while first < last:
        document = queue[first]
        first += 1
        for place in range(begins[document], begins[document + 1]):
            other = neighbours[place]
            if not known[other]:
                known[other], reached[other] = True, place
                queue[last] = other
                last += 1
    return reached
