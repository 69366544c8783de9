"""From a file's bytes to a tokenizer: which engine runs it, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from headrace.schemas.errors import ConfigError, FormatError
from headrace.tokenizers.base import Ids
from headrace.tokenizers.byte_level import rank_file, tokenizer_json
from headrace.tokenizers.byte_level.engines import EngineRefused, FastEngine, LibraryEngine, fast_engine
from headrace.tokenizers.byte_level.fast_form import FastModel, NotFast
from headrace.tokenizers.byte_level.options import ByteLevelOptions, EngineChoice
from headrace.tokenizers.byte_level.special_tokens import special_ids
from headrace.tokenizers.byte_level.tokenizer import ByteLevelTokenizer, Engines, Source
from headrace.tokenizers.byte_level.vocabulary import packed

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def from_bytes(
    data: bytes, where: str, options: ByteLevelOptions | None = None, engine: EngineChoice = "fast"
) -> ByteLevelTokenizer:
    """Load a `tokenizer.json` or a rank file; FormatError and ConfigError name `where` and what to do.

    `fast` takes gigatoken where its ids are the library's, else the library; `reference` always takes the library.
    """
    return open_source(Source(data, where, options or ByteLevelOptions(), engine))


def open_source(source: Source) -> ByteLevelTokenizer:
    """Load a tokenizer from what it pickles as."""
    return _open_ranks(source) if rank_file.is_rank_file(source.data) else _open_json(source)


def _open_ranks(source: Source) -> ByteLevelTokenizer:
    file = rank_file.rank_file(source.data, source.options, source.where)
    specials = special_ids(file.special, source.options, source.where)
    words = packed(rank_file.token_bytes(file), file.special.values(), file.vocabulary_size)
    open_library = partial(_rank_library, source)
    try:
        fast, _ = _fast(source, partial(rank_file.fast_model, file))
        engines = Engines(fast.name, fast, composed=False, open_library=open_library)
    except (NotFast, EngineRefused) as reason:
        library = open_library()
        engines = Engines(f"{library.name}, because {reason}", None, composed=False, open_library=lambda: library)
    return _checked(ByteLevelTokenizer(source, file.vocabulary_size, specials, engines, words.decode), None)


def _open_json(source: Source) -> ByteLevelTokenizer:
    outline = tokenizer_json.outline(source.data, source.where)
    _refuse_uncertain(outline, source)
    specials = special_ids(outline.specials(), source.options, source.where)
    try:
        fast, form = _fast(source, partial(tokenizer_json.fast_model, source.data))
    except (NotFast, EngineRefused) as reason:
        library, model = _json_library(source, outline)
        engines = Engines(f"{library.name}, because {reason}", None, composed=False, open_library=lambda: library)
        size = max(model.get_vocab(with_added_tokens=True).values(), default=-1) + 1
        opened = ByteLevelTokenizer(source, size, specials, engines, partial(_decoded, model))
    else:
        engines = Engines(fast.name, fast, form.composed, lambda: _json_library(source, outline)[0])
        words = packed(form.tokens, outline.specials().values(), max(form.tokens) + 1)
        opened = ByteLevelTokenizer(source, len(words), specials, engines, words.decode)
    return _checked(opened, outline.model.unk_token)


def _fast(source: Source, build: Callable[[tuple[str, ...]], FastModel]) -> tuple[FastEngine, FastModel]:
    if source.engine == "reference":
        raise NotFast("`engine: reference` asks for it")
    model = build(source.options.allowed_special)
    return fast_engine(model.data), model


def _rank_library(source: Source) -> LibraryEngine:
    from headrace.tokenizers.byte_level import libraries

    file = rank_file.rank_file(source.data, source.options, source.where)
    allowed = source.options.allowed_special
    return libraries.from_ranks(file.ranks, file.pattern, file.special, allowed, source.where)


def _json_library(source: Source, outline: tokenizer_json.Outline) -> tuple[LibraryEngine, Tokenizer]:
    from headrace.tokenizers.byte_level import libraries  # its libraries are 10 MB that the fast engine does not need

    library, model = libraries.from_tokenizer_json(source.data, source.options.allowed_special, source.where)
    libraries.check_ids(model, outline, source.where)
    return library, model


def _decoded(model: Tokenizer, ids: Ids) -> str:
    return model.decode(ids.tolist(), skip_special_tokens=True)


def _refuse_uncertain(outline: tokenizer_json.Outline, source: Source) -> None:
    """Refuse what has no ids that could be called the right ones, and options for another kind of file."""
    model = outline.model
    if model.type == "Unigram" or model.unk_id is not None:
        raise FormatError(
            "a Unigram tokenizer.json is not run",
            where=source.where,
            why="tokenizers adds scores in another precision than sentencepiece, so that some ids differ",
            remedy="give the SentencePiece .model file of the model",
        )
    if model.dropout:
        raise FormatError(
            "a tokenizer.json with dropout is not run",
            where=source.where,
            why=f"`model.dropout` is {model.dropout}: its ids are random",
            remedy="set `dropout` to null in the file",
        )
    if source.options.pattern is not None or source.options.special_tokens:
        raise ConfigError(
            "`pattern` and `special_tokens` are for rank files",
            where=source.where,
            why="a tokenizer.json holds both",
            remedy="leave them out",
        )


def _checked(tokenizer: ByteLevelTokenizer, unknown: str | None) -> ByteLevelTokenizer:
    """Refuse a model that gives a special id for plain text; the id of unknown words may come out of any text."""
    closed = {
        token: text
        for text, token in tokenizer.specials.by_text.items()
        if text not in tokenizer.source.options.allowed_special and text != unknown
    }
    ids, _ = tokenizer.encode(
        pa.array([form for text in closed.values() for form in (text, f" {text}")], pa.large_string())
    )
    for token in ids.tolist():
        if token in closed:
            raise FormatError(
                f"the special token {closed[token]!r} is also a word of the vocabulary",
                where=tokenizer.source.where,
                why=f"plain text gives its id {token}",
                remedy="list it in `allowed_special` if that is meant, or make it an ordinary token in the file",
            )
    return tokenizer
