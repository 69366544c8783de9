"""A small run with repetitions: Chinese and English, exact and near ones, repeated addresses, a survivor that went."""

from __future__ import annotations

import json
import random
from pathlib import Path

from headrace.pipeline.load import load_config
from headrace.pipeline.run import run_pipeline

_WORDS = ("water", "mill", "wheel", "channel", "stone", "river", "grain", "flour", "sluice", "gate", "spring", "valley")
_SIGNS = "清洗去重分级数据模型训练质量文本编码水渠磨坊石头粮食面粉河流山谷春天桥梁重量时间语言"
_CONFIG = """
run: {run}
sources: [{{name: web, paths: ["{texts}"]}}]
stages:
  - {{kind: decode}}
  - {{kind: parse}}
  - {{kind: urls}}
  - {{kind: dedup}}
  - {{kind: write, format: parquet, record: {record}, shard_bytes: 3000}}
engine: {{executor: inline, unit_bytes: 4000, lanes: 1}}
"""


def english(seed: int, words: int = 120) -> str:
    """Give a text of words; another seed gives another one."""
    rng = random.Random(seed)
    return " ".join(rng.choice(_WORDS) for _ in range(words))


def chinese(seed: int, signs: int = 200) -> str:
    """Give a Chinese text."""
    rng = random.Random(seed)
    return "".join(rng.choice(_SIGNS) for _ in range(signs))


def pages() -> list[dict[str, str]]:
    """Give the records: of texts 1 and 2 there are 5 and 3 copies in all, one of them near; each has its address."""
    one, two = english(1), chinese(2)
    near_one, near_two = one.replace("wheel", "Wheel and axle", 1), f"{two[:99]}新{two[100:]}"
    texts = [one, english(3), two, one, near_one, one, two, near_two, one, chinese(4)]
    found = [{"text": text, "url": f"http://a.example/{number}"} for number, text in enumerate(texts)]
    found.append({"text": english(5), "url": "http://a.example/4?utm_source=x"})  # what it repeats is dropped by dedup
    return found


def write_pages(folder: Path) -> Path:
    """Write the records as a file of GB 18030."""
    folder.mkdir(exist_ok=True)
    lines = [json.dumps(page, ensure_ascii=False) for page in pages()]
    (folder / "pages.jsonl").write_bytes("".join(f"{line}\n" for line in lines).encode("gb18030"))
    return folder


def make_run(folder: Path, record: str = "values") -> Path:
    """Run it."""
    path = folder / f"{record}.yaml"
    path.write_text(_CONFIG.format(run=record, texts=write_pages(folder / "texts"), record=record), encoding="utf-8")
    loaded = load_config(path)
    run_pipeline(loaded)
    return loaded.run_dir


def doc_id(number: int) -> str:
    """Give the id of a record."""
    lines = [json.dumps(page, ensure_ascii=False).encode("gb18030") for page in pages()]
    return f"web:pages.jsonl#{sum(len(line) + 1 for line in lines[:number])}"
