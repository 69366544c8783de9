"""Find the charset of each group of rows: marks, escapes and proofs first, then a race of all charsets."""

from __future__ import annotations

import codecs
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headrace.schemas.arrays import Counts, Flags
from headrace.stages.decoding.batch import UNWRITTEN, Batch
from headrace.stages.decoding.charsets import ESCAPING, NUMBERED, UTF_8, WIDE
from headrace.stages.decoding.ebcdic import ebcdic_lines, ebcdic_page, may_be_ebcdic
from headrace.stages.decoding.escapes import escaped
from headrace.stages.decoding.rows import Rows
from headrace.stages.kernels.charset_facts import BROKEN, ESCAPES, HIGH, MARK, NULS, SIZE, SPECIAL, TILDES
from headrace.stages.kernels.charset_model import ANY, BEYOND, FIRST_PAGE, HOPELESS, Model
from headrace.stages.kernels.charset_race import CODEC, PROVEN, SAMPLED, SCORE, SECOND, SECOND_SCORE
from headrace.stages.reading.wide import bom_of, wide_by_zeros

NUMBER_OF = {name: number for number, name in enumerate(NUMBERED)}
KERNEL_READS = frozenset(NUMBERED) - frozenset(WIDE)
FAVOUR = 700  # centinats by which a declared charset is likelier: declarations lie once in about a thousand
_GB_MARK = b"\x84\x31\x95\x33"
_HEAD, _MARK_BYTES = 1 << 16, 4
_LEAST_LIKELY = -1000  # centinats a character: a text that a declaration of UTF-16 gives must be this likely
_NO_TEXT = -650  # centinats a byte: below, it is no text in any known charset
_UNSURE = 0.05
_CERTAIN = 4000
_STEEPNESS = 200  # centinats of lead that turn the odds by e: neighbouring characters say the same thing twice


@dataclass(frozen=True, slots=True)
class Charset:
    """A charset, how it was found (bom, escape, utf-8, declared, detected, forced, native), how sure that is, 0 to 1.

    `second` is the charset that came next in a race over a part of the bytes, `lead` centinats behind.
    """

    codec: str
    method: str
    confidence: float
    second: str | None = None
    lead: int = 0


_PROVEN = Charset(UTF_8, "utf-8", 1.0)
_NATIVE = Charset(UTF_8, "native", 1.0)


def number_of(codec: str | None) -> int:
    """Give the number by which the kernel decodes a charset, or by which it leaves it to Python."""
    return NUMBER_OF.get(codec or "", UNWRITTEN)


def plain_charset(batch: Batch) -> Charset | None:
    """Name what the kernel found of the one row of a batch; None if there is more to look at."""
    if batch.suspects or batch.facts[0, SPECIAL]:
        return None
    row = batch.found[0].tolist()
    if row[PROVEN]:
        return _PROVEN
    if _is_page(row) and may_be_ebcdic(batch.rows.head(0, _HEAD)):
        return None
    return _raced(row, int(batch.facts[0, SIZE]), None) if NUMBERED[row[CODEC]] in KERNEL_READS else None


def forced_charsets(batch: Batch, codec: str, native: Flags | None) -> list[Charset]:
    """Give all groups one charset, but for byte order marks and native text that is UTF-8."""
    charset = Charset(codec, "forced", 1.0)
    charsets = []
    for group, facts in enumerate(batch.facts):
        mark = _marked(batch.rows.head(group, _MARK_BYTES)) if facts[MARK] else None
        is_native = native is not None and native[group] and not facts[BROKEN]
        charsets.append(Charset(mark, "bom", 1.0) if mark else _NATIVE if is_native else charset)
    return charsets


def found_charsets(batch: Batch, said: Sequence[str | None], native: Flags | None, model: Model) -> list[Charset]:
    """Name what the kernel found, and look for what it does not know.

    `said` are the charsets that groups are said to be in; `native` flags the groups that should be UTF-8.
    """
    facts = batch.facts
    if native is not None and native.all() and not facts[:, BROKEN].any():
        return [_NATIVE] * len(facts)
    sizes = facts[:, SIZE].tolist()
    rows = batch.found.tolist()
    charsets = [_PROVEN if row[PROVEN] else _raced(row, *about) for row, *about in zip(rows, sizes, said, strict=True)]
    for group, (special, name) in enumerate(zip(facts[:, SPECIAL].tolist(), said, strict=True)):
        if native is not None and native[group] and not facts[group, BROKEN]:
            charsets[group] = _NATIVE
        elif special or _is_page(rows[group]) or (name is not None and (name in WIDE or name not in NUMBER_OF)):
            better = _special(batch.rows, group, facts[group], name, batch.found[group], model)
            charsets[group] = better or charsets[group]
    return charsets


def _marked(head: bytes) -> str | None:
    """Give the charset whose byte order mark begins the bytes."""
    if head.startswith(codecs.BOM_UTF8):
        return UTF_8
    return "gb18030" if head.startswith(_GB_MARK) else bom_of(head)


def _special(rows: Rows, group: int, facts: Counts, said: str | None, found: Counts, model: Model) -> Charset | None:
    """Look for what kernels do not: marks, escapes, zeros of UTF-16 and UTF-32, EBCDIC, declared rare charsets."""
    mark = _marked(rows.head(group, _MARK_BYTES)) if facts[MARK] else None
    if mark:
        return Charset(mark, "bom", 1.0)
    if not facts[HIGH] and (facts[ESCAPES] or facts[TILDES]):
        found_escape = escaped(rows.group(group), model)
        if found_escape:
            return Charset(found_escape[1], "escape", 1.0)
    head = rows.head(group, _HEAD)
    wide = wide_by_zeros(head) if facts[NULS] else None
    if said in WIDE and said != wide and _likelihood(head, said, model) >= _LEAST_LIKELY:
        return Charset(said, "declared", 1.0)
    if wide:  # reading saw it too and passed it on as `said`, but nobody declared it
        return Charset(wide, "detected", 1.0)
    if said and said not in NUMBER_OF and said not in (*WIDE, *ESCAPING) and not found[PROVEN]:
        rarity = _declared_rarity(head, said, found, model)
        if rarity:
            return rarity
    return _mainframe(head) if _is_page(found.tolist()) and may_be_ebcdic(head) else None


def _is_page(row: list[int]) -> bool:
    """Tell whether a single-byte page has won: it reads any bytes."""
    return row[CODEC] >= FIRST_PAGE and not row[PROVEN]


def _mainframe(head: bytes) -> Charset | None:
    """Give EBCDIC; or UTF-8, of which some lines are lost, where these alone are EBCDIC."""
    whole = ebcdic_page(head)
    if whole:
        return Charset(whole[0], "detected", whole[1])
    return Charset(UTF_8, "detected", _UNSURE) if ebcdic_lines(head) else None


def _declared_rarity(head: bytes, said: str, found: Counts, model: Model) -> Charset | None:
    """Believe in a charset outside the race, if its text is not much less likely than the winner's."""
    per_byte = int(found[SCORE]) // max(1, int(found[SAMPLED]))
    characters = len(head.decode(said, "ignore"))
    ours = _likelihood(head, said, model) * characters // max(1, len(head))
    return Charset(said, "declared", 0.5) if ours + FAVOUR // max(1, len(head)) >= per_byte * 1.2 else None


def _likelihood(head: bytes, codec: str, model: Model) -> int:
    """Give the mean log of the characters of a text, in centinats; HOPELESS if the bytes are no text in a charset."""
    try:
        text = codecs.getincrementaldecoder(codec)().decode(head)
    except (UnicodeError, LookupError):
        return HOPELESS
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    logs = model.character_logs[ANY][np.minimum(points, BEYOND)].astype(np.int64)
    plain = points < 0x80
    logs[plain] = model.ascii_logs[points[plain]]
    return int(logs.sum()) // max(1, len(points))


def _raced(row: list[int], size: int, said: str | None) -> Charset:
    """Give what a race found, and how sure that is by its lead."""
    name = NUMBERED[row[CODEC]]
    method = "declared" if name == said else "detected"
    lead = row[SCORE] - row[SECOND_SCORE]
    second = NUMBERED[row[SECOND]] if row[SAMPLED] < size and row[SECOND_SCORE] > HOPELESS else None
    return Charset(name, method, sureness(row[SCORE], lead, row[SAMPLED]), second, lead)


def sureness(score: int, lead: int, sampled: int) -> float:
    """Give how sure a charset is, 0 to 1, that is `lead` centinats ahead over so many bytes.

    Rounded, since the last bits of an exponential differ between machines.
    """
    sure = 1 / (1 + math.exp(-min(lead, _CERTAIN) / _STEEPNESS))
    return round(min(sure, _UNSURE) if score < _NO_TEXT * sampled else sure, 3)
