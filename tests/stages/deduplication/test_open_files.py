"""An open index file is a map and a few numbers, and a system without maps is named as such."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.stages.deduplication.test_sorted_runs import opened, random_documents
from tests.stages.deduplication.written_index import PARAMETERS, for_rules, ids_of, kept_of, write_files
from tests.stages.kernels.test_band_index import RULES, entries

from headrace.schemas.errors import FormatError, HeadraceError
from headrace.schemas.index import DEFAULT_INDEX
from headrace.stages.deduplication.open_files import open_file
from headrace.stages.deduplication.sorted_runs import SortedRuns
from headrace.stages.kernels.sorted_postings import fingerprints, frozen, packed, unpacked


@pytest.mark.parametrize("name", RULES)
def test_a_file_gives_back_what_was_written(name: str, tmp_path: Path) -> None:
    """Documents, ids and postings, as views that cannot be written, whatever the options ask for."""
    rules = RULES[name]
    kept = kept_of(for_rules(random_documents(7, 40), rules), rules)
    (file,) = write_files(tmp_path, rules, kept, [])
    one, batch = open_file(file, rules, PARAMETERS), frozen(entries(kept, rules))
    for column, expected in zip(("keys", "signatures", "sets", "ends"), (batch[0], *batch[2:]), strict=True):
        found = getattr(one.known, column)
        assert not found.flags.writeable
        if found.size or column != "ends":
            np.testing.assert_array_equal(found, expected)
    rows = np.array([len(kept) - 1, 0, 3, 3])
    assert one.ids(rows).to_pylist() == [ids_of(row, 1)[0] for row in rows.tolist()]
    written = [unpacked(values) for values in packed(fingerprints(batch, rules.policy, rules.masks))]
    assert len(one.tables) == len(written)
    for table, (prints, rows) in enumerate(written):
        np.testing.assert_array_equal(one.tables[table][0], prints)
        np.testing.assert_array_equal(one.tables[table][1], rows)


def test_a_file_takes_little_memory(tmp_path: Path) -> None:
    """Less than 4 kB each, of Python's and of Arrow's: half a million files are adopted in 2 GB."""
    rules = RULES["both"]
    files = write_files(tmp_path, rules, kept_of(random_documents(8, 400), rules), range(0, 400, 2))
    runs = SortedRuns(rules, PARAMETERS, DEFAULT_INDEX, tmp_path / "other")
    runs.adopt(files[:5])
    tracemalloc.start()
    before, arrow = tracemalloc.get_traced_memory()[0], pa.total_allocated_bytes()
    runs.adopt(files[5:])
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before + pa.total_allocated_bytes() - arrow
    tracemalloc.stop()
    assert grown / len(files[5:]) < 4_000
    assert runs.nbytes / len(files) < 4_000


def test_a_system_without_maps_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither damaged nor missing: the message names the limit and the remedy; other failures stay what they are."""
    rules = RULES["both"]
    files = write_files(tmp_path, rules, kept_of(random_documents(9, 30), rules), [9])

    def refused(*_: object) -> object:
        raise OSError(words)

    monkeypatch.setattr(pa, "memory_map", refused)
    words = "Memory mapping file failed: Cannot allocate memory"
    with pytest.raises(HeadraceError, match=r"vm\.max_map_count.*engine\.index\.partitions") as caught:
        opened(tmp_path, rules, files)
    assert not isinstance(caught.value, FormatError)
    assert files[0].path.name in str(caught.value)
    words = "Input/output error"
    with pytest.raises(FormatError, match="cannot be read: Input/output error"):
        opened(tmp_path, rules, files)
