"""JSON records: one object a line, or a file that is one object or one array of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import text_buffers
from headrace.stages.kernels.json_array import array_elements, long_numbers
from headrace.stages.parsing.fields import TextField, add_object
from headrace.stages.parsing.json_values import LONG_DIGITS, MAX_DEPTH, InvalidJsonError, holds_long_number, parsed
from headrace.stages.parsing.outcomes import Outcomes
from headrace.stages.reading.columns import strings

_SPACE = b" \t\n\r"
_BOM_BYTES = {"utf-8": 3, "utf-16-le": 2, "utf-16-be": 2, "utf-32-le": 4, "utf-32-be": 4}


def parse_lines(records: pa.Table, text_field: str) -> pa.Table:
    """Make a document of each line that holds a JSON object with a text."""
    outcomes, chosen = Outcomes(records), TextField.of(text_field)
    exact = long_numbers(*text_buffers(records["text"]), LONG_DIGITS)
    lines = [line or b"" for line in records["text"].cast(pa.large_binary()).to_pylist()]
    for row, line in enumerate(lines):
        try:
            value = parsed(line, exact=bool(exact[row]))
        except InvalidJsonError as error:
            outcomes.refuse(row, "invalid_json", str(error), line)
            continue
        add_object(outcomes, row, value, chosen, line)
    return outcomes.table()


def parse_files(records: pa.Table, text_field: str) -> pa.Table:
    """Make a document of each object of a JSON file; elements of an array are named by where they begin."""
    outcomes, chosen = Outcomes(records), TextField.of(text_field)
    columns = (strings(records[name]) for name in ("text", "encoding", "encoding_method"))
    for row, (text, encoding, method) in enumerate(zip(*columns, strict=True)):
        data = text.encode()
        skipped = _BOM_BYTES.get(encoding, 0) if method == "bom" else 0
        if not text or text.isspace():
            outcomes.refuse(row, "empty", None, None)
        elif data.lstrip(_SPACE).startswith(b"["):
            _add_elements(outcomes, _File(row, data, encoding, skipped), chosen)
        else:
            _add_value(outcomes, row, data, chosen)
    return outcomes.table()


@dataclass(frozen=True, slots=True)
class _File:
    row: int
    data: bytes
    encoding: str
    skipped: int  # bytes of its byte order mark

    def grown(self, begin: int, end: int) -> int:
        """Give how many bytes a stretch of the UTF-8 text takes in the file."""
        if self.encoding == "utf-8":
            return end - begin
        return len(self.data[begin:end].decode().encode(self.encoding, "replace"))


def _add_value(
    outcomes: Outcomes, row: int, data: bytes, text_field: TextField, offset: int = 0, feeds: int = 0
) -> bool:
    try:
        value = parsed(data, exact=holds_long_number(data))
    except InvalidJsonError as error:
        outcomes.refuse(row, "invalid_json", str(error), data, offset, feeds)
        return False
    add_object(outcomes, row, value, text_field, data, offset, feeds)
    return True


def _add_elements(outcomes: Outcomes, file: _File, text_field: TextField) -> None:
    """Take an array element by element: a broken one costs only itself, unless it hides where the next begins."""
    begins, ends, depths, closed = array_elements(np.frombuffer(file.data, np.uint8))
    at, offset, feeds, good = 0, file.skipped, 0, True
    for begin, end, deep in zip(begins.tolist(), ends.tolist(), depths.tolist(), strict=True):
        element = file.data[begin:end].lstrip(_SPACE)
        offset += file.grown(at, end - len(element))
        feeds += file.data.count(b"\n", at, end - len(element))
        at = end - len(element)
        element = element.rstrip(_SPACE)
        if not element:
            reason = "empty" if len(begins) == 1 and closed > 0 else "invalid_json"
            outcomes.refuse(file.row, reason, "no element", None, offset, feeds)
            good = False
        elif deep > MAX_DEPTH:
            detail = f"nested more than {MAX_DEPTH} levels deep"
            outcomes.refuse(file.row, "invalid_json", detail, element, offset, feeds)
            good = False
        else:
            good = _add_value(outcomes, file.row, element, text_field, offset, feeds)
    _check_end(outcomes, file, closed, offset, told=not good)


def _check_end(outcomes: Outcomes, file: _File, closed: int, offset: int, *, told: bool) -> None:
    """Report an array that is not closed (unless its last element told already) or that something follows."""
    if closed < 0:
        if not told:
            outcomes.refuse(file.row, "invalid_json", "the array is not closed", None, offset)
        return
    rest = file.data[closed:].lstrip(_SPACE)
    if rest:
        feeds = file.data.count(b"\n", 0, len(file.data) - len(rest))
        place = file.skipped + file.grown(0, len(file.data) - len(rest))
        outcomes.refuse(file.row, "invalid_json", "something follows the array", rest, place, feeds)
