"""From what a configuration says to a tokenizer: the content of a file decides what it is, not its name."""

from __future__ import annotations

from pathlib import Path

from headrace.schemas.errors import FormatError
from headrace.tokenizers.base import Tokenizer
from headrace.tokenizers.byte_level.options import ByteLevelOptions, EngineChoice
from headrace.tokenizers.bytes_tokenizer import BytesTokenizer

BYTES = "bytes"  # the model-free tokenizer's name in a configuration


def load(model: str | Path, *, engine: EngineChoice = "fast", options: ByteLevelOptions | None = None) -> Tokenizer:
    """Give the byte tokenizer for "bytes", else the model in that file: SentencePiece, `tokenizer.json` or ranks.

    Ids are the same with each `engine`; `reference` runs the library that the model was made with. `options` say what
    a `tokenizer.json` or rank file leaves open.
    """
    if model == BYTES:
        return BytesTokenizer()
    path = Path(model)
    return from_bytes(_read(path), str(model), engine=engine, options=options, folder=path.parent)


def from_bytes(
    data: bytes,
    where: str,
    *,
    engine: EngineChoice = "fast",
    options: ByteLevelOptions | None = None,
    folder: Path | None = None,
) -> Tokenizer:
    """Load a model from its bytes; FormatError names `where` when they are none that can be run exactly.

    What is made of a SentencePiece model is kept in the folder, for the next time and for other processes.
    """
    if data.startswith(b"#version:"):
        raise FormatError(
            "this file holds merges alone",
            where=where,
            why="merges.txt has no vocabulary, and vocab.json no merges",
            remedy="give the tokenizer.json of the model; tokenizers can write one from both files",
        )
    from headrace.tokenizers.byte_level.rank_file import is_rank_file

    if data.lstrip()[:1] == b"{" or is_rank_file(data):
        from headrace.tokenizers.byte_level import opening

        return opening.from_bytes(data, where, options, engine)
    from headrace.tokenizers import sentencepiece_kernels, sentencepiece_model

    if engine == "reference":
        return sentencepiece_model.from_bytes(data, where)
    return sentencepiece_kernels.from_bytes(data, where, folder)


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
