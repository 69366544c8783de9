"""From a record's fields to a document: which one is the text, and what becomes of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.stages.parsing.json_values import InvalidJsonError, kind_of, spelled
from headrace.stages.parsing.outcomes import Outcomes

_URL = "url"
_SHOWN_FIELDS = 20


@dataclass(frozen=True, slots=True)
class TextField:
    """The field that holds the text; `name[]` takes a list of strings and joins them with line breaks.

    `a.b` is the field b of the object a, where no field is called `a.b` itself.
    """

    name: str
    joined: bool

    @classmethod
    def of(cls, spelling: str) -> TextField:
        """Read it as it is written in the configuration."""
        return cls(spelling.removesuffix("[]"), spelling.endswith("[]"))

    def taken(self, value: dict[str, Any]) -> tuple[bool, Any]:
        """Take the field out of an object: whether it is there, and what it holds."""
        if self.name in value:
            return True, value.pop(self.name)
        *outer, last = self.name.split(".")
        return _taken_inside(value, outer, last) if outer else (False, None)

    def text_of(self, value: Any) -> str | None:
        """Give the text, or None where the value is not what was said."""
        if self.joined and isinstance(value, list) and all(isinstance(item, str) for item in value):
            return "\n".join(value)
        return value if isinstance(value, str) and not self.joined else None


def _taken_inside(value: dict[str, Any], outer: list[str], last: str) -> tuple[bool, Any]:
    """Take a field out of the objects around it; one that is left empty goes too."""
    if not outer:
        return (True, value.pop(last)) if last in value else (False, None)
    inner = value.get(outer[0])
    if not isinstance(inner, dict):
        return False, None
    there, found = _taken_inside(inner, outer[1:], last)
    if there and not inner:
        del value[outer[0]]
    return there, found


def _missing(name: str, fields: list[str]) -> str:
    if not fields:
        return f"no field {name!r}: the object is empty"
    shown = ", ".join(fields[:_SHOWN_FIELDS])
    return f"no field {name!r}; the fields are: {shown}; name one as `text_field` of the source"


def add_object(
    outcomes: Outcomes, row: int, value: Any, text_field: TextField, evidence: bytes, offset: int = 0, feeds: int = 0
) -> None:
    """Make a document of a JSON object, or say why there is none."""
    if not isinstance(value, dict):
        outcomes.refuse(row, "not_an_object", kind_of(value), evidence, offset, feeds)
        return
    there, found = text_field.taken(value)
    if not there:
        outcomes.refuse(row, "no_text_field", _missing(text_field.name, sorted(value)), evidence, offset, feeds)
        return
    text = "" if found is None else text_field.text_of(found)
    if text is None:
        detail = f"field {text_field.name!r} holds {kind_of(found)}"
        outcomes.refuse(row, "text_not_string", detail, evidence, offset, feeds)
        return
    url = value.pop(_URL) if isinstance(value.get(_URL), str) and not outcomes.has_url(row) else None
    try:
        metadata = spelled(value) if value else None
    except InvalidJsonError as error:
        outcomes.refuse(row, "invalid_json", str(error), evidence, offset, feeds)
        return
    outcomes.keep(row, text, url, metadata, offset)
