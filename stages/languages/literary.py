"""Literary against modern Chinese: function words, and how few of its neighbours make a word of today.

A logistic regression over 121 characters and the share of pairs in words, fitted to 8,300 pieces of classical prose,
poetry, and modern text (half of it translations of the classics) in both scripts.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from headrace.schemas.arrays import Bytes, CodePoints, Counts, Floats, read_only
from headrace.stages.kernels.characters import CODE_POINTS, simplified
from headrace.stages.kernels.language_scan import (
    HAN_CHARACTERS,
    KNOWN,
    PAIR_BITS,
    PAIRS,
    WEIGHT,
    Weights,
    pair_slots,
)
from headrace.stages.repairing.han_frequency import frequencies

LEAST_HAN = 16  # with fewer Han characters nothing is literary
# Hundredths for each per cent of the Han characters; both scripts alike.
_WEIGHTS = """
-182的 -120这 -113到 -112了 -111他 -95们 -74在因 -71就又 -68打 -58个 -57和 -56你要 -55给 -54让
-52用 -50当 -48很没 -46去 -44说 -42该 -39对 -37与 -36呢 -33能 -27使 -26想 -25为 -24吗 -23把
-22被她地 -21着 -20么那将而 -19吧些邪 -17什做 -16它从 -14您 -13都向 -12后 -11啊 -10别 -9此且
-8认所 -6既 -4样 -3哪时 -2跟怎够夫 -1找耳 1欤 2弗 3孰 4是我吃 6或俱 7会 8则 10于自 11也
14尔卒欲 15乎 17已 20来 22矣 23之 25焉亦非 27曰 29哉 30不 31者若何 32以 33其 34年 35岂 36还吾
37谓莫复 38乃甚 40遂 43皆 44无 47看汝犹 50惟 71故 98未
"""
_OF_WORDS, _BIAS = -32.5, 10.66  # for the share of pairs in words, and for every text
_GAIN = 1.5  # nats from which on two characters side by side are no chance


def literary(counts: Counts) -> Floats:
    """Give how literary the Chinese of each document is, 0 to 1, from the scan's counts; 0 with too few characters."""
    han = np.maximum(1, counts[:, HAN_CHARACTERS])
    score = _BIAS + counts[:, WEIGHT] / han + _OF_WORDS * counts[:, KNOWN] / np.maximum(1, counts[:, PAIRS])
    likely = 1 / (1 + np.exp(-np.clip(score, -40, 40)))
    return np.where(counts[:, HAN_CHARACTERS] >= LEAST_HAN, likely, 0.0)


@cache
def weights() -> Weights:
    """Give the weight of every code point; traditional characters have those of their simplified form."""
    table = np.zeros(CODE_POINTS, np.int16)
    for group in _WEIGHTS.split():
        characters = group.lstrip("-0123456789")
        table[[ord(c) for c in characters]] = int(group.removesuffix(characters))
    old = np.array([*simplified()])
    table[old] = table[[*simplified().values()]]
    return read_only(table)


@cache
def folded() -> CodePoints:
    """Give the simplified form of every code point."""
    return read_only(frequencies().folded)


@cache
def known_pairs() -> Bytes:
    """Give the bits of the pairs of Han characters that stand in words more often than by chance."""
    table = frequencies()
    slots = pair_slots(table.pairs[table.gains > _GAIN]).astype(np.int64)
    flags = np.zeros(1 << PAIR_BITS, np.bool_)
    flags[slots] = True
    return read_only(np.packbits(flags, bitorder="little"))
