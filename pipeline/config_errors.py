"""Validation errors in a user's words: where, which option, what is wrong with it, what was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from headrace.pipeline.config import PipelineConfig
from headrace.pipeline.describe import section_model
from headrace.pipeline.yaml_lines import Steps
from headrace.stages.base import Stage

_NAMED = 3  # sections, where several have an option


def value_steps(value: Any, location: Steps) -> Steps:
    """Give the way to the value that an error is about: its location without the names of union members in it."""
    steps: list[str | int] = []
    for position, step in enumerate(location):
        last = position == len(location) - 1
        inside = _has(value, step)
        if inside:
            value = value[step]
        if inside or (last and isinstance(value, Mapping) and not _is_kind(value, step)):
            steps.append(step)
    return tuple(steps)


def describe(error: ErrorDetails, value: Any) -> str:
    """Say what is wrong in one line: `stages.1 (min_words): there is no option 'atleast'; did you mean 'at_least'?`."""
    steps = value_steps(value, error["loc"])
    model = owner(error["loc"])
    match error["type"]:
        case "union_tag_invalid":
            return f"{_dotted(steps)}: {_unknown_kind(str(error['ctx']['tag']))}"
        case "union_tag_not_found" | "model_attributes_type" if model is Stage:
            example = f"`kind: {_known_kinds()[0]}`"
            return f"{_dotted(steps)}: a stage says which it is, as in {example}; `headrace stages` lists them"
        case "extra_forbidden":
            return f"{_place(steps[:-1], value)}{_unknown_option(str(steps[-1]), model)}"
        case "missing":
            option = str(error["loc"][-1])
            return f"{_place(steps[:-1], value)}'{option}' is missing{_description(model, option)}"
    if error["type"] == "tuple_type":
        example = f"as in [{error['input']}]" if isinstance(error["input"], str) else "each item behind a `- `"
        return f"{_dotted(steps)}: input should be a list, {example}{_description(model, str(error['loc'][-1]))}"
    if error["type"] in ("dict_type", "model_type"):
        error = {**error, "msg": "Input should be lines of `name: value`"}
    said = error["msg"].removeprefix("Value error, ").split(", unable to parse")[0]
    got = "" if isinstance(error["input"], dict | list) else f", not {_short(error['input'])}"
    said = said[:1].lower() + said[1:] + ("" if error["type"] == "value_error" else got)
    return f"{_dotted(steps)}: {said}{_guess(error)}{_description(model, str(error['loc'][-1]))}"


def is_echo(error: ErrorDetails) -> bool:
    """Say whether an error only repeats others: a list whose items are all wrong is also called too short."""
    return error["type"] == "too_short" and bool(error["input"])


def owner(location: Steps) -> type[BaseModel] | None:
    """Give the model whose option an error's location names; None when the location leaves the models."""
    model: type[BaseModel] | None = PipelineConfig
    for step in location[:-1]:
        if model is None:
            return None
        if model is Stage and step in Stage.registry:
            model = Stage.registry[str(step)]
        elif isinstance(step, str) and step in model.model_fields:
            model = _inner_model(model.model_fields[step].annotation)
    if model is Stage and location and location[-1] in Stage.registry:
        return Stage.registry[str(location[-1])]
    return model


def suggestion(word: str, known: Iterable[str]) -> str:
    """Give `; did you mean 'x'?` for the nearest known word, or nothing."""
    by_form = {_form(name): name for name in known}
    near = difflib.get_close_matches(_form(word), by_form, 1, 0.6)
    return f"; did you mean '{by_form[near[0]]}'?" if near else ""


def _form(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _has(value: Any, step: str | int) -> bool:
    if isinstance(value, Mapping):
        return step in value
    return isinstance(value, list) and isinstance(step, int) and step < len(value)


def _is_kind(value: Mapping[str, Any], step: str | int) -> bool:
    return value.get("kind") == step and step in Stage.registry


def _inner_model(annotation: Any) -> type[BaseModel] | None:
    """Find the model inside an annotation such as `tuple[Source, ...]` or `TrainOptions | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _inner_model(part))), None)


def _known_kinds() -> list[str]:
    return sorted(Stage.registry)


def _unknown_kind(kind: str) -> str:
    hint = suggestion(kind, Stage.registry) or f"; there are {', '.join(_known_kinds())}"
    return f"there is no stage '{kind}'{hint} (`headrace stages` describes them; your own go under `plugins:`)"


def _unknown_option(option: str, model: type[BaseModel] | None) -> str:
    known = list(model.model_fields) if model else []
    if nested := _sections_with(option, model):
        return f"there is no option '{option}' here; did you mean {' or '.join(nested)}?"
    hint = suggestion(option, known) or f"; there are {', '.join(known)}"
    return f"there is no option '{option}'{hint}"


def _sections_with(option: str, model: type[BaseModel] | None) -> list[str]:
    """Name the first sections of a model that have an option: `'engine.workers'`, `'gopher.min_words'`."""
    fields = model.model_fields if model else {}
    sections = {name: section_model(field.annotation) for name, field in fields.items()}
    return [f"'{name}.{option}'" for name, inner in sections.items() if inner and option in inner.model_fields][:_NAMED]


def _guess(error: ErrorDetails) -> str:
    if error["type"] != "literal_error" or not isinstance(error["input"], str):
        return ""
    expected = str(error["ctx"]["expected"]).replace(" or ", ", ").split(", ")
    return suggestion(error["input"], [name.strip("'") for name in expected])


def _description(model: type[BaseModel] | None, option: str) -> str:
    field = model.model_fields.get(option) if model else None
    return f" ({field.description.rstrip('.')})" if field and field.description else ""


def _dotted(steps: Steps) -> str:
    return ".".join(map(str, steps)) or "the configuration"


def _place(steps: Steps, value: Any) -> str:
    """Name a section, and the kind of a stage with it: `stages.1 (min_words): `."""
    if not steps:
        return ""
    for step in steps:
        value = value[step]
    name = value.get("kind") or value.get("name") if isinstance(value, Mapping) else None
    return f"{_dotted(steps)} ({name}): " if isinstance(name, str) else f"{_dotted(steps)}: "


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
