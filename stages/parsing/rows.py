"""CSV records: a header row and one row behind it, whatever the delimiter."""

from __future__ import annotations

import csv
import io
import sys
from dataclasses import dataclass

import pyarrow as pa

from headrace.stages.parsing.fields import TextField, add_object
from headrace.stages.parsing.outcomes import Outcomes
from headrace.stages.reading.formats import TAB_ENDINGS, ending

_DELIMITERS, _QUOTE = ",;\t|", '"'


def parse_rows(records: pa.Table, text_field: str) -> pa.Table:
    """Make a document of each row; the header says which field is the text."""
    csv.field_size_limit(sys.maxsize)  # the module's own limit of 128 KiB is per process; ours is max_record_bytes
    outcomes, chosen = Outcomes(records), TextField.of(text_field)
    columns = (records[name].to_pylist() for name in ("text", "path", "member", "encoding"))
    for row, (text, path, member, encoding) in enumerate(zip(*columns, strict=True)):
        record = _Record(text, encoding, quoted=ending(member or path) not in TAB_ENDINGS)
        try:
            add_object(outcomes, row, record.fields(), chosen, text.encode())
        except (csv.Error, ValueError) as error:
            if not _add_lines(outcomes, row, record, chosen):
                outcomes.refuse(row, "invalid_csv", str(error), text.encode())
    return outcomes.table()


@dataclass(frozen=True, slots=True)
class _Record:
    """The header and what was taken for one row."""

    text: str
    encoding: str
    quoted: bool

    def rows(self, text: str) -> list[list[str]]:
        """Take rows apart, strictly."""
        header = self.text[: self.text.find("\n")]
        reader = csv.reader(
            io.StringIO(text, newline=""),
            delimiter=max(_DELIMITERS, key=header.count),  # a comma where none divides the header
            quoting=csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE,
            strict=True,
        )
        return [row for row in reader if row]

    def fields(self) -> dict[str, str]:
        """Give the fields of the second row by the names in the first."""
        rows = self.rows(self.text)
        if len(rows) != 2:
            raise ValueError(f"quotes that do not pair run over {len(rows) - 1} rows")
        if self.quoted and self.text.count(_QUOTE) % 2:
            raise ValueError("a quote that nothing closes")
        return _named(*rows)

    def lines(self) -> tuple[list[str], list[str]]:
        """Give the names in the header and the lines behind it; without names where the header is in several lines."""
        first, *lines = self.text.splitlines(keepends=True)
        try:
            return next(iter(self.rows(first)), []), lines
        except csv.Error:
            return [], lines


def _named(names: list[str], values: list[str]) -> dict[str, str]:
    if len(values) != len(names):
        raise ValueError(f"{len(values)} field{'s' * (len(values) != 1)} where the header has {len(names)}")
    return dict(zip(names, values, strict=True))


def _add_lines(outcomes: Outcomes, row: int, record: _Record, text_field: TextField) -> bool:
    """Take several lines one by one, where a quote in the first one that nothing closes made one record of them.

    Only if the quotes pair in every line but the first: else lines may belong together, and none of them is believed.
    """
    names, lines = record.lines()
    if len(names) < 2 or len(lines) < 2 or any(line.count(_QUOTE) % 2 for line in lines[1:]):
        return False
    offset = 0
    for feeds, line in enumerate(lines):
        try:
            if feeds == 0:
                raise ValueError("a quote that nothing closes")
            for values in record.rows(line):
                add_object(outcomes, row, _named(names, values), text_field, line.encode(), offset, feeds)
        except (csv.Error, ValueError) as error:
            outcomes.refuse(row, "invalid_csv", str(error), line.encode(), offset, feeds)
        offset += len(line.encode(record.encoding, "replace"))
    return True
