"""Atomic, durable files: what has its final name is whole, and what was synced survives a power loss."""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from pathlib import Path
from typing import Any

from headrace.schemas.unit import FileRef


def canonical_json(value: Any) -> bytes:
    """Give the one JSON spelling of a value: sorted keys, no spaces, UTF-8, no NaN."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def sha256_file(path: Path) -> str:
    """Hash a file's content without loading it, in hex."""
    with path.open("rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def temporary_beside(path: Path) -> Path:
    """Give a name in the same folder that no other process uses; readers ignore the suffix `.tmp`."""
    return path.with_name(f".{path.name}.{os.getpid()}.{uuid.uuid4().hex[:8]}.tmp")


def sync_file(path: Path) -> None:
    """Force a file's content to storage."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Force a folder's entries (created and renamed names) to storage."""
    sync_file(path)


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file atomically and durably: temporary name, fsync, rename, fsync of the folder."""
    temporary = temporary_beside(path)
    try:
        with temporary.open("wb") as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def publish(temporary: Path, run: Path, folder: str, stem: str, suffix: str) -> FileRef:
    """Give a finished temporary file its final name `folder/stem-HASH12.suffix` in the run, and its reference.

    The name carries the content's hash, so a file with a final name is never overwritten with other content. The caller
    syncs file and folder when it commits (`sync_refs`).
    """
    digest = sha256_file(temporary)
    final = run / folder / f"{stem}-{digest[:12]}{suffix}"
    size = temporary.stat().st_size
    temporary.replace(final)
    return FileRef(f"{folder}/{final.name}", digest, size)


def sync_refs(run: Path, refs: list[FileRef]) -> None:
    """Make files and their folders durable before a manifest line names them."""
    for ref in refs:
        sync_file(run / ref.name)
    for folder in sorted({str(Path(ref.name).parent) for ref in refs}):
        sync_folder(run / folder)
