"""A model's arrays in a file of their own, which processes map: the pages are in memory once, and no start builds them.

The file: a line of JSON that says the version, the model and where each array lies, with the hash of that and of the
arrays; zeros up to a multiple of 64; and the arrays, each from a multiple of 64 on. Whatever is wrong with it, it is
built again.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from pathlib import Path
from typing import Final

import numpy as np

from headrace.schemas.durable import canonical_json, replace_file
from headrace.tokenizers.kernels.piece_tables import PieceTables
from headrace.tokenizers.model_file import ModelFile
from headrace.tokenizers.table_building import build_tables

VERSION: Final = 1  # raised when an array's meaning or the way of building it changes
_ALIGNED: Final = 64
_VIEWS: Final = {"node_scores"}  # the memory of another array


def tables_of(model: ModelFile, folder: Path | None) -> PieceTables:
    """Give a model's arrays, read-only: mapped from the folder, where they are put if they are not there yet.

    Without a folder, or where it cannot be written to, they are in this process alone.
    """
    if folder is None:
        return _built(model)
    path = folder / f"pieces-{model.sha256[:12]}-{VERSION}.tables"
    try:
        return _mapped(path, model.sha256)
    except (OSError, ValueError):
        tables = _built(model)
    try:
        replace_file(path, _packed(tables, model.sha256))
        return _mapped(path, model.sha256)
    except OSError:
        return tables


def _built(model: ModelFile) -> PieceTables:
    tables = build_tables(model)
    for array in tables:
        array.flags.writeable = False  # as mapped ones are: to numba these are types of their own
    return tables


def _packed(tables: PieceTables, model: str) -> bytes:
    """Give the bytes of the file."""
    body = bytearray()
    places: dict[str, tuple[str, list[int], int]] = {}
    for name, array in tables._asdict().items():
        if name not in _VIEWS:
            body += bytes(-len(body) % _ALIGNED)
            places[name] = array.dtype.str, list(array.shape), len(body)
            body += array.tobytes()
    said = canonical_json({"version": VERSION, "model": model, "arrays": places})
    head = canonical_json({"said": said.decode(), "sha256": _digest(said, body)}) + b"\n"
    return head + bytes(-len(head) % _ALIGNED) + body


def _mapped(path: Path, model: str) -> PieceTables:
    """Map a file's arrays; ValueError where it is not whole."""
    with path.open("rb") as file:
        head = file.readline()
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    outer = json.loads(head)
    body = memoryview(data)[len(head) + -len(head) % _ALIGNED :]
    if not isinstance(outer, dict) or outer.get("sha256") != _digest(str(outer.get("said")).encode(), body):
        raise ValueError("the tables were cut short or changed")
    said = json.loads(outer["said"])
    if (said["version"], said["model"]) != (VERSION, model):
        raise ValueError("the tables are those of another version or model")
    arrays = {}
    for name, (kind, shape, begin) in said["arrays"].items():
        flat = np.frombuffer(body, kind, int(np.prod(shape)), begin)
        arrays[name] = flat.reshape(shape)
    arrays["node_scores"] = arrays["nodes"].view(np.float32)
    return PieceTables._make(arrays[name] for name in PieceTables._fields)


def _digest(said: bytes, body: bytearray | memoryview) -> str:
    digest = hashlib.sha256(said)
    digest.update(body)
    return digest.hexdigest()
