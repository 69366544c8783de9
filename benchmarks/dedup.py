"""Near duplicates beside gaoya, data-juicer's C++, datasketch, datatrove and rensa.

All see the same documents, of real sentences, half of them Chinese, as views (match forms), which any tool wants first;
what our view costs is in `minhash_from_raw_vs_gaoya`, where ours begins with the raw text and gaoya does not.
`minhash_*`: text in; ours signs and sketches, as the stage does without options, and gives verified verdicts
(`minhash_signing_*`: signs alone); gaoya signs and inserts, datasketch signs, asks and inserts, data-juicer and
datatrove sign. `simhash_*`: the stage with fingerprints of three bits against gaoya, which inserts; its words are what
lies between punctuation in Chinese, a fraction of our shingles, so `simhash_en_*` compares like with like. `index_*`:
signatures are there; ours gives verified verdicts with the survivor, datasketch asks and inserts, rensa inserts and
flags. Seconds are those of one core, best of the rounds, in turns.
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

from headrace.schemas.arrays import Array, Bytes, Classes, Offsets, text_buffers
from headrace.stages.dedup import Dedup
from headrace.stages.deduplication.index import FirstSeenIndex
from headrace.stages.deduplication.options import MinHash as MinHashOptions
from headrace.stages.deduplication.options import SimHash
from headrace.stages.deduplication.schemes import SCHEMES, Name, signatures
from headrace.stages.deduplication.shingles import Shingling, shingles
from headrace.stages.deduplication.signatures import from_columns, near_columns
from headrace.stages.kernels.band_index import NEAR
from headrace.stages.kernels.entries import Entries
from headrace.stages.kernels.plain_odd_sketch import sketched_similarity
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
_WORDS = 3  # of a shingle


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
        own = least({"own": to_verdicts(texts_column(texts), stage_of("datatrove"))}, size.rounds)["own"]
        figures["minhash_vs_datatrove"] = theirs["seconds"] / seconds["headrace"]
        figures["minhash_own_scheme_vs_datatrove"] = theirs["seconds"] / own
        figures["differing_signatures"] += theirs["differing"]
    described = {"documents": len(texts), "bytes": sum(len(t.encode()) for _, t in texts), "indexed": size.indexed}
    peers = dedup_peers.versions() | ({"datatrove": theirs["version"]} if theirs else {})
    return Measured(figures, described, notes, peers)


def texts_column(texts: list[Text]) -> Array:
    """Give texts as a column."""
    return pa.array([document for _, document in texts], pa.large_string())


def stage_of(scheme: Name) -> Dedup:
    """Give the stage without options but for the scheme; it has no keys, which the peers have not, either."""
    return Dedup(exact=False, minhash=MinHashOptions(scheme=scheme, bands=BANDS, rows=ROWS, shingles="auto"))


def to_verdicts(column: Array, stage: Dedup) -> Callable[[], Classes]:
    """Sign a column of views and judge it in its order; those that repeat an earlier kept one are NEAR."""
    return lambda: judged(signed(*text_buffers(column), stage), stage)


def signed(data: Bytes, offsets: Offsets, stage: Dedup) -> Entries:
    """Give what the stage signs of views."""
    near = stage.minhash or stage.simhash
    assert near is not None
    columns = near_columns(data, offsets, near, stage.verified_by)
    return from_columns(pa.table(columns), stage.rules.pieces)


def judged(entries: Entries, stage: Dedup) -> Classes:
    """Judge entries by a new index."""
    return FirstSeenIndex(stage.rules).settle(entries).fates


def compared(texts: list[Text]) -> dict[str, float]:
    """Count signatures that datasketch, fed the same hashes, has otherwise, and verdicts of its loop that differ.

    What its index gives is verified by sketches in plain Python.
    """
    scheme, column = SCHEMES["datasketch"], texts_column(texts)
    data, offsets = text_buffers(column)
    rows, hashed = signatures(data, offsets, scheme).values, shingles(data, offsets, scheme.shingling)
    made = []
    for number in range(len(texts)):
        reference = MinHash(SLOTS, seed=scheme.seed, hashfunc=int)
        reference.update_batch((hashed.of(number) & np.uint64(0xFFFFFFFF)).tolist())
        made.append(reference)
    differing = sum(one.hashvalues.tolist() != row.tolist() for one, row in zip(made, rows, strict=True))

    def near(one: int, other: int) -> bool:
        sets = (set(hashed.of(number).tolist()) for number in (one, other))
        return sketched_similarity(*sets) >= _THRESHOLD

    ours = to_verdicts(column, stage_of("datasketch"))() == NEAR
    return {
        "differing_signatures": float(differing),
        "differing_verdicts": float(np.sum(ours != dedup_peers.query_then_insert(made, near))),
    }


def signing(raw: list[Text], texts: list[Text], there: dedup_peers.Peers) -> dict[str, Callable[[], object]]:
    """Give what is timed from text to verdict."""
    column, raw_column, stage = texts_column(texts), texts_column(raw), stage_of("datasketch")
    runs: dict[str, Callable[[], object]] = {
        "headrace": to_verdicts(column, stage),
        "headrace_from_raw": lambda: judged(signed(*views(raw_column), stage), stage),
        "headrace_signing": lambda: signatures(*text_buffers(column), SCHEMES["datasketch"]),
        "headrace_fss": to_verdicts(column, stage_of("fss")),
        "datasketch": dedup_peers.datasketch_minhash(texts),
    }
    if there.gaoya:
        runs["gaoya"] = dedup_peers.gaoya_minhash(there.gaoya, texts)
    if there.data_juicer:
        runs["data_juicer"] = dedup_peers.data_juicer(there.data_juicer, texts)
    return runs


def fingerprinting(texts: list[Text], there: dedup_peers.Peers) -> dict[str, Callable[[], object]]:
    """Give what is timed from text to verdicts by fingerprints."""
    column = texts_column(texts)

    stage = Dedup(exact=False, simhash=SimHash(bits=BITS, shingle_size=_WORDS))
    runs: dict[str, Callable[[], object]] = {"headrace": to_verdicts(column, stage)}
    if there.gaoya:
        runs["gaoya"] = dedup_peers.gaoya_simhash(there.gaoya, texts)
    return runs


def indexed(size: Size, seed: int, there: dedup_peers.Peers) -> dict[str, float]:
    """Time the index alone over more documents, and weigh it."""
    documents = [document for _, document in itertools.islice(text.mixed(seed + 1), size.indexed)]
    data, offsets = views(pa.array(documents, pa.large_string()))
    stage = stage_of("datasketch")
    entries = signed(data, offsets, stage)
    rows = signatures(data, offsets, SCHEMES["datasketch"]).values
    made = [MinHash(SLOTS, seed=1, hashvalues=row, scheme="affine32") for row in rows]
    runs: dict[str, Callable[[], object]] = {"headrace": lambda: judged(entries, stage)}
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
