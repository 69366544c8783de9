"""Texts by number: equal texts have one number and different ones do not, whatever their size."""

from __future__ import annotations

import random

import numpy as np
import pytest

from headrace.schemas.arrays import read_only
from headrace.stages.kernels.statistics_numbering import eights
from headrace.stages.statistics.numbering import Numbered, Vocabulary


def laid(texts: list[bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give texts one behind the other, and where each begins and ends."""
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    begins = np.concatenate((np.zeros(1, np.int64), ends[:-1]))
    return read_only(np.frombuffer(b"".join(texts), np.uint8)), begins, ends


def by_dictionary(texts: list[bytes]) -> list[int]:
    """Give the number of each text in the order in which they came."""
    known: dict[bytes, int] = {}
    return [known.setdefault(text, len(known)) for text in texts]


@pytest.mark.parametrize("letters", [b"a", b"a\0", b"ab\xff", bytes(range(256))])
def test_texts_are_numbered_as_by_a_dictionary(letters: bytes) -> None:
    """Texts of 0 to 20 bytes, zeros at their ends included, asked in two parts, past several sizes of the table."""
    draw = random.Random(letters)
    texts = [bytes(draw.choices(letters, k=draw.randint(0, 20))) for _ in range(20_000)]
    memory = Numbered()
    first, second = memory.numbers(*laid(texts[:9_000])), memory.numbers(*laid(texts[9_000:]))
    assert [*first.tolist(), *second.tolist()] == by_dictionary(texts)
    assert memory.count == len(set(texts))


def test_long_texts_find_room() -> None:
    """A text longer than all the room there is gets a number like any other."""
    texts = [b"a" * 100_000, b"b", b"a" * 100_000, b"a" * 99_999]
    assert Numbered().numbers(*laid(texts)).tolist() == [0, 1, 0, 2]


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 15, 40])
def test_eight_bytes_are_one_number(size: int) -> None:
    """The view has the eight bytes from each place on, and one type for all sizes."""
    data = np.arange(1, size + 1, dtype=np.uint8)
    view = eights(read_only(data))
    whole = data.tobytes() + bytes(9)
    assert view.tolist() == [int.from_bytes(whole[at : at + 8], "little") for at in range(len(view))]
    assert len(view) >= max(size - 7, 2)
    assert not view.flags.c_contiguous


def test_what_is_known_of_words() -> None:
    """Bytes, characters, kind and first bytes of words of several scripts."""
    vocabulary = Vocabulary()
    numbers = vocabulary.numbers(*laid([b"wheel", "水流下山了".encode(), b"...", b"1/2", b"wheel"]))
    assert numbers.tolist() == [0, 1, 2, 3, 0]
    assert vocabulary.sizes[:4].tolist() == [[5, 5], [15, 5], [3, 3], [3, 3]]
    assert vocabulary.kinds[:4].tolist() == [3, 3, 0, 1]
    assert int(vocabulary.heads[1, 1]).to_bytes(8, "little") == "水流下山了".encode()[8:] + bytes(1)
