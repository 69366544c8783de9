"""Say what became of one document: its verdict, what was measured, which document it repeats, where its tokens lie."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

from headrace.pipeline.committed import PLAN, Committed, open_committed, read_columns, reading, unit_of
from headrace.pipeline.shard_rows import pieces_of, read_shard
from headrace.pipeline.what_if.loosening import loosened
from headrace.pipeline.wording import shell_word
from headrace.schemas.document import DROPPED, KEPT
from headrace.schemas.errors import ConfigError
from headrace.schemas.index import run_of
from headrace.schemas.manifest import ManifestLine, ShardInfo
from headrace.schemas.shard import OF_TEXT
from headrace.schemas.tombstones import Tombstones, read_tombstones
from headrace.stages.reading.part import STAGE as READ

_TEXT_SHOWN = 500  # characters
_SUGGESTED = 3
_APART = ("values.", "scores.", "parsed.")  # columns that are no fields of a document
EMPTY = "empty"  # the note of a file without content
_VERDICT = ("doc_id", "verdict", "stage", "reason", "value", "threshold", "detail")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document's row is: its unit, the unit's documents file, and the row in it."""

    unit: int
    file: str
    row: int


def explain(run: Path, doc_id: str) -> dict[str, Any]:
    """Look a document up by its id; ConfigError with suggestions if no committed unit holds it.

    Of a document that is forgotten on request the text is not shown. An empty file, which has no document, is found by
    its path, with `#0` behind it or not.
    """
    committed = open_committed(run)
    place = find(committed, doc_id) if _typed(doc_id) else None
    if place is None:
        return _empty_file(committed, doc_id)
    line = committed.line_of(place.unit)
    shard = line.shard
    row = _row(run, place)
    kept = row["verdict"] == KEPT
    text = row.pop("text")
    request = (read_tombstones(run) or Tombstones()).request_for(doc_id, row["url"])
    if text is None and kept and shard and shard.format in OF_TEXT:
        text = _text_in_shard(run, shard, doc_id)
    text = None if request else text
    found = {name: row.pop(name) for name in _VERDICT}
    return {
        **found,
        "forgotten": request and {"kind": request.kind, "value": request.value, "revision": request.revision},
        "survivor": _survivor(committed, row.pop("survivor"), run_of(found["detail"])),
        "what_if": None if kept else _what_if(run, found, place),
        "values": _measured(row, "values."),
        "scores": _measured(row, "scores."),
        "document": {k: v for k, v in row.items() if v is not None and not k.startswith(_APART)},
        "text": text and text[:_TEXT_SHOWN],
        "characters": text and len(text),
        "place": asdict(place),
        "parent": committed.parent,
        "shard": _shard(run, line, shard, place) if kept and shard else None,
    }


def _empty_file(committed: Committed, doc_id: str) -> dict[str, Any]:
    """Say that a file is empty, as the ledger of its unit does; ConfigError if it names no such file."""
    path = doc_id.removesuffix("#0")
    units = (
        ledger.unit for ledger in committed.ledgers() if any(f.path == path and f.note == EMPTY for f in ledger.files)
    )
    unit = next(units, None)
    if unit is None:
        raise unknown(committed, doc_id)
    nothing = dict.fromkeys((*_VERDICT, "forgotten", "survivor", "what_if", "text", "characters", "shard"))
    verdict = {"doc_id": f"{path}#0", "verdict": DROPPED, "stage": READ, "reason": EMPTY, "detail": "the file is empty"}
    known = {"source": path.partition(":")[0], "path": path.partition(":")[2]}
    place = {
        "unit": unit,
        "file": next(r.name for r in committed.line_of(unit).ledgers if unit_of(r) == unit),
        "row": None,
    }
    more = {"values": {}, "scores": {}, "document": known, "place": place, "parent": committed.parent}
    return {**nothing, **verdict, **more}


def empty_files(committed: Committed) -> Iterator[str]:
    """Give the names of files without content: they have no document, and so no row anywhere."""
    yield from (f.path for ledger in committed.ledgers() for f in ledger.files if f.note == EMPTY)


def find(committed: Committed, doc_id: str) -> Place | None:
    """Find a document among the committed units: first in those whose ledger names its file, then in all."""
    files = {unit_of(ref): ref.name for line in committed.lines for ref in line.documents}
    likely = [ledger.unit for ledger in committed.ledgers() if any(_is_of(doc_id, f.path) for f in ledger.files)]
    for unit in dict.fromkeys([*likely, *files]):
        index = pc.index(read_columns(committed.run / files[unit], ["doc_id"])["doc_id"], doc_id).as_py()
        if index >= 0:
            return Place(unit, files[unit], index)
    return None


def _typed(doc_id: str) -> bool:
    """Whether an argument is Unicode: bytes that are none reach Python as lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in doc_id)


def _is_of(doc_id: str, path: str) -> bool:
    return doc_id == path or doc_id.startswith((f"{path}#", f"{path}!"))


def _row(run: Path, place: Place) -> dict[str, Any]:
    with reading(run / place.file):
        row: dict[str, Any] = pq.ParquetFile(run / place.file).read().slice(place.row, 1).to_pylist()[0]
    return row


def _measured(row: dict[str, Any], prefix: str) -> dict[str, float]:
    return {k.removeprefix(prefix): v for k, v in row.items() if k.startswith(prefix) and v is not None}


def _survivor(committed: Committed, doc_id: str | None, earlier: str | None) -> dict[str, Any] | None:
    """Say where the kept document is that this one repeats: in this run, or in the earlier one of this name."""
    if doc_id is None:
        return None
    if earlier is None:
        place = find(committed, doc_id)
        return {"doc_id": doc_id, "place": place and asdict(place)}
    folder = Path(committed.plan["places"].get("earlier", {}).get(earlier, earlier))
    is_there = (folder / PLAN).is_file()
    place = find(open_committed(folder), doc_id) if is_there else None
    return {"doc_id": doc_id, "run": str(folder), "run_is_there": is_there, "place": place and asdict(place)}


def _what_if(run: Path, found: dict[str, Any], place: Place) -> str | None:
    """Give the command that shows what letting this document pass would change besides."""
    if found["verdict"] != DROPPED:
        return None
    settings = loosened(run, found["stage"], place.file, place.row)
    return " ".join(map(shell_word, ["headrace", "what-if", str(run), *settings])) if settings else None


def _shard(run: Path, line: ManifestLine, shard: ShardInfo, place: Place) -> dict[str, Any]:
    pieces = [] if shard.format in OF_TEXT else pieces_of(run, shard, place.unit, place.row)
    return {"line": line.index, "file": shard.file.name, "pieces": [asdict(piece) for piece in pieces]}


def _text_in_shard(run: Path, shard: ShardInfo, doc_id: str) -> str | None:
    for table in read_shard(run, shard, ["doc_id", "text"]):
        index = pc.index(table["doc_id"], doc_id).as_py()
        if index >= 0:
            return str(table["text"][index].as_py())
    return None


def unknown(committed: Committed, doc_id: str) -> ConfigError:
    """Say that a run does not have a document, with those that may be meant."""
    near = list(_suggestions(committed, doc_id))
    remedy = f"did you mean {' or '.join(near)}?" if near else "a doc_id is source:path#offset, as in documents/"
    why = "" if committed.ended else f"the run is not finished: units from {committed.units} on are not committed"
    return ConfigError(f"no document has the id '{doc_id}'", where=str(committed.run), why=why, remedy=remedy)


def near_ids(committed: Committed, doc_id: str) -> list[str]:
    """Give doc_ids that a mistyped one may have meant."""
    return list(_suggestions(committed, doc_id)) if _typed(doc_id) else []


def _suggestions(committed: Committed, doc_id: str) -> Iterator[str]:
    """Give ids of the same file, nearest offset first; else the first ids of files with a similar name."""
    path, _, offset = doc_id.rpartition("#")
    path = path or offset
    units: dict[str, int] = {}
    for ledger in committed.ledgers():
        for f in ledger.files:
            units.setdefault(f.path, ledger.unit)
    similar = [path] if path in units else difflib.get_close_matches(path, units, _SUGGESTED, 0.6)
    similar = similar or [name for name in units if name.endswith(f"/{path.rpartition('/')[2]}")][:_SUGGESTED]
    files = {unit_of(ref): ref.name for line in committed.lines for ref in line.documents}
    found: list[str] = []
    for name in similar:
        ids = map(str, read_columns(committed.run / files[units[name]], ["doc_id"])["doc_id"].to_pylist())
        found += [known for known in ids if _is_of(known, name)][: None if name == path else 1]
    if path in units and offset.isdigit():
        found.sort(key=lambda known: abs(_offset(known) - int(offset)))
    yield from found[:_SUGGESTED]


def _offset(doc_id: str) -> int:
    tail = doc_id.rpartition("#")[2]
    return int(tail) if tail.isdigit() else 0
