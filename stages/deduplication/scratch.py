"""Large arrays in a file that nobody else sees: the system takes their pages out of memory when others need it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from headrace.schemas.durable import temporary_beside

T = TypeVar("T", bound=np.generic)


class Scratch:
    """Gives arrays of zeros that live in a folder; they are gone with their last user, however that ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def array(self, shape: tuple[int, ...], kind: type[T]) -> npt.NDArray[T]:
        """Give an array; OSError where the disk has no room for it."""
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        if not size:
            return np.zeros(shape, kind)
        path = temporary_beside(self._folder / "scratch")
        with path.open("w+b") as file:
            path.unlink()
            os.posix_fallocate(file.fileno(), 0, size)  # now, by an error; a page without room later is a signal
            mapped: npt.NDArray[T] = np.memmap(file, kind, "r+", shape=shape)
            return np.asarray(mapped)
