"""The configuration of `headrace dedup` says what is asked for, and nothing of how it was typed."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from headrace.pipeline.dedup_config import Wanted, dedup_config

INPUTS = ("b.txt", "a", "file://{here}/é.txt", "s3://z/a", "s3://z/B", "gs://a/b", "hdfs://name:8020/d")


def sources(*inputs: str) -> list[tuple[str, tuple[str, ...]]]:
    """Give names and paths of the sources."""
    config = dedup_config(Wanted(inputs, Path("out"))).config
    return [(source.name, tuple(source.paths)) for source in config.sources]


def test_the_order_of_the_inputs_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files, folders and stores in any order: sources by name, paths by their bytes, each once."""
    monkeypatch.chdir(tmp_path)
    inputs = [name.format(here=tmp_path) for name in INPUTS]
    wanted = [
        ("gs-a", ("gs://a/b",)),
        ("hdfs-name-8020", ("hdfs://name:8020/d",)),
        ("input", tuple(str(tmp_path / name) for name in ("a", "b.txt", "é.txt"))),
        ("s3-z", ("s3://z/B", "s3://z/a")),
    ]
    for order in permutations(inputs[::2]):
        assert sources(*order, *inputs[1::2], inputs[0]) == wanted
        assert sources(*reversed(inputs[1::2]), *order, "./a") == wanted
