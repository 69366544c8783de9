"""Where an index is makes no difference: in memory, in files, in any number of partitions, and after any restart."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stages.any_session import check_any_session
from tests.stages.deduplication.sequential_loop import sequential
from tests.stages.test_dedup import LOOSE, STAGES, accept, random_units, texts, unit_of

from headrace.pipeline.host import Closes
from headrace.schemas.errors import FormatError
from headrace.schemas.index import EarlierRun, IndexOptions
from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.base import ReplayDiffersError, RunContext
from headrace.stages.dedup import Dedup
from headrace.stages.dedup_lines import DedupLines
from headrace.stages.deduplication.state import DedupState
from headrace.stages.urls import Urls

SPILLS = IndexOptions(memory_bytes=0)
OPTIONS = {
    f"{partitions} partitions, {bytes_} bytes": IndexOptions(partitions, bytes_)
    for partitions in (1, 2, 5)
    for bytes_ in (0, 150_000, 10**9)
}
WAYS = {"bloom": IndexOptions(2, 0, bloom=True), "lmdb": IndexOptions(2, 0, store="lmdb")}


def opened(
    stage: Dedup, run: Path, options: IndexOptions, committed: tuple[FileRef, ...] = (), first_unit: int = 0
) -> DedupState:
    state = stage.open(RunContext(run, "dedup", committed, first_unit, index=options))
    assert isinstance(state, DedupState)
    return state


@pytest.mark.parametrize("options", [*OPTIONS, *WAYS])
@pytest.mark.parametrize("name", ["default", "verified exactly", "exact alone", "fingerprints"])
def test_verdicts_are_those_of_the_sequential_loop_wherever_the_index_is(
    name: str, options: str, tmp_path: Path
) -> None:
    """Fate, survivor and similarity of every document, flushed after each unit; late units come again."""
    stage, units = STAGES[name], random_units(7, 10, 30)
    expected = sequential(stage, units)
    state = opened(stage, tmp_path, {**OPTIONS, **WAYS}[options])
    for unit in units:
        assert accept(stage, state, unit).items() <= expected.items()
        state.flush(unit.unit - 1) if unit.unit else None
        assert accept(stage, state, unit).items() <= expected.items()
    for unit in units:  # units that left memory, too
        assert accept(stage, state, unit).items() <= expected.items()
    state.close()


def test_where_documents_are_follows_the_budget(tmp_path: Path) -> None:
    """Without a budget a flush empties memory, a small one is passed every few flushes, a large one never."""
    emptied = dict.fromkeys((0, 300_000, 10**9), 0)
    for bytes_ in emptied:
        state = opened(LOOSE, tmp_path / str(bytes_), IndexOptions(memory_bytes=bytes_))
        for number in range(20):
            accept(LOOSE, state, unit_of(number, [f"{number}a{i} {number}b{i} {number}c{i}" for i in range(200)]))
            before = state.nbytes
            state.flush(number)
            emptied[bytes_] += state.nbytes < before / 2
            assert state.nbytes <= max(bytes_, 2000)
    assert emptied[0] == 20
    assert 1 < emptied[300_000] < 10
    assert emptied[10**9] == 0


indexes = st.builds(IndexOptions, st.sampled_from([1, 2, 5]), st.sampled_from([0, 3000, 10**9]))


@given(
    name=st.sampled_from(sorted(STAGES)),
    units=st.lists(st.lists(texts, max_size=6), min_size=1, max_size=6),
    data=st.data(),
)
@settings(max_examples=40, deadline=None)
def test_replays_flushes_and_restarts_with_other_options_change_no_verdict(
    name: str, units: list[list[str]], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A run goes on with more or fewer partitions and with more or less memory, behind any commit."""
    stage, run = STAGES[name], tmp_path_factory.mktemp("run")
    batches = [unit_of(i, unit) for i, unit in enumerate(units)]
    check_any_session(
        data,
        batches,
        sequential(stage, batches),
        partial(accept, stage),
        lambda *where: opened(stage, run, data.draw(indexes), *where),
    )


@pytest.mark.parametrize("name", ["loose", "verified exactly"])
def test_what_left_memory_is_in_no_other_memory(name: str, tmp_path: Path) -> None:
    """Keys, signatures, sets, postings and ids of committed files are looked at where they are mapped, never copied."""
    stage, before, written = STAGES[name], pa.total_allocated_bytes(), 0
    state = opened(stage, tmp_path, SPILLS)
    for number in range(10):
        texts = [" ".join(f"{number}.{i}.{j}" for j in range(30)) for i in range(200)]
        accept(stage, state, unit_of(number, texts))
        written += sum(ref.bytes for ref in state.flush(number))
    assert pa.total_allocated_bytes() - before < written / 20


def test_an_index_is_gone_with_the_last_word_of_it(tmp_path: Path) -> None:
    """After a rollback the old index must not wait for the garbage collector beside the new one: no cycles."""
    state = opened(LOOSE, tmp_path, SPILLS)
    accept(LOOSE, state, unit_of(0, ["the wheel turns"]))
    state.flush(0)
    watched = weakref.ref(state._layers)  # what is large
    gc.disable()
    try:
        del state
        assert watched() is None
    finally:
        gc.enable()


def test_the_bytes_of_index_files_do_not_depend_on_where_the_index_is(tmp_path: Path) -> None:
    """Names, and so contents, are the same for every number of partitions and every budget."""
    found = set()
    for number, options in enumerate(OPTIONS.values()):
        state = opened(LOOSE, tmp_path / str(number), options)
        refs: tuple[FileRef, ...] = ()
        for unit in random_units(5, 6, 20):
            accept(LOOSE, state, unit)
            refs += state.flush(unit.unit)
        found.add(refs)
    assert len(found) == 1


def test_a_replay_of_a_unit_that_left_memory_is_refused_if_it_would_keep_others(tmp_path: Path) -> None:
    """Another text, another name, one more or one fewer: ReplayDiffersError, as if the unit were in memory."""
    kept, other = ["oak and iron and water", "渠道从来不干涸"], "the wheel turns and turns"
    for again in (kept[1:], [*kept, "a new one"], [other, kept[1]], kept[::-1]):
        state = opened(Dedup(), tmp_path, SPILLS)
        accept(Dedup(), state, unit_of(0, kept))
        state.flush(0)
        accept(Dedup(), state, unit_of(0, kept))
        with pytest.raises(ReplayDiffersError, match="unit 0 came again"):
            accept(Dedup(), state, unit_of(0, again))
    with pytest.raises(ReplayDiffersError):
        accept(Dedup(), state, unit_of(0, kept, prefix="other"))


def committed_units(run: Path, units: list[UnitBatch]) -> tuple[FileRef, ...]:
    state = opened(LOOSE, run, SPILLS)
    refs: tuple[FileRef, ...] = ()
    for unit in units:
        accept(LOOSE, state, unit)
        refs += state.flush(unit.unit)
    return refs


@pytest.mark.parametrize("bytes_", [0, 10**9])
def test_damaged_and_later_files_are_refused_by_name(bytes_: int, tmp_path: Path) -> None:
    """In memory or not: a flipped byte, a missing file, and units that are not committed end the start."""
    units = random_units(2, 3, 40)
    refs = committed_units(tmp_path, units)
    options = IndexOptions(2, bytes_)
    with pytest.raises(FormatError, match=f"{refs[2].name}: .*holds units that are not committed"):
        opened(LOOSE, tmp_path, options, refs, 2)
    path = tmp_path / refs[1].name
    whole = path.read_bytes()
    for place in range(8, len(whole) - 8, len(whole) // 23):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(FormatError, match=f"{refs[1].name}: "):
            opened(LOOSE, tmp_path, options, refs, 3)
    path.unlink()
    with pytest.raises(FormatError, match=f"{refs[1].name}: a file of the dedup index is missing"):
        opened(LOOSE, tmp_path, options, refs, 3)


def test_what_is_not_committed_does_not_exist_in_files_either(tmp_path: Path) -> None:
    """A state without memory knows the files it is given and no others, even if more lie in the folder."""
    units = random_units(2, 3, 40)
    refs = committed_units(tmp_path, units)
    state = opened(LOOSE, tmp_path, replace(SPILLS, partitions=2), refs[:1], 1)
    expected = sequential(LOOSE, units)
    for unit in units[1:]:
        assert accept(LOOSE, state, unit).items() <= expected.items()


def test_every_stage_with_an_index_closes_it(tmp_path: Path) -> None:
    """The host of a state lets go of it by `close`, whichever stage it is."""
    for stage in (Dedup(), Urls(), DedupLines()):
        state = stage.open(RunContext(tmp_path, stage.kind, index=SPILLS))
        assert isinstance(state, Closes), stage.kind
        state.close()


@pytest.mark.parametrize("options", [IndexOptions(2, 0), IndexOptions(5, 10**9), IndexOptions(1, 3000)], ids=str)
def test_five_arrivals_are_judged_like_one_run(options: IndexOptions, tmp_path: Path) -> None:
    """Each run asks the index files of all runs before it, and keeps, names and measures as one run would."""
    units = random_units(11, 15, 30)
    expected, earlier = sequential(LOOSE, units), list[EarlierRun]()
    for arrival in range(5):
        run = tmp_path / str(arrival)
        state = LOOSE.open(RunContext(run, "dedup", index=options, earlier=tuple(earlier)))
        refs: tuple[FileRef, ...] = ()
        for number, unit in enumerate(units[arrival * 3 : arrival * 3 + 3]):
            assert accept(LOOSE, state, unit.but(unit=number)).items() <= expected.items()
            refs += state.flush(number)
        earlier.append(EarlierRun(run.name, run, "dedup", 1, "", refs))
