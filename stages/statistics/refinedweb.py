"""What RefinedWeb's line rules take out of documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import Array, Bytes, Counts, Offsets, text_array, text_buffers
from headrace.stages.kernels.statistics_refinedweb import COUNTERS, PHRASES, refinedweb_lines
from headrace.stages.statistics.characters import flags
from headrace.stages.statistics.compatible import of_letters
from headrace.stages.statistics.count import by_name, packed
from headrace.stages.statistics.letters import letters

if TYPE_CHECKING:
    from headrace.stages.statistics.statistics import Statistics

REFINEDWEB = (
    *("refinedweb_lines", "refinedweb_uppercase", "refinedweb_numeric", "refinedweb_counter", "refinedweb_few_words"),
    *("refinedweb_phrase", "refinedweb_words", "refinedweb_removed_words"),
)
TAKEN = REFINEDWEB[1:6]


@dataclass(frozen=True, slots=True)
class LineSettings:
    """The numbers of RefinedWeb's line rules (Penedo et al. 2023, appendix G.2; DCLM's configuration)."""

    uppercase: float = 0.5
    fewest_words: int = 2
    phrase_words: int = 10


def refinedweb(statistics: Statistics, settings: LineSettings) -> tuple[Mapping[str, Counts], Array]:
    """Give how many lines each rule takes, and the texts without them; a text of which nothing goes stays as it is."""
    words = of_letters(statistics)
    data, offsets = text_buffers(statistics.column)
    listed, list_offsets = phrases()
    table, text, bounds = refinedweb_lines(
        *(data, offsets, words.firsts, words.begins, flags(), letters(), listed, list_offsets),
        settings.uppercase,
        settings.fewest_words,
        settings.phrase_words,
    )
    counts = by_name(REFINEDWEB, table)
    kept = text_array(text, bounds)
    changed = pa.array(sum((counts[name] for name in TAKEN[1:]), counts[TAKEN[0]]) > 0)
    return counts, pc.if_else(changed, pc.utf8_trim_whitespace(kept), kept)


@cache
def phrases() -> tuple[Bytes, Offsets]:
    """Give the phrases and counters as the kernel wants them."""
    return packed((*PHRASES, *COUNTERS))
