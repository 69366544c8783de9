"""The folder an export is written to: it appears under its name when all is there, or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from headrace.schemas.durable import sha256_file, sync_file, sync_folder, temporary_beside
from headrace.schemas.errors import ConfigError, HeadraceError
from headrace.schemas.unit import FileRef

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/")  # s3://..., in which a path has lost a slash
Content = bytes | npt.NDArray[np.uint8]


class HashedFile:
    """A file that is written from its beginning to its end, and hashed on the way."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.bytes = 0

    def write(self, content: Content) -> None:
        """Append bytes."""
        view = content if isinstance(content, bytes) else content.data
        self._file.write(view)
        self._digest.update(view)
        self.bytes += len(view)

    @property
    def sha256(self) -> str:
        """SHA-256 of what was written so far, in hex."""
        return self._digest.hexdigest()


class OutFolder:
    """The files of an export, under a temporary name beside the folder that they will be in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files: list[FileRef] = []

    @contextmanager
    def file(self, name: str) -> Iterator[HashedFile]:
        """Open a new file; it is durable, and in `files`, at the end of the block."""
        with (self.path / name).open("wb") as f:
            hashed = HashedFile(f)
            yield hashed
            f.flush()
            os.fsync(f.fileno())
        self.files.append(FileRef(name, hashed.sha256, hashed.bytes))

    def write(self, name: str, *contents: Content) -> FileRef:
        """Write a whole file from its parts."""
        with self.file(name) as f:
            for content in contents:
                f.write(content)
        return self.files[-1]

    def adopt(self, name: str) -> FileRef:
        """Take in a file that a library wrote here."""
        path = self.path / name
        sync_file(path)
        self.files.append(FileRef(name, sha256_file(path), path.stat().st_size))
        return self.files[-1]

    def copy(self, source: Path, name: str) -> FileRef:
        """Write a copy of a file."""
        return self.write(name, source.read_bytes())


@contextmanager
def out_folder(final: Path) -> Iterator[OutFolder]:
    """Give a folder that gets its final name at the end of the block; on failure nothing is left of it."""
    _check_free(final)
    temporary = temporary_beside(final)
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        temporary.mkdir()
        yield OutFolder(temporary)
        _publish(temporary, final)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        remedy = "free space or choose another folder, then export again: nothing of this export is left"
        raise HeadraceError("cannot write", where=str(error.filename or final), why=why, remedy=remedy) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _publish(temporary: Path, final: Path) -> None:
    """Make the folder durable and give it its name; an empty folder of that name is replaced."""
    sync_folder(temporary)
    try:
        temporary.replace(final)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):  # somebody was faster
            _check_free(final)
        raise
    sync_folder(final.parent)


def _check_free(final: Path) -> None:
    if _ADDRESS.match(str(final)):
        remedy = "export to a folder of this machine, and copy it"
        raise ConfigError("exports are written to folders, not to object stores", where=str(final), remedy=remedy)
    if final.is_symlink() or (final.exists() and not final.is_dir()):
        raise ConfigError("this is no folder", where=str(final), remedy="name another one by --out")
    if final.is_dir() and any(final.iterdir()):
        remedy = "remove it, or name another folder by --out: exports never mix with what is there"
        raise ConfigError("the folder is not empty", where=str(final), remedy=remedy)
