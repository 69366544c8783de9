"""The report of a run: `report.json` for programs, `report.html` with pictures for people."""

from __future__ import annotations

import json
from pathlib import Path

from headrace.pipeline.json_numbers import finite
from headrace.pipeline.report_data import report_data
from headrace.pipeline.report_documents import Row
from headrace.pipeline.report_html import page
from headrace.schemas.durable import replace_file
from headrace.stages.writing.files import storage_error

REPORT_JSON, REPORT_HTML = "report.json", "report.html"


def write_report(run: Path) -> Row:
    """Write both files from what is committed, and give the content; works at any time, also for a killed run."""
    report: Row = finite(report_data(run))
    try:
        _save(run, report)
    except OSError as error:
        raise storage_error(run / REPORT_HTML, error) from error
    return report


def _save(run: Path, report: Row) -> None:
    replace_file(run / REPORT_JSON, json.dumps(report, ensure_ascii=False, indent=1, allow_nan=False).encode() + b"\n")
    replace_file(run / REPORT_HTML, page(report).encode())
