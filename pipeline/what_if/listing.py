"""The file of all documents that would fare otherwise: CSV or JSON lines, a row each."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO, TypeAlias

from headrace.pipeline.json_numbers import finite
from headrace.pipeline.what_if.tally import Changed
from headrace.schemas.errors import ConfigError

Put: TypeAlias = Callable[[Changed], None]
COLUMNS = (
    *("doc_id", "source", "change"),
    *("was_stage", "was_rule", "was_value", "was_threshold"),
    *("would_stage", "would_rule", "would_value", "would_threshold"),
    *("was_grade", "would_grade"),
)
_ENDINGS = (".csv", ".jsonl")


def flat(each: Changed) -> dict[str, str | float | None]:
    """Give the row of a document, by the columns' names."""
    was, would = each.change.was, each.change.would
    values = (
        *(each.doc_id, each.source, each.change.kind),
        *(was.stage or None, was.rule or None, each.was_value, each.was_threshold),
        *(would.stage or None, would.rule or None, each.would_value, each.would_threshold),
        *(each.grade_was, each.grade_would),
    )
    return dict(zip(COLUMNS, values, strict=True))


def check_list(path: Path | None, run: Path) -> None:
    """Refuse a file name that does not say how to write, and one in the run's folder; ConfigError."""
    if path is None:
        return
    why = remedy = ""
    if path.suffix not in _ENDINGS:
        why, remedy = "unknown ending", "end it with .csv, or with .jsonl for JSON lines"
    elif run.resolve() in path.resolve().parents:
        why, remedy = "it would be in the folder of the run, which is never written to", "name a file outside of it"
    if why:
        raise ConfigError("the list cannot be written", where=f"--list {path}", why=why, remedy=remedy)


@contextmanager
def changed_list(path: Path | None) -> Iterator[Put | None]:
    """Open the list and give what puts a document into it; None without a path. ConfigError if it cannot be written."""
    if path is None:
        yield None
        return
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            yield _csv(file) if path.suffix == ".csv" else _lines(file)
    except OSError as error:
        why = error.strerror or str(error)
        raise ConfigError(
            "the list cannot be written", where=f"--list {path}", why=why, remedy="name another"
        ) from error


def _csv(file: TextIO) -> Put:
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()

    def put(each: Changed) -> None:
        writer.writerow(flat(each))

    return put


def _lines(file: TextIO) -> Put:
    def put(each: Changed) -> None:
        row: Mapping[str, object] = finite(flat(each))
        file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")

    return put
