"""Near duplicates beside gaoya, data-juicer's C++, datasketch, datatrove and rensa.

All see the same documents, of real sentences, half of them Chinese, as views (match forms), which any tool wants
first; what our view costs is in `minhash_from_raw_vs_gaoya`, where ours begins with the raw text and gaoya does not.
`minhash_*`: text in; ours signs (datasketch 2's scheme, 112 slots) and gives verified verdicts of the first-seen index
(`minhash_signing_*`: signs alone); gaoya signs and inserts, datasketch signs, asks and inserts, data-juicer and
datatrove sign. `simhash_*`: ours gives all pairs within three bits, gaoya inserts; its words are what lies between
punctuation in Chinese, a fraction of our shingles, so `simhash_en_*` compares like with like. `index_*`: signatures
are there; ours gives verified verdicts with the survivor, datasketch asks and inserts, rensa inserts and flags. Seconds
are those of one core, best of the rounds, in turns.
"""

from __future__ import annotations

import gc
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from benchmarks import dedup_peers, text
from benchmarks.dedup_peers import BANDS, BITS, ROWS, SLOTS, Text
from benchmarks.harness import Benchmark, Measured, Scale, Target, progress, scratch
from datasketch import MinHash

from headrace.schemas.arrays import Array, Classes, Signatures, text_buffers
from headrace.stages.deduplication.index import FirstSeenIndex
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.schemes import SCHEMES, Scheme, signatures
from headrace.stages.deduplication.shingles import Shingling, shingles
from headrace.stages.deduplication.simhash import layout_for, near_pairs, permuted_index, simhashes
from headrace.stages.kernels.band_index import NEAR, Entries
from headrace.stages.view import view, views

TARGETS = {
    "minhash_vs_gaoya": Target(4.5, 6),
    "minhash_vs_data_juicer": Target(9, 12),
    "minhash_vs_datasketch": Target(30, 40),
    "minhash_vs_datatrove": Target(250, 350),
    "simhash_vs_gaoya": Target(4.5, 6),
    "index_vs_rensa": Target(3, 4),
    "index_vs_datasketch": Target(80, 120),
    "index_bytes_ratio_rensa": Target(0.25, 0.20),
    "differing_signatures": Target(0, 0),
    "differing_verdicts": Target(0, 0),
}
_SCRIPT = Path(__file__).parent / "peers" / "datatrove_minhash.py"
_PYTHON = dedup_peers.ENVIRONMENTS / "datatrove" / "bin" / "python"
_THRESHOLD = 0.8
_WEIGHED = 50_000  # documents; fewer hide behind what a process has in reserve
_WORDS = Shingling("auto", 3)


@dataclass(frozen=True, slots=True)
class Size:
    """Documents that are signed, those whose signatures are indexed, rounds, and rounds of datatrove."""

    documents: int
    indexed: int
    rounds: int
    peer_rounds: int


SIZES: dict[Scale, Size] = {
    "full": Size(2_000, 50_000, 9, 2),
    "quick": Size(1_000, 8_000, 5, 1),
    "tiny": Size(20, 40, 1, 0),
}


def measure(scale: Scale, seed: int) -> Measured:
    """Compare what is the same, then time text to verdict, fingerprints, and the index alone."""
    size, there = SIZES[scale], dedup_peers.peers()
    raw = list(itertools.islice(text.mixed(seed), size.documents))
    texts = [(language, view(document)) for language, document in raw]
    progress("comparing")
    figures = compared(texts)
    notes = [f"absent: {name} (make bench-env)" for name in there.absent]
    progress("text to verdict")
    seconds = least(signing(raw, texts, there), size.rounds)
    figures |= ratios("minhash", seconds, ours="headrace")
    if "gaoya" in seconds:
        figures["minhash_from_raw_vs_gaoya"] = seconds["gaoya"] / seconds["headrace_from_raw"]
        figures["minhash_signing_vs_gaoya"] = seconds["gaoya"] / seconds["headrace_signing"]
    progress("fingerprints")
    figures |= ratios("simhash", least(fingerprinting(texts, there), size.rounds), ours="headrace")
    english = [(language, document) for language, document in texts if language == "en"]
    figures |= ratios("simhash_en", least(fingerprinting(english, there), size.rounds), ours="headrace")
    progress("index")
    figures |= indexed(size, seed, there)
    theirs = datatrove(texts, size.peer_rounds) if size.peer_rounds else None
    if theirs is None:
        notes.append("absent: datatrove (make bench-env)")
    else:
        own = least({"own": to_verdicts(texts_column(texts), SCHEMES["datatrove"])}, size.rounds)["own"]
        figures["minhash_vs_datatrove"] = theirs["seconds"] / seconds["headrace"]
        figures["minhash_own_scheme_vs_datatrove"] = theirs["seconds"] / own
        figures["differing_signatures"] += theirs["differing"]
    described = {"documents": len(texts), "bytes": sum(len(t.encode()) for _, t in texts), "indexed": size.indexed}
    peers = dedup_peers.versions() | ({"datatrove": theirs["version"]} if theirs else {})
    return Measured(figures, described, notes, peers)


def texts_column(texts: list[Text]) -> Array:
    """Give texts as a column."""
    return pa.array([document for _, document in texts], pa.large_string())


def to_verdicts(column: Array, scheme: Scheme) -> Callable[[], object]:
    """Sign a column of views, and judge it where the index knows the scheme; datatrove's signatures are only made."""

    def run() -> object:
        signed = signatures(*text_buffers(column), scheme).values
        return verdicts(signed) if signed.dtype == np.uint32 else signed

    return run


def verdicts(signed: Signatures, threshold: float = _THRESHOLD) -> Classes:
    """Judge signatures in their order; those that repeat an earlier kept one are NEAR."""
    index = FirstSeenIndex(Rules(False, BANDS, ROWS, BANDS * ROWS, threshold=threshold))  # it has no names
    count = len(signed)
    nothing = np.zeros((0, 2), np.uint64), np.zeros(0, np.uint64), np.zeros(count + 1, np.int64)
    return index.settle(Entries(nothing[0], np.ones(count, np.bool_), signed, nothing[1], nothing[2])).fates


def compared(texts: list[Text]) -> dict[str, float]:
    """Count signatures that datasketch, fed the same hashes, has otherwise, and verdicts of its loop that differ."""
    scheme = SCHEMES["datasketch"]
    data, offsets = text_buffers(texts_column(texts))
    signed, hashed = signatures(data, offsets, scheme).values, shingles(data, offsets, scheme.shingling)
    made = []
    for number in range(len(texts)):
        reference = MinHash(SLOTS, seed=scheme.seed, hashfunc=int)
        reference.update_batch((hashed.of(number) & np.uint64(0xFFFFFFFF)).tolist())
        made.append(reference)
    differing = sum(one.hashvalues.tolist() != row.tolist() for one, row in zip(made, signed, strict=True))
    ours = verdicts(np.asarray(signed, np.uint32), threshold=1e-9) == NEAR  # a shared band is enough in the loop
    return {
        "differing_signatures": float(differing),
        "differing_verdicts": float(np.sum(ours != dedup_peers.query_then_insert(made))),
    }


def signing(raw: list[Text], texts: list[Text], there: dedup_peers.Peers) -> dict[str, Callable[[], object]]:
    """Give what is timed from text to verdict."""
    column, raw_column, scheme = texts_column(texts), texts_column(raw), SCHEMES["datasketch"]

    def from_raw() -> object:
        return verdicts(np.asarray(signatures(*views(raw_column), scheme).values, np.uint32))

    runs: dict[str, Callable[[], object]] = {
        "headrace": to_verdicts(column, scheme),
        "headrace_from_raw": from_raw,
        "headrace_signing": lambda: signatures(*text_buffers(column), scheme),
        "headrace_fss": to_verdicts(column, SCHEMES["fss"]),
        "datasketch": dedup_peers.datasketch_minhash(texts),
    }
    if there.gaoya:
        runs["gaoya"] = dedup_peers.gaoya_minhash(there.gaoya, texts)
    if there.data_juicer:
        runs["data_juicer"] = dedup_peers.data_juicer(there.data_juicer, texts)
    return runs


def fingerprinting(texts: list[Text], there: dedup_peers.Peers) -> dict[str, Callable[[], object]]:
    """Give what is timed from text to pairs of near fingerprints."""
    column = texts_column(texts)

    def ours() -> object:
        found = simhashes(*text_buffers(column), _WORDS).values
        return near_pairs(permuted_index(found, layout_for(BITS, len(found))))

    runs: dict[str, Callable[[], object]] = {"headrace": ours}
    if there.gaoya:
        runs["gaoya"] = dedup_peers.gaoya_simhash(there.gaoya, texts)
    return runs


def indexed(size: Size, seed: int, there: dedup_peers.Peers) -> dict[str, float]:
    """Time the index alone over more documents, and weigh it."""
    documents = [document for _, document in itertools.islice(text.mixed(seed + 1), size.indexed)]
    data, offsets = views(pa.array(documents, pa.large_string()))
    signed = np.asarray(signatures(data, offsets, SCHEMES["datasketch"]).values, np.uint32)
    made = [MinHash(SLOTS, seed=1, hashvalues=row, scheme="affine32") for row in signed]
    runs: dict[str, Callable[[], object]] = {"headrace": lambda: verdicts(signed)}
    if there.rensa:
        rensa, hashed = there.rensa, shingles(data, offsets, Shingling())
        matrix = dedup_peers.rensa_matrix(rensa, hashed.values, hashed.ends)
        runs["rensa"] = lambda: dedup_peers.rensa_index(rensa, matrix)
    seconds = least(runs, size.rounds) | least({"datasketch": lambda: dedup_peers.query_then_insert(made)}, 2)
    figures = ratios("index", seconds, ours="headrace")
    weights = {name: weighed(name, size.indexed) for name in ("headrace", *(["rensa"] if there.rensa else []))}
    figures |= {f"index_bytes_{name}": value for name, value in weights.items()}
    if "rensa" in weights:
        figures["index_bytes_ratio_rensa"] = weights["headrace"] / weights["rensa"]
    return figures


def weighed(name: str, count: int) -> float:
    """Give the bytes a document that an index takes in a process of its own, signatures left out."""
    command = [sys.executable, "-m", "benchmarks.dedup_memory", name, str(max(count, _WEIGHED))]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1])
    return float(done.stdout)


def least(runs: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Give the fewest seconds of a core of each, in turns, after a round that is not counted."""
    best = dict.fromkeys(runs, float("inf"))
    for turn in range(rounds + 1):
        for name, run in runs.items():
            gc.collect()
            begun = time.process_time()
            run()
            taken = time.process_time() - begun
            best[name] = min(best[name], taken) if turn else best[name]
    return best


def ratios(kind: str, seconds: Mapping[str, float], *, ours: str) -> dict[str, float]:
    """Say how many times as fast as each peer ours is, and how long each takes."""
    peers = [name for name in seconds if not name.startswith(ours)]
    figures = {f"{kind}_vs_{name}": seconds[name] / seconds[ours] for name in peers}
    return figures | {f"{kind}_seconds_{name}": value for name, value in seconds.items()}


def datatrove(texts: list[Text], rounds: int) -> dict[str, Any] | None:
    """Give what datatrove says, and how many signatures of the same hashes it has otherwise; None if it is absent."""
    if not _PYTHON.is_file():
        return None
    progress("datatrove")
    scheme, column = SCHEMES["datatrove"], texts_column(texts)
    hashed = shingles(*text_buffers(column), scheme.shingling)
    work = {"texts": texts, "hashes": [hashed.of(number).tolist() for number in range(len(texts))]}
    with scratch() as folder:
        path = folder / "texts.json"
        path.write_text(json.dumps(work), encoding="utf-8")
        done = subprocess.run([_PYTHON, _SCRIPT, path, str(rounds)], capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    ours = signatures(*text_buffers(column), scheme).values.tolist()
    return result | {"differing": sum(a != b for a, b in zip(ours, result["signatures"], strict=True))}


BENCHMARK = Benchmark(
    "dedup", "Near duplicates, text in to verdict out, beside the fastest there are", TARGETS, measure
)

if __name__ == "__main__":
    BENCHMARK.command()
