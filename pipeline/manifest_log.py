"""The manifest as its one writer sees it: accept what is whole, append, sync, publish."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from headrace.schemas.durable import canonical_json, replace_file, sync_folder
from headrace.schemas.errors import FormatError
from headrace.schemas.failpoints import reach
from headrace.schemas.manifest import MANIFEST, MANIFEST_VERSION, PUBLISHED, ManifestLine, read_published


class ManifestLog:
    """Opens a run's manifest for appending. Only the driver, under the run's lock, has one."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._file = os.open(run / MANIFEST, os.O_RDWR | os.O_CREAT, 0o644)
        self.lines = self._accept()
        self.shards = sum(line.shard is not None for line in self.lines)

    def _accept(self) -> list[ManifestLine]:
        """Read the whole lines, cut a torn tail off, make the rest durable, and publish it."""
        raw = os.pread(self._file, os.fstat(self._file).st_size, 0)
        published = read_published(self._run)
        *complete, _ = raw.split(b"\n")
        lines = [ManifestLine.decode(line, number) for number, line in enumerate(complete[:published])]
        lines += _unpublished(complete, published)
        if len(lines) < published:
            why = f"{published} lines were published, {len(lines)} are there"
            raise FormatError(
                "the manifest lost lines", where=MANIFEST, why=why, remedy="restore it, or start again with --fresh"
            )
        os.ftruncate(self._file, sum(len(line) + 1 for line in complete[: len(lines)]))
        os.fsync(self._file)
        sync_folder(self._run)
        self._publish(len(lines))
        return lines

    @property
    def ended(self) -> bool:
        """The last line is the `end` line: the run is complete."""
        return bool(self.lines) and self.lines[-1].end

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
        self.lines.append(line)
        self.shards += line.shard is not None
        self._publish(len(self.lines))
        reach("manifest.published")

    def _publish(self, lines: int) -> None:
        replace_file(self._run / PUBLISHED, canonical_json({"version": MANIFEST_VERSION, "lines": lines}))

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def _unpublished(complete: list[bytes], published: int) -> list[ManifestLine]:
    """Give the whole lines behind the published ones; a power loss may have torn the last, even in its middle."""
    lines: list[ManifestLine] = []
    for number in range(published, len(complete)):
        try:
            lines.append(ManifestLine.decode(complete[number], number))
        except FormatError:
            if number + 1 < len(complete):
                raise
    return lines
