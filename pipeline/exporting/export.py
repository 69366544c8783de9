"""Write a run's tokens in the format of another loader: streamed, whole or not at all, the same bytes each time.

Beside the format's own files there are `rows.parquet` (where each row comes from), the run's tokenizer model, and
`headrace.json`: what was exported from what, with the SHA-256 of every file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from headrace.loader.shards import Layout, open_shard
from headrace.pipeline.committed import Committed, open_committed
from headrace.pipeline.exporting.forgotten import LeftOut
from headrace.pipeline.exporting.formats import FORMATS
from headrace.pipeline.exporting.out_folder import OutFolder, out_folder
from headrace.pipeline.exporting.reading import Grain, OnShard, Source, Tally, shards_of
from headrace.pipeline.exporting.rows import Rows, files
from headrace.pipeline.exporting.shape import Shape
from headrace.schemas.durable import canonical_json
from headrace.schemas.errors import ConfigError, FormatError, HeadraceError
from headrace.schemas.shard import OF_TEXT
from headrace.schemas.tombstones import prefix_sha256
from headrace.schemas.unit import FileRef

RECORD, ORIGINS, RECORD_VERSION = "headrace.json", "rows.parquet", 1
FILE_BYTES, FILE_BYTES_MOST = 1 << 26, 1 << 30  # places in files of MDS and LitData have 32 bits
_GROUP_ROWS = 1 << 16  # rows of `rows.parquet` that are written at a time


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to export: the format, its rows (None = what is usual for it), and how large a file may become."""

    to: str
    grain: Grain | None = None
    file_bytes: int = FILE_BYTES
    unfinished: bool = False


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export holds, as `headrace.json` says it."""

    folder: Path
    format: str
    rows: Grain
    count: int
    tokens: int
    padding: int  # ids, in the format's files
    left_out: int  # rows that hold forgotten documents
    left_out_tokens: int
    finished: bool  # the run was
    shape: Shape
    origin: dict[str, object]
    files: tuple[FileRef, ...]

    def to_json(self) -> dict[str, object]:
        """Give the JSON form; it does not depend on where the export lies."""
        layout = self.shape.layout
        return {
            "version": RECORD_VERSION,
            "format": self.format,
            "rows": self.rows,
            "count": self.count,
            "tokens": self.tokens,
            "padding": self.padding,
            "left_out": {"rows": self.left_out, "tokens": self.left_out_tokens},
            "finished": self.finished,
            "sequence_length": layout.sequence_length,
            "vocabulary_size": layout.vocabulary_size,
            "pad_id": layout.pad_id,
            "tokenizer_sha256": layout.tokenizer_sha256,
            "origin": self.origin,
            "files": [ref.to_json() for ref in self.files],
        }


def export(run: Path, folder: Path, wanted: Wanted, on_shard: OnShard | None = None) -> Exported:
    """Export the tokens of a run into a new folder; FormatError if a shard is not what was committed."""
    _check_size(wanted.file_bytes)
    committed = open_committed(run)
    _check_run(committed, folder, unfinished=wanted.unfinished)
    chosen = FORMATS[wanted.to]
    source = Source(committed, committed.lines, LeftOut.of(run), on_shard)
    shape = Shape(wanted.grain or chosen.grain, _layout(committed), wanted.file_bytes)
    with out_folder(folder) as out:
        counted = _Counted()
        with pq.ParquetWriter(out.path / ORIGINS, _origins(shape.grain), compression="zstd") as origins:
            rows = counted.through(source.rows(shape.grain, shape.layout, counted.left_out), origins)
            chosen.write(files(rows, wanted.file_bytes), out, shape)
        out.adopt(ORIGINS)
        _copy_tokenizer(committed, out)
        if not counted.rows:
            remedy = "see `headrace forget RUN`, and its report"
            raise HeadraceError("there is nothing to export", where=str(run), why=counted.nothing, remedy=remedy)
        source.left_out.check_unchanged()
        exported = Exported(
            folder=folder,
            format=wanted.to,
            rows=shape.grain,
            count=counted.rows,
            tokens=counted.tokens,
            padding=counted.padding if chosen.padded else 0,
            left_out=counted.left_out.rows,
            left_out_tokens=counted.left_out.tokens,
            finished=committed.ended,
            shape=shape,
            origin=_origin(committed, source.left_out),
            files=tuple(out.files),
        )
        out.write(RECORD, canonical_json(exported.to_json()) + b"\n")
    return exported


@dataclass(slots=True)
class _Counted:
    """Counts the rows that go by, and notes where each comes from."""

    rows: int = 0
    tokens: int = 0
    padding: int = 0
    left_out: Tally = field(default_factory=Tally)
    waiting: list[pa.Table] = field(default_factory=list)

    @property
    def nothing(self) -> str:
        """Say why there may be no row."""
        return "every row holds a forgotten document" if self.left_out.rows else "no document was kept"

    def through(self, rows: Iterator[Rows], origins: pq.ParquetWriter) -> Iterator[Rows]:
        """Give the same rows."""
        for block in rows:
            self.rows += block.count
            self.tokens += block.tokens
            self.padding += len(block.ids) - block.tokens
            self.waiting.append(block.origins)
            if sum(table.num_rows for table in self.waiting) >= _GROUP_ROWS:
                self._note(origins)
            yield block
        self._note(origins)

    def _note(self, origins: pq.ParquetWriter) -> None:
        if self.waiting:
            origins.write_table(pa.concat_tables(self.waiting))
        self.waiting = []


def _origins(grain: Grain) -> pa.Schema:
    sequences: dict[str, pa.DataType] = {"shard": pa.string(), "sequence": pa.int64()}
    documents: dict[str, pa.DataType] = {"doc_id": pa.string(), "unit": pa.int64(), "row": pa.int64()}
    return pa.schema(sequences if grain == "sequences" else documents)


def _layout(committed: Committed) -> Layout:
    _, first = next(shards_of(committed.lines))
    return open_shard(committed.run, first, verify=False).layout


def _copy_tokenizer(committed: Committed, out: OutFolder) -> None:
    """Put the model beside the tokens, checked; a run of the byte tokenizer has none."""
    ref = next((line.tokenizer for line in committed.lines if line.tokenizer), None)
    if ref is None:
        return
    copy = out.copy(committed.run / ref.name, f"tokenizer{Path(ref.name).suffix}")
    if copy.sha256 != ref.sha256:
        where, remedy = str(committed.run / ref.name), "restore it from a copy, or run `headrace verify`"
        raise FormatError("the tokenizer model was changed", where=where, remedy=remedy)


def _origin(committed: Committed, left_out: LeftOut) -> dict[str, object]:
    """Say what was exported: the identity of the run, its manifest, and what was forgotten by then."""
    lines = len(committed.lines)
    return {
        "identity": committed.plan["identity"],
        "manifest_lines": lines,
        "manifest_sha256": prefix_sha256(committed.run, lines),
        "tombstones": left_out.tombstones.revision,
    }


def _check_run(committed: Committed, folder: Path, *, unfinished: bool) -> None:
    where = str(committed.run)
    shards = [info for _, info in shards_of(committed.lines)]
    if any(info.format in OF_TEXT for info in shards):
        remedy = "export runs with a `tokenize` stage; its shards can be read by every reader of Parquet or JSON lines"
        raise ConfigError("the run holds texts, not tokens", where=where, remedy=remedy)
    if not committed.ended and not unfinished:
        why, remedy = f"{len(shards)} shards are committed so far", "wait for its end, or add --unfinished"
        raise ConfigError("the run is not finished", where=where, why=why, remedy=remedy)
    if not shards:
        remedy = "see the run's report: every document was dropped, or the input was empty"
        raise HeadraceError("the run has no shards", where=where, remedy=remedy)
    if folder.resolve().is_relative_to(committed.run.resolve()):
        remedy = "name a folder beside the run by --out"
        raise ConfigError("an export cannot be in the folder of its run", where=str(folder), remedy=remedy)


def _check_size(file_bytes: int) -> None:
    if not 1 <= file_bytes <= FILE_BYTES_MOST:
        why = f"{file_bytes} is not between 1 and {FILE_BYTES_MOST}"
        raise ConfigError("no size of a file", where="--file-bytes", why=why, remedy="leave it out: it is 64 MiB then")
