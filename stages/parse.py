"""Take records apart into documents: JSON, CSV, web pages, plain text."""

from __future__ import annotations

from typing import ClassVar, Literal

import pyarrow as pa
from pydantic import Field, field_validator

from headrace.schemas.errors import HeadraceError
from headrace.stages.base import BatchStage
from headrace.stages.parsing.extraction.engines import Engine, check_installed
from headrace.stages.parsing.html import parse_pages
from headrace.stages.parsing.jsons import parse_files, parse_lines
from headrace.stages.parsing.outcomes import verdicts
from headrace.stages.parsing.plain import parse_cells, parse_texts
from headrace.stages.parsing.rows import parse_rows
from headrace.stages.reading.columns import runs
from headrace.stages.reading.part import TEXT_FIELD


class Parse(BatchStage):
    """Give one document per text, object, row or page; what is none is named with the reason.

    Fields beside the text go into `metadata` as strict JSON, `url` into its own column; where the container says from
    where a record was fetched (WARC), that is the url, and the record's own `url` stays in `metadata`. An element of a
    JSON array is named by its own byte offset in the file. Of a web page `metadata` has the title, and as `rights` what
    it says of licences and robots, for the stage `rights`.
    """

    version: ClassVar[int] = 4
    adds_rows: ClassVar[bool] = True
    kind: Literal["parse"] = "parse"
    engine: Engine = Field(
        default="headrace",
        description="What takes the main text out of a web page: Headrace itself, or one of the libraries.",
    )

    @field_validator("engine")
    @classmethod
    def _is_installed(cls, engine: Engine) -> Engine:
        try:
            check_installed(engine)
        except HeadraceError as error:
            raise ValueError(str(error)) from error
        return engine

    def process(self, table: pa.Table) -> pa.Table:
        """Give documents instead of records."""
        pieces = [_parsed(run, self.engine) for run in runs(table, "format")]
        if not pieces:
            return verdicts(table, [])
        return pa.concat_tables(pieces)


def _parsed(run: pa.Table, engine: Engine) -> pa.Table:
    text_field = run[TEXT_FIELD][0].as_py()
    match run["format"][0].as_py():
        case "jsonl":
            return parse_lines(run, text_field)
        case "json":
            return parse_files(run, text_field)
        case "csv":
            return parse_rows(run, text_field)
        case "html":
            return parse_pages(run, engine)
        case "row":
            return parse_cells(run)
        case _:
            return parse_texts(run)
