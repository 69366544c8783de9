"""The peers of benchmarks/dedup.py, each as it is meant to be used: text in, and what it makes of it."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import xxhash
from datasketch import MinHash, MinHashLSH

BANDS, ROWS, SLOTS, SHINGLE, BITS = 14, 8, 112, 5, 3
ENVIRONMENTS = Path(__file__).parents[1] / ".bench-env"
_PACKAGES = (
    ENVIRONMENTS / "dedup" / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
)
Text = tuple[str, str]  # language and text


@dataclass(frozen=True, slots=True)
class Peers:
    """What is installed; None stands for a peer that is not."""

    gaoya: ModuleType | None
    rensa: ModuleType | None
    data_juicer: tuple[Any, Any] | None

    @property
    def absent(self) -> list[str]:
        """The names of those that are not there."""
        return [name for name in ("gaoya", "rensa", "data_juicer") if getattr(self, name) is None]


def peers() -> Peers:
    """Import the peers, from their environment of the same Python; one thread is what each gets."""
    os.environ["RAYON_NUM_THREADS"] = "1"
    sys.path.append(str(_PACKAGES))  # behind everything of our own
    try:
        return Peers(_module("gaoya"), _module("rensa"), _native())
    finally:
        sys.path.pop()


def versions() -> dict[str, str]:
    """Give the releases of the peers that are installed."""
    names = ("gaoya", "rensa", "py-data-juicer", "datasketch", "text-dedup")
    found = {name: [*metadata.distributions(name=name, path=[str(_PACKAGES), *sys.path])] for name in names}
    return {name: entries[0].version for name, entries in found.items() if entries}


def _module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _native() -> tuple[Any, Any] | None:
    """Load data-juicer's two compiled files under names of their own: one is called `tokenize`."""
    folder = _PACKAGES / "data_juicer_native"
    files = [next(iter(folder.glob(f"{name}.*.so")), None) for name in ("minhash", "tokenize")]
    loaded = []
    for name, file in zip(("minhash", "tokenize"), files, strict=True):
        spec = importlib.util.spec_from_file_location(name, file) if file else None
        if spec is None or spec.loader is None:
            return None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        loaded.append(module)
    return loaded[0], loaded[1]


def gaoya_minhash(gaoya: Any, texts: Sequence[Text]) -> Callable[[], object]:
    """Index texts; Chinese is cut at what is no letter, as its word analyzer does, so it has less to do there."""

    def run() -> object:
        index = gaoya.minhash.MinHashStringIndex(
            32, 0.8, BANDS, ROWS, SLOTS, "word", False, (SHINGLE, SHINGLE)
        )  # as it takes it
        for number, (_, text) in enumerate(texts):
            index.insert_document(number, text)
        return index

    return run


def gaoya_simhash(gaoya: Any, texts: Sequence[Text]) -> Callable[[], object]:
    """Index texts by words in runs of three, for up to three bits."""

    def run() -> object:
        index = gaoya.simhash.SimHashStringIndex(64, BITS + 1, BITS, "word", False, (3, 3))  # as it takes it
        for number, (_, text) in enumerate(texts):
            index.insert_document(number, text)
        return index

    return run


def data_juicer(native: tuple[Any, Any], texts: Sequence[Text]) -> Callable[[], object]:
    """Sign texts in one thread of its C++; Chinese by its characters, since by its words it has none."""
    minhash, tokenize = native
    random = np.random.RandomState(42)
    most = np.iinfo(np.int64).max
    pairs = [[random.randint(low, most, dtype=np.uint64) for low in (1, 0)] for _ in range(SLOTS)]
    a, b = np.array(pairs, np.uint64).T
    ranges = [(band * ROWS, (band + 1) * ROWS) for band in range(BANDS)]

    def run() -> object:
        tokens = [
            tokenize.n_grams(
                tokenize.split_on_whitespace(text) if language == "en" else [c.encode() for c in text], SHINGLE
            )
            for language, text in texts
        ]
        return minhash.calc_minhash_batch_c(tokens, 0, a, b, b"", ranges, 1, 1)

    return run


def datasketch_minhash(texts: Sequence[Text]) -> Callable[[], object]:
    """Sign texts in bulk with the fastest hash there is for it, then ask the index and insert what is new."""

    def run() -> object:
        shingles = [_shingles(*text) for text in texts]
        signed = MinHash.bulk(shingles, num_perm=SLOTS, seed=1, hashfunc=xxhash.xxh32_intdigest)
        return query_then_insert(list(signed))

    return run


def query_then_insert(signed: Sequence[MinHash], near: Callable[[int, int], bool] = lambda *_: True) -> list[bool]:
    """Say of each signature whether it shares a band with an earlier one that does not, and is `near` that one."""
    index = MinHashLSH(num_perm=SLOTS, params=(BANDS, ROWS))
    repeats = []
    for number, signature in enumerate(signed):
        repeats.append(any(near(number, other) for other in index.query(signature)))
        if not repeats[-1]:
            index.insert(number, signature)
    return repeats


def _shingles(language: str, text: str) -> list[bytes]:
    items = text.split() if language == "en" else list(text)
    joint = " " if language == "en" else ""
    return [joint.join(items[i : i + SHINGLE]).encode() for i in range(max(1, len(items) - SHINGLE + 1))]


def rensa_matrix(rensa: Any, values: np.ndarray[Any, Any], ends: np.ndarray[Any, Any]) -> Any:  # no types
    """Give rensa's own signatures of shingle hashes; its index takes no others."""
    return rensa.RMinHash.digest_matrix_from_flat_token_hashes(values, ends.astype(np.uint64), SLOTS, 42)


def rensa_index(rensa: Any, matrix: Any) -> Any:  # no types
    """Insert signatures and say of each whether it shares a band with another one; the index comes with the answer."""
    index = rensa.RMinHashLSH(0.8, SLOTS, BANDS)
    return index, index.insert_matrix_and_query_duplicate_flags(matrix)
