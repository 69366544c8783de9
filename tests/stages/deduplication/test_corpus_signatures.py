"""Signatures of real documents: the corpus's, value by value those of datasketch, datatrove's formula and datatrove."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from datasketch import MinHash
from tests.datatrove_python import python_of_datatrove
from tests.stages.parts import Outcome, a_source

from headrace.schemas.arrays import Hashes
from headrace.stages.deduplication.schemes import SCHEMES, Name, signatures
from headrace.stages.deduplication.shingles import shingles
from headrace.stages.view import views

FOLDERS = ("zh", "en", "dup", "mojibake", "bad/unicode")
LOW, PRIME = np.uint64(0xFFFFFFFF), np.uint64((1 << 61) - 1)
EVERY = 29  # of the files, where time is short
EVERY_FOR_DATATROVE = 12
SCRIPT = Path(__file__).parents[3] / "benchmarks" / "peers" / "datatrove_minhash.py"
MOST_AT_A_TIME = 1_000_000  # shingles: datatrove takes 3 kB for each, and one file has 12,000,000, of 35 kinds


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


def documents(corpus: Path, every: int) -> list[str]:
    """Give what Headrace reads in all folders, poems one by one; files of UTF-8 without a document are one, whole."""
    names = sorted(path.relative_to(corpus).as_posix() for path in corpus.rglob("*") if path.is_file())[::every]
    poems = [name for name in names if name.startswith("zh/chinese-poetry/")]
    read = Outcome(corpus, a_source(*names)).documents
    read += Outcome(corpus, a_source(*poems, text_field="paragraphs[]")).documents
    silent = sorted({*names} - {row["path"] for row in read})
    return [*(row["text"] for row in read), *(text for name in silent if (text := whole(corpus / name)))]


def whole(file: Path) -> str:
    """Give the text of a file, or none if it is not UTF-8: an image, a packed file."""
    try:
        return file.read_bytes().decode()
    except UnicodeDecodeError:
        return ""


def signed_by_datatrove(python: Path, columns: list[Hashes], folder: Path) -> list[list[int]]:
    """Give the signatures that the package itself makes of these hashes."""
    few = [hashes if len(hashes) <= MOST_AT_A_TIME else np.unique(hashes) for hashes in columns]
    work = folder / "hashes.json"
    work.write_text(json.dumps({"texts": [], "hashes": [hashes.tolist() for hashes in few]}), encoding="utf-8")
    path = {"PATH": os.environ["PATH"]}
    done = subprocess.run([python, SCRIPT, work, "1"], capture_output=True, text=True, check=True, env=path)
    found: list[list[int]] = json.loads(done.stdout.splitlines()[-1])["signatures"]
    return found


def agree_with_datatrove(corpus: Path, folder: Path, every: int, at_least: int) -> None:
    """Documents without a shingle are left out: datatrove gives them no signature."""
    python, scheme = python_of_datatrove(), SCHEMES["datatrove"]
    data, offsets = views(pa.array(documents(corpus, every), pa.large_string()))
    found, hashed = signatures(data, offsets, scheme), shingles(data, offsets, scheme.shingling)
    rows = np.flatnonzero(found.counts).tolist()
    theirs = signed_by_datatrove(python, [hashed.of(row) for row in rows], folder)
    assert len(rows) > at_least
    assert [row for row, values in zip(rows, theirs, strict=True) if found.values[row].tolist() != values] == []


def test_documents_are_signed_as_by_the_datatrove_package(corpus: Path, tmp_path: Path) -> None:
    """What is in every twelfth file, of all folders and kinds: the package gives the same values of the same hashes."""
    agree_with_datatrove(corpus, tmp_path, EVERY_FOR_DATATROVE, 2000)


@pytest.mark.soak
def test_all_documents_are_signed_as_by_the_datatrove_package(corpus: Path, tmp_path: Path) -> None:
    """Every document of every file."""
    agree_with_datatrove(corpus, tmp_path, 1, 30_000)
