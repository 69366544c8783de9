"""The stage `tokenize`: texts become token ids. A file named tokenize.py would shadow the standard library's."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pyarrow as pa
from pydantic import Field, PrivateAttr, model_validator

from headrace.schemas.errors import ConfigError
from headrace.schemas.shard import PAD_KEY, TOKENIZER_KEY, VOCABULARY_KEY
from headrace.stages.base import BatchStage
from headrace.tokenizers.base import Ids, Offsets, Tokenizer, with_ends
from headrace.tokenizers.byte_level.options import ByteLevelOptions, EngineChoice
from headrace.tokenizers.load import BYTES, load
from headrace.tokenizers.options import TrainOptions

TOKENS = "_tokens"  # private column: list of ids; its field's metadata says which tokenizer made them


class TokenizeStage(BatchStage):
    """Turn every text into token ids, with a given model or with one trained on the kept documents."""

    beside: ClassVar[frozenset[str]] = frozenset({"engine"})

    kind: Literal["tokenize"] = "tokenize"
    model: str | None = Field(
        None,
        description="A model file: SentencePiece's .model, a tokenizer.json, or ranks as tiktoken has them; what is in "
        'it decides. "bytes": one id a byte.',
    )
    byte_level: ByteLevelOptions | None = Field(None, description="What a tokenizer.json or ranks leave open.")
    engine: EngineChoice = Field(
        "fast",
        description="fast: kernels, or the fastest library, where these give the model's ids exactly, else the model's "
        "own library. reference: the latter (sentencepiece, tokenizers, tiktoken). The ids are the same.",
    )
    train: TrainOptions | None = Field(None, description="Train a model on the first kept documents of the run.")
    bos: bool = Field(False, description="Put the model's begin id before every document.")
    eos: bool = Field(True, description="Put the model's end id behind every document.")

    _file: str | None = PrivateAttr(None)
    _loaded: Tokenizer | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        if (self.model is None) == (self.train is None):
            given = "both are given" if self.model else "neither is given"
            raise ValueError(f"exactly one of `model` (a file) and `train` (options) is needed, but {given}")
        if self.byte_level is not None and self.model in (None, BYTES):
            raise ValueError("byte_level is about a tokenizer.json or ranks: give one as `model`, or leave it out")
        return self

    def bound(self, model: Path) -> TokenizeStage:
        """Give a copy that uses this model file: the one that was trained, or the run's copy of the user's."""
        stage = self.model_copy()
        stage._file, stage._loaded = str(model), None
        return stage

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer, loaded on first use in each process; ConfigError when the model lacks an asked-for id."""
        if self._loaded is None:
            self._loaded = self._checked(self.opened(self._origin()))
        return self._loaded

    def opened(self, model: str) -> Tokenizer:
        """Load a model file as the options say; FormatError when it is none that can be run exactly."""
        from headrace.stages.decoding.model_cache import cache_folder

        return load(model, engine=self.engine, options=self.byte_level, tables=cache_folder())

    def process(self, table: pa.Table) -> pa.Table:
        """Append the ids as `_tokens` and their number as `values.tokens`."""
        tokenizer = self.tokenizer
        texts = table["text"].cast(pa.large_string()).combine_chunks().fill_null("")
        ids, offsets = tokenizer.encode(texts)
        bos, eos = tokenizer.bos_id if self.bos else None, tokenizer.eos_id if self.eos else None
        ids, offsets = with_ends(ids, offsets, bos, eos)
        tokens = token_lists(ids, offsets)
        field = pa.field(TOKENS, tokens.type, metadata=token_metadata(tokenizer))
        counts = pa.array(np.diff(offsets).astype(np.float64))
        return table.append_column("values.tokens", counts).append_column(field, tokens)

    def __getstate__(self) -> dict[object, object]:
        """Leave the loaded model out: each process loads it from the file."""
        state = super().__getstate__()
        private = state["__pydantic_private__"] or {}
        return {**state, "__pydantic_private__": {**private, "_loaded": None}}

    def _origin(self) -> str:
        origin = self._file or self.model
        if origin is None:
            raise RuntimeError("a tokenize stage with `train` must be bound to the trained model first")
        return origin

    def _checked(self, tokenizer: Tokenizer) -> Tokenizer:
        for option, wanted, token in (("bos", self.bos, tokenizer.bos_id), ("eos", self.eos, tokenizer.eos_id)):
            if wanted and token is None:
                raise ConfigError(
                    f"the model has no {option} id",
                    where=f"stage tokenize, {self._origin()}",
                    remedy=f"set `{option}: false`, or use a model that was trained with one",
                )
        return tokenizer


def token_lists(ids: Ids, offsets: Offsets) -> pa.ListArray[Any]:
    """Give ids and offsets as an Arrow list column over the same memory; one unit holds less than 2**31 tokens."""
    if offsets[-1] > np.iinfo(np.int32).max:
        raise ValueError(f"{offsets[-1]} tokens in one unit: lower `unit_bytes` or `max_record_bytes`")
    items: pa.Array[Any] = pa.array(ids)
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32), pa.int32()), items)


def token_metadata(tokenizer: Tokenizer) -> dict[bytes, bytes]:
    """Give what the writer must know of the tokenizer; it travels with the column."""
    return {
        VOCABULARY_KEY: str(tokenizer.vocabulary_size).encode(),
        PAD_KEY: str(tokenizer.pad_id).encode(),
        TOKENIZER_KEY: tokenizer.sha256.encode(),
    }
