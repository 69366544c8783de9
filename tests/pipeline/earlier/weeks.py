"""Weeks of text for tests of runs that are compared with earlier ones: lines, configurations, runs, verdicts."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from tests.protocol.small_runs import documents, sentence

from headrace.pipeline.events import Event, Watcher
from headrace.pipeline.load import LoadedConfig, load_config
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.summary import RunSummary

TWISTS = (str, str.upper, lambda text: text + " 完", lambda text: text.replace("river", "brook"))
Verdict = tuple[str, str | None, float | None, str | None]


class Stopped(Exception):
    """Ends a run as a kill does."""


def arrivals(seed: int, count: int = 5, most: int = 24) -> list[list[str]]:
    """Give weeks of Chinese and English lines, many of them copies of earlier ones, whole or with a small change."""
    rng = random.Random(seed)
    known: list[str] = []
    weeks: list[list[str]] = []
    for _ in range(count):
        weeks.append([])
        for _ in range(rng.randint(1, most)):
            fresh = not known or rng.random() < 0.6
            line = " ".join(sentence(rng) for _ in range(3)) if fresh else rng.choice(TWISTS)(rng.choice(known))
            known.append(line)
            weeks[-1].append(line)
    return weeks


@dataclass(frozen=True)
class Weeks:
    """A folder with a file of lines for each week, and runs over some of them in `runs/`."""

    folder: Path
    stage: Mapping[str, object] = field(default_factory=lambda: {"kind": "dedup"})
    write: Mapping[str, object] = field(default_factory=dict)
    engine: Mapping[str, object] = field(default_factory=dict)

    def write_weeks(self, weeks: Sequence[Sequence[str]]) -> list[str]:
        """Write the files; give their names."""
        names = [f"week{number}" for number in range(len(weeks))]
        (self.folder / "in").mkdir(parents=True, exist_ok=True)
        for name, lines in zip(names, weeks, strict=True):
            (self.folder / "in" / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return names

    def config(self, run: str, weeks: Sequence[str], against: Sequence[str] = (), **stage: object) -> Path:
        """Write the configuration of a run over some weeks, against the runs of some others."""
        config = {
            "run": f"runs/{run}",
            "sources": [{"name": "a", "paths": [f"in/{week}.txt" for week in weeks], "records": "lines"}],
            "stages": [
                *({"kind": kind} for kind in ("decode", "parse")),
                {**self.stage, **stage, "against": [f"runs/{week}" for week in against]},
                {"kind": "tokenize", "model": "bytes"},
                {"kind": "write", "sequence_length": 64, "shard_tokens": 900, **self.write},
            ],
            "engine": {"executor": "inline", "unit_bytes": 1000, "lanes": 1, **self.engine},
        }
        path = self.folder / f"{run}.yaml"
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        return path

    def load(self, run: str, weeks: Sequence[str], against: Sequence[str] = (), **stage: object) -> LoadedConfig:
        """Give that configuration, read and checked."""
        return load_config(self.config(run, weeks, against, **stage))

    def run(
        self,
        run: str,
        weeks: Sequence[str],
        against: Sequence[str] = (),
        *,
        commits: int | None = None,
        fresh: bool = False,
        **stage: object,
    ) -> RunSummary | None:
        """Run or resume; None if it was ended at its first `commits` commits."""
        watchers: tuple[Watcher, ...] = () if commits is None else (_ends_at(commits),)
        try:
            return run_pipeline(self.load(run, weeks, against, **stage), watchers=watchers, fresh=fresh)
        except Stopped:
            return None

    def rows(self, run: str) -> list[dict[str, Any]]:
        """Give what is recorded of every document."""
        return documents(self.folder / "runs" / run)

    def verdicts(self, *runs: str) -> dict[str, Verdict]:
        """Give what became of every document of some runs; `detail` names the run that has the survivor, if any."""
        out: dict[str, Verdict] = {}
        for run in runs:
            for row in self.rows(run):
                assert row["doc_id"] not in out
                out[row["doc_id"]] = (row["verdict"], row["reason"], row["value"], row["survivor"])
        return out


def _ends_at(commits: int) -> Watcher:
    left = [commits]

    def watch(event: Event) -> None:
        left[0] -= event.kind == "committed"
        if not left[0]:
            raise Stopped

    return watch
