"""What is installed is what the tree holds, and `make` sets it up the way it says."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import headrace

ROOT = Path(__file__).parents[1]
FOLDERS = ("schemas", "tokenizers", "stages", "loader", "pipeline", "trainer")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
# Stands for the interpreter and for every program of the environment: it writes down how it was called.
STAND_IN = """#!{python}
import os, pathlib, sys
with open("calls.log", "a") as log:
    print(pathlib.Path(sys.argv[0]).name, *sys.argv[1:], file=log)
if sys.argv[1:2] == ["-c"]:
    sys.exit(int(os.environ.get("STAND_IN_TOO_OLD", "0")))
if sys.argv[1:3] == ["-m", "venv"]:
    (bin := pathlib.Path(sys.argv[-1], "bin")).mkdir(parents=True, exist_ok=True)
    for name in ("python", "pip", "headrace"):
        (bin / name).write_text(pathlib.Path(sys.argv[0]).read_text())
        (bin / name).chmod(0o755)
"""


def requirements(*extras: str) -> list[Requirement]:
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]
    return [Requirement(line) for line in lines]


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    entries = (line.partition("==") for line in lines if not line.startswith("#"))
    return {canonicalize_name(name): version for name, _, version in entries}


def tree_files() -> set[str]:
    found = {path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}
    return {f"headrace/{path.as_posix()}" for path in found}


def test_the_version_is_one() -> None:
    """The version that is imported is the one in the project file, and the changelog has an entry for it."""
    assert headrace.__version__ == PROJECT["version"]
    assert f"## {PROJECT['version']}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_import_name_is_six_links_and_no_code() -> None:
    """`src/headrace` holds one relative link a folder beside its three files."""
    entries = {path.name: path for path in (ROOT / "src/headrace").iterdir() if path.name != "__pycache__"}
    assert set(entries) == {"__init__.py", "__main__.py", "py.typed", *FOLDERS}
    assert {name: str(entries[name].readlink()) for name in FOLDERS} == {name: f"../../{name}" for name in FOLDERS}


def test_the_wheel_holds_real_files_of_all_six_folders(tmp_path: Path) -> None:
    """A wheel that is built from the tree has every module, the type marker, the licence and the command."""
    source = tmp_path / "source"
    for folder in (*FOLDERS, "src"):
        ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(ROOT / folder, source / folder, symlinks=True, ignore=ignore)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", tmp_path, source]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("headrace-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        entry_points = archive.read(f"headrace-{PROJECT['version']}.dist-info/entry_points.txt").decode()
    assert {name for name in names if name.endswith(".py")} == tree_files() | {
        "headrace/__init__.py",
        "headrace/__main__.py",
    }
    assert {"headrace/py.typed", f"headrace-{PROJECT['version']}.dist-info/licenses/LICENSE"} <= names
    assert "headrace = headrace.pipeline.cli:main" in entry_points


def foreign_imports() -> Iterator[tuple[str, str]]:
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
                heads = {name.partition(".")[0] for name in names}
                yield from ((path.name, head) for head in heads - set(sys.stdlib_module_names) - {"headrace"})


def test_every_foreign_import_is_a_declared_dependency() -> None:
    """Nothing is imported that only another package happens to bring along."""
    owners = importlib.metadata.packages_distributions()  # without those that are one compiled file
    declared = {canonicalize_name(requirement.name) for requirement in requirements("train", "gpu", "trafilatura")}
    stray = {
        (file, module)
        for file, module in foreign_imports()
        if module != "nvidia" and not declared & {canonicalize_name(owner) for owner in owners.get(module, (module,))}
    }
    assert stray == set()


def test_the_constraints_pin_every_dependency_within_its_bounds() -> None:
    """Each package that the project names, extras included, has one pinned version that the project accepts."""
    versions = pins()
    for requirement in requirements(*EXTRAS):
        assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)]), requirement


def test_changelog_fragments_say_what_kind_of_change_they_are() -> None:
    """A fragment is named TOPIC.KIND.md and holds a sentence."""
    fragments = [path for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md"]
    for fragment in fragments:
        assert re.fullmatch(r"[a-z0-9-]+\.(added|changed|fixed|removed)\.md", fragment.name)
        assert fragment.read_text(encoding="utf-8").strip().endswith(".")


def test_the_module_runs_as_the_command_does() -> None:
    """`python -m headrace --help` reaches the command line."""
    done = subprocess.run([sys.executable, "-m", "headrace", "--help"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "run" in done.stdout


def test_dali_runs_on_the_cpu() -> None:
    """The extra `gpu` is usable without a GPU: its operators run on the CPU."""
    dali = pytest.importorskip("nvidia.dali", reason="the extra `gpu` is not installed")
    numpy = pytest.importorskip("numpy")
    pipeline = dali.Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipeline:
        rows = dali.fn.external_source(source=lambda: [numpy.arange(3), numpy.arange(4)], batch=True)
        pipeline.set_outputs(rows + 1)
    pipeline.build()
    (output,) = pipeline.run()
    assert output.at(1).tolist() == [1, 2, 3, 4]


class Checkout:
    """A copy of the Makefile with a stand-in for Python, which installs nothing and logs each call."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("Makefile", "pyproject.toml", "constraints.txt"):
            shutil.copy(ROOT / name, folder / name)
        self.python = folder / "stand-in"
        self.python.write_text(STAND_IN.format(python=sys.executable), encoding="utf-8")
        self.python.chmod(0o755)

    def make(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = ["make", f"PYTHON={self.python}", *arguments]
        environment = {**os.environ, "MAKEFLAGS": "", "MAKELEVEL": "", **environment}
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, env=environment)

    def calls(self) -> list[str]:
        """Give the calls since the last question, in order."""
        log = self.folder / "calls.log"
        lines = log.read_text(encoding="utf-8").splitlines()
        log.unlink()
        return lines


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    return Checkout(tmp_path)


def test_make_says_what_it_fetches_before_it_installs_once(checkout: Checkout) -> None:
    """The first `make demo` prints sizes, installs with the constraints and runs; the second only runs."""
    first = checkout.make("demo")
    assert first.returncode == 0, first.stderr
    assert re.search(r"about \d+ MB to fetch", first.stdout)
    installs = [call for call in checkout.calls() if "pip install" in call]
    assert len(installs) == 1
    assert installs[0].endswith("--constraint .venv/constraints.txt --editable .[train,demo]")
    assert (checkout.folder / ".venv/constraints.txt").read_text() == (ROOT / "constraints.txt").read_text()
    second = checkout.make("demo")
    assert "to fetch" not in second.stdout
    assert checkout.calls() == ["headrace run examples/demo.yaml --fresh"]


def test_the_sizes_come_before_the_installation() -> None:
    """Nothing is fetched before the list of what will be fetched is on the screen."""
    dry = subprocess.run(["make", "--always-make", "-n", "test"], cwd=ROOT, capture_output=True, text=True)
    assert 0 < dry.stdout.index("MB to fetch") < dry.stdout.index("pip install")


def test_make_takes_torch_from_the_index_of_the_users_choice(checkout: Checkout) -> None:
    """`TORCH_INDEX=` installs torch from there alone, lifts its pin, and is remembered by a later plain `make`."""
    index = "https://example.org/torch"
    checkout.make("demo", f"TORCH_INDEX={index}")
    torch, rest = [call for call in checkout.calls() if "pip install" in call]
    assert f"--index-url {index} torch>=2.6" in torch
    assert index not in rest
    assert "torch==" not in (checkout.folder / ".venv/constraints.txt").read_text()
    checkout.make("demo")
    assert checkout.calls() == ["headrace run examples/demo.yaml --fresh"]
    checkout.make("demo", "TORCH_INDEX=https://example.org/other")
    assert any("https://example.org/other" in call for call in checkout.calls())


def test_make_refuses_an_old_python_in_words(checkout: Checkout) -> None:
    """A Python below the required version gives one message that says what to do, and no environment."""
    refused = checkout.make("demo", STAND_IN_TOO_OLD="1")
    assert refused.returncode == 2
    assert "Python 3.11 or newer" in refused.stderr
    assert not (checkout.folder / ".venv").exists()


@pytest.mark.parametrize(
    ("printed", "status"),
    [("all well\n3 passed, 1 skipped in 0.12s", 0), ("1 failed, 2 passed in 0.12s\nmake: *** [test] Error 1", 2)],
)
def test_the_check_script_ends_with_the_closing_line_of_pytest(tmp_path: Path, printed: str, status: int) -> None:
    """The last line is pytest's and the exit code is make's, whatever make prints after pytest."""
    stand_in = tmp_path / "make"
    stand_in.write_text(f"#!/bin/sh\ncat <<'END'\n{printed}\nEND\nexit {status}\n", encoding="utf-8")
    stand_in.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run([ROOT / ".ci/run"], capture_output=True, text=True, env={**os.environ, "PATH": path})
    assert done.returncode == status
    assert done.stdout.splitlines()[-1] == next(line for line in printed.splitlines() if "passed" in line)
    assert done.stdout.count("passed") == 1 + (status != 0)
