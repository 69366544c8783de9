"""Flags of characters and the arrays that the kernels of document statistics share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

SPACE, ALPHABETIC, MARK, TERMINAL, BREAK, DIGIT = 1, 2, 4, 8, 16, 32
Bounds = npt.NDArray[np.int32]  # of words, in bytes of their document
Slots = npt.NDArray[np.int32]
Edges = npt.NDArray[np.uint16]
