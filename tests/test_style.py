"""Sizes, annotations, prints and ignores stay within what a reader can follow.

Like the architecture test, each rule is run over this repository and over tiny trees that break and keep it.
"""

from __future__ import annotations

import ast
import io
import re
import statistics
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("schemas", "tokenizers", "stages", "loader", "pipeline", "trainer")
FILE_MEDIAN, FILE_MAX = 150, 400
FUNCTION_MEDIAN, FUNCTION_P90, FUNCTION_MAX = 10, 30, 60
# Ratchet: lower it when a use goes away; a new one needs a foreign library that leaves no choice.
ANY_AND_CAST_MAX = 280
CLOCKS = re.compile(r"time\.(?!sleep|gmtime|strftime|struct_time)\w+|timeit(\.\w+)?|datetime\.(now|utcnow)|os\.times")
# What an executor hands out says when it began; no assertion looks at it.
CLOCKS_ALLOWED = {("tests/protocol/fault_executors.py", "time.monotonic")}
PRINTS_ALLOWED = re.compile(r"pipeline/cli\w*\.py")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def texts(root: Path, folders: tuple[str, ...] = FOLDERS) -> Iterator[tuple[str, str]]:
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")


def functions(root: Path) -> Iterator[tuple[str, Function]]:
    for file, text in texts(root):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, Function):
                yield f"{file}:{node.lineno} {node.name}", node


def lines_of(node: Function) -> int:
    """Count a function's lines, its docstring left out."""
    total = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if ast.get_docstring(node, clean=False) is not None and len(node.body) > 1:
        return total - ((first.end_lineno or first.lineno) - first.lineno + 1)
    return total


def long_files(root: Path) -> Iterator[str]:
    """No file is longer than 400 lines, and the median file is shorter than 150."""
    sizes = {file: len(text.splitlines()) for file, text in texts(root)}
    for file, text in texts(root, ("tests", "benchmarks", "examples")):
        if len(text.splitlines()) > FILE_MAX:
            yield f"{file} has {len(text.splitlines())} lines"
    yield from (f"{file} has {size} lines" for file, size in sizes.items() if size > FILE_MAX)
    if sizes and (median := statistics.median(sizes.values())) >= FILE_MEDIAN:
        yield f"the median file has {median} lines"


def long_functions(root: Path) -> Iterator[str]:
    """No function is longer than 60 lines, nine in ten are shorter than 30, half are shorter than 10."""
    sizes = {name: lines_of(node) for name, node in functions(root)}
    yield from (f"{name} has {size} lines" for name, size in sizes.items() if size > FUNCTION_MAX)
    if len(sizes) > 1:
        p90, median = statistics.quantiles(sizes.values(), n=10)[-1], statistics.median(sizes.values())
        if p90 >= FUNCTION_P90 or median >= FUNCTION_MEDIAN:
            yield f"functions have a median of {median} lines and a 90th percentile of {p90}"


def unannotated(root: Path) -> Iterator[str]:
    """Every parameter and every result has a type."""
    for name, node in functions(root):
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        arguments += [extra for extra in (node.args.vararg, node.args.kwarg) if extra]
        bare = [
            argument.arg
            for argument in arguments
            if argument.annotation is None and argument.arg not in ("self", "cls")
        ]
        if bare or node.returns is None:
            yield f"{name} lacks types: {bare or 'result'}"


def prints(root: Path) -> Iterator[str]:
    """Only the command line prints."""
    for file, text in texts(root):
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.Call(func=ast.Name(id="print")) if not PRINTS_ALLOWED.fullmatch(file):
                    yield f"{file}:{node.lineno} prints"


def blanket_ignores(root: Path) -> Iterator[str]:
    """An ignore names the code that it silences."""
    for file, text in texts(root, (*FOLDERS, "tests", "benchmarks", "examples")):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and re.search(
                r"#\s*(type:\s*ignore(?!\[)|noqa(?!:\s*[A-Z]))", token.string
            ):
                yield f"{file}:{token.start[0]} {token.string}"


def loose_types(root: Path) -> Iterator[str]:
    """`Any` and `cast` stay rare."""
    found = [
        f"{file}:{node.lineno}"
        for file, text in texts(root)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name) and node.id in ("Any", "cast")
    ]
    if len(found) > ANY_AND_CAST_MAX:
        yield f"{len(found)} uses of Any and cast, at most {ANY_AND_CAST_MAX} are allowed: {found}"


def clocks(root: Path) -> Iterator[str]:
    """A test passes or fails by what is done, not by how long that takes: it reads no clock."""
    for file, text in texts(root, ("tests",)):
        read = {
            name
            for node in ast.walk(ast.parse(text))
            for name in names_in(node)
            if CLOCKS.fullmatch(name) and (file, name) not in CLOCKS_ALLOWED
        }
        yield from (f"{file} reads {name}" for name in sorted(read))


def names_in(node: ast.AST) -> Iterator[str]:
    """Give the dotted names of a call, an import, or a program that a string holds."""
    match node:
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            yield f"{module}.{name}"
        case ast.ImportFrom(module=str(module)):
            yield from (f"{module}.{alias.name}" for alias in node.names)
        case ast.Import():
            yield from (alias.name for alias in node.names)
        case ast.Constant(value=str(text)) if re.search(r"import .*\btime\b", text):
            yield from re.findall(r"\btime\.\w+", text)


def body(lines: int) -> str:
    return "def f() -> None:\n" + "    x = 1\n" * (lines - 1)


RULES: tuple[tuple[Callable[[Path], Iterator[str]], dict[str, str], dict[str, str]], ...] = (
    (
        long_files,
        {"stages/a.py": "x = 1\n" * 401, "stages/b.py": "", "stages/c.py": ""},
        {"stages/a.py": "x = 1\n" * 400},
    ),
    (long_files, {"stages/a.py": "x = 1\n" * 150}, {"stages/a.py": "x = 1\n" * 149}),
    (long_files, {"tests/test_a.py": "x = 1\n" * 401}, {"tests/test_a.py": "x = 1\n" * 400}),
    (long_functions, {"stages/a.py": body(61)}, {"stages/a.py": body(60)}),
    (long_functions, {"stages/a.py": body(2) * 8 + body(31) * 2}, {"stages/a.py": body(2) * 8 + body(29) * 2}),
    (long_functions, {"stages/a.py": body(10) * 3}, {"stages/a.py": body(9) * 3}),
    (
        long_functions,
        {"stages/a.py": body(61)},
        {"stages/a.py": body(60).replace(":\n", ':\n    """A\n    b."""\n', 1)},
    ),
    (unannotated, {"stages/a.py": "def f(x) -> None: ...\n"}, {"stages/a.py": "def f(x: int) -> None: ...\n"}),
    (unannotated, {"stages/a.py": "def f(*, x: int): ...\n"}, {"stages/a.py": "def f(*, x: int) -> None: ...\n"}),
    (prints, {"stages/a.py": "print(1)\n"}, {"stages/a.py": "", "pipeline/cli_show.py": "print(1)\n"}),
    (
        blanket_ignores,
        {"stages/a.py": "x = 1  # type: " + "ignore\n"},
        {"stages/a.py": "x = 1  # type: ignore[misc]\n"},
    ),
    (blanket_ignores, {"tests/a.py": "x = 1  # " + "noqa\n"}, {"tests/a.py": "x = 1  # noqa: E501\ny = '# noqa'\n"}),
    (
        clocks,
        {"tests/a.py": "import " + "time\nbegin = time.perf_counter()\n"},
        {
            "tests/a.py": "import " + "time\ntime.sleep(1)\n",
            "tests/protocol/fault_executors.py": "import " + "time\nx = time.monotonic()\n",
            "benchmarks/a.py": "import " + "time\nbegin = time.perf_counter()\n",
        },
    ),
    (clocks, {"tests/a.py": "from time import monotonic\n"}, {"tests/a.py": "from time import sleep\n"}),
    (clocks, {"tests/a.py": "import timeit\n"}, {"tests/a.py": "import itertools\n"}),
    (
        clocks,
        {"tests/a.py": "x = 'import os, " + "time; print(time.thread_time())'\n"},
        {"tests/a.py": "x = 'import " + "time; time.sleep(2)'\n"},
    ),
    (loose_types, {"stages/a.py": "x: Any\n" * (ANY_AND_CAST_MAX + 1)}, {"stages/a.py": "x: Any\n" * ANY_AND_CAST_MAX}),
)


def write_tree(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("check", dict.fromkeys(rule[0] for rule in RULES), ids=lambda check: check.__name__)
def test_the_rule_holds(check: Callable[[Path], Iterator[str]]) -> None:
    """This repository keeps the rule that the check's docstring states."""
    assert list(check(ROOT)) == []


@pytest.mark.parametrize(("check", "planted", "cure"), RULES, ids=[rule[0].__name__ for rule in RULES])
def test_the_rule_finds_a_planted_violation_and_nothing_else(
    check: Callable[[Path], Iterator[str]], planted: dict[str, str], cure: dict[str, str], tmp_path: Path
) -> None:
    """A tree just beyond the limit is reported, and one just within it is not."""
    write_tree(tmp_path, planted)
    assert list(check(tmp_path)) != []
    write_tree(tmp_path, cure)
    assert list(check(tmp_path)) == []
