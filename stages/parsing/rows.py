"""CSV records: a header row and one row behind it, whatever the delimiter."""

from __future__ import annotations

import csv
import io
import sys

import pyarrow as pa

from headrace.stages.parsing.fields import TextField, add_object
from headrace.stages.parsing.outcomes import Outcomes
from headrace.stages.reading.formats import TAB_ENDINGS, ending

_DELIMITERS = ",;\t|"


def parse_rows(records: pa.Table, text_field: str) -> pa.Table:
    """Make a document of each row; the header says which field is the text."""
    csv.field_size_limit(sys.maxsize)  # the module's own limit of 128 KiB is per process; ours is max_record_bytes
    outcomes, chosen = Outcomes(records), TextField.of(text_field)
    columns = (records[name].to_pylist() for name in ("text", "path", "member"))
    for row, (text, path, member) in enumerate(zip(*columns, strict=True)):
        try:
            fields = _fields(text, quoted=ending(member or path) not in TAB_ENDINGS)
        except (csv.Error, ValueError) as error:
            outcomes.refuse(row, "invalid_csv", str(error), text.encode())
            continue
        add_object(outcomes, row, fields, chosen, text.encode())
    return outcomes.table()


def _fields(text: str, *, quoted: bool) -> dict[str, str]:
    """Give the fields of the second row by the names in the first."""
    delimiter = _delimiter(text)
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        strict=True,
    )
    rows = [row for row in reader if row]
    if len(rows) != 2:
        raise ValueError(f"quotes that do not pair run over {len(rows) - 1} rows")
    names, values = rows
    if len(values) != len(names):
        raise ValueError(f"{len(values)} fields where the header has {len(names)}")
    return dict(zip(names, values, strict=True))


def _delimiter(text: str) -> str:
    """Give the sign that divides the header; a comma where none does."""
    header = text[: text.find("\n")]
    return max(_DELIMITERS, key=header.count)
