"""JSON records: one object a line, or a file that is one object or one array of them."""

from __future__ import annotations

import json
import re

import pyarrow as pa
import pyarrow.compute as pc

from headrace.stages.parsing.fields import TextField, add_object
from headrace.stages.parsing.json_values import LONG_NUMBER, InvalidJsonError, mended_text, parsed
from headrace.stages.parsing.outcomes import Outcomes
from headrace.stages.reading.columns import strings

_SPACE = re.compile(r"[ \t\n\r]*")
_BOM_BYTES = {"utf-8": 3, "utf-16-le": 2, "utf-16-be": 2, "utf-32-le": 4, "utf-32-be": 4}


def parse_lines(records: pa.Table, text_field: str) -> pa.Table:
    """Make a document of each line that holds a JSON object with a text."""
    outcomes, chosen = Outcomes(), TextField.of(text_field)
    exact = pc.match_substring_regex(records["text"], LONG_NUMBER).to_pylist()
    places = records["offset"].to_pylist()
    for row, line in enumerate(strings(records["text"])):
        try:
            value = parsed(line, exact=bool(exact[row]))
        except InvalidJsonError as error:
            outcomes.refuse(row, "invalid_json", f"the line at byte {places[row]}: {error}", line)
            continue
        add_object(outcomes, row, value, chosen, line)
    return outcomes.table(records)


def parse_files(records: pa.Table, text_field: str) -> pa.Table:
    """Make a document of each object of a JSON file; elements of an array are named by where they begin."""
    outcomes, chosen = Outcomes(), TextField.of(text_field)
    columns = (strings(records[name]) for name in ("text", "encoding", "encoding_method"))
    for row, (text, encoding, method) in enumerate(zip(*columns, strict=True)):
        if text.isspace() or not text:
            outcomes.refuse(row, "empty", None, None)
        elif text.lstrip(" \t\n\r").startswith("["):
            _add_elements(outcomes, row, text, chosen, _Bytes(text, encoding, method))
        else:
            _add_single(outcomes, row, text, chosen)
    return outcomes.table(records)


def _add_single(outcomes: Outcomes, row: int, text: str, text_field: TextField) -> None:
    try:
        value = parsed(text, exact=re.search(LONG_NUMBER, text) is not None)
    except InvalidJsonError as error:
        outcomes.refuse(row, "invalid_json", str(error), text)
        return
    add_object(outcomes, row, value, text_field, text)


class _Bytes:
    """Counts the bytes in front of ascending places of a text, as it was encoded in its file."""

    def __init__(self, text: str, encoding: str, method: str) -> None:
        self._text, self._encoding, self._at = text, encoding, 0
        self._bytes = _BOM_BYTES.get(encoding, 0) if method == "bom" else 0

    def before(self, place: int) -> int:
        self._bytes += len(self._text[self._at : place].encode(self._encoding, "replace"))
        self._at = place
        return self._bytes


def _add_elements(outcomes: Outcomes, row: int, text: str, text_field: TextField, bytes_of: _Bytes) -> None:
    """Take an array element by element; what follows a fault is lost and said to be."""
    decoder, count = json.JSONDecoder(), 0
    place = _after_space(text, text.index("[") + 1)
    begin = place
    try:
        while text[place : place + 1] != "]" or count:
            begin = place
            value, place = decoder.raw_decode(text, place)
            add_object(outcomes, row, value, text_field, text[begin:place], bytes_of.before(begin))
            count += 1
            place, more = _after_comma(text, place)
            if not more:
                break
        _check_end(text, place)
    except (InvalidJsonError, ValueError, RecursionError) as error:
        detail = _reason(error, count)
        outcomes.refuse(row, "invalid_json", detail, mended_text(text[begin:]), bytes_of.before(begin))
        return
    if not count:
        outcomes.refuse(row, "empty", "an array without elements", None)


def _after_comma(text: str, place: int) -> tuple[int, bool]:
    place = _after_space(text, place)
    if text[place : place + 1] == ",":
        return _after_space(text, place + 1), True
    if text[place : place + 1] == "]":
        return place, False
    raise InvalidJsonError(f"neither a comma nor the end of the array at character {place}")


def _check_end(text: str, place: int) -> None:
    if _after_space(text, place + 1) != len(text):
        raise InvalidJsonError(f"something follows the array at character {place + 1}")


def _after_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _reason(error: Exception, count: int) -> str:
    if isinstance(error, RecursionError):
        said = "nested too deeply"
    elif isinstance(error, json.JSONDecodeError):
        said = f"{error.msg} at character {error.pos}"
    else:
        said = str(error)
    return f"after {count} elements: {said}"
