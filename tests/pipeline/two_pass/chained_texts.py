"""Small runs of two passes: lines that change a little from one to the next, and what all pairs say of them."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest
from tests.protocol.driver_kills import dying_at
from tests.protocol.fault_executors import DriverKilled

from headrace.pipeline.committed import open_committed, read_columns
from headrace.pipeline.load import LoadedConfig, load_config
from headrace.pipeline.report_documents import Row
from headrace.pipeline.run import run_pipeline
from headrace.stages.dedup import Dedup
from headrace.stages.deduplication.options import MinHash
from headrace.stages.deduplication.signatures import from_columns
from headrace.stages.kernels.plain_band_index import Document

WORDS = (
    *("river", "stone", "lantern", "winter", "copper", "garden", "silent", "harbour", "meadow"),
    *("水车", "推动", "磨盘", "春天", "的田野", "城市", "图书馆"),
)
LOOSE = Dedup(minhash=MinHash(bands=8, rows=2, threshold=0.5, shingle_size=2))
MINHASH = "minhash: {bands: 8, rows: 2, threshold: 0.5, shingle_size: 2}"
CONFIG = """
run: {run}
sources:
  - {{name: low, paths: ["in/a*.txt"], records: lines, authority: 0.2}}
  - {{name: high, paths: ["in/b*.txt"], records: lines, authority: 0.9}}
stages:
  - {{kind: decode}}
  - {{kind: parse}}
  - {{kind: clean, min_characters: 20}}
{before}
  - {{kind: dedup, keep: {keep}, {options}}}
  - {{kind: normalize}}
  - {{kind: write, format: parquet, shard_bytes: {shard_bytes}, record: full}}
engine: {{executor: inline, unit_bytes: 1500, lanes: 3, window: 4, drain_s: 1}}
"""


def write_chains(folder: Path, seed: int = 1, chains: int = 12, length: int = 7) -> None:
    """Write chains of lines, each with some words of the one before it exchanged, shuffled over five files."""
    rng = random.Random(seed)
    lines = ["short"]
    for _ in range(chains):
        words = rng.choices(WORDS, k=14)
        for _ in range(rng.randint(1, length)):
            lines += [" ".join(words)] * rng.choice([1, 1, 2])
            words[rng.randrange(14)] = rng.choice(WORDS)
            words[rng.randrange(14)] = rng.choice(WORDS) * rng.randint(1, 2)
    rng.shuffle(lines)
    (folder / "in").mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(("a0", "a1", "a2", "b0", "b1")):
        (folder / "in" / f"{name}.txt").write_text("\n".join(lines[number::5]) + "\n", encoding="utf-8")


def chained_run(
    folder: Path,
    run: str = "run",
    *overrides: str,
    keep: str = "components",
    before: str = "grade",
    options: str = "",
    shard_bytes: int = 3000,
) -> LoadedConfig:
    """Give the configuration of a run over the chains in `folder`."""
    if not (folder / "in").exists():
        write_chains(folder)
    if "minhash" not in options:
        options = ", ".join([MINHASH, *([options] if options else [])])
    text = CONFIG.format(
        run=run, keep=keep, options=options, before=f"  - {{kind: {before}}}" if before else "", shard_bytes=shard_bytes
    )
    path = folder / f"{run}.yaml"
    path.write_text(text, encoding="utf-8")
    return load_config(path, overrides)


def rows(run: Path) -> list[Row]:
    """Give what is stored of every document that reached dedup, in unit order and in the order of arrival in it."""
    names = ["doc_id", "text", "verdict", "reason", "value", "survivor", "detail", "stage", "grade", "authority"]
    found: list[Row] = []
    for _, path in sorted(open_committed(run).documents()):
        table = read_columns(path, [*names, "parsed.row"])
        table = table.append_column("file", pa.array([path.name] * table.num_rows, pa.string()))
        found += sorted(table.filter(table["parsed.row"].is_valid()).to_pylist(), key=lambda row: row["parsed.row"])
    return [row for row in found if row["stage"] in (None, "dedup")]


def signed(texts: list[str], stage: Dedup = LOOSE) -> list[Document]:
    """Give documents as the plain twin takes them."""
    table = pa.table({"text": pa.array(texts, pa.large_string())})
    known = from_columns(stage.signed(table), stage.rules.pieces)
    whole = stage.model_copy(update={"verify": "exact"}) if stage.rules.sets else stage  # the twin sketches by itself
    sets = from_columns(whole.signed(table), whole.rules.pieces)
    return [
        Document(
            tuple(map(int, known.keys[n])),
            bool(known.signed[n]),
            tuple(known.signatures[n].tolist()),
            frozenset(sets.sets[sets.ends[n] : sets.ends[n + 1]].tolist()),
        )
        for n in range(len(texts))
    ]


def die_at(loaded: LoadedConfig, step: str, count: int = 1) -> None:
    """Let the process of a run die when it reaches a step for the `count`-th time."""
    with dying_at(step, count), pytest.raises(DriverKilled):
        run_pipeline(loaded)
