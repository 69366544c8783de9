"""Sorted runs answer as the index in memory does, however they are cut and merged; damage is refused or mended."""

from __future__ import annotations

import logging
import random
import resource
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stages.deduplication.written_index import (
    PARAMETERS,
    for_rules,
    ids_of,
    in_memory,
    kept_of,
    listed,
    write_files,
)
from tests.stages.kernels.test_band_index import RULES, SLOTS, documents, entries

from headrace.schemas.errors import FormatError
from headrace.schemas.index import DEFAULT_INDEX, IndexOptions
from headrace.stages.deduplication import merged, sorted_run
from headrace.stages.deduplication.index_file import IndexFile
from headrace.stages.deduplication.open_files import FILE_BYTES
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.runs import count_documents
from headrace.stages.deduplication.sorted_runs import SortedRuns
from headrace.stages.kernels.band_index import EXACT, KEPT, NEAR
from headrace.stages.kernels.plain_band_index import Document
from headrace.stages.kernels.plain_sorted_postings import ask

OPTIONS = {
    "runs": DEFAULT_INDEX,
    "runs, bloom": IndexOptions(bloom=True),
    "lmdb": IndexOptions(store="lmdb"),
    "lmdb, bloom": IndexOptions(store="lmdb", bloom=True),
}
BOTH = RULES["both"]


def opened(run: Path, rules: Rules, files: Sequence[IndexFile], options: IndexOptions = DEFAULT_INDEX) -> SortedRuns:
    runs = SortedRuns(rules, PARAMETERS, options, run / "index/merged")
    runs.adopt(files)
    return runs


def check_answers(runs: SortedRuns, kept: list[Document], below: int, rules: Rules = BOTH) -> None:
    """Ask about all that is kept: the answers are those of the index in memory."""
    assert listed(runs.ask(entries(kept, rules), below)) == in_memory(kept, kept, below, rules)


def random_documents(seed: int, count: int) -> list[Document]:
    """Give documents of which a third are changed copies."""
    chance, made = random.Random(seed), list[Document]()
    for _ in range(count):
        signature = tuple(chance.getrandbits(32) for _ in range(SLOTS))
        key, shingles = (chance.getrandbits(64), 1), frozenset(chance.sample(range(99), 9))
        if made and chance.random() < 0.33:
            one = chance.choice(made)
            signature = tuple(v if chance.random() < 0.85 else chance.getrandbits(32) for v in one.signature)
            key, shingles = one.key if chance.random() < 0.4 else key, one.shingles | {chance.randrange(99)}
        made.append(Document(key, chance.random() < 0.95, signature, shingles))
    return made


@pytest.mark.parametrize("name", RULES)
@given(
    known=st.lists(documents, max_size=40),
    asked=st.lists(documents, max_size=20),
    cuts=st.lists(st.integers(0, 40), max_size=12),
    below=st.integers(0, 40),
    options=st.sampled_from(sorted(OPTIONS)),
)
@settings(max_examples=12, deadline=None)
def test_any_cut_answers_as_the_index_in_memory(
    name: str, known: list[Document], asked: list[Document], cuts: list[int], below: int, options: str
) -> None:
    """Few values, so that nearly all meet: the same fates, survivors and similarities, before and after merging."""
    rules = RULES[name]
    kept, asked = kept_of(for_rules(known, rules), rules), for_rules(asked, rules)
    below = min(below, len(kept))
    expected = in_memory(kept, asked, below, rules)
    assert expected == ask(asked, list(enumerate(kept)), below, rules.policy)
    with TemporaryDirectory() as folder:
        runs = opened(Path(folder), rules, write_files(Path(folder), rules, kept, cuts), OPTIONS[options])
        assert listed(runs.ask(entries(asked, rules), below)) == expected
        runs.wait()
        assert listed(runs.ask(entries(asked, rules), below)) == expected
        runs.close()


@pytest.mark.parametrize(
    ("name", "options"), [*((name, "runs") for name in RULES), *(("both", options) for options in OPTIONS)]
)
def test_many_documents_in_many_files(name: str, options: str, tmp_path: Path) -> None:
    """Hundreds of documents in forty files, adopted in four turns with questions between: the same answers."""
    rules = RULES[name]
    kept = kept_of(for_rules(random_documents(1, 300), rules), rules)
    asked = for_rules(random_documents(1, 300)[::3] + random_documents(2, 30), rules)
    files = write_files(tmp_path, rules, kept, range(0, len(kept), 1 + len(kept) // 40))
    runs = SortedRuns(rules, PARAMETERS, OPTIONS[options], tmp_path / "index/merged")
    for turn in range(4):
        runs.adopt(files[turn::4])
        runs.ask(entries(asked[:10], rules), len(kept))
    runs.wait()
    assert runs.runs <= 3 * np.log(len(kept)) / np.log(4)
    for below in (0, 17, len(kept)):
        assert listed(runs.ask(entries(asked, rules), below)) == in_memory(kept, asked, below, rules)
    numbers = np.array([len(kept) - 1, 3, 3, 0, len(kept) // 2])
    assert runs.ids(numbers).to_pylist() == [ids_of(n, 1)[0] for n in numbers.tolist()]
    assert runs.ids(numbers[:0]).to_pylist() == []
    runs.close()


def test_numbers_may_have_gaps_and_files_come_twice(tmp_path: Path) -> None:
    """Every other file, as in a partition, and one content under two numbers: the earlier one is named."""
    kept = kept_of(random_documents(3, 90), BOTH)
    files = write_files(tmp_path, BOTH, kept, range(0, 90, 7))[::2]
    numbers = [n for file in files for n in range(file.first, file.first + file.documents)]
    again = replace(files[0], first=1000)
    for some in ([*files, again], [again, *files]):
        runs = opened(tmp_path, BOTH, some)
        for _ in range(2):
            expected = ask(kept, [(n, kept[n]) for n in numbers], 2000, BOTH.policy)
            assert listed(runs.ask(entries(kept, BOTH), 2000)) == expected
            runs.wait()
        assert listed(runs.ask(entries(kept[:1], BOTH), 0)) == [(KEPT, -1, 0.0)]
        assert runs.ids(np.array([1000, 0])).to_pylist() == ids_of(0, 1) * 2
        runs.close()


def test_a_band_of_all_documents_takes_time_but_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More pairs than are tested at a time: a repeat that stands behind all the others is found."""
    monkeypatch.setattr(sorted_run, "_PAIRS", 50)
    chance = random.Random(2)
    kept = [d._replace(signature=(5, 6, *d.signature[2:]), signed=True) for d in random_documents(5, 200)]
    kept = kept_of(kept, RULES["near"])
    repeat = kept[-1]._replace(signature=(*kept[-1].signature[:-1], chance.getrandbits(32)))
    runs = opened(tmp_path, RULES["near"], write_files(tmp_path, RULES["near"], kept, range(0, 200, 9)))
    for _ in range(2):
        found = listed(runs.ask(entries([repeat] * 3, RULES["near"]), len(kept)))
        assert found == in_memory(kept, [repeat] * 3, len(kept), RULES["near"])
        assert found[0][:2] == (NEAR, len(kept) - 1)
        runs.wait()
    runs.close()


@pytest.fixture
def made(tmp_path: Path) -> tuple[list[Document], list[IndexFile]]:
    """Three hundred documents in twenty committed files."""
    kept = kept_of(random_documents(4, 300), BOTH)
    return kept, write_files(tmp_path, BOTH, kept, range(0, len(kept), 1 + len(kept) // 20))


Made = tuple[list[Document], list[IndexFile]]


def merged_files(run: Path) -> list[Path]:
    return sorted((run / "index/merged").iterdir())


def merged_once(run: Path, files: Sequence[IndexFile], options: IndexOptions = DEFAULT_INDEX) -> Path:
    """Merge files in a process that ends then; give the one file that it leaves."""
    runs = opened(run, BOTH, files, options)
    runs.wait()
    runs.close()
    (path,) = merged_files(run)
    return path


def flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("place", [0, 300, 2000, -20])
def test_a_flipped_byte_in_an_index_file_is_refused_by_name(place: int, made: Made, tmp_path: Path) -> None:
    """Wherever it is, in signatures, postings or the footer."""
    _, files = made
    flip(files[5].path, place)
    with pytest.raises(FormatError, match=f"{files[5].ref.name}: a file of the dedup index is damaged"):
        opened(tmp_path, BOTH, files)


def test_cut_missing_and_other_files_are_refused_by_name(made: Made, tmp_path: Path) -> None:
    """Cut short, empty, not there, with another number of documents, with other options."""
    _, files = made
    path = files[5].path
    content = path.read_bytes()
    for rest in (content[:-100], b""):
        path.write_bytes(rest)
        with pytest.raises(FormatError, match=f"{path.name}: a file of the dedup index is damaged"):
            opened(tmp_path, BOTH, files)
    path.unlink()
    for read in (lambda: opened(tmp_path, BOTH, files), lambda: count_documents(tmp_path, files[5].ref)):
        with pytest.raises(FormatError, match=f"{path.name}: a file of the dedup index is missing"):
            read()
    with pytest.raises(FormatError, match=f"{files[6].path.name}: .* another number of documents: it has"):
        opened(tmp_path, BOTH, [replace(files[6], documents=2)])
    with pytest.raises(FormatError, match=f"{files[7].path.name}: a file of the dedup index was made with other"):
        SortedRuns(BOTH, {"stage": "another"}, DEFAULT_INDEX, tmp_path).adopt([files[7]])


def test_documents_are_counted_by_the_footer(made: Made, tmp_path: Path) -> None:
    """Before a file is read, to number what comes behind it; what is no index is refused."""
    kept, files = made
    assert [count_documents(tmp_path, file.ref) for file in files] == [file.documents for file in files]
    assert sum(file.documents for file in files) == len(kept)
    files[0].path.write_bytes(b"no index")
    with pytest.raises(FormatError, match="not a dedup index"):
        count_documents(tmp_path, files[0].ref)


@pytest.mark.parametrize("options", ["runs", "lmdb"])
@pytest.mark.parametrize("damage", [lambda p: flip(p, 70), lambda p: flip(p, -900), lambda p: p.write_bytes(b"")])
def test_a_damaged_merged_file_is_made_again(
    options: str, damage: Callable[[Path], None], made: Made, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its content is not what its name says: one line says so, the answers are the same, and it is there again."""
    kept, files = made
    path = merged_once(tmp_path, files, OPTIONS[options])
    content = path.read_bytes()
    damage(path)
    runs = opened(tmp_path, BOTH, files, OPTIONS[options])
    assert [record.message.partition(":")[0] for record in caplog.records] == [str(path)]
    assert runs.runs == len(files)
    check_answers(runs, kept, len(kept))
    runs.wait()
    assert runs.runs == 1
    assert merged_files(tmp_path) == [path]
    assert path.read_bytes() == content


@pytest.mark.parametrize("content", [b'{"version":1,"inputs":["a"],"tables":4}\n', b"another form altogether"])
def test_merged_files_of_other_versions_are_not_used(content: bytes, made: Made, tmp_path: Path) -> None:
    """Whole as they are: they give way to those of this version."""
    kept, files = made
    path = tmp_path / f"index/merged/postings-0123456789abcdef-{sha256(content).hexdigest()[:12]}.merged"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    runs = opened(tmp_path, BOTH, files)
    assert runs.runs == len(files)
    runs.wait()
    assert runs.runs == 1
    assert not path.exists()
    check_answers(runs, kept, 200)


@pytest.mark.parametrize("options", ["runs", "lmdb"])
def test_whole_merged_files_are_used_again(options: str, made: Made, tmp_path: Path) -> None:
    """The next process merges nothing anew; it adopts what it knows of in any turns."""
    kept, files = made
    path = merged_once(tmp_path, files, OPTIONS[options])
    before = path.stat().st_mtime_ns
    runs = opened(tmp_path, BOTH, files[:7], OPTIONS[options])
    assert runs.runs == 7
    runs.adopt(files[7:])
    assert runs.runs == 1
    check_answers(runs, kept, 250)
    runs.wait()
    assert path.stat().st_mtime_ns == before


def test_what_a_killed_process_left_is_removed(made: Made, tmp_path: Path) -> None:
    """A temporary file, merged postings of other files, and those that were merged further go with the next merge."""
    _, files = made
    older = merged_once(tmp_path, files[:6])
    half = older.with_name(f".{older.name}.1.abc.tmp")
    half.write_bytes(b"half")
    older.with_name("keep.me").write_bytes(b"")
    runs = opened(tmp_path, BOTH, files[6:])
    assert runs.runs == len(files) - 6
    runs.wait()
    assert not half.exists()
    assert not older.exists()
    assert len(merged_files(tmp_path)) == 2


@pytest.fixture
def no_room() -> Iterator[None]:
    """Let the system refuse to write files beyond a page, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(("options", "why"), [("runs", "File too large"), ("lmdb", "No space left")])
@pytest.mark.usefixtures("made", "no_room")
def test_a_full_disk_leaves_the_files_unmerged(
    options: str, why: str, made: Made, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """No answer changes, nothing half-written stays, and one line says so, however much is asked."""
    kept, files = made
    runs = opened(tmp_path, BOTH, files, OPTIONS[options])
    for _ in range(3):
        check_answers(runs, kept, len(kept))
        runs.wait()
    assert runs.runs == len(files)
    assert merged_files(tmp_path) == []
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "not merged any more" in record.message
    assert why in record.message


class Held(NamedTuple):
    """A merge that stands still: whether it has begun, and what lets it go on."""

    begun: threading.Event
    go_on: threading.Event


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    """Let merges stand still at their first step until they may go on."""
    begun, go_on = threading.Event(), threading.Event()
    pieces = merged.merged_pieces

    def slow(*arguments: object) -> object:
        begun.set()
        assert go_on.wait(60)
        return pieces(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(merged, "merged_pieces", slow)
    return Held(begun, go_on)


def test_answers_do_not_change_while_something_is_merged(held: Held, made: Made, tmp_path: Path) -> None:
    """A merge that stands still at each step: all is answered meanwhile, more is adopted, and closing ends it."""
    kept, files = made
    runs = opened(tmp_path, BOTH, files[:10])
    runs.ask(entries(kept, BOTH), len(kept))
    assert held.begun.wait(60)
    runs.adopt(files[10:])
    check_answers(runs, kept, len(kept))
    assert runs.runs == len(files)
    held.go_on.set()
    runs.wait()
    assert runs.runs < 4
    check_answers(runs, kept, len(kept))
    runs.close()


def test_closing_ends_a_merge_and_leaves_nothing_of_it(held: Held, made: Made, tmp_path: Path) -> None:
    """The merge ends at its next step, without a trace."""
    kept, files = made
    runs = opened(tmp_path, BOTH, files)
    runs.ask(entries(kept[:1], BOTH), 1)
    assert held.begun.wait(60)
    threading.Timer(0.1, held.go_on.set).start()
    runs.close()
    assert merged_files(tmp_path) == []


def test_equal_before_near_whatever_comes_first(tmp_path: Path) -> None:
    """A key in the last file wins over a likeness in the first."""
    one = Document((1, 1), True, (1,) * SLOTS, frozenset([1]))
    other = Document((2, 2), True, (2,) * SLOTS, frozenset([1]))
    runs = opened(tmp_path, BOTH, write_files(tmp_path, BOTH, [one, other], [1]))
    mixed = Document((2, 2), True, (1,) * SLOTS, frozenset([1]))
    assert listed(runs.ask(entries([mixed], BOTH), 2)) == [(EXACT, 1, 1.0)]
    assert listed(runs.ask(entries([mixed], BOTH), 1)) == [(NEAR, 0, 1.0)]


@pytest.mark.parametrize(("options", "most"), [("runs", 2), ("runs, bloom", 21), ("lmdb", 0.1)])
def test_memory_per_document_is_what_is_documented(options: str, most: float, tmp_path: Path) -> None:
    """Directories take less than 2 bytes a document at 14 x 8 with keys, filters 18.8; all else is mapped."""
    rules = Rules(exact=True, bands=14, rows=8, slots=112, threshold=0.8)
    chance = random.Random(0)
    kept = [Document((n, 1), True, tuple(chance.getrandbits(32) for _ in range(112)), frozenset()) for n in range(6000)]
    runs = opened(tmp_path, rules, write_files(tmp_path, rules, kept, range(0, 6000, 1500)), OPTIONS[options])
    runs.wait()
    assert runs.runs == 1
    assert (runs.nbytes - 4 * FILE_BYTES) / 6000 < most
    assert listed(runs.ask(entries(kept[::600], rules), 6000)) == [(EXACT, n, 1.0) for n in range(0, 6000, 600)]
