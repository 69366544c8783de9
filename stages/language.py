"""Language: tell language, script and Han variant of every document, and keep those that are wanted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field, field_validator, model_validator

from headrace.schemas.arrays import Array, Flags, Floats, floats, with_column
from headrace.schemas.document import DROPPED
from headrace.stages.base import BatchStage, differing, judged, stricter
from headrace.stages.languages.codes import KNOWN, checked, covers
from headrace.stages.languages.found import ONE_VARIANT, Found, ModelName, Names

Share = Annotated[float | None, Field(ge=0, le=1)]
Confidence = Annotated[float, Field(ge=0, le=1)]
MEASURES = (  # in the order of the fields of Found
    "language_confidence",
    "language_share",
    "hant_share",
    "classical",
    "cantonese",
    "code_share",
    "table_share",
    "digit_share",
)
RULES = ("language", "min_confidence", "min_language_share", "han_variant", "max_code_share", "max_table_share")
_RULES = (*RULES, "max_digit_share")
_ASKED = {"language": MEASURES[0], "keep": MEASURES[0], "min_confidence": MEASURES[0], "han_variant": "hant_share"}
_HANT_BARS = {"simplified": 1 - ONE_VARIANT, "traditional": ONE_VARIANT}


class Language(BatchStage):
    """Fill the columns language and script, and drop what is not wanted; without options nothing is dropped.

    Languages are zh (modern Chinese), yue, lzh (literary Chinese), ja, ko, en and 130 more; code for source code; und
    where the text does not say. Scripts are Hans, Hant, Hani (mixed, or nothing tells), Jpan, Kore, Latn ... What one
    document is never depends on another. Shares are of bytes outside white space, `language_share` of the letters.
    """

    version: ClassVar[int] = 1

    kind: Literal["language"] = "language"
    model: ModelName = Field(
        "py3langid",
        description="What names languages that characters do not settle: the model in the package py3langid, or none "
        "(scripts: such documents are und).",
    )
    keep: tuple[str, ...] = Field(
        (), description="Languages that stay; empty: all. zh takes in yue and lzh. und and code are asked for by name."
    )
    min_confidence: dict[str, Confidence | dict[str, Confidence]] = Field(
        {},
        description="Under the model's name, the confidence below which a document is dropped, or one for each "
        "language: `{py3langid: 0.8}`, `{py3langid: {en: 0.9}}`. That of another model means nothing here.",
    )
    min_language_share: Share = Field(
        None, description="Below this share of letters in the script of its language: dropped, as too mixed."
    )
    han_variant: Literal["any", "simplified", "traditional"] = Field(
        "any", description="Chinese in the other variant, or in both, is dropped. What does not tell, stays."
    )
    max_code_share: Share = Field(None, description="Above this share in lines of source code: dropped.")
    max_table_share: Share = Field(None, description="Above this share in rows of tables: dropped.")
    max_digit_share: Share = Field(None, description="Above this share of digits among characters: dropped.")

    @field_validator("keep", mode="before")
    @classmethod
    def _read_no(cls, value: Any) -> Any:
        """Give `no` for what YAML 1.1 makes of a bare one."""
        return tuple("no" if code is False else code for code in value) if isinstance(value, list | tuple) else value

    _check_keep = field_validator("keep")(checked)

    @field_validator("min_confidence", mode="before")
    @classmethod
    def _check_named(cls, value: Any) -> Any:
        if isinstance(value, int | float):
            raise ValueError(f"a confidence belongs to a model; write min_confidence: {{py3langid: {value}}}")
        return value

    @model_validator(mode="after")
    def _check_confidence(self) -> Language:
        for name, bars in self.min_confidence.items():
            if name in KNOWN:
                raise ValueError(
                    f"a confidence belongs to a model; write min_confidence: {{{self.model}: {{{name}: {bars}}}}}"
                )
            if name != self.model:
                raise ValueError(
                    f"min_confidence is for the model {name!r}, but model is {self.model!r}: confidences of different "
                    f"models are different scales; write {self.model}: with a value that you looked up in its documents"
                )
            checked(bars if isinstance(bars, dict) else ())
        return self

    def process(self, table: pa.Table) -> pa.Table:
        """Give the table with language, script and values, and with verdicts."""
        from headrace.stages.languages.find import found

        result = found(table["text"], self.model)
        table = with_column(table, "language", pa.array(result.language.tolist(), pa.string()))
        table = with_column(table, "script", pa.array(result.script.tolist(), pa.string()))
        for name, value in measured(result).items():
            table = with_column(table, f"values.{name}", pa.array(value, pa.float64(), from_pandas=True))
        return self.decided(table)

    def decided(self, table: pa.Table) -> pa.Table:
        """Give the table with verdicts by its languages and values."""
        return judged(table, *self.verdicts(stored(table)))

    def unanswerable(self, before: Language) -> list[str]:
        """Name the model, if it is another: it names other languages."""
        return [name for name in differing(self, before) if name == "model"]

    def reads(self, before: Language | None = None) -> tuple[str, ...]:
        """Name language and values that rules ask for, or those that stricter rules do."""
        changed = _RULES if before is None else stricter(self, before)
        values = [_ASKED.get(name, name[4:]) for name in changed]
        return ("language", *(f"values.{name}" for name in dict.fromkeys(values)))

    def loosened(self, reason: str, row: Mapping[str, object]) -> tuple[str, object] | None:
        """Keep the document's language, ask for less confidence in it, or take any variant."""
        if reason == "language":
            return "keep", [*self.keep, row["language"]]
        if reason == "min_confidence":
            one = isinstance(self.min_confidence[self.model], dict)
            return f"min_confidence.{self.model}{'.' + str(row['language']) if one else ''}", None
        return ("han_variant", "any") if reason == "han_variant" else None

    def verdicts(self, result: Found) -> tuple[Array, ...]:
        """Give verdict, reason, value and threshold by the first rule that each document fails."""
        count = len(result.language)
        rule, value, threshold = np.full(count, -1), np.zeros(count), np.full(count, np.nan)
        for number, name in enumerate(_RULES):
            measure, bar, fails = self.asked(name, result)
            failed = fails & (rule < 0)
            rule[failed], value[failed], threshold[failed] = number, measure[failed], bar[failed]
        passed = rule < 0
        verdict = pa.array(np.full(count, DROPPED), pa.string(), mask=passed)
        reasons = pa.array(np.array(_RULES)[rule], pa.string(), mask=passed)
        return verdict, reasons, pa.array(value, mask=passed), pa.array(threshold, mask=passed | np.isnan(threshold))

    def asked(self, name: str, result: Found) -> tuple[Floats, Floats, Flags]:
        """Give what a rule measures, its threshold (NaN: none), and which documents fail it."""
        count = len(result.language)
        if name in ("language", "min_confidence"):
            bar = self.bars(result)
            fails = self.unwanted(result) if name == "language" else result.confidence < bar
            return result.confidence, bar, np.asarray(fails)
        if name == "han_variant":
            return result.hant_share, *self.other_variant(result)
        measure: Floats = getattr(result, name[4:])
        limit = getattr(self, name)
        bar = np.full(count, np.nan if limit is None else limit)
        return measure, bar, np.asarray(measure < bar if name.startswith("min_") else measure > bar)

    def bars(self, result: Found) -> Floats:
        """Give the confidence that each document's language has to have, NaN for any."""
        bars = self.min_confidence.get(self.model, {})
        if isinstance(bars, float):
            return np.full(len(result.language), bars)
        return np.array([bars.get(name, np.nan) for name in result.language.tolist()])

    def unwanted(self, result: Found) -> Flags:
        """Tell which documents are in no language that is asked for."""
        if not self.keep:
            return np.zeros(len(result.language), np.bool_)
        return ~np.isin(result.language, sorted(covers(self.keep)))

    def other_variant(self, result: Found) -> tuple[Floats, Flags]:
        """Give the share of traditional characters that is the limit, and which Chinese documents are beyond it."""
        limit = _HANT_BARS.get(self.han_variant, np.nan)
        bar = np.full(len(result.language), limit)
        chinese = np.isin(result.language, sorted(covers(("zh",))))
        beyond = result.hant_share > bar if self.han_variant == "simplified" else result.hant_share < bar
        return bar, np.asarray(chinese & beyond)


def measured(result: Found) -> dict[str, Floats]:
    """Give the values that every document gets, by name."""
    return {name: result.confidence if name == MEASURES[0] else getattr(result, name) for name in MEASURES}


def stored(table: pa.Table) -> Found:
    """Read back what `process` put into the columns; what a table lacks is NaN, or no language."""
    values = [floats(table, f"values.{name}") for name in MEASURES]
    return Found(_names(table, "language"), _names(table, "script"), *values)


def _names(table: pa.Table, name: str) -> Names:
    if name not in table.column_names:
        return np.full(table.num_rows, "")
    return np.array([value or "" for value in table[name].to_pylist()], np.str_)
