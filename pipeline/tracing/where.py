"""Say where a token comes from: its document, the characters of the text, the bytes of the source file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from headrace.pipeline.committed import Committed, open_committed
from headrace.pipeline.tracing.record import Stored, stored
from headrace.pipeline.tracing.source_bytes import SourceBytes, source_bytes
from headrace.pipeline.tracing.span import Span, Speller
from headrace.pipeline.tracing.token import Token, token_at
from headrace.schemas.errors import ConfigError
from headrace.schemas.shard import OF_TEXT
from headrace.schemas.tombstones import Tombstones, read_tombstones
from headrace.stages.tokenize_text import TokenizeStage


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A token and what is known of it; `document` is None for padding, `span` for ids that no character stands for."""

    token: Token
    piece: str
    document: Stored | None = None
    forgotten: bool = False
    span: Span | None = None
    bytes: SourceBytes | None = None

    def to_json(self) -> dict[str, object]:
        """Give the JSON form; without the text of the document, but for the token's characters."""
        at, document = self.token, self.document
        return {
            "line": at.line.index,
            "shard": at.shard.file.name,
            "sequence": at.sequence,
            "position": at.position,
            "id": at.id,
            "piece": self.piece,
            "padding": document is None,
            "document": document and self._of(document),
            "source": document and document.record.to_json(),
            "text": self._characters(),
            "bytes": self.bytes and {"begin": self.bytes.begin, "end": self.bytes.end, "why": self.bytes.why or None},
        }

    def _of(self, document: Stored) -> dict[str, object]:
        at = self.token
        named = {"doc_id": document.doc_id, "url": document.url, "unit": at.unit, "row": at.row}
        return {**named, "token": at.index, "tokens": at.tokens, "forgotten": self.forgotten}

    def _characters(self) -> dict[str, object] | None:
        if self.span is None or self.document is None or self.document.text is None:
            return None
        begin, end = self.span.begin, self.span.end
        return {"begin": begin, "end": end, "is": self.document.text[begin:end]}


def where(run: Path, shard: str, sequence: int, position: int) -> Found:
    """Trace one token; ConfigError if there is no such place.

    Of a document that is forgotten on request neither the text nor the token is shown.
    """
    committed = open_committed(run)
    if any(line.shard and line.shard.format in OF_TEXT for line in committed.lines):
        remedy = "`headrace explain RUN DOC_ID` says where a document comes from"
        raise ConfigError("the run holds texts, not tokens", where=str(run), remedy=remedy)
    token, speller = token_at(committed, shard, sequence, position), _speller(committed)
    if token.unit is None or token.ids is None:
        return Found(token, speller.piece(token.id))
    document = stored(committed, token.unit, token.row)
    if (read_tombstones(run) or Tombstones()).request_for(document.doc_id, document.url):
        return Found(token, "", document, forgotten=True)
    piece, text = speller.piece(token.id), document.text
    span = None if text is None else speller.span(text, token.ids, token.index)
    if text is None or span is None:
        return Found(token, piece, document)
    return Found(token, piece, document, span=span, bytes=source_bytes(committed, document, text, span))


def _speller(committed: Committed) -> Speller:
    ref = next((line.tokenizer for line in committed.lines if line.tokenizer), None)
    options = committed.stage("tokenize")
    stage = TokenizeStage.model_validate(options) if options else None
    return Speller.of(committed.run / ref.name if ref else None, stage)
