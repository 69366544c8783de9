"""A stored file gives what a local one gives, in few requests, with bounded blocks."""

from __future__ import annotations

import io
import os
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.stages.reading import stored_file
from headrace.stages.reading.stored_file import BLOCK, FIRST, StoredFile
from headrace.stages.reading.stream import StreamFaultError


class Requests:
    """The bytes of an object, and the ranges that were asked for."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.ranges: list[tuple[int, int]] = []

    def __call__(self, offset: int, size: int) -> bytes:
        """Answer a ranged read as a store does: a range behind the end is an error."""
        assert offset >= 0 and size > 0 and offset + size <= len(self.content)
        self.ranges.append((offset, size))
        return self.content[offset : offset + size]

    def opened(self) -> StoredFile:
        """Open the object."""
        return StoredFile(self, len(self.content))


STEPS = st.one_of(
    st.tuples(st.just("read"), st.integers(-1, 400)),
    st.tuples(st.just("seek"), st.integers(0, 1100)),
    st.tuples(st.just("back"), st.integers(-50, 0)),
)


@given(size=st.integers(0, 1000), steps=st.lists(STEPS, max_size=30))
def test_it_reads_like_a_file(size: int, steps: list[tuple[str, int]]) -> None:
    """Any mix of reads and seeks gives the bytes that a file in memory gives."""
    content = bytes(range(256)) * 4
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_file, "FIRST", 4)
        patch.setattr(stored_file, "BLOCK", 64)
        known, tested = io.BytesIO(content[:size]), Requests(content[:size]).opened()
        for name, number in steps:
            if name == "read":
                assert tested.read(number) == known.read(number)
            elif name == "seek":
                assert tested.seek(number) == known.seek(number)
            else:
                assert tested.seek(max(-known.tell(), number), io.SEEK_CUR) == known.seek(
                    max(-known.tell(), number), io.SEEK_CUR
                )
        assert tested.tell() == known.tell()
        tested.close()


def test_reading_on_takes_few_large_requests() -> None:
    """40 MiB in pieces of 64 KiB: one small request, a middle one, then blocks of 4 MiB; none twice."""
    requests = Requests(os.urandom(1 << 20) * 40)
    file = requests.opened()
    assert b"".join(iter(lambda: file.read(1 << 16), b"")) == requests.content
    assert [size for _, size in sorted(requests.ranges)][:3] == [FIRST, FIRST * 16, BLOCK]
    assert sum(size for _, size in requests.ranges) == len(requests.content)
    assert len(requests.ranges) == 12


def test_a_jump_costs_what_was_asked() -> None:
    """Who reads here and there, like a reader of tables, fetches little more than that."""
    requests = Requests(bytes(20 << 20))
    file = requests.opened()
    for offset in (19 << 20, 3 << 20, 11 << 20):
        file.seek(offset)
        file.read(1000)
    assert requests.ranges == [(19 << 20, FIRST), (3 << 20, FIRST), (11 << 20, FIRST)]
    file.seek(2 << 20)
    assert len(file.read(12 << 20)) == 12 << 20
    assert requests.ranges[3:] == [(2 << 20, 12 << 20)]


def test_a_small_file_is_one_request() -> None:
    """Its head was read to recognise it; the rest comes from the same block."""
    requests = Requests(b"x" * 5000)
    file = requests.opened()
    assert (file.read(4096), file.seek(0), file.read()) == (b"x" * 4096, 0, b"x" * 5000)
    assert requests.ranges == [(0, 5000)]
    assert file.read(10) == b""


def test_a_fault_comes_behind_every_good_byte() -> None:
    """What was fetched before it is given, short if need be; the error is raised in the reader, not the thread."""
    content = bytes(30 << 20)

    def fetch(offset: int, size: int) -> bytes:
        if offset + size > 15 << 20:
            raise StreamFaultError("unreadable_file", "denied")
        return content[:size]

    file, sizes = StoredFile(fetch, len(content)), []
    with pytest.raises(StreamFaultError, match="denied"):
        sizes.extend(len(data) for data in iter(lambda: file.read(3 << 20), b""))
    assert sizes == [3 << 20] * 4 + [2 << 20]
    assert file.tell() == 14 << 20
    file.close()


def test_archives_can_be_opened_on_it() -> None:
    """A zip reader reads the directory at the end and jumps to members: the seam serves containers too."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(3):
            archive.writestr(f"{number}.txt", f"text {number}\n" * 1000)
    with zipfile.ZipFile(Requests(buffer.getvalue()).opened()) as archive:  # type: ignore[arg-type]  # IO[bytes] by name
        assert archive.read("2.txt") == b"text 2\n" * 1000


def test_columns_read_side_by_side_are_fetched_once() -> None:
    """Three runs of reads that take turns each keep their blocks; a fourth takes the place of the oldest."""
    requests = Requests(os.urandom(1 << 20) * 40)
    file = requests.opened()
    places = [1 << 20, 15 << 20, 28 << 20]
    for step in range(0, 10 << 20, 1 << 19):
        for place in places:
            file.seek(place + step)
            assert file.read(1 << 19) == requests.content[place + step : place + step + (1 << 19)]
    assert sum(size for _, size in requests.ranges) < (30 + 3 * 12) << 20
    assert len(requests.ranges) < 20
    file.close()
