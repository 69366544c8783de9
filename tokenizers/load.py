"""From what a configuration says to a tokenizer: the content of a file decides what it is, not its name."""

from __future__ import annotations

import re
from pathlib import Path

from headrace.schemas.errors import ConfigError, FormatError
from headrace.tokenizers.base import Tokenizer
from headrace.tokenizers.byte_level.options import ByteLevelOptions, EngineChoice
from headrace.tokenizers.bytes_tokenizer import BytesTokenizer

# The key behind the brace tells it from a SentencePiece model, which may begin with any white space and a brace.
_JSON_OBJECT = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*["}]')
BYTES = "bytes"  # the model-free tokenizer's name in a configuration


def load(
    model: str | Path,
    *,
    engine: EngineChoice = "fast",
    options: ByteLevelOptions | None = None,
    tables: Path | None = None,
) -> Tokenizer:
    """Give the byte tokenizer for "bytes", else the model in that file: SentencePiece, `tokenizer.json` or ranks.

    Ids are the same with each `engine`; `reference` runs the library that the model was made for. `options` say what a
    `tokenizer.json` or rank file leaves open. The tables of a SentencePiece model are kept in the folder `tables`.
    """
    if model == BYTES:
        return BytesTokenizer()
    return from_bytes(_read(Path(model)), str(model), engine=engine, options=options, tables=tables)


def from_bytes(
    data: bytes,
    where: str,
    *,
    engine: EngineChoice = "fast",
    options: ByteLevelOptions | None = None,
    tables: Path | None = None,
) -> Tokenizer:
    """Load a model from its bytes; FormatError names `where` when they are none that can be run exactly."""
    if data.startswith(b"#version:"):
        raise FormatError(
            "this file holds merges alone",
            where=where,
            why="merges.txt has no vocabulary, and vocab.json no merges",
            remedy="give the tokenizer.json of the model; tokenizers can write one from both files",
        )
    from headrace.tokenizers.byte_level.rank_file import is_rank_file

    if _JSON_OBJECT.match(data) or is_rank_file(data):
        from headrace.tokenizers.byte_level import opening

        return opening.from_bytes(data, where, options, engine)
    if options is not None:
        raise ConfigError(
            "options for a tokenizer.json or rank file are given",
            where=where,
            why="this is neither: it is read as a SentencePiece model, which holds all of them",
            remedy="leave the options out, or give the file that they are for",
        )
    return _sentencepiece(data, where, engine, tables)


def _sentencepiece(data: bytes, where: str, engine: EngineChoice, tables: Path | None) -> Tokenizer:
    """Take the kernels for the models whose ids they give exactly, and the library for all others."""
    if engine == "fast":
        from headrace.tokenizers.model_file import read_model
        from headrace.tokenizers.table_building import refusal

        if not refusal(read_model(data, where)):
            from headrace.tokenizers.sentencepiece_kernels import KernelTokenizer

            return KernelTokenizer(data, where, tables)
    from headrace.tokenizers import sentencepiece_model

    return sentencepiece_model.from_bytes(data, where)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FormatError(
            "the tokenizer model cannot be read",
            where=str(path),
            why=error.strerror or str(error),
            remedy="correct `model` in the tokenize stage, or leave it out and set `train`",
        ) from error
