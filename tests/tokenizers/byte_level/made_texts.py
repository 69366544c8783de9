"""Texts that are hard to cut: drawn from a seed, the same on every machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from headrace.tokenizers.base import TextColumn

_SPACES = " \t\n\r\v\f\x1c\x85\xa0\u1680\u2000\u2009\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"
_WORDS = (
    *("don't", "I'LL", "we'Re", "'S", "''s", "'ſ", "it’s", "HTTPServer", "camelCase", "ǅungla", "ﬁn", "x²"),
    *(
        "数据",
        "预处理",
        "，",
        "。",
        "ｆｕｌｌ",
        "１２３",
        "テキスト",
        "한국어",
        "हिन्दी",
        "ไทย",
        "e\u0301",
        "\u0323\u0301",
        "🫨",
    ),
    *(
        "👩‍👩‍👧",
        "🇨🇳",
        "<|endoftext|>",
        "<|pad|>",
        "<tool>",
        "</s>",
        "<0x41>",
        "▁",
        "\x00",
        "\ue000",
        "\U0010ffff",
        "𠀀",
    ),
    *(
        "...",
        "!!!",
        "://",
        "--",
        "/\n",
        "\r\n\r\n",
        "0",
        "12",
        "123",
        "1234567",
        "1,234.5",
        "a",
        "A",
        "é",
        "ß",
        "_",
        "$",
    ),
)


def _run(draw: np.random.Generator) -> str:
    return str(draw.choice(_WORDS)) * int(draw.integers(1, 40))


def _white(draw: np.random.Generator) -> str:
    return "".join(draw.choice(list(_SPACES), draw.integers(1, 6)))


def _points(draw: np.random.Generator) -> str:
    limit = int(draw.choice([0x80, 0x250, 0x3000, 0x10000, 0x20000, 0x110000]))
    points = draw.integers(0, limit, draw.integers(1, 8))
    return "".join(map(chr, points[(points < 0xD800) | (points > 0xDFFF)]))


def _words(draw: np.random.Generator) -> str:
    return str(draw.choice([" ", "", "\n"])).join(draw.choice(_WORDS, draw.integers(1, 8)))


_PIECES: Sequence[Callable[[np.random.Generator], str]] = (_run, _white, _points, _words, _words)


def hard_texts(seed: int, documents: int) -> TextColumn:
    """Give texts of up to 12 pieces: words of many scripts, white space, runs, any code points."""
    draw = np.random.default_rng(seed)
    texts = [
        "".join(_PIECES[kind](draw) for kind in draw.integers(0, len(_PIECES), draw.integers(0, 12)))
        for _ in range(documents)
    ]
    return pa.array(texts, pa.large_string())
