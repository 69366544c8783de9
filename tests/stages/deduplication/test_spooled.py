"""The doc_ids of a first pass, by number, out of its shards."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa

from headrace.stages.deduplication.spooled import Spooled
from headrace.stages.kernels.entries import Entries


def of_tables(*sizes: int) -> tuple[Spooled, list[str]]:
    """Give documents in tables of some sizes, and their doc_ids."""
    ids = [f"web:{number}" for number in range(sum(sizes))]
    ends = np.cumsum([0, *sizes]).tolist()
    tables = [pa.table({"doc_id": ids[begin:end]}) for begin, end in pairwise(ends)]
    tables = [table.cast(pa.schema([("doc_id", pa.string())])) for table in tables]
    none = np.zeros(0, np.int64)
    known = Entries(np.zeros((0, 2), np.uint64), none > 0, np.zeros((0, 1), np.uint32), none.astype(np.uint64), none)
    return Spooled(known, none, none.astype(np.float64), none.astype(np.float64), tuple(tables)), ids


def test_ids_come_in_the_order_that_is_asked_for() -> None:
    """From shards of any size, empty ones among them; some asked for twice, and null for the number -1."""
    documents, ids = of_tables(3, 0, 40, 1, 0, 0, 7, 0)
    numbers = np.random.default_rng(1).integers(-1, len(ids), 300)
    assert documents.ids(numbers).to_pylist() == [ids[number] if number >= 0 else None for number in numbers]
    assert documents.ids(np.arange(len(ids))).to_pylist() == ids


def test_where_nothing_is_asked_or_known_nothing_is_found() -> None:
    """No numbers, numbers of no document, and no shards."""
    for documents in (of_tables(2, 1)[0], of_tables()[0]):
        assert documents.ids(np.zeros(0, np.int64)).to_pylist() == []
        assert documents.ids(np.full(2, -1)).to_pylist() == [None, None]


def test_a_shard_is_taken_from_once_a_question() -> None:
    """Work does not grow with questions times shards: each shard is asked for all of its rows together."""
    documents, ids = of_tables(5, 5, 5)
    taken = list[int]()

    class Counting:
        """A table that says when it is asked."""

        num_rows = 5

        def __init__(self, number: int) -> None:
            self.number = number

        def __getitem__(self, name: str) -> pa.ChunkedArray[pa.StringScalar]:
            taken.append(self.number)
            return documents.tables[self.number][name]

    counting = Spooled(
        documents.known, documents.units, documents.grades, documents.authorities, tuple(map(Counting, range(3)))
    )
    numbers = np.array([14, 0, 12, 1, 13, 4])
    assert counting.ids(numbers).to_pylist() == [ids[number] for number in numbers]
    assert taken == [0, 2]
