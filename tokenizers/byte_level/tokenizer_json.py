"""What a `tokenizer.json` says, and whether the fast engine can run all of it.

The fast engine passes over what it does not know (single_word, suffixes, further pre-tokenizers). So a file is taken
apart here by schemas that forbid what they do not name, and the engine gets a file that holds nothing else.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from headrace.schemas.errors import FormatError
from headrace.tokenizers.byte_level.alphabet import alphabet, unspell
from headrace.tokenizers.byte_level.fast_form import AddedToken, FastModel, NotFast, fast_form
from headrace.tokenizers.byte_level.patterns import GPT2, KNOWN_OF_TOKENIZERS

FORMAT = "1.0"


class ModelOutline(BaseModel):
    """The model's kind, and what makes it one that has no certain ids."""

    model_config = ConfigDict(frozen=True)

    type: str | None = None
    dropout: float | None = None
    unk_id: int | None = None
    unk_token: str | None = None


class Outline(BaseModel):
    """What every file holds, whatever its model."""

    model_config = ConfigDict(frozen=True)

    version: str = FORMAT
    model: ModelOutline
    added_tokens: tuple[AddedToken, ...] = ()

    def specials(self) -> dict[str, int]:
        """Give the special tokens, their ids by their text."""
        return {token.content: token.id for token in self.added_tokens if token.special}


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _Regex(_Strict):
    Regex: str


class _Split(_Strict):
    type: Literal["Split"]
    pattern: _Regex
    behavior: Literal["Isolated"]
    invert: Literal[False] = False


class _ByteLevel(_Strict):
    type: Literal["ByteLevel"]
    add_prefix_space: Literal[False]
    trim_offsets: bool
    use_regex: bool = True


class _Sequence(_Strict):
    type: Literal["Sequence"]
    pretokenizers: tuple[_Split | _ByteLevel, ...]


class _Nfc(_Strict):
    type: Literal["NFC"]


class _Bpe(_Strict):
    type: Literal["BPE"] = "BPE"  # files as old as GPT-2's do not say it
    dropout: None = None
    unk_token: str | None = None
    continuing_subword_prefix: Literal[""] | None = None
    end_of_word_suffix: Literal[""] | None = None
    fuse_unk: bool = False
    byte_fallback: Literal[False] = False
    ignore_merges: bool = False
    vocab: dict[str, int]
    merges: list[tuple[str, str]] | list[str]


class _File(_Strict):
    version: Literal["1.0"]
    truncation: object = None
    padding: object = None
    added_tokens: tuple[AddedToken, ...] = ()
    normalizer: _Nfc | None = None
    pre_tokenizer: _ByteLevel | _Sequence
    post_processor: object = None
    decoder: object = None
    model: _Bpe


def outline(data: bytes, where: str) -> Outline:
    """Read what every `tokenizer.json` holds; FormatError when it is another file, or of another version."""
    try:
        found = Outline.model_validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise FormatError(
            "this is not a whole tokenizer.json",
            where=where,
            why=f"{place}: {first['msg']} ({len(data)} bytes)",
            remedy="give the tokenizer.json of the model, not vocab.json or tokenizer_config.json",
        ) from error
    if found.version != FORMAT:
        raise FormatError(
            f"version {found.version!r} of tokenizer.json is not known",
            where=where,
            why=f"this release reads version {FORMAT}",
            remedy="save the model again with tokenizers 0.23, or use a newer release of Headrace",
        )
    return found


def fast_model(data: bytes, allowed: tuple[str, ...]) -> FastModel:
    """Give the model in the fast engine's form, or raise NotFast; `allowed` special tokens are found in texts."""
    try:
        file = _File.model_validate_json(data)
    except ValidationError as error:
        place = [part for part in error.errors()[0]["loc"] if isinstance(part, str) and not part.startswith("_")]
        raise NotFast(f"gigatoken does not do what the file's `{'.'.join(place[:2])}` says") from error
    ordinary = tuple(token for token in file.added_tokens if not token.special or token.content in allowed)
    _check_added(file, ordinary)
    tokens = _token_bytes(file)
    composed = file.normalizer is not None
    form = _fast_form(file.model, _pattern(file.pre_tokenizer), ordinary, composed=composed)
    return FastModel(form, tokens, composed)


def _fast_form(model: _Bpe, pattern: str, added: tuple[AddedToken, ...], *, composed: bool) -> bytes:
    """Write the file anew; words that only special tokens spell are left out of its vocabulary."""
    plain = set(alphabet())
    vocabulary = {text: token for text, token in model.vocab.items() if plain.issuperset(text)}
    return fast_form(vocabulary, model.merges, pattern, added, whole_words=model.ignore_merges, composed=composed)


def _pattern(cutter: _ByteLevel | _Sequence) -> str:
    steps = (cutter,) if isinstance(cutter, _ByteLevel) else cutter.pretokenizers
    splits = [step.pattern.Regex for step in steps if isinstance(step, _Split)]
    last = steps[-1] if steps else None
    if not isinstance(last, _ByteLevel) or len(splits) != len(steps) - 1:
        raise NotFast("pre_tokenizer is no row of Split steps with one ByteLevel step at its end")
    if last.use_regex:
        splits.append(GPT2)
    if len(splits) != 1 or splits[0] not in KNOWN_OF_TOKENIZERS:
        raise NotFast(f"gigatoken does not know the pattern {' and '.join(splits)!r}")
    return KNOWN_OF_TOKENIZERS[splits[0]]


def _token_bytes(file: _File) -> dict[int, bytes]:
    added = {token.content for token in file.added_tokens}
    tokens: dict[int, bytes] = {}
    for text, token in file.model.vocab.items():
        spelled = unspell(text)
        if spelled is None and text not in added:
            raise NotFast(f"the vocabulary holds {text!r}, which spells no bytes")
        tokens[token] = text.encode() if spelled is None or text in added else spelled
    if sorted(tokens) != list(range(len(file.model.vocab))):
        raise NotFast("the ids of the vocabulary have gaps, or two words have one")
    if not file.model.vocab.keys() >= set(alphabet()):
        raise NotFast("the vocabulary lacks some of the 256 bytes")
    _check_merges(file.model)
    return tokens | {token.id: token.content.encode() for token in file.added_tokens}


def _check_merges(model: _Bpe) -> None:
    words = model.vocab
    for merge in model.merges:
        left, _, right = merge.partition(" ") if isinstance(merge, str) else (merge[0], "", merge[1])
        if left not in words or right not in words or left + right not in words:
            raise NotFast(f"the vocabulary lacks a word of the merge of {left!r} and {right!r}")
    if len(set(model.merges)) != len(model.merges):
        raise NotFast("a merge is listed twice")


def _check_added(file: _File, ordinary: tuple[AddedToken, ...]) -> None:
    """Refuse added tokens that the two libraries look for in another order or form."""
    following = sorted(token.id for token in file.added_tokens if token.content not in file.model.vocab)
    if following != list(range(len(file.model.vocab), len(file.model.vocab) + len(following))):
        raise NotFast("the ids of added tokens do not follow the vocabulary's")
    if any(token.single_word or token.lstrip or token.rstrip for token in ordinary):
        raise NotFast("an added token is a single word or takes white space with it")
    if len({token.normalized for token in ordinary}) > 1 or (file.normalizer and any(t.normalized for t in ordinary)):
        raise NotFast("added tokens are found in the normalized text")
    hidden = [token.content for token in file.added_tokens if token not in ordinary]
    for token in ordinary:
        if any(_touch(token.content, other) for other in hidden):
            raise NotFast(f"the added token {token.content!r} overlaps a special one")


def _touch(one: str, other: str) -> bool:
    """Say whether the two texts can share characters of a third."""
    if one in other or other in one:
        return True
    shared = range(1, min(len(one), len(other)))
    return any(one.endswith(other[:size]) or other.endswith(one[:size]) for size in shared)
