"""What the charset kernels compute, in plain Python: slow, readable, and what the tests compare the kernels with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from headrace.stages.kernels.charset_model import (
    ANY,
    BEYOND,
    BIG5,
    CP932,
    CP950_FIRST,
    CP950_KANA,
    CP950_LAST,
    DIGIT,
    EUC_JP,
    EUC_TW,
    FINAL,
    FIRST_PAGE,
    GAIN_STEP,
    GB18030,
    GB_FOUR_BYTE_CODES,
    LANGUAGE,
    LOWER,
    MARK,
    POINT,
    SEQUENCE,
    SEQUENCES,
    SIGN,
    UPPER,
    Model,
    pair_slot,
    pair_tag,
)

LOST, CUT = 0, -1


@dataclass(frozen=True, slots=True)
class Unit:
    """One character as bytes have it: its code point (or LOST, or CUT), its first byte, and how many there are."""

    point: int
    at: int
    size: int


def text_of(data: bytes, codec: int, model: Model) -> tuple[str, int]:
    """Decode by the number of a codec (no UTF-16); give the text and the number of lost codes."""
    if codec >= FIRST_PAGE:
        page = model.pages[codec - FIRST_PAGE]
        text = "".join(chr(byte) if byte < 0x80 else chr(page[byte] or 0xFFFD) for byte in data)
        return text, sum(byte >= 0x80 and not page[byte] for byte in data)
    units = list(double_byte_units(data, codec, model) if codec <= CP950_KANA else utf8_units(data))
    text = "".join(_shown(unit) for unit in units if unit.point != CUT)
    return text.lstrip("\ufeff"), sum(unit.point in (LOST, CUT) and data[unit.at] >= 0x80 for unit in units)


def _shown(unit: Unit) -> str:
    if unit.point >= SEQUENCE:
        return "".join(map(chr, SEQUENCES[unit.point - SEQUENCE]))
    return chr(unit.point) if unit.point or unit.size == 0 else "\ufffd"


def utf8_units(data: bytes) -> Iterator[Unit]:
    """Cut UTF-8 as Python's decoder does; a NUL is a unit of size 0, since its code point stands for a lost one."""
    at = 0
    while at < len(data):
        for size in range(min(4, len(data) - at), 0, -1):
            try:
                character = data[at : at + size].decode()
            except UnicodeDecodeError as error:
                lost = error
            else:
                if len(character) == 1:
                    yield Unit(ord(character), at, size if ord(character) else 0)
                    break
        else:
            size = 1
            lost = _first_error(data[at : at + 4])
            cut = at + lost.end == len(data) and lost.reason == "unexpected end of data"
            size = lost.end - lost.start
            yield Unit(CUT if cut else LOST, at, size)
        at += max(1, size)


def _first_error(data: bytes) -> UnicodeDecodeError:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error
    raise ValueError("there is no error in these bytes")


def double_byte_units(data: bytes, family: int, model: Model) -> Iterator[Unit]:
    """Cut bytes into the codes of a double-byte charset."""
    at = 0
    while at < len(data):
        if data[at] < 0x80:
            yield Unit(data[at], at, 1 if data[at] else 0)
            at += 1
            continue
        unit = _code(data, at, family, model)
        yield unit
        at += unit.size


def _code(data: bytes, at: int, family: int, model: Model) -> Unit:
    rest = data[at : at + 4]
    lead = rest[0]
    if family == CP932 and 0xA1 <= lead <= 0xDF:
        return Unit(lead + 0xFEC0, at, 1)
    if lead in (0x80, 0xFF):
        return Unit(0x20AC if lead == 0x80 and family == GB18030 else LOST, at, 1)
    if len(rest) == 1:
        return Unit(CUT, at, 1)
    if family == GB18030 and 0x30 <= rest[1] <= 0x39:
        return _gb_four(rest, at, model)
    if family == EUC_TW and lead == 0x8E:
        return _euc_tw_four(rest, at, model)
    if family == EUC_JP and lead == 0x8F:
        if len(rest) == 2:
            return Unit(CUT, at, 2) if rest[1] >= 0xA1 else Unit(LOST, at, 1)
        whole = rest[1] >= 0xA1 and rest[2] >= 0xA1
        point = int(model.codes[family, (rest[1] & 0x7F) << 8 | rest[2] & 0x7F]) & POINT
        return Unit(point, at, 3) if whole else Unit(LOST, at, 1)
    point = int(model.codes[family, lead << 8 | rest[1]]) & POINT
    return Unit(point, at, 2 if point or rest[1] >= 0x80 else 1)


def _gb_four(rest: bytes, at: int, model: Model) -> Unit:
    if len(rest) < 4:
        cut = len(rest) == 2 or rest[2] >= 0x81
        return Unit(CUT if cut else LOST, at, len(rest) if cut else 1)
    if not (0x81 <= rest[2] <= 0xFE and 0x30 <= rest[3] <= 0x39):
        return Unit(LOST, at, 1)
    place = (((rest[0] - 0x81) * 10 + rest[1] - 0x30) * 126 + rest[2] - 0x81) * 10 + rest[3] - 0x30
    if place < GB_FOUR_BYTE_CODES:
        return Unit(int(model.longer[place]), at, 4)
    return Unit(place - 189_000 + 0x10000 if 189_000 <= place < 189_000 + 0x100000 else LOST, at, 4)


def _euc_tw_four(rest: bytes, at: int, model: Model) -> Unit:
    plane = rest[1] - 0xA0
    if not 1 <= plane < 16:
        return Unit(LOST, at, 1)
    if len(rest) < 4:
        return Unit(CUT, at, len(rest))
    row, cell = rest[2] - 0xA1, rest[3] - 0xA1
    if not (0 <= row < 94 and 0 <= cell < 94):
        return Unit(LOST, at, 1)
    return Unit(int(model.longer[GB_FOUR_BYTE_CODES + (plane * 94 + row) * 94 + cell]), at, 4)


def double_byte_score(data: bytes, guess: int, model: Model) -> int:
    """Give the score of a double-byte family in a language."""
    family, language, _ = model.guesses[guess].tolist()
    logs = model.character_logs[language]
    units = list(double_byte_units(data, family, model))
    high = [data[unit.at] >= 0x80 for unit in units]
    costs = []
    for place, unit in enumerate(units):
        if not high[place]:
            costs.append(int(model.ascii_logs[data[unit.at]]))
            continue
        inside = place > 0 and high[place - 1]
        cost = _unit_score(data, unit, units[place - 1].point if inside else None, family, logs, model)
        if not inside:
            cost += -100 - 600 * (unit.point == CUT)
            cost += _beside(data[unit.at - 1]) if unit.at and _chinese(unit.point) else 0
        costs.append(cost)
    for place in range(1, len(units)):
        if not high[place] and high[place - 1] and _chinese(units[place - 1].point):
            costs[place] += _end_of_run(data, units, high, place)
    return _by_line(data, units, costs, model)


def _end_of_run(data: bytes, units: list[Unit], high: list[bool], place: int) -> int:
    """Give what it costs that a run of double-byte characters ends before the unit at a place."""
    begin = place
    while begin and high[begin - 1]:
        begin -= 1
    characters = sum(unit.point > 0 and unit.size > 1 for unit in units[begin:place])
    behind, before = data[units[place].at], data[units[begin].at - 1] if begin else 0
    cost = _beside(behind)
    if characters == 1:
        cost -= 150
        cost -= 400 if _letter(before) and _letter(behind) else 0
    return cost


def _unit_score(data: bytes, unit: Unit, before: int | None, family: int, logs: object, model: Model) -> int:
    """Give the score of a unit behind another of the same run (None: it begins one)."""
    if unit.point == LOST:
        return -1600 if data[unit.at] == 0x80 and family in (GB18030, BIG5, CP950_KANA) else -2400
    if unit.point == CUT:
        return -500
    if unit.size == 1:
        return _katakana(data, unit.at) if family == CP932 else -1600
    log = int(logs[min(unit.point, BEYOND)])  # type: ignore[index]  # one row of character_logs
    if unit.size > 2 or not model.codes[family, data[unit.at] << 8 | data[unit.at + 1]]:
        return min(log, -1900) if family == GB18030 else log
    if unit.point == before:
        return -250
    return log + (_gain(before, unit.point, model) if before and _han(before) and _han(unit.point) else 0)


def _by_line(data: bytes, units: list[Unit], costs: list[int], model: Model) -> int:
    """Add up, line by line: one that a charset cannot read costs no more than a line in an unknown charset."""
    total, line, least = 0, 0, 0
    for unit, cost in zip(units, costs, strict=True):
        line += cost
        if data[unit.at] >= 0x80:
            least -= 800 * unit.size
            continue
        least += int(model.ascii_logs[data[unit.at]])
        if data[unit.at] == 10:
            total += max(line, least - 2000)
            line = least = 0
    return total + line


def utf8_score(data: bytes, model: Model) -> int:
    """Give the score of UTF-8, damage included."""
    units = list(utf8_units(data))
    costs, before = [], 0
    for unit in units:
        if data[unit.at] < 0x80:
            cost = int(model.ascii_logs[data[unit.at]])
        elif unit.point in (LOST, CUT):
            cost = -2200 if unit.point == LOST else -1200
        elif unit.size == 4:
            cost = -1400
        else:
            cost = _any_score(unit.point, before, model, repeats=True)
        before = unit.point if data[unit.at] >= 0x80 else 0
        costs.append(cost)
    return _by_line(data, units, costs, model)


def utf16_score(data: bytes, model: Model, *, big_endian: bool) -> int:
    """Give the score of UTF-16."""
    pairs = [data[at : at + 2] for at in range(0, len(data) - 1, 2)]
    points = [int.from_bytes(pair, "big" if big_endian else "little") for pair in pairs]
    score, before, at = -3600 * (len(data) % 2) // 3, 0, 0
    while at < len(points):
        point, following = points[at], points[at + 1] if at + 1 < len(points) else 0
        at += 1
        if point < 0x80:
            score += int(model.ascii_logs[point])
        elif 0xD800 <= point < 0xDC00 <= following < 0xE000:
            score -= 1600
            at += 1
        elif point < 0xA0 or 0xD800 <= point < 0xE000 or point >= 0xFFFE:
            score -= 2400
        else:
            score += _any_score(point, before, model, repeats=False)
        before = point
    return score


def _any_score(point: int, before: int, model: Model, *, repeats: bool) -> int:
    if repeats and point == before:
        return -250
    log = int(model.character_logs[ANY][min(point, BEYOND)])
    return log + (_gain(before, point, model) if _han(before) and _han(point) and point != before else 0)


def page_scores(data: bytes, model: Model) -> dict[int, int]:
    """Give the best score of each single-byte page over its languages, by the number of its codec."""
    base = sum(int(model.ascii_logs[byte]) for byte in data if byte < 0x80)
    spoken = _language_scores(data, model)
    best: dict[int, int] = {}
    for guess, (page, language, prior) in enumerate(model.page_guesses.tolist()):
        places = [_place(data, at, guess, model) for at, byte in enumerate(data) if byte >= 0x80]
        score = base + sum(places) + spoken[language] + prior
        best[FIRST_PAGE + page] = max(score, best.get(FIRST_PAGE + page, score))
    return best


def _language_scores(data: bytes, model: Model) -> list[int]:
    near = [at for at in range(len(data) - 1) if data[at] < 0x80 and _near_high(data, at)]
    pairs = [(_number(data[at]), _number(data[at + 1])) for at in near if data[at + 1] < 0x80]
    told = [pair for pair in pairs if any(pair)][:512]
    sums = [sum(int(table[pair]) for pair in told) for table in model.latin_pairs]
    top = max(total for total, latin in zip(sums, model.latin, strict=True) if latin)
    return [total - top if latin else -max(0, min(top, 300)) for total, latin in zip(sums, model.latin, strict=True)]


def _near_high(data: bytes, at: int) -> bool:
    """Say whether a byte beyond ASCII is at most 16 bytes away; forward only up to the next tag."""
    if any(byte >= 0x80 for byte in data[max(0, at - 16) : at]):
        return True
    ahead = data[at + 1 : at + 17]
    tags = [place for place, byte in enumerate(ahead) if byte in b"<>"]
    return any(byte >= 0x80 for byte in ahead[: tags[0] if tags else None])


def _place(data: bytes, at: int, guess: int, model: Model) -> int:
    """Give the score of one byte beyond ASCII in a page and language."""
    padded = b"\n\n" + data + b"\n"
    twice, before, byte, behind = padded[at : at + 4]
    kinds, symbols, language = model.kinds[guess], model.symbols[guess], int(model.page_guesses[guess, LANGUAGE])
    kind = int(kinds[byte])
    if not _in_word(kind):
        score = int(model.byte_logs[guess, byte])
        if kind == SIGN and _in_word(int(kinds[behind])):
            score -= 300 if _in_word(int(kinds[before])) else 200
        return score
    first, second, third = int(symbols[before]), int(symbols[byte]), int(symbols[behind])
    pairs = model.letter_pairs[language]
    if second == 1:
        score = int(model.byte_logs[guess, byte])
    else:
        score = int(pairs[first, second])
        if behind < 0x80 or third == 0:
            score += int(pairs[second, third]) + (370 if third else 160)
    latin = bool(model.latin[language])
    score += _in_its_word(int(kinds[twice]), int(kinds[before]), kind, int(kinds[behind]), latin=latin)
    score += 100 if kind == UPPER and before in b'\n"(;>' else 0
    return score - (400 if not latin and (_letter(before) or _letter(behind)) else 0)


def _in_its_word(twice: int, before: int, kind: int, behind: int, *, latin: bool) -> int:
    score = 0
    if kind == UPPER:
        score -= {LOWER: 400, UPPER: 0}.get(before, 160)
    elif kind == LOWER and before == twice == UPPER:
        score -= 300
    elif kind == FINAL and _in_word(behind) and behind != MARK:
        score -= 400
    elif kind == MARK and not _in_word(before):
        score -= 600
    if not _in_word(before) and not _in_word(behind):
        score -= 150 if latin else 100
    return score - (150 if DIGIT in (before, behind) else 0)


def strain(data: bytes, family: int, model: Model) -> int:
    """Give how unlikely the oddest passage within a line of double-byte text is."""
    level = worst = last = 0
    for unit in double_byte_units(data, family, model):
        if data[unit.at] < 0x80:
            level = 0 if data[unit.at] == 10 else level
            continue
        entry = int(model.codes[family, int.from_bytes(data[unit.at : unit.at + 2], "big")]) if unit.size == 2 else 0
        if unit.point in (LOST, CUT):
            level += 1500
        elif entry and unit.point != last:
            level = max(0, level + (entry >> 24) * 24 - 950)
        last = last if unit.point in (LOST, CUT) else unit.point
        worst = max(worst, level)
    return worst


def vendor_codes(data: bytes, model: Model) -> int:
    """Count the codes of Big5 whose meaning depends on the vendor."""
    units = [unit for unit in double_byte_units(data, BIG5, model) if unit.size == 2 and unit.point]
    return sum(CP950_FIRST <= int.from_bytes(data[unit.at : unit.at + 2], "big") <= CP950_LAST for unit in units)


def _gain(before: int, point: int, model: Model) -> int:
    entry = int(model.pairs[pair_slot(before, point)])
    same = entry & 0xFF and entry >> 8 == pair_tag(before, point)
    return (entry & 0xFF) * GAIN_STEP if same else -90


def _katakana(data: bytes, at: int) -> int:
    around = data[max(0, at - 1) : at], data[at + 1 : at + 2]
    before, behind = (len(byte) == 1 and 0xA1 <= byte[0] <= 0xDF for byte in around)
    return -520 if before else -900 if behind else -1250


def _beside(byte: int) -> int:
    return -250 if _letter(byte) else -100 if 0x30 <= byte <= 0x39 else 0


def _letter(byte: int) -> bool:
    return byte < 0x80 and chr(byte).isalpha()


def _number(byte: int) -> int:
    return (byte | 0x20) - 0x61 + 2 if _letter(byte) else 0


def _in_word(kind: int) -> bool:
    return LOWER <= kind <= MARK


def _han(point: int) -> bool:
    return 0x3400 <= point < 0xA000


def _chinese(point: int) -> bool:
    return point >= 0x2E80 or point == CUT
