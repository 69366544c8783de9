"""Read files as a run does, without a run: every document, and every fault, in the order of the input.

What `headrace read` prints is what a run with the default options would have: the same reader, the same stages, the
same units, which are what a charset is judged by.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from headrace.pipeline.config import EngineConfig
from headrace.pipeline.listing import resolve_source
from headrace.schemas.document import DROPPED, QUARANTINED
from headrace.schemas.errors import ConfigError, HeadraceError
from headrace.schemas.source import Cursor, InputFile, Source, Split
from headrace.schemas.unit import UnitBatch
from headrace.stages.apply import apply
from headrace.stages.base import Stage
from headrace.stages.read import Part, Reader
from headrace.stages.reading.file_names import on_disk, typeable, typed
from headrace.stages.reading.location import is_uri, parse_location
from headrace.stages.reading.part import Draft, Fault

Row = dict[str, Any]  # the columns of a document by name; `verdict` is there where a stage took it out

_UNIT_BYTES: int = EngineConfig().unit_bytes


def stage(kind: str, **options: object) -> Stage:
    """Make a built-in stage without importing all the others; `headrace run` knows every one, which takes a second."""
    importlib.import_module(f"headrace.stages.{kind}")
    return Stage.registry[kind].model_validate({"kind": kind, **options})


def read_rows(argument: str, source: Source, stages: Sequence[Stage]) -> Iterator[Row]:
    """Give the documents of a file, a folder or a glob, and the rows that stages took out, unit by unit.

    A file or folder that cannot be read, or was changed while it was, costs a row with the reason. `path` is as a
    person here would write it.
    """
    root, files, refused = _listed(argument, source)
    yield from refused
    split = Split(0, source.name, str(root), tuple(files))
    order = {f.path: number for number, f in enumerate(files)}
    for part in _parts(split, source):
        for row in _in_order(_through(part, stages), order):
            yield {**row, "path": _path_here(argument, str(root), row["path"])}


def _listed(argument: str, source: Source) -> tuple[str, list[InputFile], list[Row]]:
    """Find the files of an argument; what cannot be listed costs a row, not the files beside it."""
    refused: list[Row] = []

    def refuse(reason: str, detail: str) -> None:
        refused.append(
            {"path": typeable(typed(argument)), "offset": 0, "verdict": QUARANTINED, "reason": reason, "detail": detail}
        )

    def refuse_one(error: ConfigError) -> None:
        refuse("unreadable_file", f"{error.what}: {error.where}: {error.why}")

    try:
        named = source.model_copy(update={"paths": (argument,)})
        return *resolve_source(named, Path(), refuse=refuse_one), refused
    except HeadraceError as error:
        refuse("no_input", f"{error.what}: {error.why}")
        return "", [], refused


def _parts(split: Split, source: Source) -> Iterator[Part]:
    """Read a split to its end; a file that is not the listed one any more becomes a fault."""
    reader, cursor = Reader(), Cursor(0)
    try:
        while cursor.file < len(split.files):
            part, following = _part(reader, split, source, cursor)
            yield part
            cursor = following
    finally:
        reader.close()


def _part(reader: Reader, split: Split, source: Source, cursor: Cursor) -> tuple[Part, Cursor]:
    beyond = Cursor(0, cursor.part + 1, len(split.files))
    try:
        part = reader.read_part(split, source, cursor, _UNIT_BYTES)
    except HeadraceError as error:
        if cursor.file + 1 < len(split.files):  # the fault may be of a later file: this one alone first
            alone = replace(split, files=split.files[: cursor.file + 1])
            return _part(reader, alone, source, cursor)
        detail = f"{error.what}: {error.why}"
        fault = Fault(split.files[cursor.file].path, cursor.offset, "unreadable_file", detail)
        return Draft(source, faults=[fault]).finished(None), beyond
    return part, part.next or beyond


def _through(part: Part, stages: Sequence[Stage]) -> list[Row]:
    batch = UnitBatch(0, part.documents, (part.faults,) if part.faults.num_rows else ())
    for one in stages:
        batch = apply(one.kind, one, batch)
    return [*_empty_files(part), *(row for table in (batch.documents, *batch.settled) for row in table.to_pylist())]


def _empty_files(part: Part) -> Iterator[Row]:
    """Give a row for each file without content, of which nothing else would be said."""
    for f in part.files:
        if f.note == "empty":
            path = f.path.partition(":")[2]
            yield {"doc_id": f"{f.path}#0", "path": path, "offset": 0, "verdict": DROPPED, "reason": f.note}


def _in_order(rows: list[Row], order: dict[str, int]) -> list[Row]:
    """Give the rows by file, by content (members of an archive come one after the other), by offset."""
    contents = {row["doc_id"].rpartition("#")[0]: None for row in rows}
    rank = {content: number for number, content in enumerate(contents)}
    return sorted(rows, key=lambda r: (order[r["path"]], rank[r["doc_id"].rpartition("#")[0]], r["offset"]))


def _path_here(argument: str, root: str, path: str) -> str:
    """Write a path as a person here would: from the current folder where the argument was, else in full."""
    if is_uri(argument):
        return str(parse_location(root).below(path))
    whole = Path(on_disk(root), on_disk(path))
    return typeable(str(whole) if Path(argument).is_absolute() else os.path.relpath(whole))
