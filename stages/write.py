"""The stage `write`: kept documents become shards, and every unit leaves its documents and its ledger behind."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from headrace.schemas.errors import ConfigError
from headrace.schemas.shard import JSONL, OF_TEXT
from headrace.stages.base import OrderedStage, RunContext
from headrace.stages.writing.documents import Record
from headrace.stages.writing.json_shard import JsonShard
from headrace.stages.writing.packing import Packing
from headrace.stages.writing.state import ShardClosed, WriterState
from headrace.stages.writing.text_shard import TextShard
from headrace.stages.writing.token_shard import Layout, TokenShard

__all__ = ["ShardClosed", "Write", "WriterState", "check_format"]


class Write(OrderedStage):
    """Write kept documents as packed token sequences (arrow, lmdb), or as text with every column (parquet, jsonl)."""

    version: ClassVar[int] = 2

    kind: Literal["write"] = "write"
    format: Literal["arrow", "lmdb", "parquet", "jsonl"] = Field(
        "arrow",
        description="arrow is mapped into memory, lmdb read by key; parquet and jsonl (a JSON object a line, packed by "
        "Zstandard) hold text, for runs without tokens.",
    )
    sequence_length: int = Field(2048, ge=2, le=1 << 24, description="Ids in a sequence.")
    shard_tokens: int = Field(
        1 << 24, ge=1, description="A shard closes at the first unit border with this many tokens."
    )
    shard_bytes: int = Field(1 << 26, ge=1, description="The same for parquet and jsonl, in bytes of text.")
    packing: Packing = Field(
        "best_fit", description="best_fit keeps documents whole where they fit; concat cuts them where a sequence ends."
    )
    window: int = Field(4096, ge=1, description="How many documents best_fit sorts at a time.")
    record: Record = Field(
        "values",
        description="What documents/ holds: values = all measured values; full = also the text of dropped documents, "
        "and what `headrace rerun` begins with; sample = that text for one in 64; reasons = verdicts without values.",
    )

    def open(self, context: RunContext) -> WriterState:
        """Give a writer that goes on after the last committed shard."""
        return WriterState(self._open_shard(), self.record, context)

    def _open_shard(self) -> TokenShard | TextShard:
        if self.format in OF_TEXT:
            return JsonShard(self.shard_bytes) if self.format == JSONL else TextShard(self.shard_bytes)
        return TokenShard(Layout(self.format, self.sequence_length, self.packing, self.window), self.shard_tokens)


def check_format(stage: Write, *, has_tokens: bool) -> None:
    """Raise ConfigError when the format cannot hold what the chain before `write` gives."""
    if has_tokens == (stage.format not in OF_TEXT):
        return
    if has_tokens:
        raise ConfigError(
            f"format: {stage.format} holds text, but a tokenize stage comes before it",
            where="stage write",
            remedy="set `format: arrow` or `format: lmdb`, or remove the tokenize stage",
        )
    raise ConfigError(
        f"format: {stage.format} holds token ids, but no tokenize stage comes before it",
        where="stage write",
        remedy="add `- kind: tokenize` before `write`, or set `format: parquet`",
    )


WriteStage = Write
