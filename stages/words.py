"""Words: count the words of the user's lists, and drop what holds too many of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, PrivateAttr, field_validator

from headrace.schemas.arrays import Counts, Flags, Floats, floats, text_array, with_column
from headrace.schemas.document import DROPPED
from headrace.stages.base import BatchStage, differing, judged
from headrace.stages.wordlists.found import NOTHING, Found
from headrace.stages.wordlists.options import AnyWordList, ListName, WordList

if TYPE_CHECKING:
    from headrace.stages.wordlists.matching import Matcher

_SHOWN = 5  # words in a verdict's detail
_RATE, _DISTINCT = "_per_thousand", "_distinct"
_ENDINGS = ("", _DISTINCT, _RATE)
_RULES = {_RATE: "matches per 1,000 characters", _DISTINCT: "different words"}


class Words(BatchStage):
    """Count the words of lists, and drop documents that hold more of a list than it allows.

    Lists are named: `lists: {gambling: {file: gambling.txt, max_per_thousand: 2, max_distinct: 5}}`; a bare file name
    is counted alone. Words and texts are compared as views: full width, capitals and traditional characters are no
    matter. Latin words count between word borders alone, Chinese ones anywhere. Each list gives
    `values.words_<list>` (matches), `..._distinct` (different words) and `..._per_thousand` (by weight, of the view's
    characters); a document is dropped as `words_<list>` by the first list that says so.
    """

    version: ClassVar[int] = 1

    kind: Literal["words"] = "words"
    lists: dict[ListName, AnyWordList] = Field(
        min_length=1,
        description="Files by name, with `max_per_thousand`, `max_distinct`, and `drop_when: any` or `all` of the two.",
    )
    parted: bool = Field(
        False,
        description="Find Chinese words whose characters are parted by a space or up to three signs, as in 赌 博 or "
        "赌*博; words that happen to follow each other over a space are then found, too.",
    )
    _file: Path | None = PrivateAttr(None)

    @field_validator("lists")
    @classmethod
    def _columns_of_their_own(cls, lists: dict[str, WordList]) -> dict[str, WordList]:
        """Refuse names that end as the value of another list does: both would fill one column."""
        for name in lists:
            for ending in (_RATE, _DISTINCT):
                if name.endswith(ending) and name.removesuffix(ending) in lists:
                    raise ValueError(f"lists {name.removesuffix(ending)!r} and {name!r} give values of one name")
        return lists

    def packed(self, base: Path) -> bytes:
        """Give the words as they are searched for; ConfigError for a list that cannot be used."""
        from headrace.stages.wordlists.entries import packed_words

        return packed_words({name: base / words.file for name, words in self.lists.items()})

    def unpacked(self, file: Path) -> Words:
        """Give a copy that works with packed lists."""
        stage = self.model_copy()
        stage._file = file
        return stage

    def process(self, table: pa.Table) -> pa.Table:
        """Give the table with the counts, and verdicts by `words_<list>`."""
        from headrace.stages.view import views

        data, offsets = views(table["text"])
        found = list(_matcher(self.model_dump_json(), self._file).found(data, offsets))
        characters = pc.call_function("utf8_length", [text_array(data, offsets)]).to_numpy()
        for name in self.lists:
            for ending, values in _measured([each.get(name, NOTHING) for each in found], characters).items():
                table = with_column(table, f"values.words_{name}{ending}", pa.array(values, pa.float64()))
        return _told(self.decided(table), found)

    def decided(self, table: pa.Table) -> pa.Table:
        """Give the table with verdicts by its counts: the first list that a document fails names the reason."""
        rows = table.num_rows
        over, value, threshold = np.zeros(rows, np.bool_), np.zeros(rows), np.zeros(rows)
        reason, detail = np.full(rows, "", np.dtype("U48")), np.full(rows, "", np.dtype("U32"))
        for name, words in self.lists.items():
            measured = {ending: floats(table, f"values.words_{name}{ending}") for ending in _ENDINGS}
            new = _too_many(words, measured) & ~over
            for ending, bound in reversed(_bounds(words).items()):  # of two that are passed the first is named
                passed = new & (measured[ending] > bound)
                value[passed], threshold[passed], detail[passed] = measured[ending][passed], bound, _RULES[ending]
            reason[new] = f"words_{name}"
            over |= new
        verdict = np.full(rows, DROPPED)
        columns = (pa.array(each, mask=~over) for each in (verdict, reason, value, threshold, detail))
        return judged(table, **dict(zip(("verdict", "reason", "value", "threshold", "detail"), columns, strict=True)))

    def unanswerable(self, before: Words) -> list[str]:
        """Name the changed options that decide which words are found."""
        lists = [
            f"lists.{name}"
            for name, words in self.lists.items()
            if name not in before.lists or words.file != before.lists[name].file
        ]
        return [*lists, *(name for name in differing(self, before) if name != "lists")]

    def reads(self, before: Words | None = None) -> tuple[str, ...]:
        """Name the counts of all lists that have a bound, or of those whose bounds changed."""
        known = {} if before is None else before.lists
        changed = [name for name, words in self.lists.items() if _bounds(words) and words != known.get(name)]
        return tuple(f"values.words_{name}{ending}" for name in changed for ending in _ENDINGS)

    def loosened(self, reason: str, row: Mapping[str, object]) -> tuple[str, object]:
        """Allow more of the list's words."""
        name = reason.removeprefix("words_")
        return _passed(self.lists[name], name, row), None


Measured = dict[str, Floats]  # by ending of the value's name


@cache
def _matcher(options: str, file: Path | None) -> Matcher:
    """Build the automaton of a stage's lists, once in each process; without a packed file from where the process is."""
    from headrace.stages.wordlists.entries import unpacked_words
    from headrace.stages.wordlists.matching import Matcher

    stage = Words.model_validate_json(options)
    packed = file.read_bytes() if file else stage.packed(Path())
    return Matcher(unpacked_words(packed), parted=stage.parted)


def _measured(found: Sequence[Found], characters: Counts) -> Measured:
    weights = np.array([each.weight for each in found], np.float64)
    return {
        "": np.array([each.matches for each in found], np.float64),
        _DISTINCT: np.array([len(each.words) for each in found], np.float64),
        _RATE: 1000 * weights / np.maximum(1, characters),
    }


def _bounds(words: WordList) -> dict[str, float]:
    given = {_RATE: words.max_per_thousand, _DISTINCT: words.max_distinct}
    return {ending: bound for ending, bound in given.items() if bound is not None}


def _too_many(words: WordList, measured: Measured) -> Flags:
    passed = [measured[ending] > bound for ending, bound in _bounds(words).items()]
    if not passed:
        return np.zeros(len(measured[_RATE]), np.bool_)
    over: Flags = np.any(passed, axis=0) if words.drop_when == "any" else np.all(passed, axis=0)
    return over


def _passed(words: WordList, name: str, row: Mapping[str, object]) -> str:
    """Name the first bound that a document passed."""
    values = ((ending, row[f"values.words_{name}{ending}"], bound) for ending, bound in _bounds(words).items())
    ending = next(ending for ending, value, bound in values if isinstance(value, float) and value > bound)
    return f"lists.{name}.max{ending}"


def _told(table: pa.Table, found: Sequence[Mapping[str, Found]]) -> pa.Table:
    """Say of the documents that leave which words were found most."""
    details = table["detail"].to_pylist()
    for row in np.flatnonzero(table["verdict"].is_valid().to_numpy()).tolist():
        words = found[row][str(table["reason"][row]).removeprefix("words_")].words
        most = sorted(words.items(), key=lambda item: (-item[1], item[0]))[:_SHOWN]
        details[row] = f"{details[row]}: {', '.join(f'{word} {count}' for word, count in most)}"
    return with_column(table, "detail", pa.array(details, pa.string()))
