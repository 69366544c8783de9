"""Plain text and table cells: nothing to take apart, so no row becomes a Python object."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import Array
from headrace.stages.parsing.outcomes import verdicts
from headrace.stages.parsing.tidy import blank, tidy


def parse_texts(records: pa.Table) -> pa.Table:
    """Make a document of each record: what is tidied, and line ends at its end go."""
    return _documents(records, pc.utf8_rtrim(tidy(records["text"].combine_chunks()), characters="\n"))


def parse_cells(records: pa.Table) -> pa.Table:
    """Make a document of each cell of a table's text column."""
    return _documents(records, tidy(records["text"].combine_chunks()))


def _documents(records: pa.Table, text: Array) -> pa.Table:
    place = records.column_names.index("text")
    return verdicts(records.set_column(place, "text", text), ["empty" if nothing else None for nothing in blank(text)])
