"""Writing files that may be cut off at any moment: temporary name, fsync, rename, fsync of the folder, in this order.

A name that a manifest may hold always belongs to content that is durable already. So a writer that was given up but
still runs can at worst replace such a file by the same durable bytes.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from headrace.schemas.durable import sync_file, sync_folder, temporary_beside
from headrace.schemas.errors import HeadraceError
from headrace.schemas.unit import FileRef

_SYNC_THREADS = 8  # fsyncs of many small files overlap: storage answers them together

_AGAIN = "start the same command again: the run goes on after its last commit"
_WRITABLE = "make the folder writable for this user, or choose another run folder"
_REMEDIES = {
    errno.ENOSPC: f"free space on this disk, then {_AGAIN}",
    errno.EDQUOT: f"free space or raise the quota, then {_AGAIN}",
    errno.EFBIG: f"raise the limit on the size of files (ulimit -f), then {_AGAIN}",
    errno.EACCES: _WRITABLE,
    errno.EPERM: _WRITABLE,
    errno.EROFS: "the file system is read-only: choose another run folder",
    errno.ENOENT: "the run folder was removed while the run was writing: start with --fresh",
}


@dataclass(frozen=True, slots=True)
class Staged:
    """A whole file under a temporary name, and the reference it will have."""

    temporary: Path
    ref: FileRef


@contextmanager
def writing(final: Path) -> Iterator[Path]:
    """Give a temporary name beside `final`; on failure the file is removed and a storage error names its cause."""
    temporary = temporary_beside(final)
    try:
        yield temporary
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise storage_error(final, error) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def storage_error(path: Path, error: OSError) -> HeadraceError:
    """Say which file could not be written, why, and what to do."""
    return HeadraceError(
        "cannot write",
        where=str(path),
        why=os.strerror(error.errno) if error.errno else str(error),  # Arrow puts its own source lines into strerror
        remedy=_REMEDIES.get(error.errno or 0, f"check the disk, then {_AGAIN}"),
    )


def make_folders(run: Path, names: Sequence[str]) -> None:
    """Create the run's folders. What is unfinished in them may be another writer's: the driver clears that away."""
    for name in names:
        folder = run / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise storage_error(folder, error) from error
    sync_folder(run)


def stage_bytes(run: Path, folder: str, stem: str, suffix: str, data: bytes | memoryview) -> Staged:
    """Write a file under a temporary name; its reference carries the content's hash in the name."""
    digest = hashlib.sha256(data).hexdigest()
    ref = FileRef(f"{folder}/{stem}-{digest[:12]}{suffix}", digest, len(data))
    with writing(run / ref.name) as temporary:
        temporary.write_bytes(data)
    return Staged(temporary, ref)


def commit_staged(run: Path, files: Sequence[Staged]) -> None:
    """Make staged files durable and give them their final names."""
    if not files:
        return
    try:
        with ThreadPoolExecutor(_SYNC_THREADS) as pool:
            list(pool.map(sync_file, [f.temporary for f in files]))
        for file in files:
            file.temporary.replace(run / file.ref.name)
        for folder in sorted({str(Path(f.ref.name).parent) for f in files}):
            sync_folder(run / folder)
    except OSError as error:
        discard(files)
        raise storage_error(Path(error.filename or run), error) from error


def discard(files: Sequence[Staged]) -> None:
    """Remove files that were staged and will not be committed."""
    for file in files:
        file.temporary.unlink(missing_ok=True)
