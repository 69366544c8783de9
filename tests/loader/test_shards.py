from __future__ import annotations

import multiprocessing
from dataclasses import replace
from pathlib import Path

import lmdb
import numpy as np
import pyarrow as pa
import pytest
from tests.loader import token_runs
from tests.loader.token_runs import TokenRun, make_run, pieces_of, tokens_of

from headrace.loader.batch import Batch, assemble
from headrace.loader.shards import Layout, open_shard
from headrace.loader.store import ShardStore
from headrace.schemas.errors import FormatError
from headrace.schemas.manifest import ShardInfo
from headrace.schemas.shard import SHARD_VERSION, VERSION_KEY
from headrace.schemas.unit import FileRef

FORMATS = pytest.mark.parametrize("format_", ["arrow", "lmdb"])
LENGTH = 8


def read(store: ShardStore, infos: list[ShardInfo], shards: list[int], rows: list[int]) -> Batch:
    samples = np.arange(len(shards))
    taken = store.take(infos, np.array(shards), np.array(rows), samples)
    return assemble(taken, samples, sequence_length=LENGTH, pad_id=0, epoch=0, consumed=0)


def infos_of(run: TokenRun, counts: list[int]) -> list[ShardInfo]:
    return [run.add(count) for count in counts]


@FORMATS
def test_rows_come_out_as_they_were_written(tmp_path: Path, format_: str) -> None:
    """Tokens, lengths and pieces of rows in any order, repeated and from several shards and blocks."""
    run = TokenRun(tmp_path, format_)
    infos = infos_of(run, [70, 0, 5])
    shards, rows = [2, 0, 0, 2, 0, 0], [4, 69, 0, 0, 3, 64]
    batch = read(ShardStore(tmp_path, verify=True), infos, shards, rows)
    for i, number in enumerate([74, 69, 0, 70, 3, 64]):
        ends = pieces_of(number, LENGTH)
        begin, end = batch.piece_offsets[i : i + 2]
        assert batch.tokens[i].tolist() == tokens_of(number, LENGTH)
        assert batch.lengths[i] == ends[-1]
        assert batch.piece_ends[begin:end].tolist() == ends
        assert batch.piece_units[begin:end].tolist() == [number] * len(ends)
        assert batch.piece_rows[begin:end].tolist() == list(range(len(ends)))


def test_both_formats_give_the_same_bytes(tmp_path: Path) -> None:
    """A batch does not show which format it came from."""
    batches = []
    for format_ in ("arrow", "lmdb"):
        infos = infos_of(TokenRun(tmp_path / format_, format_), [100, 9])
        batches.append(read(ShardStore(tmp_path / format_, verify=False), infos, [1, 0, 0], [8, 99, 63]))
    for name in Batch.__slots__:
        a, b = (np.asarray(getattr(batch, name)) for batch in batches)
        assert (a.dtype, a.tobytes()) == (b.dtype, b.tobytes())


def test_segments_and_positions_follow_the_pieces(tmp_path: Path) -> None:
    """Each token knows its piece and its place in it; padding belongs to no piece."""
    batch = read(ShardStore(tmp_path, verify=False), infos_of(TokenRun(tmp_path), [3]), [0, 0], [2, 0])
    assert pieces_of(2, LENGTH) == [2, 3, 6]
    assert batch.segments().tolist() == [[0, 0, 1, 2, 2, 2, -1, -1], [0] * 8]
    assert batch.positions()[0, :6].tolist() == [0, 1, 0, 0, 1, 2]
    assert batch.positions()[1].tolist() == list(range(8))


def test_a_missing_sequence_is_padding(tmp_path: Path) -> None:
    """Sample -1 gives a row without tokens and pieces."""
    infos = infos_of(TokenRun(tmp_path), [3])
    samples = np.array([-1, 2])
    taken = ShardStore(tmp_path, verify=False).take(infos, np.array([0]), np.array([2]), np.array([1]))
    batch = assemble(taken, samples, sequence_length=LENGTH, pad_id=7, epoch=0, consumed=0)
    assert batch.tokens.tolist() == [[7] * LENGTH, tokens_of(2, LENGTH)]
    assert (batch.lengths.tolist(), batch.piece_offsets.tolist()) == ([0, 6], [0, 0, 3])


@FORMATS
def test_damage_is_found_at_the_first_touch(tmp_path: Path, format_: str) -> None:
    """A missing, cut, altered or foreign file is refused with its name."""
    info = TokenRun(tmp_path, format_).add(70)
    path = tmp_path / info.file.name
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with pytest.raises(FormatError, match=f"{path.name}.*damaged.*bytes"):
        open_shard(tmp_path, info, verify=False)
    path.write_bytes(whole[:1000] + bytes([whole[1000] ^ 1]) + whole[1001:])
    with pytest.raises(FormatError, match=f"{path.name}.*SHA-256 differs"):
        open_shard(tmp_path, info, verify=True)
    path.write_bytes(bytes(len(whole)))
    with pytest.raises(FormatError, match=f"{path.name}.*damaged"):
        open_shard(tmp_path, info, verify=False)
    path.write_bytes(whole)
    with pytest.raises(FormatError, match="70 sequences, the manifest says 71"):
        open_shard(tmp_path, replace(info, sequences=71), verify=False)
    path.unlink()
    with pytest.raises(FormatError, match="committed shard is missing"):
        open_shard(tmp_path, info, verify=False)


def test_an_lmdb_block_that_is_not_there_is_damage(tmp_path: Path) -> None:
    """A hole in the keys is refused, not read as something else."""
    info = TokenRun(tmp_path, "lmdb").add(130)
    path = str(tmp_path / info.file.name)
    with lmdb.open(path, subdir=False, lock=False, map_size=1 << 24) as e, e.begin(write=True) as transaction:
        transaction.delete((1).to_bytes(8, "big"))
        transaction.put((7).to_bytes(8, "big"), b"")
    with pytest.raises(FormatError, match="damaged"):
        read(ShardStore(tmp_path, verify=False), [replace(info, file=_current(tmp_path, info))], [0], [64])


def _current(run: Path, info: ShardInfo) -> FileRef:
    return replace(info.file, bytes=(run / info.file.name).stat().st_size)


def test_another_version_is_refused() -> None:
    """A shard of a later format says which release reads it."""
    metadata = {VERSION_KEY: str(SHARD_VERSION + 1).encode()}
    with pytest.raises(FormatError, match="version is 2, this release reads 1"):
        Layout.read(metadata, "shard")


def test_shards_of_two_kinds_do_not_mix(tmp_path: Path) -> None:
    """Another sequence length in the same run is refused."""
    run = TokenRun(tmp_path)
    infos = [run.add(2)]
    run.sequence_length = 16
    infos.append(run.add(2))
    with pytest.raises(FormatError, match="another kind"):
        read(ShardStore(tmp_path, verify=False), infos, [0, 1], [0, 0])


@FORMATS
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_store_works_in_a_child_process(tmp_path: Path, format_: str, method: str) -> None:
    """After fork and after pickling every process opens the shards itself, while the parent goes on reading."""
    infos = infos_of(TokenRun(tmp_path, format_), [70, 70])
    store = ShardStore(tmp_path, verify=False)
    expected = read(store, infos, [0, 1], [69, 1]).tokens.tolist()
    with multiprocessing.get_context(method).Pool(2) as pool:
        results = [pool.apply_async(_in_child, (store, infos)) for _ in range(4)]
        assert all(r.get(60) == expected for r in results)
    assert read(store, infos, [0, 1], [69, 1]).tokens.tolist() == expected


def _in_child(store: ShardStore, infos: list[ShardInfo]) -> list[list[int]]:
    rows: list[list[int]] = read(store, infos, [0, 1], [69, 1]).tokens.tolist()
    return rows


def test_two_readers_share_an_lmdb_file(tmp_path: Path) -> None:
    """LMDB allows one environment a file and process; that stays hidden."""
    infos = infos_of(TokenRun(tmp_path, "lmdb"), [5])
    stores = [ShardStore(tmp_path, verify=False) for _ in range(3)]
    assert len({str(read(store, infos, [0], [4]).tokens) for store in stores}) == 1


def test_more_lmdb_files_than_may_be_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are closed and opened again, also in the middle of a batch."""
    monkeypatch.setattr("headrace.loader.store.MOST_ENVIRONMENTS", 2)
    infos = infos_of(TokenRun(tmp_path, "lmdb"), [4] * 6)
    store = ShardStore(tmp_path, verify=False)
    for _ in range(2):
        batch = read(store, infos, list(range(6)), [1] * 6)
        assert batch.tokens.tolist() == [tokens_of(4 * i + 1, LENGTH) for i in range(6)]


def test_a_large_vocabulary_is_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids are uint32 in the file when the vocabulary needs it, and int64 in the batch in any case."""
    monkeypatch.setattr(token_runs, "VOCABULARY", 100_000)
    run = make_run(tmp_path, [2])
    infos = infos_of(run, [2])
    assert pa.ipc.open_file(str(tmp_path / infos[0].file.name)).schema.field("tokens").type.value_type == pa.uint32()
    assert read(ShardStore(tmp_path, verify=False), infos, [0], [0]).tokens.dtype == np.int64
