"""Which special token begins, ends and pads, and that none comes out of a text unless it is allowed to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headrace.schemas.errors import ConfigError
from headrace.tokenizers.byte_level.options import ByteLevelOptions

# Names that published models use; the first that the model has counts. No file says which of its tokens is which.
_BOS = ("<|begin_of_text|>", "<|startoftext|>", "<|bos|>", "<bos>", "<s>", "[BOS]", "<｜begin▁of▁sentence｜>", "[CLS]")
_EOS = ("<|end_of_text|>", "<|endoftext|>", "<|eos|>", "<eos>", "</s>", "[EOS]", "<｜end▁of▁sentence｜>", "[SEP]")
_PAD = ("<|finetune_right_pad_id|>", "<|pad|>", "<|padding|>", "<pad>", "[PAD]", "<｜▁pad▁｜>")


@dataclass(frozen=True, slots=True)
class SpecialIds:
    """The ids by their meaning, and all special tokens by their text."""

    bos: int | None
    eos: int | None
    pad: int
    by_text: Mapping[str, int]


def special_ids(by_text: Mapping[str, int], options: ByteLevelOptions, where: str) -> SpecialIds:
    """Find the tokens that begin, end and pad; a model without one for padding pads with its end id, or 0."""
    bos = _find(by_text, options.bos, _BOS, "bos", where)
    eos = _find(by_text, options.eos, _EOS, "eos", where)
    pad = _find(by_text, options.pad, _PAD, "pad", where)
    for text in options.allowed_special:
        _known(by_text, text, "allowed_special", where)
    return SpecialIds(bos, eos, pad if pad is not None else eos or 0, dict(by_text))


def _find(by_text: Mapping[str, int], asked: str | None, names: Sequence[str], option: str, where: str) -> int | None:
    if asked is not None:
        return _known(by_text, asked, option, where)
    return next((by_text[name] for name in names if name in by_text), None)


def _known(by_text: Mapping[str, int], text: str, option: str, where: str) -> int:
    if text not in by_text:
        present = ", ".join(sorted(by_text)[:20]) or "none"
        raise ConfigError(
            f"the model has no special token {text!r}",
            where=where,
            why=f"`{option}` names it",
            remedy=f"use one of its special tokens ({present})",
        )
    return by_text[text]
