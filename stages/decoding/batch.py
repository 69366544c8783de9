"""One call of the kernel: rows in, and their facts, charsets and texts out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.schemas.arrays import Bytes, Counts, Offsets
from headrace.stages.decoding.rows import Rows
from headrace.stages.kernels.charset_decode import decode_groups
from headrace.stages.kernels.charset_model import UTF_16_LE, Model
from headrace.stages.kernels.charset_transcode import MOST_BYTES

NOBODY = -1
ONE_NOBODY = np.array([NOBODY], np.int64)
UNWRITTEN = UTF_16_LE  # the number by which the kernel leaves a group to Python
_WIDEST = 4  # bytes of the longest character


class Batch(NamedTuple):
    """Rows and what the kernel makes of them: row r is `utf8[offsets[r]:offsets[r + 1]]`.

    `facts` and `found` are by group, `notes` by row; their columns are named beside the kernels. `suspects` counts the
    rows whose notes make a look at single lines worth while.
    """

    rows: Rows
    facts: Counts
    found: Counts
    utf8: Bytes
    offsets: Offsets
    notes: Counts
    suspects: int

    def text(self, row: int) -> str:
        """Give one row's text."""
        return str(self.utf8[self.offsets[row] : self.offsets[row + 1]].data, "utf-8")


def judged(rows: Rows, favoured: Counts, favour: int, model: Model, *, proofs: bool) -> Batch:
    """Find the charset of each group and decode it; `favoured` (NOBODY: none) is `favour` centinats likelier.

    Without `proofs`, what is legal UTF-8 has to be likely as well.
    """
    fixed = ONE_NOBODY if len(favoured) == 1 else np.full(len(favoured), NOBODY, np.int64)
    return _run(rows, fixed, favoured, favour, proofs, model)


def decoded_as(rows: Rows, numbers: Counts, model: Model) -> Batch:
    """Decode each group by the charset of a number."""
    return _run(rows, numbers, numbers, 0, True, model)


def _run(rows: Rows, fixed: Counts, favoured: Counts, favour: int, proofs: int, model: Model) -> Batch:
    out = np.empty(MOST_BYTES * rows.size + _WIDEST, np.uint8)
    facts, found, offsets, notes, suspects = decode_groups(
        rows.data, rows.begins, rows.ends, rows.firsts, fixed, favoured, favour, proofs, model, out
    )
    return Batch(rows, facts, found, out, offsets, notes, suspects)
