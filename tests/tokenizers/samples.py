"""Texts and one small trained model for the tests of tokenizers."""

from __future__ import annotations

from functools import cache

import pyarrow as pa

from headrace.tokenizers.options import TrainOptions
from headrace.tokenizers.train import train

ENGLISH = "The miller opens the sluice in the morning, and the wheel begins to turn; at 17:45 he closes it again.\n"
CHINESE = "清晨磨坊主打开水闸，水轮开始转动。傍晚他又把水闸关上，第二天再来一次。\n"
TEXTS = [ENGLISH * 3 + f"  line {i}\t{i * 37}\n\n" + CHINESE * 3 for i in range(40)]
AWKWARD = [
    "",
    " ",
    "\n",
    "\t\ttabs\tand  runs   of    spaces     \n\n\n",
    "  leading and trailing  ",
    "\r\nWindows\r\n",
    "中文，English 混排。 全角　空格ＡＢＣ１２３",
    "𠮷野家 😀👩‍👩‍👧‍👦 ﬁ é e\u0301",
    "<s> </s> <unk> <pad> <0x41> <0x0A>",
    "\x00\x01 controls \x7f\x85",
    "a" * 3000,
    "中" * 3000,
]


def column(texts: list[str]) -> pa.Array:
    return pa.array(texts, pa.large_string())


@cache
def small_model(model_type: str = "unigram", *, byte_fallback: bool = True) -> bytes:
    """Give a model trained on TEXTS."""
    options = TrainOptions(vocab_size=400, model_type=model_type, byte_fallback=byte_fallback)
    return train([column(TEXTS)], options).model
