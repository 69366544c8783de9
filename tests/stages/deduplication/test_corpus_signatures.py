"""Signatures of real documents: the corpus's, value by value those of datasketch and of datatrove's formula."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from datasketch import MinHash

from headrace.schemas.arrays import Hashes
from headrace.stages.deduplication.schemes import SCHEMES, Name, signatures
from headrace.stages.deduplication.shingles import shingles
from headrace.stages.view import views

FOLDERS = ("zh", "en", "dup", "mojibake", "bad/unicode")
LOW, PRIME = np.uint64(0xFFFFFFFF), np.uint64((1 << 61) - 1)
EVERY = 29  # of the files, where time is short


def texts(corpus: Path, every: int) -> Iterator[str]:
    files = sorted(path for name in FOLDERS for path in (corpus / name).rglob("*") if path.is_file())
    for path in islice(files, 0, None, every):
        yield path.read_bytes()[:200_000].decode(errors="replace")


def by_datasketch(hashes: Hashes, scheme: str) -> list[int]:
    reference = MinHash(num_perm=112, seed=1, hashfunc=int, scheme=scheme)
    reference.update_batch((hashes & LOW).tolist())
    found: list[int] = reference.hashvalues.tolist()
    return found


def by_datatrove(hashes: Hashes, _: str) -> list[int]:
    """Give what `MinhashDedupSignature.get_signature` computes with its default seed."""
    random = np.random.RandomState(1)
    a, b = (random.randint(low, PRIME, dtype=np.uint64, size=(1, 112)) for low in (1, 0))
    found: list[int] = np.min((hashes.reshape(-1, 1) * a + b) % PRIME, axis=0).tolist()
    return found


REFERENCES = {
    "datasketch": (by_datasketch, "affine32"),
    "datasketch_legacy": (by_datasketch, "legacy"),
    "datatrove": (by_datatrove, ""),
}


def agree(corpus: Path, name: Name, every: int) -> None:
    reference, theirs = REFERENCES[name]
    data, offsets = views(pa.array(list(texts(corpus, every)), pa.large_string()))
    found, hashed = signatures(data, offsets, SCHEMES[name]), shingles(data, offsets, SCHEMES[name].shingling)
    rows = [row for row in range(len(found.counts)) if found.counts[row]]
    assert len(rows) > 10
    assert [row for row in rows if found.values[row].tolist() != reference(hashed.of(row), theirs)] == []


@pytest.mark.parametrize("name", REFERENCES)
def test_real_documents_are_signed_as_by_the_peers(corpus: Path, name: Name) -> None:
    """Some files of each folder, long and short, damaged ones among them."""
    agree(corpus, name, EVERY)


@pytest.mark.soak
@pytest.mark.parametrize("name", REFERENCES)
def test_all_documents_are_signed_as_by_the_peers(corpus: Path, name: Name) -> None:
    """Every file."""
    agree(corpus, name, 1)
