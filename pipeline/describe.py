"""Stages and their options in words, for `headrace stages`, `headrace schema` and the reference pages."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, Field, create_model
from pydantic_core import PydanticUndefined

from headrace.pipeline.config import PipelineConfig, stage_union
from headrace.schemas.errors import ConfigError
from headrace.stages.base import Stage


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its dotted name, what it takes, its default ("required" if there is none), and what it means."""

    name: str
    takes: str
    default: str
    description: str


@dataclass(frozen=True, slots=True)
class StageDescription:
    """One stage: its kind, the first sentence of its documentation, and its options."""

    kind: str
    version: int
    summary: str
    text: str
    options: tuple[Option, ...]

    def only(self, section: str) -> StageDescription:
        """Give the description with the options of one section alone; ConfigError if it has none of that name."""
        found = tuple(o for o in self.options if o.name == section or o.name.startswith(f"{section}."))
        if not found:
            sections = dict.fromkeys(o.name.rpartition(".")[0] for o in self.options if "." in o.name)
            remedy = f"its sections are {', '.join(sections)}" if sections else "it has no sections"
            raise ConfigError(f"stage '{self.kind}' has no option '{section}'", remedy=remedy)
        return replace(self, options=found)

    def to_json(self) -> dict[str, Any]:
        """Give the JSON form."""
        return asdict(self)


def describe_stage(kind: str) -> StageDescription:
    """Describe a registered stage."""
    stage = Stage.registry[kind]
    text = inspect.cleandoc(stage.__doc__ or "")
    return StageDescription(kind, stage.version, first_sentence(stage), text, tuple(options(stage)))


def first_sentence(model: type[BaseModel]) -> str:
    """Give the first paragraph of a model's documentation on one line."""
    return " ".join(inspect.cleandoc(model.__doc__ or "").split("\n\n")[0].split())


def options(model: type[BaseModel], prefix: str = "") -> Iterator[Option]:
    """Walk the options of a model; those of a section follow it with dotted names."""
    for name, field in model.model_fields.items():
        if (name == "kind" and issubclass(model, Stage)) or field.exclude:
            continue
        default = "required" if field.is_required() else _default(field.get_default(call_default_factory=True))
        section = section_model(field.annotation)
        meaning = field.description or (first_sentence(section) if section else "")
        yield Option(prefix + name, _takes(field.annotation, field.metadata), default, meaning)
        if section is not None:
            yield from options(section, f"{prefix}{name}.")


def section_model(annotation: Any) -> type[BaseModel] | None:
    """Give the model of an option that is a section of its own (`minhash:`), None for lists and plain values."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (tuple, list, dict):
        return None
    return next((found for part in get_args(annotation) if (found := section_model(part))), None)


def json_schema() -> dict[str, Any]:
    """Give the JSON Schema of a configuration, every registered stage included: editors complete and check with it."""
    described = PipelineConfig.model_fields["stages"].description
    stages: Any = (tuple.__class_getitem__((stage_union(), ...)), Field(min_length=1, description=described))
    whole = create_model("PipelineConfig", __base__=PipelineConfig, stages=stages)
    schema = whole.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    for part in schema["$defs"].values():
        if "kind" in part.get("properties", {}):
            part["required"] = sorted({"kind", *part.get("required", [])})
    return schema


def _takes(annotation: Any, limits: list[Any] | tuple[Any, ...] = ()) -> str:
    """Say what an option takes: `integer >= 1`, `file | lines`, `text or nothing`."""
    words = _type_words(annotation)
    bounds = [f"{sign} {getattr(limit, name)}" for limit in limits for name, sign in _BOUNDS if hasattr(limit, name)]
    plain, empty, rest = words.partition(" or nothing")
    return " ".join([plain, *bounds]) + empty + rest


_LONGEST_DEFAULT = 80  # characters
_BOUNDS = (("ge", ">="), ("gt", ">"), ("le", "<="), ("lt", "<"))
_WORDS = {int: "integer", float: "number", str: "text", bool: "true | false", type(None): "nothing"}


def _type_words(annotation: Any) -> str:
    if annotation in _WORDS:
        return _WORDS[annotation]
    origin, parts = get_origin(annotation), [p for p in get_args(annotation) if p is not Ellipsis]
    if origin is Literal:
        return " | ".join(map(str, parts))
    if origin in (tuple, list):
        return f"list of {_type_words(parts[0])}"
    if origin is dict:
        return "section"
    if isinstance(annotation, type):
        return "section" if issubclass(annotation, BaseModel) else annotation.__name__
    return " or ".join(dict.fromkeys(_type_words(p) for p in parts if hasattr(p, "__mro__") or get_origin(p)))


def _default(value: Any) -> str:
    if value is PydanticUndefined:
        return "required"
    if value is None:
        return "nothing"
    if isinstance(value, BaseModel):
        return "as below"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        text = "[" + ", ".join(map(str, value)) + "]"
        return text if len(text) <= _LONGEST_DEFAULT else f"a list of {len(value)}"
    return _flow(value)


def _flow(value: object) -> str:
    """Write mappings, and the lists in them, on one line as YAML has them."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)}: {_flow(inner)}" for key, inner in value.items()) + "}"
    return f"[{', '.join(map(_flow, value))}]" if isinstance(value, tuple | list) else str(value)


def _key(key: object) -> str:
    return str(key) if str(key).isidentifier() else f'"{key}"'
