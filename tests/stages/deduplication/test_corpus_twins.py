"""The same manual pages in simplified and in traditional characters are found as duplicates, by the whole chain.

Translators of the two wrote many words otherwise (文件, 檔案), so most twins are alike, not equal, once characters are
folded: by 0.45 to 1, the median at 0.67.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headrace.pipeline.load import load_config
from headrace.pipeline.run import run_pipeline
from headrace.schemas.arrays import Bytes, Floats, Offsets, text_buffers
from headrace.schemas.manifest import read_manifest
from headrace.stages.deduplication.shingles import Shingling, shingle_sets
from headrace.stages.deduplication.verify import measured
from headrace.stages.view import views

CONFIG = """
run: {run}
sources:
  - {{name: pages, paths: ["{pages}"], format: text}}
stages:
  - {{kind: decode}}
  - {{kind: parse}}
  - {{kind: dedup, verify: exact, minhash: {options}}}
  - {{kind: write, format: parquet}}
engine: {{executor: inline}}
"""
WIDE = "{bands: 64, rows: 2, threshold: 0.4}"  # meets whatever is alike by 0.4
TAIWAN, MAINLAND = "zh_TW/", "zh_CN/"


@pytest.fixture
def pages(corpus: Path) -> Path:
    folder = corpus / "zh" / "manpages"
    if not folder.is_dir():
        pytest.skip(f"no pages at {folder}")
    return folder


def survivors(pages: Path, options: str, folder: Path) -> dict[str, str | None]:
    """Run the chain over the pages and give for each the page that it repeats."""
    config = folder / "twins.yaml"
    config.write_text(CONFIG.format(run=folder / "run", pages=pages, options=options), encoding="utf-8")
    run_pipeline(load_config(config))
    refs = [ref for line in read_manifest(folder / "run") for ref in line.documents]
    rows = [row for ref in refs for row in pq.read_table(folder / "run" / ref.name).to_pylist()]
    paths = {row["doc_id"]: row["path"] for row in rows}
    return {row["path"]: paths.get(row["survivor"]) for row in rows}


def twins(pages: Path) -> tuple[list[str], list[str], list[str]]:
    """Give names of pages, and their texts in both kinds of characters."""
    names = sorted(path.name for path in (pages / TAIWAN).iterdir())
    read = [[(pages / kind / name).read_text(encoding="utf-8") for name in names] for kind in (TAIWAN, MAINLAND)]
    return names, *read


def likeness(ones: tuple[Bytes, Offsets], others: tuple[Bytes, Offsets]) -> Floats:
    sets = shingle_sets(*ones, Shingling()), shingle_sets(*others, Shingling())
    return measured(*sets, np.stack([np.arange(len(ones[1]) - 1)] * 2, axis=1))


def columns(texts: list[str]) -> pa.Array:
    return pa.array(texts, pa.large_string())


def test_every_page_is_found_to_repeat_its_twin(pages: Path, tmp_path: Path) -> None:
    """All 32 are dropped, each for its twin, or for the page that its twin repeats in turn."""
    found = survivors(pages, WIDE, tmp_path)
    dropped = {name for name, survivor in found.items() if name.startswith(TAIWAN) and survivor}
    assert len(dropped) == 32
    for name in dropped:
        twin = name.replace(TAIWAN, MAINLAND)
        assert found[name] == (found[twin] or twin)
    assert sum(survivor is None for survivor in found.values()) >= 28  # the others come from one template


def test_without_options_those_go_that_are_alike_by_four_fifths(pages: Path, tmp_path: Path) -> None:
    """What is dropped are the six twins whose folded shingles are 0.8 alike, and no other page."""
    names, traditional, simplified = twins(pages)
    alike = likeness(views(columns(traditional)), views(columns(simplified)))
    wanted = {TAIWAN + name for name, value in zip(names, alike, strict=True) if value >= 0.8}
    found = survivors(pages, "{}", tmp_path)
    assert {name for name, survivor in found.items() if survivor} == wanted
    assert all(found[name] == name.replace(TAIWAN, MAINLAND) for name in wanted)
    assert len(wanted) == 6


def test_the_view_is_what_makes_them_alike(pages: Path) -> None:
    """As they are written the twins are less alike, most of them by far; folded, no pair is less alike than before."""
    _, traditional, simplified = twins(pages)
    as_written = likeness(text_buffers(columns(traditional)), text_buffers(columns(simplified)))
    folded = likeness(views(columns(traditional)), views(columns(simplified)))
    assert np.all(folded >= as_written)
    assert np.median(folded - as_written) > 0.2
