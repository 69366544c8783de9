"""Tags of canonical markup: which one it is, what its attributes say, and where what is left out ends."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, read_only
from headrace.schemas.compiled import part
from headrace.stages.kernels.extraction_model import (
    ARIA_HIDDEN,
    ATTRIBUTE_NAMES,
    CLASS,
    CLASS_WORDS,
    HIDDEN,
    NAMED,
    RAW,
    STARTS,
    STYLE,
    STYLES,
    TAG_NAMES,
    WORD_BEGIN,
    WORD_END,
    Numbers,
    States,
)

# What is found out about a tag.
NUMBER, CLOSES, HINTS_OF_TAG, CLASSES_HASH, IS_HIDDEN, FOR_THE_EYE, NAME_BEGIN, NAME_END = range(8)
FACTS = 8
CUSTOM = 1  # the tag number of elements whose names hold a dash
_SPACE, _QUOTE, _SLASH, _LESS, _EQUALS, _GREATER, _DASH = (ord(c) for c in ' "/<=>-')
_ZERO, _NINE, _UPPER_A, _UPPER_Z, _LOWER_A, _LOWER_Z, _UNDERSCORE = (ord(c) for c in "09AZaz_")
_BANG, _TRUE, _UNTIL_FOUND, _TO_LOWER = ord("!"), ord("t"), ord("u"), ord("a") - ord("A")
_COMMENT_BEGIN, _COMMENT_END, _SCRIPT = (
    read_only(np.frombuffer(word, np.uint8)) for word in (b"<!--", b"-->", b"script")
)
_HASH_BASIS, _HASH_PRIME, _HASH_MASK = 0x811C9DC5, 0x01000193, 0x7FFFFFFF  # FNV-1a, 31 bits of it
_MOST_WORDS, _WORD_BYTES = 12, 48  # of a class attribute; some have thousands


@part
def found_name(html: Bytes, begin: int, end: int, columns: Numbers, steps: States, found: Numbers, which: int) -> int:
    """Give the value of a whole name, 0 if it is not in the list."""
    start = columns[STARTS + which]
    state = steps[start, columns[WORD_BEGIN]]
    for at in range(begin, end):
        state = steps[state, columns[html[at]]]
        if state == start:
            return 0
    return int(found[steps[state, columns[WORD_END]]])


@part
def name_end(html: Bytes, at: int) -> int:
    """Give where the name of a tag or an attribute ends."""
    while at < len(html):
        byte = html[at]
        if byte in (_SPACE, _SLASH, _EQUALS, _GREATER):
            break
        at += 1
    return at


@part
def read_tag(html: Bytes, at: int, columns: Numbers, steps: States, found: Numbers, facts: Numbers) -> int:
    """Fill in the facts of the tag that begins at a byte; give where it ends."""
    facts[:] = 0
    at += 1
    if at < len(html) and html[at] == _SLASH:
        facts[CLOSES] = 1
        at += 1
    begin = at
    at = name_end(html, at)
    facts[NAME_BEGIN], facts[NAME_END] = begin, at
    facts[NUMBER] = found_name(html, begin, at, columns, steps, found, TAG_NAMES)
    if facts[NUMBER] == 0:
        for i in range(begin, at):
            if html[i] == _DASH:
                facts[NUMBER] = CUSTOM
    while at < len(html) and html[at] != _GREATER:
        if html[at] in (_SPACE, _SLASH):
            at += 1
        else:
            at = _read_attribute(html, at, columns, steps, found, facts)
    return at + 1


@part
def _read_attribute(html: Bytes, at: int, columns: Numbers, steps: States, found: Numbers, facts: Numbers) -> int:
    begin = at
    at = name_end(html, at)
    kind = found_name(html, begin, at, columns, steps, found, ATTRIBUTE_NAMES)
    first = last = at
    if at == begin:  # a stray sign
        return at + 1
    if at < len(html) and html[at] == _EQUALS:
        first = at + 2
        last = first
        while last < len(html) and html[last] != _QUOTE:
            last += 1
        at = last + 1
    if kind in (CLASS, NAMED):
        facts[HINTS_OF_TAG] |= hints_of(html, first, last, columns, steps, found)
    if kind == CLASS:
        facts[CLASSES_HASH] = _hash_of(html, first, last)
    elif kind == HIDDEN:
        facts[IS_HIDDEN] |= int(last - first < 2 or html[first] != _UNTIL_FOUND)  # until-found is shown when looked for
    elif kind == STYLE:
        facts[IS_HIDDEN] |= int(_finds(html, first, last, columns, steps, found, STYLES))
    elif kind == ARIA_HIDDEN and last > first and html[first] == _TRUE:
        facts[FOR_THE_EYE] = 1
    return at


@part
def hints_of(html: Bytes, begin: int, end: int, columns: Numbers, steps: States, found: Numbers) -> int:
    """Give the hints in the words of an attribute: camel case is taken apart, digits are passed over.

    Each word is looked at with a dash before it, behind it, and where an underscore or a change of case divides it.
    """
    start = columns[STARTS + CLASS_WORDS]
    dash = columns[_DASH]
    hints = 0
    words = 0
    at = begin
    while at < end and words < _MOST_WORDS:
        while at < end and html[at] <= _SPACE:
            at += 1
        stop = at + _WORD_BYTES
        state = steps[start, dash]
        before = 0
        while at < end and html[at] > _SPACE:
            byte = int(html[at])
            at += 1
            if at > stop or _ZERO <= byte <= _NINE:
                continue
            if _UPPER_A <= byte <= _UPPER_Z:
                if _LOWER_A <= before <= _LOWER_Z:
                    state = steps[state, dash]
                    hints |= found[state]
                before = byte
                byte += 32
            else:
                before = byte
                byte = _DASH if byte == _UNDERSCORE else byte
            state = steps[state, columns[byte]]
            hints |= found[state]
        hints |= found[steps[state, dash]]
        words += 1
    return int(hints)


@part
def _hash_of(html: Bytes, begin: int, end: int) -> int:
    value = _HASH_BASIS
    for at in range(begin, end):
        if not _ZERO <= html[at] <= _NINE:
            value = ((value ^ int(html[at])) * _HASH_PRIME) & 0xFFFFFFFF
    return value & _HASH_MASK


@part
def _finds(html: Bytes, begin: int, end: int, columns: Numbers, steps: States, found: Numbers, which: int) -> bool:
    """Say whether a value holds one of the words, white space left out."""
    state = columns[STARTS + which]
    for at in range(begin, end):
        byte = int(html[at])
        if byte > _SPACE:
            byte += _TO_LOWER if _UPPER_A <= byte <= _UPPER_Z else 0
            state = steps[state, columns[byte]]
            if found[state]:
                return True
    return False


@part
def _stands(html: Bytes, at: int, word: Bytes) -> bool:
    """Say whether a word stands at a place, whatever its case."""
    if at + len(word) > len(html):
        return False
    for i in range(len(word)):
        byte = int(html[at + i])
        byte += _TO_LOWER if _UPPER_A <= byte <= _UPPER_Z else 0
        if byte != word[i]:
            return False
    return True


@part
def after_declaration(html: Bytes, at: int) -> int:
    """Give where a comment or a document type ends."""
    if _stands(html, at, _COMMENT_BEGIN):
        at += len(_COMMENT_BEGIN)
        while at < len(html) and not _stands(html, at, _COMMENT_END):
            at += 1
        return at + len(_COMMENT_END)
    while at < len(html) and html[at] != _GREATER:
        at += 1
    return at + 1


@part
def after_raw(html: Bytes, at: int, name: Bytes) -> int:
    """Give where an element ends that holds no markup.

    In a script, `<!-- <script>` hides the next `</script>` (HTML standard, 13.2.5.17 to 13.2.5.32).
    """
    is_script = _stands(name, 0, _SCRIPT)
    commented = nested = False
    while at < len(html):
        if html[at] == _LESS and html[at + 1] == _SLASH and _stands(html, at + 2, name):
            if not nested:
                return name_end(html, at + 2) + 1
            nested = False
        elif is_script and html[at] == _LESS:
            nested = nested or (commented and _stands(html, at + 1, _SCRIPT))
            commented = commented or _stands(html, at, _COMMENT_BEGIN)
        elif is_script and html[at] == _DASH and _stands(html, at, _COMMENT_END):
            commented = nested = False
        at += 1
    return at


@part
def after_element(
    html: Bytes, at: int, columns: Numbers, steps: States, found: Numbers, roles: Numbers, facts: Numbers
) -> int:
    """Give where an element ends whose start tag was just read: behind its own end tag."""
    number = facts[NUMBER]
    if roles[number] == RAW:
        return after_raw(html, at, html[facts[NAME_BEGIN] : facts[NAME_END]])
    depth = 1
    while at < len(html) and depth:
        if html[at] != _LESS:
            at += 1
        elif html[at + 1] == _BANG:
            at = after_declaration(html, at)
        else:
            at = read_tag(html, at, columns, steps, found, facts)
            if facts[NUMBER] == number:
                depth += -1 if facts[CLOSES] else 1
            elif roles[facts[NUMBER]] == RAW and not facts[CLOSES]:
                at = after_raw(html, at, html[facts[NAME_BEGIN] : facts[NAME_END]])
    return at
