"""Committed index files of made documents, and what the index in memory answers about them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
from tests.stages.kernels.test_band_index import entries

from headrace.stages.base import RunContext
from headrace.stages.deduplication.fates import Fates
from headrace.stages.deduplication.index import FirstSeenIndex
from headrace.stages.deduplication.index_file import IndexFile
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.runs import IndexRuns
from headrace.stages.deduplication.signatures import KEY, SETS, SIGNATURE, SIGNED, to_columns
from headrace.stages.kernels.band_index import KEPT
from headrace.stages.kernels.entries import Entries
from headrace.stages.kernels.plain_band_index import Document, Fate, first_seen

PARAMETERS: dict[str, object] = {"stage": "made"}


def for_rules(documents: Sequence[Document], rules: Rules) -> list[Document]:
    """Cut documents to what rules have signatures for."""
    return [d._replace(signed=d.signed and rules.bands > 0, signature=d.signature[: rules.pieces]) for d in documents]


def kept_of(documents: Sequence[Document], rules: Rules) -> list[Document]:
    """Give the documents that the first-seen rule keeps."""
    fates = first_seen(documents, rules.policy)
    return [document for document, fate in zip(documents, fates, strict=True) if fate[0] == KEPT]


def ids_of(first: int, count: int) -> list[str]:
    return [f"文{number}" for number in range(first, first + count)]


def write_files(
    run: Path, rules: Rules, kept: Sequence[Document], cuts: Sequence[int], parameters: dict[str, object] = PARAMETERS
) -> list[IndexFile]:
    """Write documents as committed files, cut at the given places."""
    runs, files = IndexRuns(RunContext(run, "dedup"), rules, parameters), []
    bounds = sorted({0, len(kept), *(cut for cut in cuts if cut < len(kept))})
    for unit, (first, last) in enumerate(pairwise(bounds)):
        table = _table(entries(kept[first:last], rules), rules, unit, first)
        files.append(IndexFile(run, runs.write(table, unit, unit), first, last - first))
    return files


def _table(batch: Entries, rules: Rules, unit: int, first: int) -> pa.Table:
    names = [KEY] * rules.exact + [SIGNED, SIGNATURE] * (rules.bands > 0) + [SETS] * rules.sets
    count = len(batch.ends) - 1
    ids = pa.array(ids_of(first, count), pa.string())
    return pa.table({"unit": np.full(count, unit), "doc_id": ids, **to_columns(batch, names)})


def listed(fates: Fates) -> list[Fate]:
    return list(zip(fates.fates.tolist(), fates.survivors.tolist(), fates.similarities.tolist(), strict=True))


def in_memory(kept: Sequence[Document], asked: Sequence[Document], below: int, rules: Rules) -> list[Fate]:
    """Give the answers of the index in memory: one document at a time, as one that comes again and was not kept."""
    index = FirstSeenIndex(rules)
    index.extend(entries(kept, rules))
    answers = []
    for document in asked:
        fates = index.settle_again(entries([document], rules), below, below)
        answers += [(KEPT, -1, 0.0)] if fates is None else listed(fates)
    return answers
