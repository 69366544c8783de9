"""Words: count the words of the user's lists, and drop what holds too many of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, PrivateAttr, field_validator

from headrace.schemas.document import DROPPED
from headrace.stages.base import BatchStage, judged
from headrace.stages.kernels.arrays import Counts, Flags, Floats, text_array, with_column
from headrace.stages.wordlists.found import NOTHING, Found
from headrace.stages.wordlists.options import AnyWordList, ListName, WordList

if TYPE_CHECKING:
    from headrace.stages.wordlists.matching import Matcher

_SHOWN = 5  # words in a verdict's detail
_RATE, _DISTINCT = "_per_thousand", "_distinct"


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
        verdicts: list[Verdict] = [_PASSED] * table.num_rows
        for name, words in self.lists.items():
            measured = _measured([each.get(name, NOTHING) for each in found], characters)
            for ending, values in measured.items():
                table = with_column(table, f"values.words_{name}{ending}", pa.array(values, pa.float64()))
            for row in np.flatnonzero(_too_many(words, measured)).tolist():
                if verdicts[row] is _PASSED:
                    verdicts[row] = _verdict(name, words, found[row][name], measured, row)
        verdict, reason, value, threshold, detail = (
            pa.array([verdict[at] for verdict in verdicts], kind) for at, kind in enumerate(_KINDS)
        )
        return judged(table, verdict, reason, value, threshold, detail=detail)


Verdict = tuple[str | None, str | None, float | None, float | None, str | None]
_PASSED: Verdict = (None, None, None, None, None)
_KINDS = (pa.string(), pa.string(), pa.float64(), pa.float64(), pa.string())
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


def _verdict(name: str, words: WordList, found: Found, measured: Measured, row: int) -> Verdict:
    """Say which bound was passed, and which words were found most."""
    ending, bound = next((e, b) for e, b in _bounds(words).items() if measured[e][row] > b)
    most = sorted(found.words.items(), key=lambda item: (-item[1], item[0]))[:_SHOWN]
    told = ", ".join(f"{word} {count}" for word, count in most)
    rule = "different words" if ending == _DISTINCT else "matches per 1,000 characters"
    return DROPPED, f"words_{name}", float(measured[ending][row]), float(bound), f"{rule}: {told}"
