"""The manifest as its one writer sees it: accept what is whole, append, sync, publish."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from headrace.schemas.durable import canonical_json, replace_file, sync_folder
from headrace.schemas.errors import FormatError
from headrace.schemas.failpoints import reach
from headrace.schemas.manifest import (
    MANIFEST,
    MANIFEST_VERSION,
    PUBLISHED,
    ManifestLine,
    iterate_manifest,
    read_published,
)
from headrace.schemas.unit import FileRef


class ManifestLog:
    """Opens a run's manifest for appending. Only the driver, under the run's lock, has one."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._file = os.open(run / MANIFEST, os.O_RDWR | os.O_CREAT, 0o644)
        self.last: ManifestLine | None = None
        self.count = self.shards = 0
        self.index_runs: list[
            FileRef
        ] = []  # what ordered stages need again; all else is read back when it is asked for
        self._accept()

    def _accept(self) -> None:
        """Read the whole lines, cut a torn tail off, make the rest durable, and publish it."""
        published, size = read_published(self._run), 0
        with (self._run / MANIFEST).open("rb") as f:
            while (raw := f.readline()).endswith(b"\n"):
                try:
                    self._take(ManifestLine.decode(raw[:-1], self.count))
                except FormatError:
                    if self.count < published or b"\n" in f.read():
                        raise
                    break  # the last line, not published: a power loss may have torn it, even in its middle
                size += len(raw)
        if self.count < published:
            why = f"{published} lines were published, {self.count} are there"
            raise FormatError(
                "the manifest lost lines", where=MANIFEST, why=why, remedy="restore it, or start again with --fresh"
            )
        os.ftruncate(self._file, size)
        os.fsync(self._file)
        sync_folder(self._run)
        self._publish()

    def _take(self, line: ManifestLine) -> None:
        self.last = line
        self.count += 1
        self.shards += line.shard is not None
        self.index_runs += line.index_runs

    def lines(self) -> Iterator[ManifestLine]:
        """Go through all committed lines."""
        return iterate_manifest(self._run)

    @property
    def ended(self) -> bool:
        """The last line is the `end` line: the run is complete."""
        return self.last is not None and self.last.end

    def append(self, line: ManifestLine) -> None:
        """Commit one line: it counts once its fsync has returned, and only then readers are told."""
        data = line.encode()
        size = os.fstat(self._file).st_size
        if os.pwrite(self._file, data, size) != len(data):
            os.ftruncate(self._file, size)
            raise OSError(errno.ENOSPC, "the line was written only in part", MANIFEST)
        reach("manifest.appended")
        os.fsync(self._file)
        reach("manifest.synced")
        self._take(line)
        self._publish()
        reach("manifest.published")

    def _publish(self) -> None:
        replace_file(self._run / PUBLISHED, canonical_json({"version": MANIFEST_VERSION, "lines": self.count}))

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
