"""Small runs with all that a rerun has to bring back: texts, addresses and metadata that change, faults, lists."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

from headrace.pipeline.load import LoadedConfig, load_config
from headrace.pipeline.rerun.make import Rerun, make_rerun
from headrace.pipeline.rerun.settings import Wanted
from headrace.pipeline.run import run_pipeline
from headrace.schemas.manifest import read_manifest

CHAIN = """
run: {run}
plugins: [mark.py]
sources:
  - {{name: web, paths: ["in/*.jsonl"], licence: CC0-1.0}}
  - {{name: old, paths: ["in/*.txt"], records: lines}}
stages:
  - {{kind: decode, max_damage: 0.01}}
  - {{kind: parse}}
  - {{kind: repair}}
  - {{kind: urls, canonicalize: true, block: {{ours: blocked.txt}}}}
  - {{kind: clean, min_characters: 30}}
  - {{kind: dedup}}
  - {{kind: mark, mark: gate, change: true}}
  - {{kind: normalize}}
{tail}
engine: {{executor: inline, unit_bytes: 4000, lanes: 3, window: 4, drain_s: 1}}
"""
TOKENS = """
  - {kind: tokenize, train: {vocab_size: 320, sample_bytes: 9000, threads: 1}}
  - {kind: write, sequence_length: 64, shard_tokens: 2000, record: full}
"""
TEXTS = "  - {kind: write, format: parquet, shard_bytes: 6000, record: full}"
# Changes, drops and fails by words of the text; version and verdicts depend on the file alone.
MARK = """
from typing import Literal
from headrace.stages.base import Document, DocumentStage, Drop

class Mark(DocumentStage):
    kind: Literal["mark"] = "mark"
    mark: str = "gate"
    change: bool = True

    def process(self, document: Document) -> Document | Drop:
        if document.text.count(self.mark) > 2:
            return Drop("marked", float(document.text.count(self.mark)), 2.0)
        if "flour" in document.text and "sluice" in document.text and "valley" in document.text:
            raise ValueError("three words")
        if not self.change or self.mark not in document.text:
            return document
        text = document.text.replace(self.mark, "GATE") + "\\n（完）"
        return document.but(text=text, metadata='{"marked":true}', licence=None, authority=0.25)
"""
WORDS = tuple(
    "water mill wheel channel stone river grain flour sluice gate spring valley bridge weight measure "  # noqa: SIM905
    "清洗 去重 分级 数据 模型 训练 质量 文本 编码 水渠 磨坊 石头 粮食 面粉 河流 ＦＵＬＬ　width".split()
)


def write_input(folder: Path) -> None:
    """Write records and lines, some of which repeat, are blocked, are no JSON, or are in no charset that is told."""
    rng = random.Random(3)
    (folder / "in").mkdir(parents=True)
    (folder / "mark.py").write_text(MARK, encoding="utf-8")
    (folder / "blocked.txt").write_text("".join(f"a.example/{number}\n" for number in range(15)))
    known: list[str] = []
    for number in range(6):
        lines = []
        for _ in range(rng.randint(15, 40)):
            text = " ".join(rng.choice(WORDS) for _ in range(rng.randint(2, 30)))
            text = rng.choice(known) if known and rng.random() < 0.15 else text
            known.append(text)
            lines.append(_line(rng, text, number))
        name = f"{number}.jsonl" if number % 2 else f"{number}.txt"
        (folder / "in" / name).write_bytes(b"".join(line + b"\n" for line in lines))
    (folder / "in" / "empty.txt").write_bytes(b"")


def _line(rng: random.Random, text: str, number: int) -> bytes:
    if number % 2:
        record = {"text": text, "url": f"http://a.example/{rng.randrange(90)}?utm_source={rng.randrange(9)}", "n": 5}
        return b"{no json" if rng.random() < 0.1 else json.dumps(record).encode()
    return f"the old mill had {len(text)} wheels".encode("cp037") if rng.random() < 0.1 else text.encode()


def loaded(folder: Path, run: str, *overrides: str, tail: str = TOKENS) -> LoadedConfig:
    """Give the configuration of a run in `folder`, whose input is written once."""
    if not (folder / "mark.py").exists():
        write_input(folder)
    path = folder / f"{run}.yaml"
    path.write_text(CHAIN.format(run=run, tail=tail), encoding="utf-8")
    return load_config(path, overrides)


def fresh(folder: Path, run: str, *overrides: str, tail: str = TOKENS) -> Path:
    """Run it."""
    assert run_pipeline(loaded(folder, run, *overrides, tail=tail)).state == "done"
    return folder / run


def rerun(
    run: Path, folder: Path, *settings: str, first: str | None = None, keep_tokenizer: bool = False, **more: str
) -> Path:
    """Run a run again."""
    made = making(run, folder, *settings, first=first, keep_tokenizer=keep_tokenizer, **more)
    assert run_pipeline(made.loaded, plan=made.plan).state == "done"
    return folder


def making(
    run: Path, folder: Path | None, *settings: str, first: str | None = None, keep_tokenizer: bool = False, **more: str
) -> Rerun:
    """Give a rerun that is ready to be started."""
    return make_rerun(run, Wanted(settings, first, keep_tokenizer), folder, **more)


def output(run: Path) -> Sequence[object]:
    """Give what a rerun owes: the lines of the manifest, but for where reading goes on, with hashes of all files."""
    return [
        (line.first, line.last, line.shard, line.documents, line.ledgers, line.quarantine, line.tokenizer, line.end)
        for line in read_manifest(run)
    ]
