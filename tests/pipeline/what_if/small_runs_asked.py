"""A small run with every stage that decides, between others, and what became of its documents."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from headrace.pipeline.load import load_config
from headrace.pipeline.run import run_pipeline
from headrace.schemas.manifest import read_manifest

CHAIN = """
run: {run}
plugins: [{plugins}]
sources:
  - {{name: web, paths: ["in/*0.txt"], records: lines, authority: 0.9}}
  - {{name: old, paths: ["in/*1.txt"], records: lines}}
stages:
  - {{kind: decode}}
  - {{kind: parse}}
  - {{kind: language, model: scripts, max_digit_share: 0.5}}
  - {{kind: clean, min_characters: 30, max_symbol_share: 0.2, max_digit_share: 0.3}}
  - {{kind: words, lists: {{games: {{file: games.txt, max_per_thousand: 60}}}}}}
{before}
  - {{kind: dedup}}
  - {{kind: grade, keep: [A, B], weights: {{length: 1}}}}
{after}
  - {{kind: normalize}}
  - {{kind: write, format: parquet, shard_bytes: 9000, record: {record}}}
engine: {{executor: inline, unit_bytes: 9000, lanes: 3, window: 4, drain_s: 1}}
"""
_WORDS = tuple(
    "water mill wheel channel river grain flour sluice the of and dice cards === |||| 2024-01-01 "  # noqa: SIM905
    "清洗数据 模型训练 质量很好。 河流 磨坊 赌博 石头！".split()
)
_PLAIN = _WORDS[:9]


def write_input(folder: Path) -> None:
    """Write lines of words, signs and numbers, some of which repeat or nearly so."""
    rng = random.Random(11)
    (folder / "in").mkdir(parents=True)
    (folder / "games.txt").write_text("dice\ncards\n赌博\n", encoding="utf-8")
    known: list[str] = []
    for number in range(6):
        lines = []
        for _ in range(40):
            line = " ".join(rng.choice(_WORDS) for _ in range(rng.randint(1, 45))) + rng.choice(("", ".", "。"))
            line = rng.choice(known) if known and rng.random() < 0.2 else line
            known.append(line)
            lines.append(line)
        plain = " ".join(rng.choice(_PLAIN) for _ in range(120))
        lines += [f"{plain} ==== ==== ====.", f"{plain}."]  # nearly the same; the first has more signs
        games = " ".join(f"{rng.choice(_PLAIN)} {rng.choice(('dice', 'cards'))}" for _ in range(30))
        lines += ["2024-01-01 " * (12 + number), f"{games}."]
        (folder / "in" / f"{number}{number % 2}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def made_run(
    folder: Path,
    run: str = "run",
    *overrides: str,
    record: str = "full",
    before: str = "",
    after: str = "",
    plugins: str = "",
) -> Path:
    """Run the chain; `before` and `after` are further stages, in front of dedup and behind grade."""
    if not (folder / "in").exists():
        write_input(folder)
    path = folder / f"{run}.yaml"
    more = [f"  - {stage}" if stage else "" for stage in (before, after)]
    text = CHAIN.format(run=run, record=record, before=more[0], after=more[1], plugins=plugins)
    path.write_text(text, encoding="utf-8")
    assert run_pipeline(load_config(path, overrides)).state == "done"
    return folder / run


def rows(run: Path) -> dict[str, dict[str, object]]:
    """Give the row of every document of a run, by doc_id."""
    tables = [pq.read_table(run / ref.name) for line in read_manifest(run) for ref in line.documents]
    table = pa.concat_tables(tables, promote_options="permissive")
    return {str(row["doc_id"]): row for row in table.to_pylist()}
