"""The patterns that cut texts into words before byte pairs are merged, and which of them the fast engine knows.

The pattern decides the ids: a file of ranks does not hold it, and a `tokenizer.json` holds it as text. Each is here in
the form that the files of its models use (docs/decisions/0103).

The same text may mean two things: the expressions of tokenizers are Ruby's, where `$` is the end of a line and
`{1,3}+` repeats, those of tiktoken are Perl's. The fast engine knows one meaning, and is asked for no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORD = r"[^\r\n\p{L}\p{N}]?"
_SIGNS_AND_SPACES = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_SPACES = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"


def _by_case(ending: str, digits: str) -> str:
    capitalized, capitals = f"{_UPPER}*{_LOWER}+", f"{_UPPER}+{_LOWER}*"
    words = f"{_WORD}{capitalized}{ending}|{_WORD}{capitals}{ending}"
    return rf"{words}|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*{_SPACES}"


GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = rf"{_CONTRACTIONS}|{_WORD}\p{{L}}+|\p{{N}}{{1,3}}{_SIGNS_AND_SPACES}"
QWEN2 = rf"{_CONTRACTIONS}|{_WORD}\p{{L}}+|\p{{N}}{_SIGNS_AND_SPACES}"
QWEN35 = rf"{_CONTRACTIONS}|{_WORD}[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*{_SPACES}"
O200K = _by_case(f"{_CONTRACTIONS}?", r"\p{N}{1,3}")
NEMOTRON = _by_case("", r"\p{N}")
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s+"
)

# What a file of ranks can be told to use, by name.
PATTERNS: Mapping[str, str] = MappingProxyType(
    {
        "gpt2": GPT2,
        "cl100k": CL100K,
        "o200k": O200K,
        "llama3": LLAMA3,
        "qwen2": QWEN2,
        "qwen3.5": QWEN35,
        "nemotron": NEMOTRON,
    }
)

# By the text of the pattern, the text by which the fast engine knows what the library makes of it.
_GPT2_ONE_BY_ONE = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_IN_BOTH = {pattern: pattern for pattern in (GPT2, LLAMA3, QWEN2, QWEN35, O200K, NEMOTRON)} | {_GPT2_ONE_BY_ONE: GPT2}
KNOWN_OF_TOKENIZERS: Mapping[str, str] = MappingProxyType(_IN_BOTH)
KNOWN_OF_TIKTOKEN: Mapping[str, str] = MappingProxyType(
    _IN_BOTH
    | {
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s": GPT2,
        CL100K: CL100K,
        CL100K.removesuffix("+"): CL100K,
    }
)
