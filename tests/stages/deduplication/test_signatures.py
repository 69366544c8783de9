"""The columns that workers compute: what signing and shingling give on their own, from shingles that are made once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest
from tests.stages.kernels.test_shingles import VIEWS

from headrace.schemas.arrays import Bytes, Offsets, text_buffers
from headrace.stages.deduplication import signatures as module
from headrace.stages.deduplication.options import MinHash, SimHash
from headrace.stages.deduplication.rules import Near, scheme_of, shingling_of
from headrace.stages.deduplication.schemes import signatures
from headrace.stages.deduplication.shingles import Shingles, Shingling, pieces, shingle_sets
from headrace.stages.deduplication.signatures import near_columns
from headrace.stages.deduplication.simhash import simhashes
from headrace.stages.kernels.plain_odd_sketch import sketch_of

OPTIONS: tuple[Near, ...] = (
    MinHash(),
    MinHash(scheme="datatrove"),
    MinHash(scheme="nemo", slots=64),
    MinHash(scheme="fss", shingles="words", shingle_size=2),
    SimHash(),
)
MANY = ["la la la 好的好的 " * 30_000, *VIEWS, "end", "the end " * 50_000, *VIEWS]  # several pieces


@pytest.mark.parametrize("near", OPTIONS)
def test_columns_are_those_of_signing_and_of_sets(near: Near) -> None:
    """Signatures, marks and sets together are what each is alone, whatever the scheme."""
    data, offsets = text_buffers(pa.array(MANY, pa.large_string()))
    columns = near_columns(data, offsets, near, "exact")
    wanted = shingle_sets(data, offsets, shingling_of(near))
    assert columns["_sets"].to_pylist() == [wanted.of(i).tolist() for i in range(len(MANY))]
    alone = near_columns(data, offsets, near, "signature")
    assert sorted(alone) == ["_signature", "_signed"]
    assert all(columns[name].equals(alone[name]) for name in alone)
    if isinstance(near, SimHash):
        values = simhashes(data, offsets, shingling_of(near)).values
    else:
        values = signatures(data, offsets, scheme_of(near)).values
    assert columns["_signature"].to_pylist() == [row.tobytes() for row in values]
    assert columns["_signed"].to_pylist() == [bool(text) for text in MANY]


@pytest.mark.parametrize("near", OPTIONS)
def test_a_sketch_is_that_of_the_set_and_a_band_a_hash(near: Near) -> None:
    """Sketches are those of the plain twin over the exact sets; bands are equal where those of the signatures are."""
    data, offsets = text_buffers(pa.array(MANY, pa.large_string()))
    columns = near_columns(data, offsets, near, "sketch")
    sets = shingle_sets(data, offsets, shingling_of(near))
    assert columns["_sets"].to_pylist() == [sketch_of(set(sets.of(i).tolist())) for i in range(len(MANY))]
    if isinstance(near, SimHash):
        assert columns["_signature"].equals(near_columns(data, offsets, near, "signature")["_signature"])
        return
    scheme = scheme_of(near)
    values = signatures(data, offsets, scheme).values[:, : scheme.bands * scheme.rows]
    bands = values.reshape(len(MANY), scheme.bands, scheme.rows)
    hashes = np.array([np.frombuffer(row, np.uint64) for row in columns["_signature"].to_pylist()])
    for band in range(scheme.bands):
        alike = (bands[:, None, band] == bands[None, :, band]).all(axis=2)
        assert np.array_equal(hashes[:, None, band] == hashes[None, :, band], alike)
    assert len(np.unique(hashes[0])) == scheme.bands


def test_shingles_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signing and sets share them."""
    made = []

    def counted(data: Bytes, offsets: Offsets, shingling: Shingling) -> Iterator[tuple[slice, Shingles]]:
        for views, piece in pieces(data, offsets, shingling):
            made.append(views)
            yield views, piece

    monkeypatch.setattr(module, "pieces", counted)
    data, offsets = text_buffers(pa.array(MANY, pa.large_string()))
    near_columns(data, offsets, MinHash(), "exact")
    assert sum(views.stop - views.start for views in made) == len(MANY)
    assert np.array_equal([views.start for views in made[1:]], [views.stop for views in made[:-1]])
