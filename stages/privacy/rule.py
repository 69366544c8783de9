"""What a rule is: a pattern that a kind is written in, the words before it, and the question that decides."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from headrace.stages.privacy.surroundings import Found
from headrace.stages.privacy.writing import OPENING, WORD

_BETWEEN = r"(?: ?(?:、|,|/|;|和|及|或|and|or) ?| )"  # items of a list
_MORE = 9  # items of a list after its first

# Words of labels, and what stands between a label and its number. A line may end there: tables become such lines.
LABEL = r"(?: ?(?:号码|编号|证号|卡号|账号|帐号|号|numbers?|no\.?|num\.?|id|#))"
LINK = rf"(?: ?[:=] ?| ?是 ?| ?为 ?| ?is ?| |\n|{OPENING})"


@dataclass(frozen=True, slots=True)
class Rule:
    """One way in which a kind is written.

    `lead` and `trail` are what stands around an item and says what it is; of the whole, only items are masked.
    `many`: up to ten items may follow one lead. `before` and `after` are the ASCII characters that may not touch the
    whole, unless it begins with a Chinese character. The question sees an item and its line; without its yes nothing is
    found.
    """

    kind: str
    item: str
    question: Callable[[Found], bool]
    lead: str = ""
    trail: str = ""
    many: bool = False
    before: str = WORD + "_"
    after: str = WORD + "_"

    @property
    def pattern(self) -> str:
        """The pattern of lead, items and trail."""
        more = f"(?:{_BETWEEN}{self.item}){{0,{_MORE}}}" if self.many else ""
        return f"{self.lead}(?P<id>{self.item}{more}){self.trail}"


@cache
def expressions(rule: Rule) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Give the patterns for `re` of the whole and of an item: they find the items in what the automaton found."""
    return re.compile(rule.pattern), re.compile(rule.item)
