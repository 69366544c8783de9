"""Overrides on the command line: `stages.2.at_least=100` changes one value of the configuration file."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import yaml

from headrace.pipeline.config import PipelineConfig
from headrace.pipeline.config_errors import suggestion
from headrace.pipeline.yaml_lines import Steps, parse_value
from headrace.schemas.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Override:
    """One override: the argument as typed, the way to the value, and the new value."""

    text: str
    steps: Steps
    value: Any


def parse_override(text: str) -> Override:
    """Read `key.sub=value`; the value is read as YAML."""
    key, equals, value = text.partition("=")
    if not equals or not all(key.split(".")):
        raise ConfigError(f"'{text}' is no override", remedy="write key.sub=value, as in engine.workers=2")
    try:
        parsed = parse_value(value)
    except yaml.YAMLError as error:
        why = getattr(error, "problem", None) or str(error)
        raise ConfigError(f"the value of '{text}' is not valid YAML", why=why, remedy="quote it") from error
    return Override(text, tuple(int(step) if step.isdigit() else step for step in key.split(".")), parsed)


def stage_override(override: Override, names: Sequence[str]) -> Override:
    """Give an override that begins with a stage's name as one that begins with its number; others as they are.

    `names` are those of `stage_names`: `clean.max_symbol_share=0.3` and `clean.2.max_symbol_share=0.3` (the second
    `clean`) become `stages.N.max_symbol_share=0.3`. Raises ConfigError if that names no stage.
    """
    first, *rest = override.steps
    if first in PipelineConfig.model_fields:
        return override
    numbered = f"{first}.{rest[0]}" if rest and isinstance(rest[0], int) else ""
    name, rest = (numbered, rest[1:]) if numbered else (str(first), rest)
    if name not in names:
        what = f"there is no stage '{name}'" if numbered else f"there is no stage and no option '{first}'"
        same = [known for known in names if numbered and known.partition(".")[0] == first]
        others = f"the stages{' of this kind' if same else ''} are {', '.join(same or names)}"
        remedy = "" if same else suggestion(name, names).removeprefix("; ")
        raise ConfigError(what, where=f"argument {override.text}", remedy=remedy or others)
    return replace(override, steps=("stages", names.index(name), *rest))


def overridden(value: Any, overrides: Sequence[Override]) -> Any:
    """Give a copy of the configuration's value with the overrides in it; sections that are not there yet are made."""
    value = copy.deepcopy(value)
    for override in overrides:
        _set(value, override)
    return value


def _set(value: Any, override: Override) -> None:
    *way, last = override.steps
    for depth, step in enumerate(way):
        _check(value, step, override, depth)
        if isinstance(value, dict) and value.get(step) is None:
            value[step] = {}
        value = value[step]
    _check(value, last, override, len(way))
    value[last] = override.value


def _check(value: Any, step: str | int, override: Override, depth: int) -> None:
    name = ".".join(map(str, override.steps[:depth])) or "the configuration"
    if isinstance(value, dict):
        return
    if not isinstance(value, list):
        raise ConfigError(f"{name} has no options in it", where=f"argument {override.text}")
    if isinstance(step, int) and step < len(value):
        return
    items = ", ".join(f"{index} {_label(item)}".rstrip() for index, item in enumerate(value))
    what, why = f"there is no item '{step}' in {name}", f"{name} is a list, whose items are numbered"
    raise ConfigError(what, where=f"argument {override.text}", why=why, remedy=f"choose from {items}")


def _label(item: Any) -> str:
    return str(item.get("kind") or item.get("name") or "") if isinstance(item, dict) else str(item)
