"""Personal data in texts: where it is, of which kind, and the texts with placeholders in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import (
    Array,
    Bytes,
    Column,
    Counts,
    Flags,
    Offsets,
    read_only,
    text_array,
    text_buffers,
)
from headrace.stages.privacy.documents import PROVINCE_SIGNS
from headrace.stages.privacy.kinds import BY_NAME, KINDS
from headrace.stages.privacy.rule import Rule, expressions
from headrace.stages.privacy.rules import RULES, search
from headrace.stages.privacy.surroundings import Found
from headrace.stages.view import MappedViews, views_with_offsets

if TYPE_CHECKING:
    from headrace.stages.kernels.pii_match import Automaton
    from headrace.stages.kernels.pii_scan import Anchors

_SEEN_BEFORE, _SEEN_AFTER = 256, 48  # bytes of the view around something that its question sees
_REACH = 512  # bytes around something found in which another may come to light; no pattern with a bound is longer
_ROOM = 1 << 14
_PORTION = 1 << 20  # bytes that are looked at closely at once: a bound on the memory that views and their places take
_PARAGRAPH = "\v"
Hit: TypeAlias = tuple[int, int, int]  # begin, end, kind
ALL = read_only(np.ones(len(KINDS), np.bool_))
_RANKS = tuple(BY_NAME[rule.kind].rank for rule in RULES)


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found in a column: row, first byte and end in the column's bytes, and rank of the kind; in order.

    Spans do not overlap.
    """

    spans: Offsets  # (row, begin, end, kind)
    rows: int

    def counts(self) -> Counts:
        """Give how often each kind was found in each text: (row, kind)."""
        table = np.zeros((self.rows, len(KINDS)), np.int64)
        np.add.at(table, (self.spans[:, 0], self.spans[:, 3]), 1)
        return table


@dataclass(frozen=True, slots=True)
class Item:
    """Something found in one text: its kind, the characters `begin:end`, and what stands there."""

    kind: str
    begin: int
    end: int
    text: str


def personal_data(text: str) -> list[Item]:
    """Give what is found in one text, of all kinds, in order: for reviewing, beside the stage `pii`.

    >>> personal_data("电话１３８-１２３４-５６７９，找王先生")
    [Item(kind='mobile', begin=2, end=15, text='１３８-１２３４-５６７９')]
    """
    data = np.frombuffer(text.encode(), np.uint8)
    before = np.concatenate(([0], np.cumsum(data & 0xC0 != 0x80)))  # characters that begin before each byte
    spans = found(pa.array([text], pa.large_string())).spans
    places = zip(before[spans[:, 1]].tolist(), before[spans[:, 2]].tolist(), spans[:, 3].tolist(), strict=True)
    return [Item(KINDS[kind].name, first, last, text[first:last]) for first, last, kind in places]


def found(texts: Column, masking: Flags = ALL) -> Findings:
    """Find personal data of all kinds in a column.

    `masking` flags, by rank, the kinds that will be masked: what stands beside them is judged as if they were already.
    """
    data, offsets = text_buffers(texts)
    return within(data, marked(data, offsets), len(offsets) - 1, masking)


def marked(data: Bytes, offsets: Offsets) -> Offsets:
    """Give the stretches (row, begin, end) that may hold personal data."""
    from headrace.stages.kernels.pii_scan import marked_stretches

    return _whole(lambda room: marked_stretches(data, offsets, anchors(), room))


def within(data: Bytes, stretches: Offsets, rows: int, masking: Flags = ALL) -> Findings:
    """Find personal data in stretches (row, begin, end) of the data; each is taken as if it stood alone."""
    sizes = np.cumsum(stretches[:, 2] - stretches[:, 1])
    cuts = np.searchsorted(sizes, np.arange(_PORTION, sizes.max(initial=0), _PORTION))
    portions = np.split(stretches, np.unique(cuts)) if len(stretches) else []
    spans = [_portion(data, portion, masking) for portion in portions if len(portion)]
    return Findings(np.concatenate([np.empty((0, 4), np.int64), *spans]), rows)


def _portion(data: Bytes, stretches: Offsets, masking: Flags) -> Offsets:
    """Give the spans in some stretches."""
    from headrace.stages.kernels.lines import gather
    from headrace.stages.kernels.pii_match import with_lines

    begins = np.ascontiguousarray(stretches[:, 1])
    pieces, bounds = gather(data, begins, stretches[:, 2] - begins)
    views = views_with_offsets(text_array(pieces, bounds))
    lined = with_lines(views.data, views.offsets, views.begins, views.ends, pieces, bounds)
    return _in_text(_all(lined, views.offsets, masking), views, stretches)


def _in_text(hits: Offsets, views: MappedViews, stretches: Offsets) -> Offsets:
    """Bring hits (begin, end, kind) of the views into their texts."""
    hits = hits[np.argsort(hits[:, 0], kind="stable")]
    piece = np.searchsorted(views.offsets, hits[:, 0], side="right") - 1
    first, last = views.spans(hits[:, 0], hits[:, 1])
    base = stretches[piece, 1]
    spans = np.stack((stretches[piece, 0], base + first, base + last, hits[:, 2]), axis=1)
    apart = np.ones(len(spans), np.bool_)  # two spans of a view may share a character of the text that expands
    apart[1:] = spans[1:, 1] >= spans[:-1, 2]
    return np.asarray(spans[apart], np.int64)


def _all(lined: Bytes, offsets: Offsets, masking: Flags) -> Offsets:
    """Give all hits (begin, end, kind) in views, and overwrite those that will be masked.

    What is overwritten has its neighbourhood searched again, until nothing comes to light: so a masked text holds
    nothing to be masked that a second search would find. Every hit costs a bounded number of steps.
    """
    windows = np.stack((offsets[:-1], offsets[:-1], offsets[1:], offsets[1:]), axis=1)
    claimed = bytearray(len(lined))
    hits: list[Hit] = []
    staying: list[Hit] = []  # of kinds that are not masked; sorted
    while len(windows):
        new = _round(lined, windows, claimed)
        gone = [hit for hit in new if masking[hit[2]]]
        staying = sorted([*staying, *(hit for hit in new if not masking[hit[2]])])
        for begin, end, _ in gone:
            lined[begin:end] = 1
            lined[begin], lined[end - 1] = 0x3C, 0x3E
        hits += gone
        windows = _around(gone, offsets)
        staying = _outside(staying, windows, claimed)
    return np.array(hits + staying, np.int64).reshape(-1, 3)


def _outside(hits: list[Hit], windows: Offsets, claimed: bytearray) -> list[Hit]:
    """Give the hits that do not begin in a window; the others are given up, to be found again or to lose to others."""
    if not hits or not len(windows):
        return hits
    begins = np.array([begin for begin, _, _ in hits])
    window = np.searchsorted(windows[:, 1], begins, side="right") - 1
    inside = (window >= 0) & (begins < windows[window, 2])
    for number in np.flatnonzero(inside).tolist():
        begin, end, _ = hits[number]
        claimed[begin:end] = bytes(end - begin)
    return [hit for hit, gone in zip(hits, inside.tolist(), strict=True) if not gone]


def _around(hits: list[Hit], offsets: Offsets) -> Offsets:
    """Give the windows around hits, each byte in one window at most."""
    if not hits:
        return np.empty((0, 4), np.int64)
    spans = np.array(sorted(hits), np.int64)
    text = np.searchsorted(offsets, spans[:, 0], side="right") - 1
    first, last = offsets[text], offsets[text + 1]
    left, right = np.maximum(first, spans[:, 0] - _REACH), np.minimum(last, spans[:, 1] + _REACH)
    opens = np.ones(len(spans), np.bool_)
    opens[1:] = left[1:] > np.maximum(right[:-1], 0)
    opens[1:] |= text[1:] != text[:-1]
    closes = np.append(opens[1:], True)
    return np.stack((first[opens], left[opens], right[closes], last[opens]), axis=1)


def _round(lined: Bytes, windows: Offsets, claimed: bytearray) -> list[Hit]:
    """Give the hits of one search. Of those that overlap the lowest rank wins, then the first, then the longest."""
    rows = _candidates(lined, windows)
    view = lined.tobytes() if len(rows) else b""
    possible = [hit for row in rows.tolist() for hit in _decided(view, windows, *row)]
    hits = []
    for rank, begin, size in sorted({(rank, begin, begin - end) for begin, end, rank in possible}):
        end = begin - size
        if claimed.find(1, begin, end) < 0:
            claimed[begin:end] = b"\1" * (end - begin)
            hits.append((begin, end, rank))
    return hits


def _candidates(lined: Bytes, windows: Offsets) -> Offsets:
    from headrace.stages.kernels.pii_match import candidates

    view, windows = read_only(lined), read_only(windows)
    return _whole(lambda room: candidates(view, windows, automaton(), room))


def _whole(kernel: Callable[[int], tuple[Offsets, int]]) -> Offsets:
    """Give all rows of a kernel that has to be told how many they may be; where they are more, it runs twice."""
    rows, count = kernel(_ROOM)
    return rows if count <= _ROOM else kernel(count)[0]


@cache
def automaton() -> Automaton:
    """Give the tables of the rules."""
    from headrace.stages.kernels.pii_match import Automaton

    of = search()
    tables = of.tables
    by_byte = (of.starts, of.goes_on, of.after, of.at_bit)
    return Automaton(tables.kinds, tables.steps, tables.ended, tables.firsts, tables.entries, of.rules, *by_byte)


def _decided(view: bytes, windows: Offsets, rule: int, begin: int, end: int, window: int) -> Iterator[Hit]:
    """Give the items of one candidate to which the rule's question says yes."""
    first, last = int(windows[window, 0]), int(windows[window, 3])
    for item_begin, item_end in _items(RULES[rule], view, begin, end):
        before = view[max(first, item_begin - _SEEN_BEFORE) : item_begin].decode(errors="ignore")
        after = view[item_end : min(last, item_end + _SEEN_AFTER)].decode(errors="ignore")
        text = view[item_begin:item_end].decode()
        if RULES[rule].question(Found(text, before.rpartition(_PARAGRAPH)[2], after.partition(_PARAGRAPH)[0])):
            yield item_begin, item_end, _RANKS[rule]


def _items(rule: Rule, view: bytes, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Give where the items of a candidate are: all of it, or what `re` finds behind its lead."""
    if not (rule.lead or rule.trail or rule.many):
        yield begin, end
        return
    whole, item = expressions(rule)
    text = view[begin:end].decode()
    match = whole.fullmatch(text)
    if match is not None:
        for one in item.finditer(text, *match.span("id")):
            yield begin + len(text[: one.start()].encode()), begin + len(text[: one.end()].encode())


def masked(texts: Column, findings: Findings, kinds: Flags) -> Array:
    """Give the texts with the placeholders of some kinds, flagged by rank, in place of what was found of them."""
    from headrace.stages.kernels.pii_match import with_placeholders

    data, offsets = text_buffers(texts)
    spans = findings.spans[kinds[findings.spans[:, 3]]]
    if not len(spans):
        return text_array(data, offsets)
    forms = [kind.placeholder.encode() for kind in KINDS]
    bounds = np.cumsum([0, *map(len, forms)]).astype(np.int32)
    joined = read_only(np.frombuffer(b"".join(forms), np.uint8))
    return text_array(*with_placeholders(data, offsets, read_only(spans), joined, read_only(bounds)))


@cache
def anchors() -> Anchors:
    """Give the tables of the scan."""
    from headrace.stages.kernels import pii_scan
    from headrace.stages.kernels.characters import folding

    roles = np.zeros(256, np.uint8)
    for characters, role in (
        (b"\n", pii_scan.NEW_LINE),
        (b"0123456789", pii_scan.DIGIT),
        (b"@", pii_scan.AT),
        (b":", pii_scan.COLON),
        (b"qQwWvV", pii_scan.LETTER),
        (b"\xae", pii_scan.WEI),
        (b"\xef", pii_scan.WIDE),
        (b"\xf0", pii_scan.MATH),
    ):
        roles[list(characters)] = role
    joints = np.zeros(256, np.bool_)
    joints[[*range(0x0A), *range(0x0B, 0x21), 0x7F, *b"-.()"]] = True
    plates = np.isin(folding().folded, [ord(c) for c in PROVINCE_SIGNS])
    return pii_scan.Anchors(read_only(roles), read_only(joints), read_only(plates))
