"""What a preset is: published or own rules, whose numbers are the fields of a frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator

from headrace.stages.statistics.judge import Rule

if TYPE_CHECKING:  # so that reading a configuration loads no kernels
    from headrace.schemas.arrays import Array, Floats
    from headrace.stages.statistics.statistics import Statistics

LEAST, MOST = "min_", "max_"


class Preset(BaseModel):
    """Rules in the order in which they are asked: `min_<value>` and `max_<value>`, of which null is not asked.

    All other fields are settings of what is counted; values that depend on them are named in `own`, and their columns
    begin with the preset's name, since another preset may count by other settings.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    name: ClassVar[str]
    own: ClassVar[frozenset[str]] = frozenset()

    @field_validator("*", mode="before")
    @classmethod
    def _no_switch(cls, value: object, info: ValidationInfo) -> object:
        """Refuse yes, no, on and off for a number: `off` would be 0, by which all documents may go."""
        if isinstance(value, bool) and cls.value_of_field(str(info.field_name)):
            raise ValueError("a rule's bound is a number; null takes the rule away")
        return value

    @classmethod
    def value_of_field(cls, field: str) -> str | None:
        """Give the value that a field bounds, as its column is named; None for a setting."""
        if not field.startswith((LEAST, MOST)):
            return None
        value = field.removeprefix(LEAST).removeprefix(MOST)
        return f"{cls.name}_{value}" if value in cls.own else value

    def rules(self) -> tuple[Rule, ...]:
        """Give the rules that are asked; the reason `gopher.min_words` is also the key of the number in options."""
        found = []
        for field in type(self).model_fields:
            value, bound = self.value_of_field(field), getattr(self, field)
            if value is None or bound is None:
                continue
            least, most = (bound, None) if field.startswith(LEAST) else (None, bound)
            found.append(Rule(value, f"{self.name}.{field}", least, most))
        return tuple(found)

    def measured(self, statistics: Statistics) -> dict[str, Floats]:
        """Give the values that the rules ask, by name."""
        given = self.given(statistics)
        values = dict.fromkeys(rule.value for rule in self.rules())
        return {value: given[value] if value in given else self._value(value, statistics) for value in values}

    def _value(self, value: str, statistics: Statistics) -> Floats:
        own = value.removeprefix(f"{self.name}_")
        return self.measure_own(own, statistics) if own != value and own in self.own else statistics[value]

    def given(self, statistics: Statistics) -> Mapping[str, Floats]:
        """Give values of a kind of text, which stand for those of the same names that all texts have."""
        return {}

    def measure_own(self, value: str, statistics: Statistics) -> Floats:
        """Give a value that depends on the settings; a preset that has such values says how."""
        raise NotImplementedError(f"{self.name} does not say how {value} is counted")

    def kept(self, statistics: Statistics) -> Array | None:
        """Give the texts without the lines that the preset takes out; None if it leaves texts as they are."""
        return None


def lengths(kept: Array | None, statistics: Statistics) -> Floats:
    """Give the characters of each text that goes on."""
    import pyarrow.compute as pc

    if kept is None:
        return statistics["characters"]
    found: Floats = pc.call_function("utf8_length", [kept]).to_numpy(zero_copy_only=False).astype(float)
    return found
