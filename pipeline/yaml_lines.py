"""YAML with its line numbers, so that every message about a configuration can name the line it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from headrace.schemas.errors import ConfigError

Steps = tuple[str | int, ...]  # the way to a value: ("stages", 2, "at_least")

# What the parser says where a value begins with a quote, * ! or >, and goes on behind it: "'forum' in url".
_UNQUOTED = (
    *("but found '<scalar>'", "expected alphabetic or numeric", "found undefined alias"),
    *("constructor for the tag", "expected a comment"),
)
_TIMESTAMP, _FLOAT = "tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:float"
_EXPONENT = re.compile(r"[-+]?(\d[\d_]*(\.\d*)?|\.\d+)[eE][-+]?\d+$")  # YAML 1.1 takes 3e-4 for a text


@dataclass(frozen=True, slots=True)
class YamlFile:
    """What a YAML file says, and where: `lines` gives the line of each key and list item, counted from 1."""

    path: Path
    value: Any
    lines: Mapping[Steps, int]
    duplicates: tuple[tuple[int, str], ...] = ()  # line and key

    def line(self, steps: Steps) -> int:
        """Give the line of a value, or of the nearest value around it."""
        while steps and steps not in self.lines:
            steps = steps[:-1]
        return self.lines.get(steps, 1)


class _Loader(yaml.SafeLoader):
    """Plain data only; dates stay text and numbers with an exponent are numbers."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in pairs if tag != _TIMESTAMP]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_FLOAT, _EXPONENT, list("-+.0123456789"))


def read_yaml(path: Path) -> YamlFile:
    """Read a YAML file; one clear message with line and column if it is missing or not YAML."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        what = "the configuration cannot be read"
        raise ConfigError(what, where=str(path), why=why, remedy="check the path") from error
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return YamlFile(path, {}, {})
        lines = dict(_lines(node, (), ()))
        duplicates = tuple(_duplicates(node, ()))
        return YamlFile(path, loader.construct_document(node), lines, duplicates)
    except yaml.YAMLError as error:
        where = f"{path}{_mark(error)}"
        raise ConfigError("not valid YAML", where=where, why=_problem(error), remedy=_remedy(error)) from error
    finally:
        loader.dispose()


def parse_value(text: str) -> Any:
    """Read one value the way the file is read: `8`, `true`, `[a, b]`, a text."""
    return yaml.load(text, _Loader)  # noqa: S506  # _Loader is a SafeLoader


def _mark(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    return f":{mark.line + 1}:{mark.column + 1}" if mark else ""


def _problem(error: yaml.YAMLError) -> str:
    said = [getattr(error, name, None) for name in ("context", "problem")]
    return " ".join(part for part in said if part) or str(error)


def _remedy(error: yaml.YAMLError) -> str:
    """Translate what the parser says of the mistakes that are made most: indentation and tabs."""
    problem = str(getattr(error, "problem", None))
    if "'\\t'" in problem:
        return "indent with spaces"
    if any(said in problem for said in _UNQUOTED):
        return "put the whole value into quotes"
    if "expected <block end>" in problem or "mapping values are not allowed" in problem:
        return "check the indentation of this line: options of one item stand exactly below each other"
    return ""


def _lines(node: yaml.Node, steps: Steps, above: tuple[int, ...]) -> Iterator[tuple[Steps, int]]:
    """Walk keys and list items; `above` holds the nodes around this one, since an alias may point to one of them."""
    if not steps:
        yield steps, node.start_mark.line + 1
    for step, child, line in _children(node):
        yield (*steps, step), line
        if id(child) not in above:
            yield from _lines(child, (*steps, step), (*above, id(node)))


def _children(node: yaml.Node) -> Iterator[tuple[str | int, yaml.Node, int]]:
    if isinstance(node, yaml.MappingNode):
        for key, child in node.value:
            yield str(key.value), child, key.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode):
        for index, child in enumerate(node.value):
            yield index, child, child.start_mark.line + 1


def _duplicates(node: yaml.Node, above: tuple[int, ...]) -> Iterator[tuple[int, str]]:
    seen: dict[str | int, int] = {}
    for step, child, line in _children(node):
        if step in seen:
            yield line, f"'{step}' stands here a second time; the first is on line {seen[step]}"
        seen.setdefault(step, line)
        if id(child) not in above:
            yield from _duplicates(child, (*above, id(node)))
