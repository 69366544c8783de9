"""The benchmarks' own parts: new text out of real sentences, targets, and the line of JSON that others read."""

from __future__ import annotations

import importlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest
from benchmarks import (
    chain,
    chinese_profiles,
    chinese_words,
    dedup,
    dedup_accuracy,
    dedup_scale,
    encodings,
    extraction,
    filters,
    harness,
    memory,
    pii,
    policy,
    text,
    whole_job,
)
from benchmarks import language as language_benchmark
from benchmarks.harness import Benchmark, Measured, Target
from benchmarks.processes import TreeClock, pss, tree
from benchmarks.runs import write_units
from click.testing import CliRunner

ALL = (
    *(chain, chinese_profiles, chinese_words, dedup, dedup_accuracy, dedup_scale, encodings, extraction, filters),
    *(language_benchmark, memory, pii, policy, whole_job),
)
PEERS = ("vs_", "rensa", "differing_values")  # figures of these kinds need a peer that only `make bench-env` installs
CONTRACT = ("name", "figures", "versions", "machine", "input")


def first(language: str, seed: int, count: int = 300) -> list[str]:
    return list(itertools.islice(text.documents(language, seed), count))


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_the_same_seed_gives_the_same_documents(language: str) -> None:
    """Text is a function of the seed, and another seed gives other text."""
    assert first(language, 1) == first(language, 1)
    assert not set(first(language, 1)) & set(first(language, 2))


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_documents_are_new_and_their_sentences_are_real(language: str) -> None:
    """No document stands in the pool, all of its sentences do, and only the planted share of documents repeats."""
    pool = set(text.sentences(language))
    made = first(language, 3)
    copies = sum(count - 1 for count in Counter(made).values())
    assert 0 < copies < 0.06 * len(made)
    assert not pool & set(made)
    between = " " if language == "en" else ""
    for document in sorted(set(made), key=len)[:3]:
        assert all(is_joined(paragraph, pool, between) for paragraph in document.split("\n\n"))
    assert not is_joined(min(made, key=len)[1:], pool, between)


def is_joined(paragraph: str, pool: set[str], between: str) -> bool:
    """Tell whether a text can be cut into sentences of the pool."""
    ends = {0}  # places at which a sentence may begin
    for end in range(1, len(paragraph) + 1):
        if any(paragraph[begin:end] in pool for begin in ends):
            ends.add(end + len(between))
    return len(paragraph) + len(between) in ends


def test_a_mix_has_as_much_of_each_language() -> None:
    """English and Chinese have about the same number of bytes."""
    size: Counter[str] = Counter()
    for name, document in itertools.islice(text.mixed(1), 400):
        size[name] += len(document.encode())
    assert size["en"] == pytest.approx(size["zh"], rel=0.1)


def test_no_planted_copies_where_none_are_wanted() -> None:
    """Documents differ from one another when nothing is to be repeated."""
    made = list(itertools.islice(text.documents("en", 5, text.Shape(exact=0, near=0)), 500))
    assert len(set(made)) == len(made)


def test_written_units_are_read_as_so_many_units(tmp_path: Path) -> None:
    """The number and the size of units are exact, so that a figure per unit means what it says."""
    from benchmarks.runs import configured, whole_run

    write_units(tmp_path / "input", 7, 30_000, seed=1)
    loaded = configured(
        tmp_path, "run", tmp_path / "input", "bytes", "engine.executor=inline", "engine.unit_bytes=30000"
    )
    assert whole_run(loaded).units == 7
    assert sum(file.stat().st_size for file in (tmp_path / "input").iterdir()) == pytest.approx(210_000, rel=0.1)


@pytest.mark.parametrize(
    ("target", "figure", "verdict"),
    [
        (Target(40, 20), 20.0, "goal met"),
        (Target(40, 20), 40.0, "floor met"),
        (Target(40, 20), 40.1, "MISSED"),
        (Target(20, 50), 50.0, "goal met"),
        (Target(20, 50), 20.0, "floor met"),
        (Target(20, 50), 19.9, "MISSED"),
        (Target(0, 0), 0.0, "goal met"),
    ],
)
def test_a_figure_is_held_against_floor_and_goal(target: Target, figure: float, verdict: str) -> None:
    """Which way is better follows from floor and goal."""
    assert target.verdict(figure) == verdict


def fixed(scale: str, seed: int) -> Measured:
    return Measured({"speed": 12.34567, "lag": 3}, {"bytes": 7}, ["a note"], {"peer": "1.0"})


@pytest.mark.parametrize(("arguments", "scale"), [(["--quick"], "quick"), ([], "full")])
def test_only_the_full_run_writes_its_result(
    arguments: list[str], scale: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last line is the JSON object of the contract; the file of the full run holds the same, with its notes."""
    monkeypatch.setattr(harness, "RESULTS", tmp_path)
    benchmark = Benchmark("sample", "A claim", {"speed": Target(20, 50)}, fixed)
    output = CliRunner().invoke(benchmark.command, [*arguments, "--seed", "9"], catch_exceptions=False).stdout
    line = json.loads(output.splitlines()[-1])
    assert tuple(line) == CONTRACT
    assert line["figures"] == {"speed": 12.35, "lag": 3}
    assert line["input"] == {"scale": scale, "seed": 9, "bytes": 7}
    assert line["versions"]["peer"] == "1.0"
    assert {"cpu", "cores", "memory_gb", "load_1min"} <= set(line["machine"])
    assert "MISSED" in output and "a note" in output
    written = [json.loads(path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()]
    assert written == ([] if scale == "quick" else [{**line, "notes": ["a note"]}])


def test_json_alone_is_one_line() -> None:
    """With --json nothing but the object is printed."""
    benchmark = Benchmark("sample", "A claim", {}, fixed)
    output = CliRunner().invoke(benchmark.command, ["--quick", "--json"], catch_exceptions=False).stdout
    assert [json.loads(line)["name"] for line in output.splitlines()] == ["sample"]


@pytest.mark.parametrize("module", ALL, ids=lambda module: module.BENCHMARK.name)
def test_targets_are_those_of_keys_that_are_measured(module: object) -> None:
    """Each benchmark's file is named like it, and it measures at three scales."""
    benchmark: Benchmark = module.BENCHMARK  # type: ignore[attr-defined]
    assert module is importlib.import_module(f"benchmarks.{benchmark.name}")
    assert set(module.SIZES) == {"full", "quick", "tiny"}  # type: ignore[attr-defined]
    assert benchmark.targets


@pytest.mark.slow
@pytest.mark.parametrize("module", ALL, ids=lambda module: module.BENCHMARK.name)
@pytest.mark.timeout(300)
def test_each_benchmark_runs(module: object, request: pytest.FixtureRequest) -> None:
    """Run on as good as no input, each benchmark gives its figures and leaves nothing behind."""
    benchmark: Benchmark = module.BENCHMARK  # type: ignore[attr-defined]
    if module in (chinese_profiles, encodings, language_benchmark):
        request.getfixturevalue("corpus")  # all their samples come from there
    command = [sys.executable, "-m", f"benchmarks.{benchmark.name}", "--tiny", "--json"]
    root = Path(__file__).parents[1]
    with tempfile.TemporaryDirectory(prefix="hr-") as folder:  # short: Ray's socket paths lie in it
        environment = {**os.environ, "TMPDIR": folder}
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=280)
        left = [path.name for path in Path(folder).glob("headrace-*")]
    assert done.returncode == 0, done.stderr
    assert left == []
    line = json.loads(done.stdout)
    assert tuple(line) == CONTRACT
    missing = set(benchmark.targets) - set(line["figures"])
    assert all(any(kind in name for kind in PEERS) for name in missing), missing
    assert all(isinstance(figure, float) for figure in line["figures"].values())


def test_the_cpu_of_ended_children_still_counts() -> None:
    """What a process had used when it was last seen stays in the sum."""
    clock = TreeClock()
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as child:
        time.sleep(0.6)
        busy = clock.read()
        child.kill()
    assert busy["other"] > 0.1
    assert clock.read()["other"] == busy["other"]


def test_memory_is_summed_over_the_tree() -> None:
    """A child's pages count, by what the child is for."""
    with subprocess.Popen(
        [sys.executable, "-c", "x = bytes(range(256)) * 400_000; print(len(x), flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout and child.stdout.readline() == "102400000\n"
        processes = tree(harness.psutil.Process())
        used = pss(harness.psutil.Process())
        child.communicate("\n")
    assert child.pid in {process.pid for process in processes}
    assert used["other"] > 100_000_000
    assert used["driver"] > 10_000_000
