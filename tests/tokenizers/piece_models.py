"""Small SentencePiece models that are hard to be exact on, and what the plain twin knows of a model."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
from tests.tokenizers.model_bytes import (
    BYTE_PIECES,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Piece,
    model,
    rules,
    trainer,
)

from headrace.tokenizers.kernels.pieces_plain import PlainModel
from headrace.tokenizers.model_file import read_model
from headrace.tokenizers.table_building import build_tables

UNIGRAM, BPE = 1, 2
SPECIAL: tuple[Piece, ...] = (("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL))

# Sums that are equal, and sums that are equal but for rounding: which is greater depends on what was before.
TIES = {"\u2581": -1.0, "a": -1.0, "b": -1.0, "ab": -2.0, "bc": -2.0, "c": -1.0, "abc": -3.0, "水": -1.0, "水a": -2.0}
NEAR_TIES = {
    "\u2581": -2.3,
    "a": -0.1,
    "b": -0.2,
    "ab": -0.3,
    "c": -0.7,
    "bc": -0.9,
    "abc": -1.0000001,
    "ca": -0.8,
    "\u2581a": -2.4,
    "水": -3.1,
    "水水": -6.2,
    "中": -4.7,
    "水中": -7.8,
    "中水": -7.8000002,
}
# The library counts anew behind a score of 100,000: a few characters get there.
GREAT = {"\u2581": -30_000.5, "a": -20_000.25, "b": -25_000.125, "ab": -45_000.4, "ba": -45_000.37, "水": -70_000.0}
# Merges of characters that are no pieces themselves, with equal, zero and positive scores.
MERGES = {
    "\u2581": -9.0,
    "a": -8.0,
    "aa": -1.0,
    "aaa": -1.0,
    "ab": 0.0,
    "ba": 2.5,
    "xy": -0.5,
    "xyx": -0.25,
    "\u2581a": -1.0,
    "\u2581ab": -3.0,
    "水水": -1.0,
    "水水水水": -0.75,
    "bb": -1.0,
    "abb": -2.0,
    "b": -7.0,
}
# Pieces of a user: one is the beginning of another, one holds a space that no text holds behind the normalizer.
GIVEN = ("<sep>", "<se", "b\u2581", "a 1", "aba", "水a", "x")


def made(
    scores: Mapping[str, float],
    algorithm: int,
    *,
    given: tuple[str, ...] = (),
    unused: tuple[str, ...] = (),
    spelled: bool = True,
    unknown: bool = True,
    prefix: bool = True,
    escape: bool = True,
) -> bytes:
    """Give the file of a model with these pieces, and with those of a user."""
    pieces = [
        *SPECIAL[not unknown :],
        *(BYTE_PIECES if spelled else ()),
        *((text, score, NORMAL) for text, score in scores.items()),
        *((text, 0.0, USER_DEFINED) for text in given),
        *((text, -0.5, UNUSED) for text in unused),
    ]
    return model(
        pieces,
        normalizer=rules(prefix=prefix, squeeze=False, escape=escape),
        training=trainer(algorithm=algorithm, byte_fallback=spelled),
    )


MODELS = {
    "ties": made(TIES, UNIGRAM),
    "near ties": made(NEAR_TIES, UNIGRAM, prefix=False),
    "near ties, no bytes": made(NEAR_TIES, UNIGRAM, spelled=False),
    "great scores": made(GREAT, UNIGRAM),
    "great scores, pieces of a user": made(GREAT, UNIGRAM, given=GIVEN, spelled=False),
    "near ties, pieces of a user": made(NEAR_TIES, UNIGRAM, given=GIVEN),
    "unigram with unused pieces": made(NEAR_TIES, UNIGRAM, unused=("cab", "水水中")),
    "great scores, no piece for unknown text": made(GREAT, UNIGRAM, unknown=False),
    "merges, no piece for unknown text": made(MERGES, BPE, unknown=False),
    "unigram without marks": made(TIES, UNIGRAM, given=(" b",), escape=False),
    "merges": made(MERGES, BPE),
    "merges, no bytes": made(MERGES, BPE, spelled=False, prefix=False),
    "merges, pieces of a user": made(MERGES, BPE, given=GIVEN, spelled=False),
    "merges of ties": made(TIES, BPE),
    "merges, no piece for a space": made({"a": -1.0, "ab": -2.0, "b": -1.0}, BPE),
    "unigram, no piece for a space": made({"a": -1.0, "ab": -2.5, "水\u2581": -1.0, "b": -1.0}, UNIGRAM),
    "no pieces": made({}, BPE),
    "merges, with an empty slot": made(MERGES, BPE, unused=("\0",)),
    "merges without marks": made(MERGES, BPE, escape=False),
}


def random_model(generator: random.Random) -> bytes:
    """Give a model of any pieces of a few characters, with scores of one of five kinds and any flags."""
    algorithm = generator.choice([UNIGRAM, BPE])
    alphabet = generator.sample(
        ["a", "b", "c", "A", "1", "-", "\t", "\u2581", "水", "中", "é", "😀", "\x7f", "\x01"], 6
    )
    scores = {
        "near": lambda: -round(generator.random() * 3, 1) * generator.choice([1, 1, 1.0000001]),
        "equal": lambda: -float(generator.randint(1, 3)),
        "great": lambda: (
            -generator.choice([30_000.5, 50_000.25, 70_000.125, 99_999.0]) * generator.choice([1, 1.00001])
        ),
        "positive": lambda: generator.choice([0.0, -0.0, 1.5, -1.5, 0.25, 30_000.0]),
        "wide": lambda: -generator.random() * 10 ** generator.randint(-3, 4),
    }[generator.choice(["near", "equal", "great", "positive", "wide"])]
    lengths = [1, 1, 2, 2, 2, 3, 3, 4, 5, 8, 20]
    texts = {"".join(generator.choices(alphabet, k=generator.choice(lengths))) for _ in range(generator.randint(1, 60))}
    kinds = {text: generator.choices("ngu", [8, 1, algorithm == UNIGRAM])[0] for text in sorted(texts)}
    return made(
        {text: scores() for text, kind in kinds.items() if kind == "n"},
        algorithm,
        given=tuple(text for text, kind in kinds.items() if kind == "g"),
        unused=tuple(text for text, kind in kinds.items() if kind == "u"),
        spelled=generator.random() < 0.5,
        prefix=generator.random() < 0.5,
        escape=generator.random() < 0.8,
    )


def plain_model(data: bytes) -> PlainModel:
    """Give what the plain twin knows of a model."""
    read = read_model(data, "m.model")
    tables = build_tables(read)
    marks = read.normalizer.escape_whitespaces
    kept = np.flatnonzero((read.types == NORMAL) | (read.types == USER_DEFINED)).tolist()
    kept = [i for i in kept if not (marks and b" " in read.piece(i))]
    texts = {read.piece(i).decode().replace("\u2581", " ") if marks else read.piece(i).decode(): i for i in kept}
    frozen = frozenset(text for text, i in texts.items() if read.types[i] == USER_DEFINED)
    merged = read.algorithm == "bpe"
    scores = read.scores if merged else tables.scores
    return PlainModel(
        ids=texts,
        scores={text: np.float32(scores[i]) for text, i in texts.items()},
        unknown=read.unk_id,
        unknown_score=np.float32(tables.unknown[0]),
        byte_ids=tuple(tables.byte_ids.tolist()) if read.byte_fallback else (),
        frozen=frozen if merged else frozenset(),
        space="\u2581" if marks else " ",
    )
