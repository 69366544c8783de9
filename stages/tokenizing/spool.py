"""Before there is a tokenizer: units wait on disk, in order, until their text is enough to train one."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import sentencepiece

from headrace.schemas.errors import HeadraceError
from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.base import RunContext
from headrace.stages.tokenize_text import TokenizeStage
from headrace.stages.tokenizing.batch_file import load_batch, save_batch
from headrace.stages.tokenizing.published import (
    committed_model,
    publish_model,
    trained_model,
)
from headrace.stages.writing.documents import emptied
from headrace.stages.writing.files import make_folders, storage_error
from headrace.tokenizers.base import TextColumn
from headrace.tokenizers.options import TrainOptions
from headrace.tokenizers.quality import measure
from headrace.tokenizers.sentencepiece_model import from_bytes
from headrace.tokenizers.train import train

__all__ = ["Spooled", "TokenizerSpool", "load_batch", "open_spool", "trained_model"]

SPOOL = "spool"


@dataclass(frozen=True, slots=True)
class Spooled:
    """Where a unit waits, and whether the sample is full: then `finish` may be called."""

    unit: int
    path: Path
    full: bool


class TokenizerSpool:
    """Takes units in order. `model` is set when the run has its tokenizer already: then units pass through.

    The sample is the text of kept documents in unit order, up to and including the document with which `sample_bytes`
    is reached; units that arrive after it wait like the others and change nothing. A restart begins an empty spool. Its
    files have names of their own: a spool of a dead session may still write, or be opened late.
    """

    def __init__(self, options: TrainOptions, context: RunContext) -> None:
        self._options, self._run, self._next = options, context.run, context.first_unit
        self._session = uuid.uuid4().hex[:8]
        self._paths: list[Path] = []
        self._sampled_bytes = 0
        self.model = _known_model(context)
        make_folders(self._run, [SPOOL])

    def accept(self, batch: UnitBatch) -> tuple[UnitBatch, Spooled | None]:
        """Put one unit on disk; None when the model exists and the unit needs no waiting."""
        if self.model is not None:
            return batch, None
        if batch.unit != self._next:
            why = f"unit {batch.unit} came to the spool, unit {self._next} was due"
            raise HeadraceError("units are out of order", where="stage tokenize", why=why)
        path = self._run / SPOOL / f"unit-{batch.unit:08d}-{self._session}.arrow"
        try:
            save_batch(batch, path)
        except OSError as error:
            raise storage_error(path, error) from error
        self._paths.append(path)
        self._next += 1
        self._sampled_bytes += int(pc.sum(pc.binary_length(batch.documents["text"])).as_py() or 0)
        return emptied(batch), Spooled(batch.unit, path, self._sampled_bytes >= self._options.sample_bytes)

    def flush(self, through: int) -> tuple[FileRef, ...]:
        """Give nothing: no unit of the spool is committed before it went through tokenize and write."""
        return ()

    def finish(self) -> FileRef:
        """Train on the sample, publish model and report, and give the model's reference; once is enough."""
        if self.model is None:
            trained = train(self._sample(), self._options)
            quality = measure(from_bytes(trained.model, "the trained model"), self._sample())
            report = {**quality.to_json(), "character_coverage": round(trained.character_coverage, 6)}
            self.model = publish_model(self._run, trained.model, _options_record(self._options), report)
        return self.model

    def _sample(self) -> Iterator[TextColumn]:
        left = self._options.sample_bytes
        for path in self._paths:
            if left <= 0:
                return
            texts: TextColumn = load_batch(path).documents["text"].combine_chunks()
            ends = np.cumsum(np.asarray(pc.binary_length(texts)))
            wanted = int(np.searchsorted(ends, left)) + 1  # with the document that reaches the size
            yield texts.slice(0, wanted)
            left -= int(ends[-1]) if len(ends) else 0


def open_spool(context: RunContext, stage: TokenizeStage) -> TokenizerSpool:
    """Give the spool of a tokenize stage that trains its model."""
    if stage.train is None:
        raise ValueError("this tokenize stage has a model and trains none")
    return TokenizerSpool(stage.train, context)


def _known_model(context: RunContext) -> FileRef | None:
    if context.tokenizer is not None:
        return committed_model(context.run, context.tokenizer)
    return trained_model(context.run)


def _options_record(options: TrainOptions) -> dict[str, Any]:
    return {"train": options.model_dump(mode="json"), "sentencepiece": sentencepiece.__version__}
