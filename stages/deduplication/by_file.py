"""Rows of many files, asked for in any order: taken file by file, each once, and put back into that order."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Array, Counts

T = TypeVar("T", Array, pa.Table)


class ByFile(NamedTuple):
    """Each file that is asked, by its number, with the places of what is asked of it; files and places ascend."""

    parts: list[tuple[int, Counts]]
    order: Counts  # the places of all parts, one behind the other

    def put_back(self, answers: T) -> T:
        """Give the answers, which come part after part, in the order in which they were asked for."""
        back = np.empty(len(self.order), np.int64)
        back[self.order] = np.arange(len(self.order))
        return answers.take(pa.array(back, pa.int64()))


def by_file(files: Counts) -> ByFile:
    """Sort what is asked for by the number of the file that it is in."""
    order = np.argsort(files, kind="stable")
    numbers, begins = np.unique(files[order], return_index=True)
    return ByFile(list(zip(numbers.tolist(), np.split(order, begins)[1:], strict=True)), order)
