"""The options of one word list, apart from the matching so that reading a configuration stays cheap."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


class WordList(BaseModel):
    """A file of words, and how much of them a document may hold; without a bound it is counted alone."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    file: str = Field(description="UTF-8, a word a line, behind a tab its weight if that is not 1; # begins a comment.")
    max_per_thousand: float | None = Field(
        None, ge=0, description="Matches per 1,000 characters, by weight; more: the document is dropped."
    )
    max_distinct: int | None = Field(None, ge=0, description="Different words; more: the document is dropped.")
    drop_when: Literal["any", "all"] = Field(
        "any", description="Whether one bound that is passed is enough, or all that are given have to be."
    )


def _named_alone(value: object) -> object:
    """Take a bare file name for a list without bounds."""
    return {"file": value} if isinstance(value, str) else value


AnyWordList = Annotated[WordList, BeforeValidator(_named_alone)]
ListName = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,40}$")]
