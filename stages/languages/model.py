"""The model behind languages that their script does not settle: py3langid's, read from its package, no download."""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import Array, Floats, read_only, text_buffers
from headrace.stages.kernels.language_model import Automaton, Scores, scores

NO_LANGUAGE = "zxx"  # the model's label for text that is none
# Languages in Han, kana and Hangul are told by their characters; the model is asked about all others.
_BY_SCRIPT = ("zh", "yue", "wuu", "ja", "ko")
_NEVER = np.float32(np.finfo(np.float32).min)


@dataclass(frozen=True, slots=True)
class Model:
    """The automaton, its labels, and which of them are asked for; a label may stand for several columns."""

    automaton: Automaton
    labels: tuple[str, ...]
    asked: tuple[bool, ...]


@cache
def model() -> Model:
    """Read the model of the installed py3langid: 5 MB on disk, 80 MB in memory, some seconds once a process."""
    spec = find_spec("py3langid")
    path = Path(str(spec.origin)).parent / "data" / "model.npz.xz" if spec else Path()
    with lzma.open(path) as file, np.load(file, allow_pickle=False) as stored:
        automaton = Automaton(
            read_only(stored["nextmove"].astype(np.uint32)),
            read_only(stored["nextmove_row"].astype(np.uint32)),
            read_only(stored["out_feat"].astype(np.int32)),
            read_only(stored["ptc"].astype(np.float32)),
            read_only(stored["pc"].astype(np.float32)),
        )
        labels = tuple(stored["classes"].tolist())
    return Model(automaton, labels, tuple(label not in _BY_SCRIPT for label in labels))


def named(texts: Array) -> tuple[npt.NDArray[np.str_], Floats]:
    """Give the language of each text and its probability, as py3langid does among the languages asked for."""
    small = lower_case_where_capitals(texts)
    data, offsets = text_buffers(pc.call_function("utf8_normalize", [small], pc.Utf8NormalizeOptions("NFC")))
    known = model()
    points = scores(data, offsets, known.automaton)
    points[:, ~np.array(known.asked)] = _NEVER
    shares = probabilities(points, np.diff(offsets).astype(np.float64))
    best = shares.argmax(axis=1)
    return np.array(model().labels, dtype="U8")[best], shares[np.arange(len(best)), best]


def probabilities(points: Scores, sizes: Floats) -> Floats:
    """Give the probability of each column from scores and bytes: a softmax at the temperature that py3langid uses.

    A label that has several columns gets the sum at the first of them.
    """
    heated = points / np.sqrt(np.maximum(1, sizes))[:, None]
    shares: Floats = np.exp(heated - heated.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    for column, label in enumerate(model().labels):
        first = model().labels.index(label)
        if first < column:
            shares[:, first] += shares[:, column]
            shares[:, column] = 0
    return shares


def lower_case_where_capitals(texts: Array) -> Array:
    """Give texts in capitals alone in small letters, as py3langid reads them."""
    upper = pc.equal(pc.utf8_upper(texts), texts)
    result: Array = pc.if_else(upper, pc.utf8_lower(texts), texts).cast(pa.large_string())
    return result
