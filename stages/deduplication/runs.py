"""Index runs: what the index learnt between two commits, as one immutable file each."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from headrace.schemas.durable import canonical_json, publish, sha256_file, sync_file, sync_refs, temporary_beside
from headrace.schemas.errors import FormatError
from headrace.schemas.failpoints import reach
from headrace.schemas.unit import FileRef
from headrace.stages.base import RunContext

INDEX_VERSION = 1
FOLDER = "index"
_VERSION, _PARAMETERS = b"headrace.index.version", b"headrace.index.parameters"
_REMEDY = "restore the file from a copy, or start again with --fresh"


@dataclass(frozen=True, slots=True)
class IndexRuns:
    """Writes and reads the runs of one stage; `parameters` is what the entries depend on."""

    context: RunContext
    parameters: dict[str, object]

    def write(self, entries: pa.Table, first: int, last: int) -> FileRef:
        """Publish the entries of units first to last, sorted by unit and place, durably."""
        run = self.context.run
        (run / FOLDER).mkdir(parents=True, exist_ok=True)
        stem = f"{self.context.stage}-{first:08d}-{last:08d}"
        temporary = temporary_beside(run / FOLDER / f"{stem}.arrow")
        try:
            with pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, self._schema(entries)) as writer:
                writer.write_table(entries.combine_chunks())
            sync_file(temporary)  # before the rename: a final name never stands for content that can still be lost
            reach("index.temporary.synced")
            ref = publish(temporary, run, FOLDER, stem, ".arrow")
        finally:
            temporary.unlink(missing_ok=True)
        reach("index.renamed")
        sync_refs(run, [ref])
        reach("index.synced")
        return ref

    def read(self, ref: FileRef) -> pa.Table:
        """Load one run; FormatError if it is not the file that was committed, or was made with other options."""
        path = self.context.run / ref.name
        if not path.is_file():
            raise FormatError("a file of the dedup index is missing", where=str(path), remedy=_REMEDY)
        if (found := sha256_file(path)) != ref.sha256:
            why = f"its SHA-256 is {found}, the manifest says {ref.sha256}"
            raise FormatError("a file of the dedup index is damaged", where=str(path), why=why, remedy=_REMEDY)
        try:
            with pa.OSFile(str(path), "rb") as source, pa.ipc.open_file(source) as reader:
                table = reader.read_all()
        except pa.ArrowInvalid as error:
            raise FormatError("not a dedup index", where=str(path), why=str(error), remedy=_REMEDY) from error
        self._check(table.schema.metadata or {}, str(path))
        return table

    def _schema(self, entries: pa.Table) -> pa.Schema:
        return entries.schema.with_metadata(
            {_VERSION: str(INDEX_VERSION).encode(), _PARAMETERS: canonical_json(self.parameters)}
        )

    def _check(self, metadata: dict[bytes, bytes], where: str) -> None:
        if (version := metadata.get(_VERSION, b"").decode()) != str(INDEX_VERSION):
            raise FormatError(
                f"version {version or 'none'} of the dedup index is not known",
                where=where,
                why=f"this Headrace reads version {INDEX_VERSION}",
                remedy="use the release that wrote the run",
            )
        if (made := metadata.get(_PARAMETERS, b"")) != (now := canonical_json(self.parameters)):
            raise FormatError(
                "a dedup index was made with other options",
                where=where,
                why=f"it has {made.decode()}, the stage has {now.decode()}",
                remedy="use the options of the run, or start again with --fresh",
            )
