"""Plain text and table cells: nothing to take apart, so no row becomes a Python object."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from headrace.stages.kernels.arrays import Array
from headrace.stages.parsing.outcomes import verdicts
from headrace.stages.reading.columns import bytes_of

_RETURN = 13


def parse_texts(records: pa.Table) -> pa.Table:
    """Make a document of each record: line ends become line feeds, those at the end go, NUL goes."""
    return _documents(records, pc.utf8_rtrim(_tidy(records), characters="\n"))


def parse_cells(records: pa.Table) -> pa.Table:
    """Make a document of each cell of a table's text column; line ends become line feeds, NUL goes."""
    return _documents(records, _tidy(records))


def _tidy(records: pa.Table) -> Array:
    text: Array = records["text"].combine_chunks().fill_null("")
    code = bytes_of(text)
    if (code == 0).any():
        text = pc.replace_substring(text, "\0", "")
    if (code == _RETURN).any():
        text = pc.replace_substring(pc.replace_substring(text, "\r\n", "\n"), "\r", "\n")
    return text


def _documents(records: pa.Table, text: Array) -> pa.Table:
    lengths = pc.call_function("binary_length", [text])
    empty = pc.or_(pc.call_function("equal", [lengths, 0]), pc.utf8_is_space(text))
    place = records.column_names.index("text")
    return verdicts(records.set_column(place, "text", text), pc.if_else(empty, "empty", None).to_pylist())
