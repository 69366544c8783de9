"""A committed Arrow file, written durably, mapped and checked: its content, its version, and its options."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from headrace.schemas.durable import canonical_json, publish, sync_file, sync_refs
from headrace.schemas.errors import FormatError, HeadraceError
from headrace.schemas.failpoints import reach
from headrace.schemas.unit import FileRef
from headrace.stages.writing.files import writing

FOLDER = "index"  # in a run, for files that go with its index

_OTHERWISE = "use the release and the options of the run, or start again with --fresh"


@dataclass(frozen=True, slots=True)
class FileKind:
    """What a file belongs to, where its schema says its version and its options, and what helps if it is damaged."""

    name: str  # "the dedup index"
    version: int
    version_key: bytes
    parameters_key: bytes
    remedy: str
    steps: str = "index"  # what the failpoints of writing begin with

    def metadata(self, parameters: object) -> dict[bytes, bytes]:
        """Give what the schema of a new file says."""
        return {self.version_key: str(self.version).encode(), self.parameters_key: canonical_json(parameters)}

    def write(
        self, run: Path, stem: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch], parameters: object
    ) -> FileRef:
        """Publish a file of record batches in the run's `FOLDER`, durably; the same content gets the same bytes.

        HeadraceError, with the file's name, if the system refuses it; then nothing of it is left.
        """
        (run / FOLDER).mkdir(parents=True, exist_ok=True)
        schema = schema.with_metadata(self.metadata(parameters))
        with writing(run / FOLDER / f"{stem}.arrow") as temporary:
            with pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
                for batch in batches:
                    writer.write_batch(batch)
            sync_file(temporary)  # before the rename: a final name never stands for content that can still be lost
            reach(f"{self.steps}.temporary.synced")
            ref = publish(temporary, run, FOLDER, stem, ".arrow")
        reach(f"{self.steps}.renamed")
        sync_refs(run, [ref])
        reach(f"{self.steps}.synced")
        return ref

    def open(self, path: Path, sha256: str, parameters: object = None) -> pa.Table:
        """Map one file: its columns are the file's pages, not memory of their own.

        FormatError, with the file's name, if it is not the file that was committed, or was made by another version or
        with other `parameters` (None: any will do). The pages that are hashed are those that are used: each byte is
        read from storage once, and nothing can come between the check and the use.
        """
        try:
            content = mapped(path)
            if (found := hashlib.sha256(content).hexdigest()) != sha256:
                raise self._refused(path, "is damaged", f"its SHA-256 is {found}, {sha256} was committed")
            table = pa.ipc.open_file(content).read_all()
        except FileNotFoundError as error:
            raise self._refused(path, "is missing", "") from error
        except (OSError, pa.ArrowInvalid) as error:
            raise self._refused(path, "cannot be read", str(error)) from error
        self._check(path, table.schema.metadata or {}, parameters)
        return table

    def _check(self, path: Path, metadata: dict[bytes, bytes], parameters: object) -> None:
        if (version := metadata.get(self.version_key, b"").decode()) != str(self.version):
            why = f"this Headrace reads version {self.version}"
            raise self._refused(path, f"has version {version or 'none'}", why, _OTHERWISE)
        made, now = metadata.get(self.parameters_key, b""), canonical_json(parameters)
        if parameters is not None and made != now:
            why = f"it has {made.decode()}, the stage has {now.decode()}"
            raise self._refused(path, "was made with other options", why, _OTHERWISE)

    def _refused(self, path: Path, what: str, why: str, remedy: str = "") -> FormatError:
        return FormatError(f"a file of {self.name} {what}", where=str(path), why=why, remedy=remedy or self.remedy)


def mapped(path: Path) -> pa.Buffer:
    """Map a file's content; no file descriptor stays open, and the map lives as long as what is made of it.

    HeadraceError if the system has no map left for this process.
    """
    if not path.stat().st_size:
        return pa.py_buffer(b"")  # there is no map of nothing
    try:
        with pa.memory_map(str(path)) as source:
            return source.read_buffer()
    except OSError as error:
        if os.strerror(errno.ENOMEM) not in str(error):  # Arrow gives the system's words without its number
            raise
        raise HeadraceError(
            "a file cannot be mapped into memory",
            where=str(path),
            why="this process has as many maps, or as much address space, as the system allows (vm.max_map_count)",
            remedy="raise that limit, or spread the index over processes: engine.index.partitions, on Ray",
        ) from error
