"""Follow the manifest of a run that may still grow: only published lines, each read and checked once."""

from __future__ import annotations

import hashlib
from pathlib import Path

from headrace.schemas.errors import ConfigError, FormatError
from headrace.schemas.manifest import MANIFEST, ManifestLine, ShardInfo, read_published
from headrace.schemas.shard import OF_TEXT


class Published:
    """The published lines of a run, as far as `poll` has seen them."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.shards: list[ShardInfo] = []
        self.ended = False
        self._lines_with: list[int] = []  # how many lines reach up to and include each shard
        self._prefixes = [hashlib.sha256()]  # of the first 0, 1, 2, ... lines
        self._bytes = 0
        self._begins: list[int] = []  # where the line of each shard begins in the manifest

    def __reduce__(self) -> tuple[type[Published], tuple[Path]]:
        return Published, (self.run,)  # a hash in progress cannot be pickled: a worker reads the manifest again

    @property
    def lines(self) -> int:
        """Lines seen so far."""
        return len(self._prefixes) - 1

    def poll(self) -> bool:
        """Read what was published since the last call; True if there was anything new."""
        count = read_published(self.run)
        if count < self.lines:
            why = f"{count} lines are published, {self.lines} were before"
            raise FormatError("the run was replaced while it was read", where=str(self.run), why=why, remedy=_AGAIN)
        if count == self.lines:
            return False
        for line in self._read(count - self.lines):
            self._accept(line)
        return True

    def prefix_sha256(self, lines: int) -> str:
        """Hash the bytes of the first `lines` lines, in hex."""
        return self._prefixes[lines].hexdigest()

    def lines_with(self, shards: int) -> int:
        """Tell how many lines it takes to name the first `shards` shards."""
        return self._lines_with[shards - 1]

    def line_of(self, shard: int) -> ManifestLine:
        """Read the line that names a shard once more: lines are not held, a long run names millions of files."""
        with (self.run / MANIFEST).open("rb") as f:
            f.seek(self._begins[shard])
            return ManifestLine.decode(f.readline(), self._lines_with[shard] - 1)

    def _read(self, count: int) -> list[bytes]:
        with (self.run / MANIFEST).open("rb") as f:
            f.seek(self._bytes)
            lines = [line for _, line in zip(range(count), f, strict=False)]
        if len(lines) < count or not lines[-1].endswith(b"\n"):
            why = f"{self.lines + count} lines are published, {self.lines + len(lines)} are there"
            remedy = "restore the manifest from a copy, or start the run again with --fresh"
            raise FormatError("the manifest is shorter than published", where=str(self.run), why=why, remedy=remedy)
        return lines

    def _accept(self, raw: bytes) -> None:
        line = ManifestLine.decode(raw, self.lines)
        prefix = self._prefixes[-1].copy()
        prefix.update(raw)
        self._prefixes.append(prefix)
        self.ended = line.end
        if line.shard:
            self._check(line.shard)
            self.shards.append(line.shard)
            self._lines_with.append(self.lines)
            self._begins.append(self._bytes)
        self._bytes += len(raw)

    def _check(self, shard: ShardInfo) -> None:
        if shard.format in OF_TEXT:
            why = f"its write stage has `format: {shard.format}`"
            remedy = "add a `tokenize` stage and write `format: arrow` or `lmdb`"
            raise ConfigError("the run holds documents, not token shards", where=str(self.run), why=why, remedy=remedy)


_AGAIN = "start the reader again"
