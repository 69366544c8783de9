"""Who may import whom, what a folder may hold, and one word for each thing.

Each rule is a pure function from a tree to its violations; it is run over this repository, over a tiny tree with a
planted violation, which it must find, and over that tree put right, which it must let pass.
"""

from __future__ import annotations

import ast
import importlib.machinery
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {
    "schemas": set[str](),
    "tokenizers": {"schemas"},
    "stages": {"schemas", "tokenizers"},
    "loader": {"schemas", "tokenizers"},
    "pipeline": {"schemas", "tokenizers", "stages", "loader"},
    "trainer": {"schemas", "tokenizers", "loader"},
}
FOLDERS = tuple(MAY_IMPORT)
# `headrace train` is a command, and the command line belongs to the pipeline.
COMMAND_LINE = re.compile(r"pipeline/cli\w*\.py")
FOREIGN = {
    "ray": re.compile(r"pipeline/.*|trainer/ray_launcher\.py"),
    "torch": re.compile(r"trainer/.*|loader/torch_dataset\.py"),
}
# A file named like a module of the standard library would shadow it when a neighbour is run by path.
NAMES_OF_KIND = {"tokenize": ("tokenize_text", "TokenizeStage")}
FORBIDDEN_WORDS = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "handler", "processor"}
# Split, so that this file does not name a machine path itself.
MACHINE_PATH = re.compile(r"(?<![\w./-])/(?:" + "|".join(["home", "root", "work", "tmp/hr"]) + r")/\w")


def sources(root: Path) -> Iterator[tuple[str, ast.Module]]:
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            yield path.relative_to(root).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def upward_imports(root: Path) -> Iterator[str]:
    """Imports point downwards: schemas, tokenizers, {stages, loader}, {pipeline, trainer}."""
    for file, tree in sources(root):
        own = file.partition("/")[0]
        allowed = MAY_IMPORT[own] | {own} | ({"trainer"} if COMMAND_LINE.fullmatch(file) else set())
        for line, name in imported(tree):
            head, _, rest = name.partition(".")
            folder = rest.partition(".")[0]
            if head == "headrace" and folder in FOLDERS and folder not in allowed:
                yield f"{file}:{line} imports {name}"


def misplaced_frameworks(root: Path) -> Iterator[str]:
    """Only the pipeline and one launcher import ray; only the trainer and one adapter import torch."""
    for file, tree in sources(root):
        for line, name in imported(tree):
            where = FOREIGN.get(name.partition(".")[0])
            if where and not where.fullmatch(file):
                yield f"{file}:{line} imports {name}"


def package_files(root: Path) -> Iterator[str]:
    """A first-level folder is never a package of its own, and no `__init__.py` holds code."""
    yield from (f"{folder}/__init__.py" for folder in FOLDERS if (root / folder / "__init__.py").exists())
    for file, tree in sources(root):
        if file.endswith("/__init__.py") and tree.body:
            yield f"{file} holds code"
    init = root / "src/headrace/__init__.py"
    statements = ast.parse(init.read_text(encoding="utf-8")).body if init.exists() else []
    if [ast.unparse(statement).partition(" = ")[0] for statement in statements[1:]] not in ([], ["__version__"]):
        yield "src/headrace/__init__.py holds more than its docstring and __version__"


def shadowing(root: Path) -> Iterator[str]:
    """With the root first on the path, an installed package named like one of our folders still wins."""
    for folder in FOLDERS:
        spec = importlib.machinery.PathFinder.find_spec(folder, [str(root)])
        if spec is not None and spec.loader is not None and spec.origin is not None:
            yield f"{folder} would shadow a package of that name: {spec.origin}"


def literal_kind(node: ast.ClassDef) -> str | None:
    """Give the kind of a stage class: `kind: Literal["x"] = "x"` in its body."""
    for statement in node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id="kind"), value=ast.Constant(value=str(kind))):
                return kind
    return None


def kinds(root: Path) -> Iterator[str]:
    """A stage's kind, class, file and test share one word, and a file holds one stage."""
    for file, tree in sources(root):
        if not file.startswith("stages/"):
            continue
        classes = [
            (node, kind) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and (kind := literal_kind(node))
        ]
        if len(classes) > 1:
            yield f"{file} holds {len(classes)} stages"
        for node, kind in classes:
            stem, class_name = NAMES_OF_KIND.get(kind, (kind, kind.title().replace("_", "")))
            if file != f"stages/{stem}.py":
                yield f"{file}:{node.lineno} the kind {kind} belongs in stages/{stem}.py"
            if node.name != class_name:
                yield f"{file}:{node.lineno} class {node.name} is not named after its kind {kind}"
            if not (root / f"tests/stages/test_{stem}.py").exists():
                yield f"tests/stages/test_{stem}.py is missing"


def forbidden_names(root: Path) -> Iterator[str]:
    """No file or folder is named after a heap of things."""
    for folder in (*FOLDERS, "tests", "benchmarks", "examples"):
        for path in sorted((root / folder).rglob("*")):
            if FORBIDDEN_WORDS & set(path.stem.split("_")):
                yield path.relative_to(root).as_posix()


def tracked(root: Path) -> list[Path]:
    """Give the files that git tracks; all files where there is no repository, as in a planted tree."""
    if (root / ".git").exists() and shutil.which("git"):
        listing = subprocess.run(
            ["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=root, capture_output=True, check=True
        ).stdout
        names = [name for name in listing.decode().split("\0") if name]
        return [root / name for name in names]
    return [
        path
        for path in sorted(root.rglob("*"))
        if not any(part.startswith(".") for part in path.relative_to(root).parts)
    ]


def machine_paths(root: Path) -> Iterator[str]:
    """No tracked file names a folder of the machine that it was written on."""
    for path in tracked(root):
        if path.is_symlink() or not path.is_file():
            continue
        text = path.read_bytes().decode("utf-8", "ignore")
        for number, line in enumerate(text.splitlines(), 1):
            if MACHINE_PATH.search(line):
                yield f"{path.relative_to(root)}:{number} {line.strip()[:80]}"


@dataclass(frozen=True)
class Rule:
    """A rule, a tiny tree that breaks it, and what puts that tree right (None takes a file away)."""

    check: Callable[[Path], Iterator[str]]
    planted: Mapping[str, str]
    cure: Mapping[str, str | None]

    def __str__(self) -> str:
        return self.check.__name__


STAGE = 'class {name}(BatchStage):\n    kind: Literal["{kind}"] = "{kind}"\n'
MIN_WORDS = STAGE.format(name="MinWords", kind="min_words")
RULES = (
    Rule(
        upward_imports,
        {"schemas/unit.py": "from headrace.stages.base import Stage\n"},
        {"schemas/unit.py": "from headrace.schemas.errors import HeadraceError\n"},
    ),
    Rule(
        upward_imports,
        {"stages/write.py": "def f() -> None:\n    import headrace.loader.order\n"},
        {"stages/write.py": "def f() -> None:\n    import headrace.tokenizers.load\n"},
    ),
    Rule(
        upward_imports,
        {"loader/order.py": "from headrace import stages\n"},
        {"loader/order.py": "from headrace import schemas\n"},
    ),
    Rule(
        upward_imports,
        {"pipeline/run.py": "import headrace.trainer.loop\n"},
        {"pipeline/run.py": "", "pipeline/cli_train.py": "import headrace.trainer.loop\n"},
    ),
    Rule(misplaced_frameworks, {"stages/dedup.py": "import ray\n"}, {"stages/dedup.py": "import numpy\n"}),
    Rule(
        misplaced_frameworks,
        {"trainer/loop.py": "from ray import train\n"},
        {"trainer/loop.py": "import torch\n", "trainer/ray_launcher.py": "from ray import train\n"},
    ),
    Rule(
        misplaced_frameworks,
        {"loader/order.py": "from torch.utils import data\n"},
        {"loader/order.py": "", "loader/torch_dataset.py": "from torch.utils import data\n"},
    ),
    Rule(package_files, {"tokenizers/__init__.py": ""}, {"tokenizers/__init__.py": None}),
    Rule(package_files, {"stages/kernels/__init__.py": "X = 1\n"}, {"stages/kernels/__init__.py": ""}),
    Rule(
        package_files,
        {"src/headrace/__init__.py": '"""Headrace."""\nimport os\n__version__ = "1"\n'},
        {"src/headrace/__init__.py": '"""Headrace."""\n__version__ = "1"\n'},
    ),
    Rule(shadowing, {"tokenizers/__init__.py": "", "tokenizers/load.py": ""}, {"tokenizers/__init__.py": None}),
    Rule(
        kinds,
        {"stages/short.py": MIN_WORDS, "tests/stages/test_min_words.py": ""},
        {"stages/short.py": None, "stages/min_words.py": MIN_WORDS},
    ),
    Rule(kinds, {"stages/min_words.py": MIN_WORDS}, {"tests/stages/test_min_words.py": ""}),
    Rule(
        kinds,
        {"stages/min_words.py": MIN_WORDS.replace("MinWords", "Short"), "tests/stages/test_min_words.py": ""},
        {"stages/min_words.py": MIN_WORDS},
    ),
    Rule(
        kinds,
        {"stages/min_words.py": MIN_WORDS + MIN_WORDS, "tests/stages/test_min_words.py": ""},
        {"stages/min_words.py": MIN_WORDS},
    ),
    Rule(forbidden_names, {"stages/text_utils.py": ""}, {"stages/text_utils.py": None, "stages/text.py": ""}),
    Rule(
        machine_paths,
        {"docs/guide.md": "see /" + "home/ann/notes\n"},
        {"docs/guide.md": "see runs/" + "home/notes, ~/notes and https://example.org/" + "home/x\n"},
    ),
)


def write_tree(root: Path, files: Mapping[str, str | None]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("check", dict.fromkeys(rule.check for rule in RULES), ids=lambda check: check.__name__)
def test_the_rule_holds(check: Callable[[Path], Iterator[str]]) -> None:
    """This repository keeps the rule that the check's docstring states."""
    assert list(check(ROOT)) == []


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_the_rule_finds_a_planted_violation_and_nothing_else(rule: Rule, tmp_path: Path) -> None:
    """A tree with one violation is reported, and the same tree put right is not."""
    write_tree(tmp_path, rule.planted)
    assert list(rule.check(tmp_path)) != []
    write_tree(tmp_path, rule.cure)
    assert list(rule.check(tmp_path)) == []


def test_the_rules_see_the_repository() -> None:
    """The checks read real files of all six folders, so that an empty result means something."""
    assert {file.partition("/")[0] for file, _ in sources(ROOT)} == set(FOLDERS)
    assert ROOT / "pyproject.toml" in tracked(ROOT)


def test_tokenizers_of_hugging_face_stay_reachable(tmp_path: Path) -> None:
    """With the repository first on the path, `import tokenizers` finds a regular package further down the path."""
    write_tree(tmp_path, {"tokenizers/__init__.py": ""})
    spec = importlib.machinery.PathFinder.find_spec("tokenizers", [str(ROOT), str(tmp_path)])
    assert spec is not None
    assert spec.origin == str(tmp_path / "tokenizers/__init__.py")
