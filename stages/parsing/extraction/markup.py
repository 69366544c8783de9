"""The tables of the scanner, built once a process."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Classes, read_only
from headrace.stages.kernels.characters import CLOSER, CODE_POINTS, classes, sentence_marks, simplified
from headrace.stages.kernels.extraction_model import MINOR_END, SENTENCE_END, Automata, Marks, Markup, Numbers
from headrace.stages.parsing.extraction import cues, hints, tags
from headrace.stages.parsing.extraction.automaton import joined, whole

_STOPS = ",.?!;:…。，、；：！？．，؟،।"
_MINOR_ENDS = ":;：；"


@cache
def automata() -> Automata:
    """Give the automata in the order that the kernels know."""
    styles = dict.fromkeys(hints.HIDING_STYLES, 1)
    names, attributes = whole(tags.NUMBERS), whole(hints.ATTRIBUTES)
    return joined([names, attributes, hints.hint_words(), styles, cues.cue_words()])


@cache
def markup() -> Markup:
    """Give what the scanner knows of HTML."""
    return Markup(
        automata=automata(),
        roles=_column([tags.ROLES.get(tag, 0) for tag in tags.TAGS]),
        traits=_column([tags.TRAITS[tag] for tag in tags.TAGS]),
        tag_hints=_column([hints.BITS_OF_TAGS.get(tag, 0) for tag in tags.TAGS]),
        left_out=hints.BITS["left out"],
        left_out_superscripts=hints.BITS["left out"] | hints.BITS["reference"],
        hidden=hints.BITS["hidden"],
        classes=read_only(classes()),
    )


@cache
def marks() -> Marks:
    """Give what is counted in texts."""
    stops = np.zeros(CODE_POINTS, np.uint8)
    stops[[ord(c) for c in _STOPS]] = 1
    return Marks(automata(), read_only(classes()), _ends(), read_only(stops), _lower())


def _column(values: list[int]) -> Numbers:
    return read_only(np.array(values, np.int32))


def _ends() -> Classes:
    """Give what each character is as the last one: the end of a sentence, another end, none."""
    roles = sentence_marks()
    table = np.where(roles == CLOSER, MINOR_END, np.where(roles > 0, SENTENCE_END, 0)).astype(np.uint8)
    table[[ord(c) for c in _MINOR_ENDS]] = MINOR_END
    return read_only(table)


def _lower() -> npt.NDArray[np.uint16]:
    """Give the small letter of each capital and the simplified form of each traditional character."""
    table = np.arange(0x10000, dtype=np.uint16)
    for point in range(0x10000):
        lower = chr(point).lower()
        if len(lower) == 1 and ord(lower) < 0x10000:
            table[point] = ord(lower)
    for traditional, simple in simplified().items():
        if traditional < 0x10000 and simple < 0x10000:
            table[traditional] = simple
    return read_only(table)
