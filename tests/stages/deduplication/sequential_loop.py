"""What dedup is compared with: a plain loop over documents that asks, verifies and inserts, one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jieba
import numpy as np
from datasketch import MinHash as Reference
from datasketch import MinHashLSH
from tests.stages.kernels.test_minhash_schemes import M32, twin

from headrace.schemas.unit import UnitBatch
from headrace.stages.dedup import Dedup
from headrace.stages.deduplication.options import MinHash, SimHash
from headrace.stages.deduplication.rules import rules_of, scheme_of, shingling_of
from headrace.stages.deduplication.shingles import Shingling
from headrace.stages.kernels import plain_signatures as plain
from headrace.stages.kernels.plain_odd_sketch import sketched_similarity
from headrace.stages.view import view

Verdict = tuple[str | None, float | None, str | None]  # reason, similarity, survivor


class SequentialLoop:
    """Query, verify, insert: datasketch's index holds the kept documents; fingerprints are compared one by one."""

    def __init__(self, stage: Dedup) -> None:
        self._stage = stage
        self._views: dict[str, str] = {}
        self._kept: dict[str, tuple[Any, set[int]]] = {}
        self._sign = signing(stage.minhash or stage.simhash)
        if stage.minhash:
            scheme = scheme_of(stage.minhash)
            self._index = MinHashLSH(num_perm=scheme.slots, params=(scheme.bands, scheme.rows))

    def judge(self, name: str, text: str) -> Verdict:
        form = view(text)
        if self._stage.exact and form in self._views:
            return "exact_duplicate", 1.0, self._views[form]
        near = self._stage.minhash or self._stage.simhash
        hashes = hashes_of(form, shingling_of(near)) if near else []
        if near and hashes:
            signed = self._sign(hashes)
            found = [(self._likeness(signed, set(hashes), other), other) for other in self._query(signed)]
            order = list(self._kept)
            best = max(found, key=lambda pair: (pair[0], -order.index(pair[1])), default=(-1.0, ""))
            if best[0] >= rules_of(near, self._stage.verified_by, exact=True).threshold:
                return "near_duplicate", best[0], best[1]
            if self._stage.minhash:
                self._index.insert(name, signed)
            self._kept[name] = (signed, set(hashes))
        self._views.setdefault(form, name)
        return None, None, None

    def _query(self, signed: Any) -> list[str]:
        if not self._stage.simhash:
            return list(self._index.query(signed))
        bits = self._stage.simhash.bits
        return [name for name, (known, _) in self._kept.items() if (known ^ signed).bit_count() <= bits]

    def _likeness(self, signed: Any, hashes: set[int], other: str) -> float:
        known, others = self._kept[other]
        if self._stage.verified_by == "exact":
            return len(hashes & others) / len(hashes | others)
        if self._stage.verified_by == "sketch":
            return sketched_similarity(hashes, others)
        return 1 - (known ^ signed).bit_count() / 64 if self._stage.simhash else float(known.jaccard(signed))


def hashes_of(form: str, shingling: Shingling) -> list[int]:
    """Give a view's shingles by the plain twin; jieba cuts where the unit says so."""
    words = jieba.lcut(form) if shingling.unit == "chinese_words" and plain.by_characters(form) else ()
    return plain.shingle_hashes(form, shingling.unit, shingling.size, words)


def signing(near: MinHash | SimHash | None) -> Callable[[list[int]], Any]:
    """Give what signs hashes: datasketch, or the plain twin where it has no such scheme."""
    if not isinstance(near, MinHash):
        return plain.fingerprint
    scheme = scheme_of(near)

    def by_datasketch(hashes: list[int]) -> Any:
        name = "affine32" if scheme.name == "datasketch" else "legacy"
        signed = Reference(num_perm=scheme.slots, seed=scheme.seed, hashfunc=lambda value: value, scheme=name)
        signed.update_batch([value & M32 for value in hashes])
        return signed

    def by_twin(hashes: list[int]) -> Any:
        name, kind = ("affine64", np.uint64) if scheme.name == "datatrove" else ("affine32", np.uint32)
        return Reference(num_perm=scheme.slots, hashvalues=np.array(twin(hashes, scheme), kind), scheme=name)

    return by_datasketch if scheme.name in ("datasketch", "datasketch_legacy") else by_twin


def sequential(stage: Dedup, units: Sequence[UnitBatch]) -> dict[str, Verdict]:
    loop = SequentialLoop(stage)
    return {
        row["doc_id"]: loop.judge(row["doc_id"], row["text"]) for unit in units for row in unit.documents.to_pylist()
    }
