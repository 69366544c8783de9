"""Chinese that was read by the wrong table: the readings of a run, and whether one of them is the right one.

UTF-8 taken for GB18030; GB18030 and Big5 taken for each other; both taken for Latin-1 or Windows-1252. Each mistake can
be taken back byte by byte. That a reading exists is no proof: it counts only if the Chinese it gives is likelier than
the run by a wide margin. The bars were measured on clean files and on runs made from them (docs/decisions/0060).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain

import numpy as np

from headrace.schemas.arrays import Counts
from headrace.stages.kernels.characters import CODE_POINTS
from headrace.stages.kernels.repair_plausibility import most_suspicion
from headrace.stages.kernels.repair_scan import SUSPICIOUS
from headrace.stages.repairing.han_frequency import code_points, nats_of_characters, plausibility
from headrace.stages.repairing.suspicion import signals

LOST = "\ufffd"
_SHORTEST = 3  # characters that two of UTF-8 make
DEPTH = 3  # how often the same mistake can have been made in a row
# Nats that a reading of UTF-8 must gain: no clean line of the measurement had such a reading at all.
_UTF8_GAIN, _UTF8_SIGNS_GAIN, _UTF8_EACH = 6.0, 14.0, -12.0
# The same for tables that are taken for each other, where nearly every line has a reading; the fewest Han characters,
# one in how many characters before must be one, and by how much a part may become less likely.
_SWAP_GAIN, _SWAP_GAIN_EACH, _SWAP_HAN, _SWAP_SHARE, _SWAP_WORSE = 20.0, 3.0, 4, 4, 8.0
# Of accented letters: by how many nats the better table must lead, and the fewest Han if ASCII letters are among them.
_NARROW_LEAD, _NARROW_HAN = 4.0, 3
# What all runs of a document must give together: Han characters, and the share of runs that have a reading.
_TABLE_HAN, _TABLE_SHARE = 20, 0.9
_VARIED = 60  # more than half of so many Han characters differ; of 1,000 only some 400 do
_TABLE_RUNS = 200  # from so many runs on they decide together or not at all
# After so many odd runs of a line, or of a document, that no table can read, the others are left.
_PATIENCE, _PATIENCE_OF_ALL = 100, 1_000
_USUAL_EACH = -10.5

# A lost byte is marked as 0xFF, which UTF-8 never holds; what is left of its character is lost with it.
_BROKEN = (
    rb"(?:(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{1,2})(?:\xff[\x80-\xbf]{0,2}|\?)"
    rb"|[\xe0-\xf4](?:\xff{1,2}[\x80-\xbf]{0,2}|\?))"
)
_TORN = re.compile(
    _BROKEN + rb"|(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})$|\xff[\x80-\xbf]{0,2}"
)
_WHOLE = rb"(?:[\xc2-\xdf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}|" + _BROKEN + rb")"
_CHARACTER = re.compile(_WHOLE)
_UTF8_RUN = re.compile(_WHOLE + rb"(?:[\x20-\x7e]*" + _WHOLE + rb")+")
_APART = re.compile(r"[^\s，。、；：！？（）《》「」]+")
_MARK = re.compile(r"[\s，。、；：！？（）《》「」]")
_PIECE = re.compile("[^\ufffd]+")
_PRIVATE = re.compile("[\ue000-\uf8ff]")  # where GB18030 puts codes that have no character
_SIGNS = re.compile("[\u2010-\u205e\u3000-\u303f\uff01-\uff5e\ufffd]{2,}")  # dashes, quotation and other marks
_HAN = re.compile("[\u3400-\u9fff]")
_WINDOWS = {ord(bytes([b]).decode("cp1252")): b for b in range(0x80, 0xA0) if b not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}
_HIGH = "".join(map(chr, _WINDOWS))
_PAIR = f"[\x81-\xfe{_HIGH}][\x40-\x7e\x80-\xfe{_HIGH}]"
_PAIRS, _ANY_PAIRS = re.compile(f"(?:{_PAIR}){{2,}}"), re.compile(f"(?:{_PAIR})+")
Table = Callable[[bytes], str]


@dataclass(slots=True)
class Tried:
    """How many odd runs of a document were tried, and how many of them could be read."""

    failed: int = 0
    mended: int = 0

    def count(self, *, success: bool) -> None:
        """Count one run."""
        self.mended += success
        self.failed += not success


def mended_wide(text: str, tried: Tried | None = None) -> str:
    """Give a text with runs of Han characters read right: the text as a whole, or those between marks.

    Beside text that is right the marks are right too. There a run ends at one, since a byte that was lost without a
    trace would be made up for by the mark's. `tried` is that of the document which the text is a part of.

    >>> mended_wide("标题：鍖椾含甯傛捣娣€鍖�")
    '标题：北京市海淀�'
    """
    if not _odd(text):
        return text
    whole = wide_reading(text)
    if whole is not None and whole.count(LOST) <= text.count(LOST):
        return whole
    runs = _APART.findall(text)
    mended = _mended_runs(runs, tried or Tried())
    if whole is not None and not any(after == run and _right(run) for run, after in zip(runs, mended, strict=True)):
        return whole
    parts = "".join(chain(*zip(_APART.split(text), [*mended, ""], strict=True)))
    return _mended_utf8(parts) if any(map(_odd, mended)) else parts


def _odd(run: str) -> bool:
    """Tell whether some stretch of a run is likelier in garbled text than in any other: sums, cheaper than readings."""
    return not run.isascii() and most_suspicion(code_points(run), signals().points) >= SUSPICIOUS // 2


def _mended_runs(runs: list[str], all_tried: Tried) -> list[str]:
    out: list[str] = []
    tried = Tried()
    for run in runs:
        hopeful = (tried.mended or tried.failed < _PATIENCE) and (
            all_tried.mended or all_tried.failed < _PATIENCE_OF_ALL
        )
        odd = hopeful and _odd(run)
        out.append(_mended_run(run) if odd else run)
        if odd:
            for counts in (tried, all_tried):
                counts.count(success=out[-1] != run)
    return out


def _mended_run(run: str) -> str:
    """Give a run read right, or those of its pieces between lost characters that can be."""
    reading = wide_reading(run)
    if reading is not None or LOST not in run:
        return reading or run
    return _PIECE.sub(lambda piece: wide_reading(piece[0]) or piece[0], run)


def _right(run: str) -> bool:
    """Tell whether a run is Chinese as people write it."""
    return plausibility(run).han > 1 and _usual(run)


def _usual(run: str) -> bool:
    """Tell whether a run has no more rare characters than Chinese text has."""
    found = plausibility(run)
    return found.han < 2 or found.nats / found.han >= _USUAL_EACH


def wide_reading(run: str) -> str | None:
    """Give the right reading of a run as a whole, None if there is no convincing one."""
    if len(run) < _SHORTEST or run.isascii():
        return None
    garbled = run
    for _ in range(DEPTH):
        as_utf8 = _read(_gb_bytes, _utf8, garbled)
        found = [as_utf8] if as_utf8 is not None and _convincing_utf8(run, as_utf8) else []
        found += [swapped for swapped in _swapped(garbled) if _convincing_swap(run, swapped)]
        if found:
            return max(found, key=lambda text: plausibility(text).nats)
        if as_utf8 is None or as_utf8 == garbled:
            return None
        garbled = as_utf8
    return None


def _swapped(run: str) -> list[str]:
    """Give the readings of a run by the tables of the other script; bytes behind a lost one might be out of step."""
    if LOST in run:
        return []
    readings = (_read(_big5_bytes, _gb, run), _read(_gb_bytes, _big5, run))
    return [reading for reading in readings if reading is not None]


def mended_narrow(text: str, table: Table | None = None) -> str:
    """Give a text with runs of accented letters read as the Chinese they were.

    `table` is the one that the rest of the document speaks for (`narrow_table`).

    >>> mended_narrow("Le mot ÖÐ¹ú désigne la Chine.")
    'Le mot 中国 désigne la Chine.'
    """
    pattern = _PAIRS if table is None else _ANY_PAIRS
    return pattern.sub(lambda run: _narrow_reading(run[0], table) or run[0], text)


def narrow_table(lines: list[str]) -> tuple[Table | None, bool]:
    """Give the table whose readings of all runs together are convincing, though single ones may be too short.

    The second value tells whether single runs are worth reading: not if there are many, which together are no Chinese.
    """
    runs = [run for line in lines for run in _PAIRS.findall(line) if not _nearly_utf8(run)]
    found = []
    for table in (_gb, _big5):
        readings = _readings(runs, table)
        evidence = plausibility("\n".join(readings))
        if evidence.convincing and evidence.han >= _TABLE_HAN:
            found.append((evidence.nats / evidence.han, table))
    best = max(found, key=lambda pair: pair[0])[1] if found else None
    return best, best is not None or len(runs) < _TABLE_RUNS


def _readings(runs: list[str], table: Table) -> list[str]:
    """Give the readings that runs have by a table; none if too few have one, which is known before all are read."""
    readings: list[str] = []
    for done, run in enumerate(runs, 1):
        reading = _read(_single_bytes, table, run)
        if reading is not None:
            readings.append(reading)
        elif len(readings) + len(runs) - done < _TABLE_SHARE * len(runs):
            return []
    return readings


def _narrow_reading(run: str, table: Table | None) -> str | None:
    if table is not None and not _HAN.search(_seen_as_utf8(run)):
        return _read(_single_bytes, table, run)
    if _nearly_utf8(run):
        return None  # ftfy's
    readings = [r for r in (_read(_single_bytes, _gb, run), _read(_single_bytes, _big5, run)) if r is not None]
    ranked = sorted(((plausibility(reading), reading) for reading in readings), reverse=True)
    if not ranked or (len(ranked) == 2 and ranked[0][0].nats - ranked[1][0].nats < _NARROW_LEAD):
        return None
    found, best = ranked[0]
    least = _NARROW_HAN if any(character < "\x80" for character in run) else 2
    return best if found.convincing and found.han >= least and _varied(best, found.han) else None


def _varied(reading: str, han: int) -> bool:
    """Tell whether no few characters make up the reading by being repeated; long texts repeat theirs anyway."""
    return 2 * len(set(reading)) > min(han, _VARIED)


def _nearly_utf8(run: str) -> bool:
    seen = _seen_as_utf8(run)
    return seen.count(LOST) * 4 <= len(seen)


def _seen_as_utf8(run: str) -> str:
    return _single_bytes(run).decode("utf-8", "replace")


def _convincing_utf8(run: str, reading: str) -> bool:
    """Tell whether a run is UTF-8 that was read as GB18030: hardly anything else decodes, so little more is asked."""
    found = plausibility(reading)
    gain = found.nats - plausibility(run).nats
    if reading.count(LOST) > found.han // 2 + 1:
        return False
    if found.han < 2:
        beyond = "".join(c for c in reading if c > "\x7f")
        return gain >= _UTF8_SIGNS_GAIN and _SIGNS.fullmatch(beyond) is not None
    return gain >= _UTF8_GAIN and found.nats / found.han >= _UTF8_EACH


def _convincing_swap(run: str, reading: str) -> bool:
    """Tell whether a run was read by the table of the other script.

    Boxes and Cyrillic have such readings too, so Han is asked for before and after.
    """
    found = plausibility(reading)
    if found.han < _SWAP_HAN or not found.convincing or not _varied(reading, found.han):
        return False
    before = plausibility(run)
    signs = before.han + len(_PRIVATE.findall(run))
    if _SWAP_SHARE * signs < sum(c > "\x7f" for c in run):
        return False
    if found.nats - before.nats < max(_SWAP_GAIN, _SWAP_GAIN_EACH * found.han):
        return False
    return _nowhere_worse(run, reading)


def _nowhere_worse(run: str, reading: str) -> bool:
    """Tell whether no part between marks, spaces and line ends is less likely after: what was right is right."""
    if len(run) != len(reading):
        return False
    begins = [0, *(match.end() for match in _MARK.finditer(run) if match.end() < len(run))]
    gains = np.add.reduceat(nats_of_characters(reading) - nats_of_characters(run), begins)
    return bool((gains > -_SWAP_WORSE).all())


def _mended_utf8(text: str) -> str:
    """Give a text with those stretches mended that are UTF-8 read as GB18030, beside text that is right."""
    data = _gb_bytes(text)
    runs = list(_UTF8_RUN.finditer(data))
    if not runs:
        return text
    places = np.concatenate([[0], np.cumsum(_gb_lengths()[np.frombuffer(text.encode("utf-32-le"), np.uint32)])])
    out: list[str] = []
    done = 0
    for run in runs:
        cuts = [*(match.start() for match in _CHARACTER.finditer(data, *run.span())), run.end()]
        found = np.searchsorted(places, cuts)
        numbers = found[places[found] == cuts].tolist()  # of characters that begin where a character of UTF-8 does
        if len(numbers) < 2:
            continue
        garbled = text[numbers[0] : numbers[-1]]
        reading = _read(_gb_bytes, _utf8, garbled)
        if reading is not None and _convincing_utf8(garbled, reading):
            out += [text[done : numbers[0]], reading]
            done = numbers[-1]
    return "".join([*out, text[done:]])


@cache
def _gb_lengths() -> Counts:
    """Give how many bytes `_gb_bytes` takes for each code point."""
    table = np.full(CODE_POINTS, 4)
    points = np.r_[0x80:0xD800, 0xE000:0x10000]
    characters = "\n".join(map(chr, points)).encode("gb18030").split(b"\n")  # no code has a line feed in it
    table[:0x80] = 1
    table[points] = [len(code) for code in characters]
    table[[ord("€"), ord(LOST)]] = 1
    return table


def _read(encode: Callable[[str], bytes], decode: Callable[[bytes], str], text: str) -> str | None:
    """Give what a text becomes if its bytes are read again, None if they cannot be."""
    try:
        return decode(encode(text))
    except UnicodeError:
        return None


def _gb_bytes(text: str) -> bytes:
    """Give the bytes that a reader of GBK made this text of; the euro sign stands for the single byte 0x80."""
    return b"\xff".join(b"\x80".join(p.encode("gb18030") for p in piece.split("€")) for piece in text.split(LOST))


def _big5_bytes(text: str) -> bytes:
    return text.encode("cp950")


def _single_bytes(text: str) -> bytes:
    """Give the bytes of which Latin-1 or Windows-1252 made this text."""
    return text.translate(_WINDOWS).encode("latin-1")


def _utf8(data: bytes) -> str:
    with suppress(UnicodeDecodeError):
        return data.decode()  # nothing is torn: most runs are short and whole
    return _TORN.sub(b"\xff", data).replace(b"\xff", LOST.encode()).decode()


def _gb(data: bytes) -> str:
    return data.decode("gb18030")


def _big5(data: bytes) -> str:
    return data.decode("cp950")
