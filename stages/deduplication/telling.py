"""How a long look at all documents says where it is, and how it is made to stop: between two parts of the work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

Tell = Callable[[str, int, int], None]  # what is being done, and how many of how many parts of it are done; may raise


def unheard(doing: str, done: int, of: int) -> None:
    """Tell nobody."""


def told(tell: Tell, doing: str, parts: Sequence[T]) -> Iterator[T]:
    """Give parts of some work one by one, and tell before each and behind the last.

    >>> list(told(lambda *said: print(*said), "rows", "ab"))
    rows 0 2
    rows 1 2
    rows 2 2
    ['a', 'b']
    """
    for done, part in enumerate(parts):
        tell(doing, done, len(parts))
        yield part
    tell(doing, len(parts), len(parts))
