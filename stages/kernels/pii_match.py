"""The automaton of the rules over a view: all that has the form of a rule, and nothing beside it that may not touch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, Classes, Flags, Links, Offsets, Places
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.pii_scan import digit_width

_SPACE, _NEW_LINE, _RETURN, _OTHER, _PARAGRAPH = 0x20, 0x0A, 0x0D, 0x7E, 0x0B
_DOT, _LEAD_OF_DOTS = 0x2E, 0xE2  # … and ⒈ begin with E2, a dot of full width does not
_AT, _LONGEST_NAME = 0x40, 64  # the part of an e-mail address before its @ (RFC 5321)


@kernel
def with_lines(view: Bytes, offsets: Offsets, begins: Places, ends: Places, data: Bytes, bases: Offsets) -> Bytes:
    r"""Give a view in which line ends are seen, and nothing but digits and dots looks like them.

    A space of the view that was one line end becomes \n, one that was several \v; a digit or a dot that was part of
    another character (², ①, ㎡, ½, …) becomes ~. `data` is what the view is of, text k beginning at `bases[k]`.
    """
    out = view.copy()
    for text in range(len(offsets) - 1):
        base = bases[text]
        for i in range(offsets[text], offsets[text + 1]):
            begin, end = base + begins[i], base + ends[i]
            if end - begin == 1:  # nearly all: one byte that came from one
                if data[begin] < _SPACE and (data[begin] == _NEW_LINE or data[begin] == _RETURN):
                    out[i] = _NEW_LINE
            elif out[i] == _SPACE:
                breaks = 0
                for at in range(begin, end):
                    breaks += data[at] == _NEW_LINE or (data[at] == _RETURN and data[at + 1] != _NEW_LINE)
                if breaks:
                    out[i] = _NEW_LINE if breaks == 1 else _PARAGRAPH
            elif not as_it_looks(out[i], data, begin):
                out[i] = _OTHER
    return out


@part
def as_it_looks(byte: int, data: Bytes, at: int) -> bool:
    """Tell whether a byte of a view is no digit and no dot, or came from one."""
    if 0x30 <= byte <= 0x39:
        return digit_width(data, at) > 0
    return bool(byte != _DOT or data[at] != _LEAD_OF_DOTS)


class Automaton(NamedTuple):
    """The tables of `privacy.automaton.Tables` and `privacy.rules.Search`, which say what they mean."""

    kinds: Classes
    steps: npt.NDArray[np.uint16]
    ended: Links
    ended_firsts: Links
    entries: Links
    rules: Links
    starts: Classes
    goes_on: Classes
    after: Flags
    at_bit: int


@kernel
def candidates(view: Bytes, windows: Offsets, automaton: Automaton, room: int) -> tuple[Offsets, int]:
    """Give (rule, begin, end, window) of all that has the form of a rule and begins inside a window.

    A window is (begin of its text, begin, end, end of its text). Several ends of one begin are all given. The rows of
    a window come in the order of their begins. Of more than `room` rows the first come back, and how many there are:
    rows that grow would make the whole six times slower.
    """
    kinds, steps, ended, firsts = automaton.kinds, automaton.steps, automaton.ended, automaton.ended_firsts
    entries, rules, after = automaton.entries, automaton.rules, automaton.after  # to get a tuple's field takes long
    starts, goes_on, at_bit = automaton.starts, automaton.goes_on, automaton.at_bit
    rows = np.empty((room, 4), np.int64)
    count = 0
    for window in range(len(windows)):
        first, begin, last, end = windows[window]
        next_at = begin - 1
        before = view[begin - 1] if begin > first else np.uint8(0)
        for at in range(begin, last):
            byte = view[at]
            groups = np.int64(starts[before, byte])
            before = byte
            if groups and at + 1 < end:
                groups &= np.int64(goes_on[byte, view[at + 1]])
            if groups & at_bit:
                while next_at < at or (next_at < end and view[next_at] != _AT):
                    next_at += 1
                if next_at - at > _LONGEST_NAME:
                    groups &= ~at_bit
            group = 0
            while groups:
                if groups & 1:
                    state = np.int64(entries[group])
                    to = at
                    while to < end:
                        state = np.int64(steps[state, kinds[view[to]]])
                        if state == 0:
                            break
                        to += 1
                        for j in range(firsts[state], firsts[state + 1]):
                            rule = rules[ended[j]]
                            if to == end or not after[rule, view[to]]:
                                if count < room:
                                    rows[count, 0], rows[count, 1] = rule, at
                                    rows[count, 2], rows[count, 3] = to, window
                                count += 1
                groups >>= 1
                group += 1
    return rows[: min(count, room)].copy(), count


@kernel
def with_placeholders(
    data: Bytes, offsets: Offsets, spans: Offsets, forms: Bytes, bounds: Links
) -> tuple[Bytes, Offsets]:
    """Give the texts with the spans (document, begin, end, kind) replaced; kind k is `forms[bounds[k]:bounds[k + 1]]`.

    The spans come in the order of the data, and do not overlap.
    """
    room = offsets[-1] - offsets[0]
    for span in range(len(spans)):
        room += bounds[spans[span, 3] + 1] - bounds[spans[span, 3]]
    out = np.empty(room, np.uint8)
    ends = np.zeros(len(offsets), np.int64)
    to = span = 0
    for document in range(len(offsets) - 1):
        at = offsets[document]
        while True:
            here = span < len(spans) and spans[span, 0] == document
            stop = spans[span, 1] if here else offsets[document + 1]
            out[to : to + stop - at] = data[at:stop]
            to += stop - at
            if not here:
                break
            form, form_end = bounds[spans[span, 3]], bounds[spans[span, 3] + 1]
            out[to : to + form_end - form] = forms[form:form_end]
            to += form_end - form
            at = spans[span, 2]
            span += 1
        ends[document + 1] = to
    return out[:to], ends
