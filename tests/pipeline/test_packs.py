"""What stages read of files beside the sources is part of a run's identity, and stays in the run."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from headrace.pipeline.load import load_config
from headrace.pipeline.packs import pack_stages
from headrace.pipeline.plan import make_plan
from headrace.pipeline.run import run_pipeline
from headrace.schemas.errors import ConfigError
from headrace.stages.clean import Clean
from headrace.stages.urls import Urls


def configured(folder: Path, **options: Any) -> Path:
    (folder / "texts").mkdir(exist_ok=True)
    lines = [{"text": f"text {n}", "url": f"http://{'bad' if n % 5 == 0 else 'a'}.example/{n % 7}"} for n in range(30)]
    (folder / "texts/a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    kinds: list[dict[str, Any]] = [{"kind": "decode"}, {"kind": "parse"}, {"kind": "urls", **options}]
    stages = [*kinds, {"kind": "write", "format": "parquet"}]
    whole = {"run": "run", "sources": [{"name": "s", "paths": ["texts"]}], "stages": stages}
    (folder / "config.yaml").write_text(json.dumps({**whole, "engine": {"executor": "inline", "unit_bytes": 1000}}))
    return folder / "config.yaml"


def test_lists_are_part_of_the_runs_identity_and_stay_in_the_run(tmp_path: Path) -> None:
    """The run drops by the list beside the configuration, keeps it, and refuses to go on with another one."""
    (tmp_path / "block").write_text("bad.example\nforum.example/board\n")
    path = configured(tmp_path, block={"mine": "block"})
    summary = run_pipeline(load_config(path))
    dropped: Counter[str] = Counter()
    for counts in summary.counts:
        dropped.update(counts.dropped)
    assert (summary.state, dropped) == ("done", {"domain_blocked": 6, "url_repeated": 17})
    (kept,) = (tmp_path / "run/lists").iterdir()
    assert kept.name.startswith("urls-")
    before = make_plan(load_config(path)).identity
    (tmp_path / "block").write_text("# the same, said in another way\nforum.example/board/\nBAD.example\n")
    assert make_plan(load_config(path)).identity == before
    (tmp_path / "block").write_text("other.example\n")
    with pytest.raises(ConfigError, match=r"lists\.urls was .* and is now"):
        run_pipeline(load_config(path))
    (tmp_path / "block").unlink()
    with pytest.raises(ConfigError, match="the list cannot be read"):
        load_config(path)


def test_packs_go_by_the_names_of_stages_that_need_some(tmp_path: Path) -> None:
    """The second stage of a kind has its own; one without files has none."""
    (tmp_path / "block").write_text("bad.example\n")
    packs = pack_stages([Clean(), Urls(), Urls(block={"mine": "block"})], tmp_path)
    assert list(packs) == ["urls.2"]
