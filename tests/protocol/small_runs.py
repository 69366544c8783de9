"""Small real runs: input in which order and dedup matter, a configuration, and what a finished run holds."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from headrace.pipeline.config import EngineConfig
from headrace.pipeline.events import Watcher, read_events
from headrace.pipeline.executor import Executor, InlineExecutor
from headrace.pipeline.load import LoadedConfig, load_config
from headrace.pipeline.run import StartExecutor, run_pipeline
from headrace.pipeline.run_folder import RunFolder
from headrace.pipeline.summary import RunSummary
from headrace.schemas.manifest import MANIFEST, ManifestLine, read_manifest

UNIT_BYTES = 1000
OUTPUTS = ("shards", "documents", "ledger", "quarantine", "index")
WORDS = tuple(
    "river stone lantern winter copper garden silent harbour meadow thunder paper window carpet forest engine "  # noqa: SIM905
    "水 车 推 动 磨 盘 春 天 的 田 野 城 市 图 书 馆 海 港".split()
)

# Kills its worker (in one process: by SystemExit, which no stage guard holds) at texts that hold its mark.
TRIPWIRE = """
from typing import Literal
from headrace.stages.base import Document, DocumentStage, Drop

class Tripwire(DocumentStage):
    kind: Literal["tripwire"] = "tripwire"
    mark: str = "DEADLY"
    how: Literal["die", "raise", "drop"] = "die"

    def process(self, document: Document) -> Document | Drop:
        if self.mark not in document.text:
            return document
        if self.how == "drop":
            return Drop("tripped")
        raise (SystemExit if self.how == "die" else ValueError)("tripped")
"""


@dataclass(frozen=True)
class Case:
    """A folder with input files and a configuration of runs over them."""

    folder: Path
    files: Mapping[str, str]
    stages: tuple[Mapping[str, Any], ...]
    engine: Mapping[str, Any] = field(default_factory=dict)
    plain: Mapping[str, Any] = field(default_factory=dict)  # more of the configuration's top level

    def prepare(self) -> Case:
        """Write the files."""
        for name, text in self.files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, encoding="utf-8")
        (self.folder / "tripwire.py").write_text(TRIPWIRE)
        config = {
            "run": "run",
            "plugins": ["tripwire.py"],
            "sources": [{"name": "a", "paths": ["in/**/*.txt"], "records": "lines"}],
            "stages": [dict(stage) for stage in self.stages],
            "engine": {"executor": "inline", "unit_bytes": UNIT_BYTES, "lanes": 3, "window": 4, **self.engine},
            **self.plain,
        }
        (self.folder / "case.yaml").write_text(yaml.safe_dump(config))
        return self

    def load(self, run: str, *overrides: str) -> LoadedConfig:
        """Read the configuration, with another run folder."""
        return load_config(self.folder / "case.yaml", [f"run={run}", *overrides])

    def run(
        self,
        name: str = "run",
        *overrides: str,
        executor: Executor | None = None,
        workers: int = 3,
        fresh: bool = False,
        watchers: tuple[Watcher, ...] = (),
    ) -> RunSummary:
        """Run or resume it."""
        start = starting(executor or InlineExecutor(), workers if executor else 1)
        return run_pipeline(self.load(name, *overrides), fresh=fresh, watchers=watchers, start_executor=start)

    def outcome(self, name: str = "run") -> dict[str, str]:
        """Give a finished run's output: every file with its hash, and the manifest line by line."""
        return outcome(self.folder / name)

    def events(self, name: str = "run") -> list[dict[str, Any]]:
        """Give the run's events."""
        return read_events(self.folder / name)


def starting(executor: Executor, workers: int) -> StartExecutor:
    """Give what makes a run use an executor."""

    def start(config: EngineConfig, folder: RunFolder) -> tuple[Executor, int]:
        return executor, workers

    return start


def outcome(run: Path) -> dict[str, str]:
    """Give a finished run's output: every file with its hash, and the manifest line by line."""
    files = [path for folder in OUTPUTS for path in (run / folder).iterdir() if path.is_file()]
    files += (run / "tokenizer").glob("*.model")
    hashes = {f"{p.parent.name}/{p.name}": hashlib.sha256(p.read_bytes()).hexdigest() for p in files}
    lines = (run / MANIFEST).read_text().splitlines()
    return {**dict(sorted(hashes.items())), **{f"line {n}": line for n, line in enumerate(lines)}}


def differences(a: Mapping[str, str], b: Mapping[str, str]) -> list[str]:
    """Name what two outcomes do not have in common."""
    return sorted(name for name in {*a, *b} if a.get(name) != b.get(name))


def check_run(run: Path) -> list[ManifestLine]:
    """Give the manifest after holding every file and every ledger it names against it."""
    lines = read_manifest(run)
    assert lines[-1].end
    at = 0
    for line in lines:
        assert line.first == at
        at = line.last + 1
        assert [int(ref.name.split("/")[1][:8]) for ref in line.ledgers] == list(range(line.first, at))
        for ref in line.files:
            data = (run / ref.name).read_bytes()
            assert (hashlib.sha256(data).hexdigest(), len(data)) == (ref.sha256, ref.bytes), ref.name
    return lines


def documents(run: Path) -> list[dict[str, Any]]:
    """Give every row of the committed documents files, in order."""
    refs = [ref for line in read_manifest(run) for ref in line.documents]
    return [row for ref in refs for row in pq.read_table(run / ref.name).to_pylist()]


def ledger_totals(run: Path) -> dict[str, int]:
    """Give documents received, kept, dropped and quarantined over all units."""
    sums = {"received": 0, "kept": 0, "dropped": 0, "quarantined": 0}
    for line in read_manifest(run):
        for ref in line.ledgers:
            stages = json.loads((run / ref.name).read_bytes())["stages"]
            sums["received"] += stages[0]["received"] + sum(stage["added"] for stage in stages)
            sums["kept"] += stages[-1]["kept"]
            for what in ("dropped", "quarantined"):
                sums[what] += sum(sum(stage[what].values()) for stage in stages)
    return sums


def sentence(rng: random.Random) -> str:
    """Give a line of some ten words."""
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(6, 14)))


def some_files(seed: int, *, files: int = 9, lines: int = 12) -> dict[str, str]:
    """Give text files of very different length, some empty, with lines that repeat within and across files."""
    rng = random.Random(seed)
    pool = [sentence(rng) for _ in range(files * 3)]
    out = {}
    for number in range(files):
        count = rng.choice((0, 1, lines // 2, lines, lines * 2)) if number else lines * 6
        rows = [rng.choice(pool) if rng.random() < 0.3 else sentence(rng) for _ in range(count)]
        out[f"in/{number:02}.txt"] = "".join(row + "\n" for row in rows)
    return out


BYTES = {"kind": "tokenize", "model": "bytes"}
TRAINED = {"kind": "tokenize", "train": {"vocab_size": 320, "sample_bytes": 4000, "threads": 1}}
DEDUP = {"kind": "dedup", "minhash": {"threshold": 0.8}}


def stages(
    *, tokenize: Mapping[str, Any] = BYTES, before: str = "", after: str = "", shard_tokens: int = 1500
) -> tuple[Mapping[str, Any], ...]:
    """Give the chain; `before` and `after` are marks at which a tripwire before or after dedup kills its worker."""
    chain: list[Mapping[str, Any]] = [{"kind": "decode"}, {"kind": "parse"}]
    if before:
        chain.append({"kind": "tripwire", "mark": before})
    chain.append(DEDUP)
    if after:
        chain.append({"kind": "tripwire", "mark": after})
    write = {"kind": "write", "sequence_length": 64, "shard_tokens": shard_tokens}
    return (*chain, tokenize, write)


CHAINS = {"bytes": stages(), "trained": stages(tokenize=TRAINED)}


def same_as_clean(case: Case, run: str) -> None:
    """Hold a finished run against the clean one of its case."""
    assert differences(case.outcome("clean"), case.outcome(run)) == []
    check_run(case.folder / run)
