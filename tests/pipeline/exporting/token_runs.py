"""Run folders with token shards, written with the real formats but without the engine: quick, and of any size."""

from __future__ import annotations

import hashlib
import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
from tests.pipeline.made_run import publish_lines

from headrace.pipeline.committed import plan_bytes
from headrace.schemas.manifest import ManifestLine
from headrace.schemas.shard import OF_TEXT
from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.apply import settle
from headrace.stages.base import RunContext, conform
from headrace.stages.tokenize_text import TokenizeStage
from headrace.stages.write import ShardClosed, WriteStage
from headrace.tokenizers.bytes_tokenizer import BytesTokenizer

LENGTH = 32
_SIGNS = "water mill wheel 水渠磨坊石头粮食 \n"


def token_run(
    folder: Path, form: str = "arrow", *, units: int = 6, end: bool = True, lines: int = 3, model: bytes = b""
) -> Path:
    """Write a run of `lines` shards over so many units of up to nine documents, some far longer than a sequence.

    `model` is a SentencePiece model; without one ids are those of the byte tokenizer.
    """
    run = folder / "run"
    run.mkdir(parents=True)
    write = WriteStage(format=form, sequence_length=LENGTH, shard_tokens=10**9, window=8)
    cuts = [units * line // max(1, lines) for line in range(lines + 1)]
    tokenize = _tokenize(run, model)
    written = [_closed(run, write, tokenize, range(a, b), number) for number, (a, b) in enumerate(pairwise(cuts))]
    ref = _ref(model) if model else None
    manifest = [replace(_line(number, closed), tokenizer=ref) for number, closed in enumerate(written)]
    if end:
        manifest.append(_line(lines, ShardClosed(units, units - 1, None, (), (), ()), end=True))
    publish_lines(run, manifest)
    plan = {"version": 1, "identity": {"config": "1" * 64}, "recipe": {"stages": [], "limit": None}, "inputs": []}
    (run / "plan.json").write_bytes(plan_bytes(plan))
    return run


def texts_of(unit: int) -> dict[str, str]:
    """Give the documents of a unit by their names."""
    rng = random.Random(unit)
    sizes = [rng.choice((1, 5, 20, 70, 200)) for _ in range(rng.randint(1, 9))]
    return {f"web:页-{unit}.txt#{n}": "".join(rng.choices(_SIGNS, k=size)) for n, size in enumerate(sizes)}


def ids_of(text: str) -> list[int]:
    """Give the ids of a document as the byte tokenizer defines them: bytes, then the end id."""
    return [*text.encode(), int(BytesTokenizer().eos_id)]


def _tokenize(run: Path, model: bytes) -> TokenizeStage:
    if not model:
        return TokenizeStage(model="bytes")
    path = run / _ref(model).name
    path.parent.mkdir()
    path.write_bytes(model)
    return TokenizeStage(model=str(path))


def _ref(model: bytes) -> FileRef:
    return FileRef("tokenizer/model.model", hashlib.sha256(model).hexdigest(), len(model))


def _closed(run: Path, write: WriteStage, tokenize: TokenizeStage, units: range, shard: int) -> ShardClosed:
    writer = write.open(RunContext(run, "write", first_unit=units.start, first_shard=shard))
    for unit in units:
        writer.accept(_unit(unit, None if write.format in OF_TEXT else tokenize))
    closed = writer.finish()
    assert closed is not None
    return closed


def _unit(unit: int, tokenize: TokenizeStage | None) -> UnitBatch:
    texts = texts_of(unit)
    table = conform(pa.table({"doc_id": list(texts), "text": list(texts.values())}))
    batch = settle("read", UnitBatch(unit, table), table)
    return settle("tokenize", batch, tokenize.process(batch.documents)) if tokenize else batch


def _line(index: int, closed: ShardClosed, *, end: bool = False) -> ManifestLine:
    return ManifestLine(
        index=index,
        first=closed.first,
        last=closed.last,
        shard=closed.shard,
        documents=closed.documents,
        ledgers=closed.ledgers,
        quarantine=closed.quarantine,
        index_runs=(),
        lanes=(),
        turn=0,
        end=end,
    )
