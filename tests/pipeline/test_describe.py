from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from headrace.pipeline.config import PipelineConfig
from headrace.pipeline.describe import json_schema, options
from headrace.pipeline.plugins import load_builtins
from headrace.stages.base import Stage


class Inner(BaseModel):
    """What is inside."""

    share: float = Field(0.5, gt=0, le=1, description="A share.")


class Outer(BaseModel):
    count: int = Field(ge=1, description="Required.")
    size: int | None = Field(None, ge=2, description="Optional.")
    mode: Literal["a", "b"] = "a"
    names: tuple[str, ...] = ()
    inner: Inner | None = Inner()
    others: tuple[Inner, ...] = ()
    flag: Annotated[bool, Field(description="Yes or no.")] = True
    patterns: tuple[str, ...] = tuple("x" * 30 for _ in range(5))
    profiles: dict[str, tuple[str, ...]] = {"en": ("a", "b"), "*": ()}


def test_options_say_name_kind_default_and_meaning() -> None:
    """Sections follow with dotted names, limits stand beside the kind, and long defaults are counted."""
    described = {o.name: (o.takes, o.default, o.description) for o in options(Outer)}
    assert described == {
        "count": ("integer >= 1", "required", "Required."),
        "size": ("integer >= 2 or nothing", "nothing", "Optional."),
        "mode": ("a | b", "a", ""),
        "names": ("list of text", "[]", ""),
        "inner": ("section or nothing", "as below", "What is inside."),
        "inner.share": ("number > 0 <= 1", "0.5", "A share."),
        "others": ("list of section", "[]", ""),
        "flag": ("true | false", "true", "Yes or no."),
        "patterns": ("list of text", "a list of 5", ""),
        "profiles": ("section", '{en: [a, b], "*": []}', ""),
    }


def test_every_option_of_the_product_has_a_description() -> None:
    """The messages of wrong values quote it, and the reference page shows it."""
    load_builtins()
    built_in = [stage for stage in Stage.registry.values() if stage.__module__.startswith("headrace.stages.")]
    assert len(built_in) >= 8
    bare = [
        f"{model.__name__}.{o.name}"
        for model in (PipelineConfig, *built_in)
        for o in options(model)
        if not o.description
    ]
    assert bare == []


@pytest.mark.parametrize("part", ["sources", "stages", "engine", "pace", "loader", "trainer"])
def test_the_schema_has_every_part(part: str) -> None:
    """And closes it: a misspelt option is underlined in the editor."""
    load_builtins()
    schema = json_schema()
    assert part in schema["properties"]
    assert schema["additionalProperties"] is False
