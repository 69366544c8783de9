"""The messages of a SentencePiece model file: which field has which number, kind and default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from headrace.tokenizers.wire import DELIMITED, FIXED_32, VARINT, fields

Span: TypeAlias = tuple[int, int]  # begin and end in the file
Default: TypeAlias = int | str | None
_EXTENSIONS = 200  # from this number on fields belong to third parties: the library knows none of them


@dataclass(frozen=True, slots=True)
class Kind:
    """A message: the name, wire type and default of each field by its number, and the highest number in use."""

    name: str
    known: Mapping[int, tuple[str, int, Default]]
    highest: int

    def default(self, name: str) -> Default:
        """Give what a field says that is not in the file."""
        return next(default for field, _, default in self.known.values() if field == name)


@dataclass(frozen=True, slots=True)
class Message:
    """A message as read: numbers by name (the last one counts) and spans by name (all, in the file's order)."""

    kind: Kind
    source: bytes
    numbers: Mapping[str, int]
    found: Mapping[str, Sequence[Span]]

    def spans(self, name: str) -> Sequence[Span]:
        """Give where the field is; empty where it is not."""
        return self.found.get(name, ())

    def data(self, name: str) -> bytes:
        """Give the bytes of a field; of several the last ones."""
        default = self.kind.default(name)
        if not self.spans(name):
            return default.encode() if isinstance(default, str) else b""
        begin, end = self.spans(name)[-1]
        return self.source[begin:end]

    def text(self, name: str) -> str:
        """Give the text of a field; ValueError where it is not UTF-8."""
        return self.data(name).decode()

    def number(self, name: str) -> int:
        """Give a number."""
        default = self.kind.default(name)
        return self.numbers.get(name, default if isinstance(default, int) else 0)

    def flag(self, name: str) -> bool:
        """Give a yes or no."""
        return self.number(name) != 0


# What only the training looked at and the self-tests of old files (4) have lower numbers than the highest, but no name.
TRAINER: Final = Kind(
    "trainer_spec",
    {
        3: ("model_type", VARINT, 1),
        24: ("treat_whitespace_as_suffix", VARINT, 0),
        35: ("byte_fallback", VARINT, 0),
        44: ("unk_surface", DELIMITED, " \u2047 "),
        46: ("bos_piece", DELIMITED, "<s>"),
        47: ("eos_piece", DELIMITED, "</s>"),
        48: ("pad_piece", DELIMITED, "<pad>"),
    },
    highest=55,
)
RULES: Final = Kind(
    "normalizer_spec",
    {
        1: ("name", DELIMITED, ""),
        2: ("precompiled_charsmap", DELIMITED, None),
        3: ("add_dummy_prefix", VARINT, 1),
        4: ("remove_extra_whitespaces", VARINT, 1),
        5: ("escape_whitespaces", VARINT, 1),
    },
    highest=6,
)
PIECE: Final = Kind(
    "piece", {1: ("piece", DELIMITED, None), 2: ("score", FIXED_32, None), 3: ("type", VARINT, 1)}, highest=3
)
MODEL: Final = Kind(
    "model",
    {
        1: ("pieces", DELIMITED, None),
        2: ("trainer_spec", DELIMITED, None),
        3: ("normalizer_spec", DELIMITED, None),
        5: ("denormalizer_spec", DELIMITED, None),
    },
    highest=5,
)


def read_message(data: bytes, spans: Sequence[Span], kind: Kind) -> Message:
    """Read a message; one that comes in several spans is their sum. ValueError where it is broken or newer."""
    numbers: dict[str, int] = {}
    found: dict[str, list[Span]] = {}
    for begin, end in spans:
        for field in fields(data, begin, end):
            if field.number not in kind.known:
                refuse_newer(kind, field.number)
                continue
            name, wire, _ = kind.known[field.number]
            if field.wire != wire:
                raise ValueError(f"field {name} of {kind.name} is of another kind than in a model")
            if wire == VARINT:
                numbers[name] = field.value
            else:
                found.setdefault(name, []).append((field.begin, field.end))
    return Message(kind, data, numbers, found)


def refuse_newer(kind: Kind, number: int) -> None:
    """Raise ValueError for a field that no version up to the pinned one has; those of third parties are let pass."""
    if kind.highest < number < _EXTENSIONS:
        raise ValueError(
            f"its {kind.name} has a field {number}, which sentencepiece 0.2.3 does not know:"
            " a newer version wrote it, or it is another kind of file"
        )
