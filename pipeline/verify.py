"""Check a run against its manifest: every hash, every count, every name. What differs is named."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headrace.pipeline.committed import Committed, read_columns, read_ledger, read_plan, unit_of
from headrace.pipeline.shard_rows import read_shard
from headrace.schemas.document import DROPPED, KEPT, QUARANTINED
from headrace.schemas.durable import sha256_file
from headrace.schemas.errors import HeadraceError
from headrace.schemas.ledger import StageCounts, UnitLedger, total
from headrace.schemas.manifest import MANIFEST, PUBLISHED, ManifestLine, ShardInfo, read_published
from headrace.schemas.shard import OF_TEXT
from headrace.schemas.tombstones import TOMBSTONES, read_tombstones
from headrace.schemas.unit import FileRef
from headrace.stages.tokenizing.published import RECORD

_DERIVED = "index/merged/"  # made again when missing or damaged
_FOLDERS = ("shards", "documents", "quarantine", "ledger", "index", "tokenizer")
_UNPUBLISHED = 1  # a line is written, then published: a look between the two finds one more
_HASH_THREADS = 4  # hashing releases the GIL; more threads than this wait for storage


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked and what differs. `leftovers` are files no manifest line names: a killed session leaves them."""

    lines: int
    units: int
    files: int
    bytes: int
    documents: int
    ended: bool
    problems: tuple[str, ...]
    leftovers: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Give the JSON form."""
        return asdict(self)


def verify(run: Path) -> Verification:
    """Hash every committed file and recount everything that the run says of itself."""
    plan = read_plan(run)
    lines, problems = _read_lines(run)
    committed = Committed(run, plan, tuple(lines))
    problems += _line_problems(lines)
    problems += _record_problems(run, lines)
    problems += _tombstone_problems(run)
    refs = list({ref.name: ref for line in lines for ref in line.files}.values())
    damaged = _damaged(run, refs)
    problems += damaged.values()
    ledgers: list[UnitLedger] = []
    for line in lines:
        problems += _unit_problems(run, line, damaged, ledgers)
        if line.shard and line.shard.file.name not in damaged:
            problems += _shard_problems(run, line.shard)
    problems += _run_problems(committed, ledgers)
    return Verification(
        lines=len(lines),
        units=committed.units,
        files=len(refs),
        bytes=sum(ref.bytes for ref in refs),
        documents=sum(ledger.stages[0].received + ledger.stages[0].added for ledger in ledgers if ledger.stages),
        ended=committed.ended,
        problems=tuple(problems),
        leftovers=tuple(_leftovers(run, {ref.name for ref in refs})),
    )


def _read_lines(run: Path) -> tuple[list[ManifestLine], list[str]]:
    """Decode the published lines one by one, so that one altered line does not hide the others."""
    count = read_published(run)
    path = run / MANIFEST
    whole = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    raw = whole[:count]
    problems = [f"{MANIFEST}: {count} lines were published, {len(raw)} are there"] if len(raw) < count else []
    if len(whole) > count + _UNPUBLISHED or (whole and not (run / PUBLISHED).exists()):
        problems.append(f"{PUBLISHED}: {count} lines are published, {MANIFEST} has {len(whole)}")
    lines = []
    for number, text in enumerate(raw):
        try:
            lines.append(ManifestLine.decode(text, number))
        except HeadraceError as error:
            problems.append(str(error))
    return lines, problems


def _line_problems(lines: list[ManifestLine]) -> Iterator[str]:
    """Unit ranges follow each other without a gap, and nothing comes after the end."""
    due = 0
    for line in lines:
        where = f"{MANIFEST}, line {line.index + 1}"
        if line.first != due:
            yield f"{where}: begins at unit {line.first}, {due} was due"
        due = line.last + 1
        if line.end and line is not lines[-1]:
            yield f"{where}: an end line before the last line"
        for name, refs in (("documents", line.documents), ("ledgers", line.ledgers)):
            if [unit_of(ref) for ref in refs] != list(range(line.first, line.last + 1)):
                yield f"{where}: names {len(refs)} {name} files for units {line.first} to {line.last}"


def _record_problems(run: Path, lines: list[ManifestLine]) -> Iterator[str]:
    """The record of a trained tokenizer names the model that the manifest names."""
    named = {line.tokenizer for line in lines if line.tokenizer}
    if not named or not (run / RECORD).exists():
        return
    try:
        record = json.loads((run / RECORD).read_bytes())
        if FileRef.from_json(record["model"]) not in named:
            yield f"{RECORD}: names another model than {MANIFEST}"
    except (OSError, ValueError, KeyError, TypeError) as error:
        yield f"{RECORD}: cannot be read: {error}"


def _tombstone_problems(run: Path) -> Iterator[str]:
    """What is forgotten on request can be read: readers of the run refuse to serve it otherwise."""
    try:
        read_tombstones(run)
    except (HeadraceError, OSError) as error:
        yield f"{TOMBSTONES}: {error}"


def _damaged(run: Path, refs: list[FileRef]) -> dict[str, str]:
    """Give the files that are missing or changed, each with what is wrong with it."""
    with ThreadPoolExecutor(_HASH_THREADS) as pool:
        results = zip(refs, pool.map(lambda ref: _file_problem(run, ref), refs), strict=True)
        return {ref.name: problem for ref, problem in results if problem}


def _file_problem(run: Path, ref: FileRef) -> str | None:
    path = run / ref.name
    try:
        size = path.stat().st_size
        if size != ref.bytes:
            return f"{ref.name}: {size} bytes, {ref.bytes} were committed"
        found = sha256_file(path)
    except OSError as error:
        return f"{ref.name}: {error.strerror}"
    if found != ref.sha256:
        return f"{ref.name}: its content changed: SHA-256 {found[:12]}..., {ref.sha256[:12]}... was committed"
    return None


def _unit_problems(run: Path, line: ManifestLine, damaged: dict[str, str], ledgers: list[UnitLedger]) -> Iterator[str]:
    """The ledger of each unit balances, and the unit's documents file holds what the ledger counts."""
    documents = {unit_of(ref): ref for ref in line.documents}
    for ref in line.ledgers:
        if ref.name in damaged:
            continue
        try:
            ledger = read_ledger(run, ref)
            ledger.check()
        except HeadraceError as error:
            yield f"{ref.name}: {error}"
            continue
        ledgers.append(ledger)
        if ledger.unit != unit_of(ref):
            yield f"{ref.name}: is the ledger of unit {ledger.unit}"
        rows = documents.get(unit_of(ref))
        if rows and rows.name not in damaged:
            yield from _document_problems(run, rows, ledger)


def _document_problems(run: Path, ref: FileRef, ledger: UnitLedger) -> Iterator[str]:
    try:
        table = read_columns(run / ref.name, ["verdict", "stage", "reason"])
    except (pa.ArrowException, OSError) as error:
        yield f"{ref.name}: cannot be read: {error}"
        return
    columns = (table[name].to_pylist() for name in ("verdict", "stage", "reason"))
    found: Counter[tuple[Any, ...]] = Counter(zip(*columns, strict=True))
    expected = _expected_rows(ledger)
    for key in sorted({*found, *expected}, key=str):
        if found[key] != expected[key]:
            verdict, stage, reason = key
            what = " ".join(str(part) for part in (verdict, reason and f"as {reason}", stage and f"by {stage}") if part)
            yield f"{ref.name}: {found[key]} documents {what}, the ledger says {expected[key]}"


def _expected_rows(ledger: UnitLedger) -> Counter[tuple[Any, ...]]:
    rows: Counter[tuple[Any, ...]] = Counter()
    if ledger.stages and ledger.stages[-1].kept:
        rows[KEPT, None, None] = ledger.stages[-1].kept
    for counts in ledger.stages:
        for verdict, reasons in ((DROPPED, counts.dropped), (QUARANTINED, counts.quarantined)):
            rows.update({(verdict, counts.stage, reason): n for reason, n in reasons.items()})
    return rows


def _shard_problems(run: Path, shard: ShardInfo) -> Iterator[str]:
    """A shard holds as many sequences and tokens as its manifest line says."""
    try:
        columns = None if shard.format in OF_TEXT else ["length"]
        tables = [(t.num_rows, _tokens(t, shard.format)) for t in read_shard(run, shard, columns)]
    except HeadraceError as error:
        yield str(error)
        return
    sequences, tokens = (sum(part) for part in zip(*tables, strict=True)) if tables else (0, 0)
    if (sequences, tokens) != (shard.sequences, shard.tokens):
        yield (
            f"{shard.file.name}: {sequences} sequences and {tokens} tokens, "
            f"the manifest says {shard.sequences} and {shard.tokens}"
        )


def _tokens(table: pa.Table, form: str) -> int:
    return 0 if form in OF_TEXT else int(pc.sum(table["length"]).as_py() or 0)


def _run_problems(committed: Committed, ledgers: list[UnitLedger]) -> Iterator[str]:
    """The run as a whole balances, and a finished run has read every input file."""
    sums: tuple[StageCounts, ...] = total(ledgers)
    yield from (f"the run does not balance at stage {c.stage}: {c.balance}" for c in sums if c.balance)
    if not committed.ended or committed.plan["recipe"].get("limit") or len(ledgers) < committed.units:
        return  # the rest may name the file
    seen = {f.path for ledger in ledgers for f in ledger.files}
    for source, path, *_ in committed.plan["inputs"]:
        if f"{source}:{path}" not in seen:
            yield f"input {source}:{path} is in the plan and in no ledger"


def _leftovers(run: Path, named: Iterable[str]) -> Iterator[str]:
    known = set(named)
    for folder in _FOLDERS:
        for path in sorted((run / folder).rglob("*")):
            name = path.relative_to(run).as_posix()
            note = folder == "tokenizer" and path.suffix == ".json"  # says how the model came about
            if path.is_file() and name not in known and not note and not name.startswith(_DERIVED):
                yield name
