"""From a model file to the arrays that the kernels read, or to the reason why they cannot read it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import CodePoints, Offsets
from headrace.tokenizers.kernels.double_array import double_array
from headrace.tokenizers.kernels.piece_tables import (
    CLASSES,
    CODE_POINTS,
    FIRST_CODE,
    OTHER,
    PIECE,
    SCORE,
    Numbers,
    PieceTables,
    Scores,
    Words,
)
from headrace.tokenizers.kernels.units import ascii_class
from headrace.tokenizers.merge_table import merge_table, symbols_of
from headrace.tokenizers.model_file import ModelFile
from headrace.tokenizers.model_pieces import BYTE, NORMAL, UNUSED, USER_DEFINED

MARK: Final = "\u2581"  # the library's letter for a space
_UNKNOWN_PENALTY: Final = np.float32(10)  # how far the library sets an unknown character below the worst piece
_USER_DEFINED_BONUS: Final = 0.1  # a byte, from the second one on
_LEAST_PAIR_BITS: Final = 14
_PLACES_A_PAIR: Final = 16  # of the bitmap: one pair in 16 that is in no piece lengthens a unit
_MOST_CHARACTERS: Final = (1 << 16) - FIRST_CODE  # codes have 16 bits
_NULL_PIECE: Final = b"\0"


@dataclass(frozen=True, slots=True)
class Entries:
    """The pieces that come out of text: their ids, and the characters of all one after the other."""

    ids: Numbers
    texts: tuple[str, ...]
    points: CodePoints
    begins: Offsets


def refusal(model: ModelFile) -> str:
    """Say why the kernels cannot give a model's ids exactly; empty if they can."""
    if model.algorithm not in ("unigram", "bpe"):
        return f"its algorithm is {model.algorithm}, the kernels know unigram and bpe"
    unused = np.flatnonzero(model.types == UNUSED).tolist()
    if model.algorithm == "bpe" and any(model.piece(number) != _NULL_PIECE for number in unused):
        return "it is a BPE model with unused pieces, and what is made of one depends on all of the text"
    if model.algorithm == "unigram" and not np.isin(model.types, (NORMAL, USER_DEFINED, UNUSED)).any():
        return "it has no pieces"
    characters = _characters(model)
    if characters > _MOST_CHARACTERS:
        return f"its pieces have {characters} different characters, the kernels know {_MOST_CHARACTERS}"
    return ""


def build_tables(model: ModelFile) -> PieceTables:
    """Give a model's arrays; `refusal` says first whether they mean what the model means."""
    entries, marks = _entries(model), model.normalizer.escape_whitespaces
    codes, used = _codes(entries.points)
    keys = codes[entries.points].astype(np.int32)
    frozen = (model.types == USER_DEFINED).astype(np.uint8)
    scores, unknown = _scores(model)
    nodes = _nodes(entries, keys, used)
    with_piece = nodes[:, PIECE] >= 0
    nodes[with_piece, SCORE] = scores[nodes[with_piece, PIECE]].view(np.int32)
    singles = nodes[:used, PIECE].copy()
    merged = model.algorithm == "bpe"
    symbols = symbols_of(singles, model.vocabulary_size)
    merge_keys, merge_ids = merge_table(entries.ids, entries.texts, codes, symbols, frozen if merged else None)
    byte_ids, id_bytes = _bytes(model)
    return PieceTables(
        codes=codes,
        nodes=nodes,
        node_scores=nodes.view(np.float32),
        singles=singles,
        pairs=_pairs(keys, entries.begins),
        bridges=_bridges(entries.texts),
        scores=scores,
        byte_ids=byte_ids,
        id_bytes=id_bytes,
        symbols=symbols,
        merge_keys=merge_keys,
        merge_ids=merge_ids,
        ranks=_ranks(model.scores),
        frozen=frozen,
        facts=np.array([_unknown(model), model.byte_fallback, frozen.any(), marks], np.int64),
        unknown=unknown,
    )


def _characters(model: ModelFile) -> int:
    """Give the number of different characters in all pieces."""
    seen = np.zeros(CODE_POINTS, np.bool_)
    seen[np.frombuffer(model.piece_bytes.tobytes().decode().encode("utf-32-le"), np.uint32)] = True
    return int(np.count_nonzero(seen))


def _entries(model: ModelFile) -> Entries:
    """Give the pieces as text holds them: if it holds marks for spaces, a piece with a space is in none."""
    marks = model.normalizer.escape_whitespaces
    ids: list[int] = []
    texts: list[str] = []
    for number in np.flatnonzero((model.types == NORMAL) | (model.types == USER_DEFINED)).tolist():
        text = model.piece(number).decode()
        if not (marks and " " in text):
            ids.append(number)
            texts.append(text.replace(MARK, " ") if marks else text)
    begins = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=begins[1:])
    points = np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32)
    return Entries(np.array(ids, np.int32), tuple(texts), points, begins)


def _codes(points: CodePoints) -> tuple[npt.NDArray[np.uint16], int]:
    """Give the code of each code point, and the number of codes; frequent characters have small ones."""
    characters, counts = np.unique(points, return_counts=True)
    codes = np.full(CODE_POINTS, OTHER, np.uint16)
    codes[characters[np.argsort(-counts, kind="stable")]] = np.arange(FIRST_CODE, FIRST_CODE + len(characters))
    return codes, FIRST_CODE + len(characters)


def _nodes(entries: Entries, keys: Numbers, codes: int) -> Numbers:
    """Sort the pieces by the codes of their characters, and give the trie of them."""
    shifted = (keys + 0x10000).astype(np.uint32).tobytes().decode("utf-32-le")  # codes alone might be surrogates
    bounds = entries.begins.tolist()
    spelled = [shifted[begin:end] for begin, end in pairwise(bounds)]
    order = sorted(range(len(spelled)), key=spelled.__getitem__)
    begins = np.zeros(len(order) + 1, np.int64)
    np.cumsum([len(spelled[number]) for number in order], out=begins[1:])
    joined = "".join(spelled[number] for number in order).encode("utf-32-le")
    return double_array(np.frombuffer(joined, np.uint32).astype(np.int32) - 0x10000, begins, entries.ids[order], codes)


def _unknown(model: ModelFile) -> int:
    """Give the id of unknown characters; without one all are spelled, and a number behind all ids stands for them."""
    return model.unk_id if model.unk_id >= 0 else model.vocabulary_size


def _scores(model: ModelFile) -> tuple[Scores, Scores]:
    """Give what the library adds for each piece, and for an unknown character with the greatest size of all."""
    scores = model.scores.copy()
    normal = scores[model.types == NORMAL]
    least = normal.min() if len(normal) else np.finfo(np.float32).max
    unknown = np.float32(least - _UNKNOWN_PENALTY)
    sizes = np.diff(model.piece_offsets)
    given = model.types == USER_DEFINED
    scores[given] = (_USER_DEFINED_BONUS * (sizes[given] - 1)).astype(np.float32)
    if model.unk_id >= 0:
        scores[model.unk_id] = unknown
    added = scores[(model.types == NORMAL) | given]
    most = max(np.abs(added).max(initial=0), abs(unknown), 1e-3)
    return scores, np.array([unknown, most], np.float32)


def _pairs(keys: Numbers, begins: Offsets) -> Words:
    """Give the bitmap of codes that stand side by side in a piece."""
    inner = np.ones(max(len(keys) - 1, 0), np.bool_)
    inner[begins[1:-1] - 1] = False  # no pair goes over the end of a piece
    before, after = keys[:-1][inner].astype(np.int64), keys[1:][inner].astype(np.int64)
    distinct = len(np.unique(before << 16 | after))
    bits = 1 << max(_LEAST_PAIR_BITS, (distinct * _PLACES_A_PAIR).bit_length())
    flags = np.zeros(bits, np.uint8)
    flags[pair_bits(before, after, bits)] = 1
    return np.packbits(flags, bitorder="little").view(np.uint64)


def pair_bits(before: npt.NDArray[np.int64], after: npt.NDArray[np.int64], bits: int) -> npt.NDArray[np.int64]:
    """Give for many pairs what `units.pair_bit` gives for one."""
    return (((before * 0x9E3779B1) ^ (after * 0x85EBCA77)) >> 7) & (bits - 1)


def _bridges(texts: tuple[str, ...]) -> Words:
    """Give all ones for two classes of ASCII that stand side by side in a piece."""
    bridges = np.zeros(CLASSES * CLASSES, np.uint64)
    ascii_pairs = {text[at : at + 2] for text in texts for at in range(len(text) - 1) if text[at : at + 2].isascii()}
    for pair in sorted(ascii_pairs):
        bridges[ascii_class(ord(pair[0])) * CLASSES + ascii_class(ord(pair[1]))] = np.iinfo(np.uint64).max
    return bridges


def _bytes(model: ModelFile) -> tuple[Numbers, Numbers]:
    """Give the id of each byte and the byte of each id, -1 without one."""
    byte_ids, id_bytes = np.full(256, -1, np.int32), np.full(model.vocabulary_size, -1, np.int32)
    for number in np.flatnonzero(model.types == BYTE).tolist():
        byte = int(model.piece(number)[3:5], 16)  # <0xE4>
        byte_ids[byte], id_bytes[number] = number, byte
    return byte_ids, id_bytes


def _ranks(scores: Scores) -> Numbers:
    """Give 0 to the highest score, and the same rank to the same bits: the library compares the bits of scores."""
    bits = scores.view(np.int32).astype(np.int64)
    rising = np.where(bits < 0, -(bits & 0x7FFFFFFF) - 1, bits)
    _, ranks = np.unique(-rising, return_inverse=True)
    return ranks.astype(np.int32)
