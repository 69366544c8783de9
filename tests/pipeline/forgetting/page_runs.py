"""Small runs of web pages for the tests of forgetting: JSON lines with URLs, on a byte tokenizer."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from headrace.loader.batch import Batch
from headrace.pipeline.load import LoadedConfig, load_config

WORDS = "water mill wheel channel stone river grain flour sluice gate 清洗 去重 分级 数据 水渠 磨坊 石头".split()  # noqa: SIM905
HOSTS = ("a.example", "www.b.example", "b.example", "c.example")
CONFIG = """
run: {run}
sources: [{{name: {source}, paths: ["{pages}/*.jsonl"]}}]
stages:
  - {{kind: decode}}
  - {{kind: parse}}
{before}
  - {{kind: dedup}}
  - {{kind: tokenize, model: bytes}}
  - {{kind: write, sequence_length: {length}, shard_tokens: {tokens}, format: {form}}}
engine: {{executor: inline, unit_bytes: {unit_bytes}, lanes: 2}}
"""


def page(number: int, length: int = 60) -> dict[str, str]:
    """Give one page: its words are those of its number."""
    rng = random.Random(number)
    host = HOSTS[number % len(HOSTS)]
    return {"url": f"https://{host}/p/{number}", "text": " ".join(rng.choice(WORDS) for _ in range(length))}


def write_pages(folder: Path, count: int = 40) -> Path:
    """Write pages of four hosts into three files; page 7 is long, and the last one repeats page 3 under c.example."""
    pages = [page(number, 400 if number == 7 else 20 + number) for number in range(count)]
    pages.append({"url": "https://c.example/copy", "text": page(3, 23)["text"]})
    folder.mkdir(parents=True, exist_ok=True)
    for part in range(3):
        lines = [json.dumps(p, ensure_ascii=False) for p in pages[part::3]]
        (folder / f"{part}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def page_run(folder: Path, run: str = "run", *, before: str = "", **options: Any) -> LoadedConfig:
    """Give the configuration of a run over the pages in `folder`; `before` is a stage ahead of dedup."""
    pages = folder / "pages"
    if not pages.exists():
        write_pages(pages)
    usual = {"source": "web", "length": 64, "tokens": 1500, "form": "arrow", "unit_bytes": 2000}
    path = folder / f"{run}.yaml"
    stage = f"  - {before}" if before else ""
    text = CONFIG.format(**{**usual, **options}, run=run, pages=pages, before=stage)
    path.write_text(text, encoding="utf-8")
    return load_config(path)


def documents(run: Path) -> list[dict[str, Any]]:
    """Give the rows of all documents files, with the unit and the row they are in."""
    found = []
    for path in sorted((run / "documents").glob("*.parquet")):
        unit = int(path.name.partition("-")[0])
        found += [{**row, "unit": unit, "row": at} for at, row in enumerate(pq.read_table(path).to_pylist())]
    return found


def served(batch: Batch) -> set[tuple[int, int]]:
    """Give (unit, row) of every document of which a batch holds tokens."""
    return set(zip(batch.piece_units.tolist(), batch.piece_rows.tolist(), strict=True))


def by_row(batch: Batch) -> list[set[tuple[int, int]]]:
    """Give the same for each row of a batch."""
    pairs = list(zip(batch.piece_units.tolist(), batch.piece_rows.tolist(), strict=True))
    return [set(pairs[begin:end]) for begin, end in pairwise(batch.piece_offsets.tolist())]


def samples(batch: Batch) -> npt.NDArray[np.int64]:
    """Give the sequences of a batch, padding left out."""
    return batch.samples[batch.samples >= 0]
