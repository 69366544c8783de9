"""Tables that take a second to build, kept between processes beside those of the charset model."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import sys
import tempfile
import unicodedata
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import xxhash

from headrace.stages.decoding.model_cache import cache_folder

Tables = Mapping[str, npt.NDArray[np.generic]]


def kept_tables(name: str, build: Callable[[], Tables], modules: Sequence[str], packages: Sequence[str]) -> Tables:
    """Give the tables that `build` gives, from a file if an earlier process has kept them.

    The file's name holds what they depend on: the source of the modules that they are built by, the releases of the
    packages that they are built from, and the Unicode data. A file that is damaged or cannot be written is no error.
    """
    path = cache_folder() / f"{name}-{_fingerprint(modules, packages)}.npz"
    try:
        with np.load(path, allow_pickle=False) as file:  # its checksums are compared
            return {table: file[table] for table in file.files}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        tables = build()
    with contextlib.suppress(OSError):
        _keep(path, tables)
    return tables


def _fingerprint(modules: Sequence[str], packages: Sequence[str]) -> str:
    digest = xxhash.xxh3_64(unicodedata.unidata_version.encode())
    for module in modules:
        digest.update(Path(str(sys.modules[module].__file__)).read_bytes())
    for package in packages:
        digest.update(f"{package} {importlib.metadata.version(package)}\n".encode())
    return digest.hexdigest()


def _keep(path: Path, tables: Tables) -> None:
    """Write under a temporary name and rename, so that no other process ever reads a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, allow_pickle=False, **tables)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
