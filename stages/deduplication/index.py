"""The index of kept documents in memory: arrays that grow, and the tables over them."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Signatures, read_only
from headrace.schemas.errors import HeadraceError
from headrace.stages.deduplication.fates import Fates
from headrace.stages.deduplication.rules import Rules
from headrace.stages.kernels.asked_index import ask
from headrace.stages.kernels.band_index import insert, settle
from headrace.stages.kernels.entries import Answers, Entries
from headrace.stages.kernels.postings import BUCKET, MOST, Postings, spread
from headrace.stages.kernels.sorted_postings import frozen

_GROWTH = 1.06  # in place, so a step costs next to nothing, and slack costs memory
_TABLE_GROWTH = 1.3
_LOAD = 0.85  # share of a table's places that may be taken
_LEAST = 1024


class FirstSeenIndex:
    """Kept documents by number, found by key and by band: those from `base` on, up to `count`.

    What earlier ones say of a unit comes in as `prior`. A number is that of a document among all, here and elsewhere.

    Memory with 14 bands and exact keys: 112 bytes of bands, 264 of sketch (more for a text of over 2,048 shingles), 25
    of key, end of the sketch and mark, 141 to 183 of entries for bands and key (8 bytes each, load 0.85 to 0.65), 8 for
    each band that an earlier kept document has too, and up to 6 % of slack. Signatures in place of bands and sketch
    take 448 bytes, shingle sets 8 a shingle. doc_ids come on top. While tables grow the smaller ones are there
    as well.
    """

    def __init__(self, rules: Rules, base: int = 0) -> None:
        self._rules = rules
        self._policy, self._masks = rules.policy, rules.masks
        self._begin(base)

    def _begin(self, base: int) -> None:
        self.base = self.count = base
        self._known = Entries(
            np.zeros((0, 2), np.uint64),
            np.zeros(0, np.bool_),
            np.zeros((0, self._rules.pieces), np.uint32),
            np.zeros(0, np.uint64),
            np.zeros(1, np.int64),
        )
        self._postings = self._empty_postings(0)

    def settle(self, batch: Entries, prior: Fates | None = None) -> Fates:
        """Judge the documents of the next unit in order and keep those that repeat no earlier kept one."""
        self._reserve(len(batch.ends) - 1, len(batch.sets))
        fates, self.count = self._judge(batch, prior, self.count, -1)
        return fates

    def settle_again(self, batch: Entries, first: int, last: int, prior: Fates | None = None) -> Fates | None:
        """Judge a unit that was kept as documents first to last; None if others would be kept now."""
        fates, number = self._judge(batch, prior, first, last)
        return None if number < 0 else fates

    def ask(self, batch: Entries, first: int, prior: Fates) -> Fates:
        """Give what documents before number `first` say of a unit; nothing is kept."""
        policy, masks = self._policy, self._masks
        before = _answers(prior)
        return Fates(
            *ask(self._postings, self._known, frozen(batch), before, self.base, first - self.base, policy, masks)
        )

    def extend(self, batch: Entries) -> None:
        """Enter documents that are known to be kept."""
        added = len(batch.ends) - 1
        self._reserve(added, len(batch.sets))
        first, last = self.count - self.base, self.count - self.base + added
        known, begin = self._known, self._known.ends[first]
        if self._rules.exact:
            known.keys[first:last] = batch.keys
        known.signed[first:last] = batch.signed
        known.signatures[first:last] = batch.signatures
        known.sets[begin : begin + len(batch.sets)] = batch.sets
        known.ends[first + 1 : last + 1] = begin + batch.ends[1:]
        insert(self._postings, known, first, last, self._policy, self._masks)
        self.count += added

    def forget(self, number: int) -> None:
        """Give up the documents before a number: they are looked up elsewhere from now on."""
        keys, signed, signatures, sets, ends = self.entries(number, self.count)
        rest = Entries(keys.copy(), signed.copy(), signatures.copy(), sets.copy(), ends)
        self._begin(number)
        self.extend(rest)

    def entries(self, first: int, last: int) -> Entries:
        """Give kept documents first to last, as views of the arrays."""
        here = slice(first - self.base, last - self.base)
        begin, end = self._known.ends[here.start], self._known.ends[here.stop]
        keys = self._known.keys[here] if self._rules.exact else self._known.keys
        ends = self._known.ends[here.start : here.stop + 1] - begin
        signed, signatures = self._known.signed[here], self._known.signatures[here]
        return Entries(keys, signed, signatures, self._known.sets[begin:end], ends)

    @property
    def nbytes(self) -> int:
        """Memory of all arrays."""
        arrays = (*self._known, self._postings.fingerprints, self._postings.numbers)
        return sum(array.nbytes for array in arrays) + int(self._postings.used[0]) * 8  # the other rows are not there

    def _judge(self, batch: Entries, prior: Fates | None, first: int, last: int) -> tuple[Fates, int]:
        batch = frozen(batch)
        before = _answers(prior or Fates.none(len(batch.ends) - 1))
        here = (first - self.base, last - self.base if last >= 0 else -1)
        fates, survivors, similarities, place = settle(
            self._postings, self._known, batch, before, self.base, *here, self._policy, self._masks
        )
        return Fates(fates, survivors, similarities), place if place < 0 else self.base + place

    def _reserve(self, documents: int, values: int) -> None:
        held = self.count - self.base
        needed = held + documents
        if max(needed, int(self._postings.used[0]) + documents * len(self._postings.fingerprints)) > MOST:
            raise HeadraceError(
                "the dedup index is full",
                where=f"after {self.count} kept documents",
                why=f"in memory it has up to {MOST} documents, and as many bands that several of them share",
                remedy="lower engine.index.memory_bytes and run again: it goes on from the last commit. "
                "(More rows a band, so that fewer are shared, make another run: that starts over)",
            )
        values += int(self._known.ends[held])
        if values > len(self._known.sets):
            _resize(self._known.sets, _with_slack(values, _GROWTH))
        if needed > len(self._known.signatures):
            self._resize_documents(_with_slack(needed, _GROWTH))
        if needed > _LOAD * self._postings.fingerprints.shape[1]:
            smaller = self._postings
            self._postings = self._empty_postings(_with_slack(needed, _TABLE_GROWTH if held else 1))
            spread(*smaller[:2], *self._postings[:2])
        self._reserve_older(documents * len(self._postings.fingerprints))

    def _reserve_older(self, rows: int) -> None:
        """Make room for as many rows as there may be; those that are not written take no memory."""
        older, used = self._postings.older, int(self._postings.used[0])
        if used + rows > len(older):
            larger = np.empty((math.ceil(used * _TABLE_GROWTH) + rows, 2), np.uint32)
            larger[:used] = older[:used]
            self._postings = self._postings._replace(older=larger)

    def _resize_documents(self, room: int) -> None:
        _resize(self._known.signatures, room)
        _resize(self._known.signed, room)
        _resize(self._known.ends, room + 1)
        if self._rules.exact:
            _resize(self._known.keys, room)

    def _empty_postings(self, documents: int) -> Postings:
        tables = self._rules.bands + self._rules.exact
        room = math.ceil(documents / _LOAD / BUCKET) * BUCKET or BUCKET
        older, used = np.zeros((0, 2), np.uint32), np.zeros(1, np.int64)
        if documents:
            older, used = self._postings.older, self._postings.used
        return Postings(_lines(tables, room), _lines(tables, room), older, used)


def _answers(told: Fates) -> Answers:
    return Answers(read_only(told.fates), read_only(told.survivors), read_only(told.similarities))


def _with_slack(needed: int, growth: float) -> int:
    return max(_LEAST, math.ceil(needed * growth))


def _lines(tables: int, room: int) -> Signatures:
    """Give a table of zeros that begins where a cache line does: a bucket is one, not the halves of two."""
    padded = np.zeros(tables * room + BUCKET, np.uint32)
    first = -padded.ctypes.data % (4 * BUCKET) // 4
    return padded[first : first + tables * room].reshape(tables, room)


def _resize(array: npt.NDArray[np.generic], room: int) -> None:
    """Make room in an array in place, so that a large one is not there twice while it moves.

    Nobody else may hold the array's memory: the index gives views of it only to be written out at once.
    """
    array.resize((room, *array.shape[1:]), refcheck=False)
