"""The run's tokenizer model: a file under `tokenizer/` with its hash in the name, and the record that names it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from headrace.schemas.durable import canonical_json, publish, replace_file, sha256_file, sync_file, sync_folder
from headrace.schemas.errors import FormatError
from headrace.schemas.failpoints import reach
from headrace.schemas.unit import FileRef
from headrace.stages.writing.files import make_folders, storage_error, writing

FOLDER = "tokenizer"
RECORD = f"{FOLDER}/tokenizer.json"
REPORT = f"{FOLDER}/report.json"
RECORD_VERSION = 1
_STEM, _SUFFIX = "model", ".model"


def publish_model(run: Path, model: bytes, options: dict[str, Any], report: dict[str, Any]) -> FileRef:
    """Make a model durable under `tokenizer/model-HASH12.model`, then its report, then the record that names it."""
    make_folders(run, [FOLDER])
    with writing(run / FOLDER / f"{_STEM}{_SUFFIX}") as temporary:
        temporary.write_bytes(model)
        reach("model.temporary.written")
        sync_file(temporary)
        ref = publish(temporary, run, FOLDER, _STEM, _SUFFIX)
        reach("model.renamed")
        sync_folder(run / FOLDER)
    _write_json(run / REPORT, report)
    _write_json(run / RECORD, {"version": RECORD_VERSION, "model": ref.to_json(), "options": options})
    return ref


def trained_model(run: Path) -> FileRef | None:
    """Give the model that an earlier start of this run published, if its file is still what the record says."""
    try:
        record = json.loads((run / RECORD).read_bytes())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise FormatError("not a tokenizer record", where=RECORD, why=str(error), remedy=_REMEDY) from error
    if record.get("version") != RECORD_VERSION:
        why = f"version {record.get('version')!r} is not known"
        raise FormatError("not a tokenizer record", where=RECORD, why=why, remedy=_REMEDY)
    ref = FileRef.from_json(record["model"])
    return ref if _holds(run, ref) else None


def committed_model(run: Path, ref: FileRef) -> FileRef:
    """Give the model that the manifest names; FormatError when its file is gone or altered."""
    if not _holds(run, ref):
        why = "the manifest names another content, or the file is gone"
        raise FormatError("the tokenizer model was altered", where=ref.name, why=why, remedy=_REMEDY)
    return ref


def _write_json(path: Path, value: dict[str, Any]) -> None:
    """Replace a small JSON file of the run; HeadraceError when the disk refuses."""
    try:
        replace_file(path, canonical_json(value) + b"\n")
    except OSError as error:
        raise storage_error(path, error) from error


_REMEDY = "restore the file from a copy, or start again with --fresh"


def _holds(run: Path, ref: FileRef) -> bool:
    path = run / ref.name
    return path.is_file() and path.stat().st_size == ref.bytes and sha256_file(path) == ref.sha256
