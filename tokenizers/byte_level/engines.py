"""The libraries that turn texts into ids, behind one call: packed texts in, flat ids and offsets out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import pairwise
from typing import Protocol, TypeAlias, TypeVar

import awkward as ak
import numpy as np
from gigatoken.gigatoken_rs import BPETokenizer, load_hf_json
from numpy.typing import NDArray

from headrace.schemas.arrays import Bytes, Offsets

T = TypeVar("T")
WideIds: TypeAlias = NDArray[np.uint32]


class Engine(Protocol):
    """A loaded model of one library."""

    @property
    def name(self) -> str:
        """The library and its version."""
        ...

    def encode(self, data: Bytes, offsets: Offsets) -> tuple[WideIds, Offsets]:
        """Give the ids of all texts; those of text i are ids[offsets[i]:offsets[i + 1]]."""
        ...


class EngineRefused(Exception):
    """The library does not take the model, or failed on a text; its message is the library's."""


@dataclass(frozen=True, slots=True)
class FastEngine:
    """gigatoken: one thread, no Python object a document or token."""

    backend: BPETokenizer

    @property
    def name(self) -> str:
        """The library and its version."""
        return f"gigatoken {version('gigatoken')}"

    def encode(self, data: Bytes, offsets: Offsets) -> tuple[WideIds, Offsets]:
        """Give the ids of all texts; the buffers are read in place."""
        bounds = np.zeros(len(offsets), np.int64)
        if len(offsets) == 1:
            return np.empty(0, np.uint32), bounds
        content = ak.contents.NumpyArray(data[offsets[0] : offsets[-1]])
        texts = ak.Array(ak.contents.ListOffsetArray(ak.index.Index64(offsets - offsets[0]), content))
        rows = _guarded(lambda: self.backend.encode_batch(texts, parallel=False))
        np.cumsum(ak.to_numpy(ak.num(rows)), out=bounds[1:])
        ids: WideIds = ak.to_numpy(ak.flatten(rows))
        return ids, bounds


@dataclass(frozen=True, slots=True)
class LibraryEngine:
    """A library that takes one text at a time: the reference for ids."""

    name: str
    encode_text: Callable[[str], WideIds]

    def encode(self, data: Bytes, offsets: Offsets) -> tuple[WideIds, Offsets]:
        """Give the ids of all texts, one call of the library each."""
        parts = [_guarded(partial(self.encode_text, text)) for text in _texts(data, offsets)]
        bounds = np.zeros(len(offsets), np.int64)
        np.cumsum([len(part) for part in parts], out=bounds[1:])
        return np.concatenate(parts, dtype=np.uint32) if parts else np.empty(0, np.uint32), bounds


def fast_engine(model: bytes) -> FastEngine:
    """Load a model that `tokenizer_json.fast_model` wrote; EngineRefused gives the library's reason."""
    backend = _guarded(lambda: load_hf_json(model))
    if not isinstance(backend, BPETokenizer):
        raise EngineRefused("the model is not a byte-level one")
    return FastEngine(backend)


def _texts(data: Bytes, offsets: Offsets) -> Iterator[str]:
    for start, stop in pairwise(offsets.tolist()):
        yield data[start:stop].tobytes().decode()


def _guarded(call: Callable[[], T]) -> T:
    """Call a library written in Rust. Its panics are no `Exception`, and would end a worker without a word."""
    try:
        return call()
    except BaseException as error:
        if isinstance(error, (ValueError, RuntimeError, KeyError)) or type(error).__name__ == "PanicException":
            raise EngineRefused(str(error)) from error
        raise
