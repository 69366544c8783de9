"""Small runs for the tests of the engine: a few hundred lines of text, and what must not change about a run."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path

from headrace.pipeline.load import LoadedConfig, load_config
from headrace.schemas.manifest import MANIFEST, ManifestLine

_WORDS = tuple(
    "water mill wheel channel stone river grain flour sluice gate spring valley bridge miller weight measure "  # noqa: SIM905
    "清洗 去重 分级 数据 模型 训练 质量 文本 编码 水渠 磨坊 石头 粮食 面粉 河流".split()
)

CONFIG = """
run: {run}
sources:
  - {{name: text, paths: ["{folder}/*.{ending}"], records: lines, authority: 0.8}}
stages:
  - {{kind: decode}}
  - {{kind: parse}}
{before}
  - {{kind: dedup}}
{after}
  - {{kind: normalize}}
  - {{kind: tokenize, {tokenizer}}}
  - {{kind: write, sequence_length: 64, shard_tokens: {shard_tokens}}}
engine: {{executor: inline, unit_bytes: {unit_bytes}, lanes: {lanes}, window: {window}, drain_s: 1}}
"""


def write_texts(folder: Path, seed: int = 1, files: int = 7, lines: int = 60, extra: Sequence[str] = ()) -> Path:
    """Write text files of different length, an empty one, lines that repeat earlier ones, and `extra` lines last."""
    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    known: list[str] = []
    for number in range(files):
        chosen = []
        for _ in range(rng.randint(lines // 3, lines)):
            line = " ".join(rng.choice(_WORDS) for _ in range(rng.randint(12, 40)))
            if known and rng.random() < 0.15:
                line = rng.choice(known)
            known.append(line)
            chosen.append(line)
        (folder / f"{number:02}.txt").write_text("\n".join(chosen) + "\n", encoding="utf-8")
    (folder / f"{files:02}.txt").write_bytes(b"")
    if extra:
        (folder / f"{files + 1:02}.txt").write_text("\n".join(extra) + "\n", encoding="utf-8")
    return folder


def write_pages(folder: Path, seed: int = 1, files: int = 7, lines: int = 60) -> Path:
    """Write such lines as the texts of JSON records, each with an address; every third address or so came before."""
    rng = random.Random(2)
    for path in sorted(write_texts(folder, seed, files, lines).glob("*.txt")):
        texts = path.read_text(encoding="utf-8").splitlines()
        urls = [f"http://a.example/{rng.randrange(400)}?utm_source={rng.randrange(9)}" for _ in texts]
        records = [json.dumps({"text": text, "url": url}) for text, url in zip(texts, urls, strict=True)]
        path.with_suffix(".jsonl").write_text("".join(f"{record}\n" for record in records), encoding="utf-8")
        path.unlink()
    return folder


def page_run(folder: Path, run: str = "run", *overrides: str, texts: Path, window: int = 4) -> LoadedConfig:
    """Give a run over pages: two ordered stages, `urls` and `dedup`, and lists that are packed for the workers."""
    (folder / "blocked.txt").write_text("".join(f"a.example/{number}\n" for number in range(20)))
    (folder / "spared.txt").write_text("b.example\n")
    urls = "{kind: urls, canonicalize: true, block: {ours: blocked.txt}, exempt: {theirs: spared.txt}}"
    return small_run(folder, run, *overrides, texts=texts, before=urls, ending="jsonl", window=window)


def small_run(
    folder: Path,
    run: str = "run",
    *overrides: str,
    texts: Path | None = None,
    plugins: Sequence[str] = (),
    before: str = "",
    after: str = "",
    tokenizer: str = "train: {vocab_size: 320, sample_bytes: 12000}",
    shard_tokens: int = 3000,
    unit_bytes: int = 2500,
    lanes: int = 3,
    window: int = 4,
    ending: str = "txt",
) -> LoadedConfig:
    """Give the configuration of a small run in `folder`; `before` and `after` are YAML items around dedup."""
    texts = texts or folder / "texts"
    if not texts.exists():
        write_texts(texts)
    text = CONFIG.format(
        run=run,
        folder=texts,
        ending=ending,
        before=f"  - {before}" if before else "",
        after=f"  - {after}" if after else "",
        tokenizer=tokenizer,
        shard_tokens=shard_tokens,
        unit_bytes=unit_bytes,
        lanes=lanes,
        window=window,
    )
    if plugins:
        text = f"plugins: [{', '.join(plugins)}]\n" + text
    path = folder / f"{run}.yaml"
    path.write_text(text, encoding="utf-8")
    return load_config(path, overrides)


def output(run: Path) -> dict[str, str]:
    """Give the hash of the manifest and of every file it names, re-read from disk: what owes the same bytes."""
    manifest = (run / MANIFEST).read_bytes()
    hashes = {MANIFEST: hashlib.sha256(manifest).hexdigest()}
    for number, raw in enumerate(manifest.splitlines(keepends=True)):
        for ref in ManifestLine.decode(raw, number).files:
            hashes[ref.name] = hashlib.sha256((run / ref.name).read_bytes()).hexdigest()
            assert hashes[ref.name] == ref.sha256
    return hashes
