"""How likely each character is in running text of a language, and which Han characters like to stand together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headrace.stages.decoding.chinese_words import Tally, japanese, simplified_words, taiwanese, traditional
from headrace.stages.decoding.languages import LANGUAGES, korean_syllables, language
from headrace.stages.decoding.letters import (
    CHINESE_PUNCTUATION,
    FRAMES,
    GREEK_SIGNS,
    JAPANESE_PUNCTUATION,
    KANA,
    KOREAN_PUNCTUATION,
    SIGNS,
    parsed_shares,
)
from headrace.stages.decoding.logarithm import Whole, log_ratio
from headrace.stages.kernels.charset_model import (
    ANY,
    BEYOND,
    GAIN_STEP,
    HANS,
    HANT,
    JAPANESE,
    KOREAN,
    PAIR_SLOTS,
    Logs,
    pair_slot,
    pair_tag,
)

_POINTS = 1 << 16
_SHARES = 100_000
# Characters that nothing is known about, by block, in centinats; a later line overrides an earlier one.
_UNKNOWN = -1750
_BLOCKS = (
    (0x0000, 0x0001, -3000),
    (0x00A0, 0x0180, -1400),
    (0x0180, 0x0391, -1450),
    (0x0391, 0x0452, -1350),
    (0x2000, 0x2700, -1350),
    (0x2500, 0x2580, -1150),
    (0x2E80, 0x2FE0, -1800),  # radicals
    (0x3000, 0x3040, -1300),
    (0x3041, 0x3097, -1150),
    (0x30A1, 0x30FD, -1150),
    (0x3100, 0x3130, -1400),
    (0x3130, 0x3190, -1450),
    (0x3400, 0x4DB6, -1650),
    (0x4E00, 0x9FA6, -1450),
    (0xAC00, 0xD7A4, -1450),
    (0xE000, 0xF900, -2400),  # private
    (0xF900, 0xFB00, -1800),
    (0xFE30, 0xFE6F, -1300),
    (0xFF01, 0xFF5F, -1050),
    (0xFF61, 0xFFA0, -1200),
    (0xFFE0, 0xFFE7, -1150),
    (0xFFFD, 0xFFFE, -2500),
    (BEYOND, BEYOND + 1, -1650),
)
_NATIONAL, _FOREIGN = -1380, -1600  # a Han character of which nothing is known, in a national charset and not
_HAN_IN_CHINESE, _HAN_IN_JAPANESE = 86, 36  # in 100 characters of text
_NEW_HAN = 2  # in 10 million: what a character of the dictionary has at least
_HAN_IN_KOREAN = -1280
_HALF_WIDTH_KANA = -850
_RAREST_KANA = -900
_RAREST_SYLLABLE = -1450
_HANGUL = 90  # in 100 characters of Korean text
_JAPANESE_BESIDE_CHINESE = -100  # in a text of unknown language
_ALPHABET_BESIDE_CHINESE, _LATIN_BESIDE_CHINESE = -250, -200
_CHANCE, _JOINED = 35, 65  # of 100: characters stand together by chance, or as parts of a word
_LEAST_GAIN = 30


@dataclass(frozen=True, slots=True)
class Characters:
    """`logs[language, code point]` for the languages of `charset_model`, and the hashed pairs of Han."""

    logs: Logs
    pairs: npt.NDArray[np.uint16]


def characters() -> Characters:
    """Count them all."""
    simple = simplified_words()
    old = traditional(simple)
    hans, hant = simple.tally(), taiwanese(old).tally(old)
    logs = np.stack([_unknown()] * 5)
    for spoken, charset in ((HANS, "gb2312"), (HANT, "big5"), (JAPANESE, "euc_jp")):
        _add_national(logs[spoken], charset)
    _add_han(logs[HANS], hans, _HAN_IN_CHINESE)
    _add_han(logs[HANT], hant, _HAN_IN_CHINESE)
    for chinese in (HANS, HANT):
        _add_shares(logs[chinese], parsed_shares(CHINESE_PUNCTUATION))
    for any_language in logs:
        _add_shares(any_language, parsed_shares(f"{FRAMES} {GREEK_SIGNS}"))
    _add_han(logs[JAPANESE], japanese(old).tally(), _HAN_IN_JAPANESE)
    _add_japanese(logs[JAPANESE])
    _add_korean(logs[KOREAN])
    logs[ANY] = np.maximum.reduce([logs[HANS], logs[HANT] - 100, logs[JAPANESE] - 100, logs[KOREAN] - 100])
    _add_alphabets(logs[ANY])
    return Characters(logs.astype(np.int16), _pairs(hans, hant))


def _unknown() -> Whole:
    logs = np.full(_POINTS, _UNKNOWN, np.int64)
    for first, end, log in _BLOCKS:
        logs[first:end] = log
    return logs


def _add_national(logs: Whole, charset: str) -> None:
    """Let the characters of a country's own charset be likelier than those that GBK and Unicode have besides."""
    for point in range(0x4E00, 0x9FA6):
        try:
            size = len(chr(point).encode(charset))
        except UnicodeEncodeError:
            size = 0
        logs[point] = _NATIONAL if size == 2 else _FOREIGN


def _add_han(logs: Whole, tally: Tally, percent: int) -> None:
    """Add what was counted; characters of the dictionary are a little likelier than their count says."""
    total = int(tally.character_counts.sum())
    plane = tally.characters < _POINTS
    parts = tally.character_counts[plane] * (percent * _SHARES) + _NEW_HAN * total
    logs[tally.characters[plane]] = log_ratio(parts, total * 10_000_000)


def _add_shares(logs: Whole, shares: dict[str, int]) -> None:
    points = np.array([ord(c) for c in shares])
    found = log_ratio(np.maximum(1, list(shares.values())), _SHARES)
    han = (points >= 0x4E00) & (points < 0xA000)
    logs[points] = np.where(han, np.maximum(found, logs[points]), found)


def _add_japanese(logs: Whole) -> None:
    _add_shares(logs, parsed_shares(JAPANESE_PUNCTUATION))
    kana = parsed_shares(KANA)
    points = [ord(c) for c in kana]
    logs[points] = np.maximum(log_ratio(list(kana.values()), _SHARES), _RAREST_KANA)
    logs[0xFF66:0xFF9E] = _HALF_WIDTH_KANA


def _add_korean(logs: Whole) -> None:
    """Add Hangul: half by the syllables of frequent words, half by the letters that these are made of."""
    syllables = korean_syllables()
    total = sum(syllables.values())
    counts = np.zeros(11_172, np.int64)
    for syllable, count in syllables.items():
        counts[ord(syllable) - 0xAC00] = count
    parts = counts.reshape(19, 21, 28)
    first, vowel, last = parts.sum((1, 2)), parts.sum((0, 2)), parts.sum((0, 1))
    spread = first[:, None, None] * vowel[None, :, None] // total * last[None, None, :] // total
    mixed = (parts * 8 + spread.reshape(parts.shape) * 2).ravel() * _HANGUL
    logs[0xAC00:0xD7A4] = np.maximum(log_ratio(np.maximum(mixed, 1), total * 1000), _RAREST_SYLLABLE)
    logs[0x4E00:0x9FA6] = _HAN_IN_KOREAN
    _add_shares(logs, parsed_shares(KOREAN_PUNCTUATION))


def _add_alphabets(logs: Whole) -> None:
    """Add the letters of the languages of single-byte pages, as they stand in a text of unknown language."""
    for code in LANGUAGES:
        known = language(code)
        beside = _LATIN_BESIDE_CHINESE if known.latin else _ALPHABET_BESIDE_CHINESE
        for letter, share in known.shares.items():
            if letter > "\x7f" and share:
                log = int(log_ratio(share, _SHARES)) + beside
                for form in {letter, letter.upper()}:
                    if len(form) == 1:
                        logs[ord(form)] = max(logs[ord(form)], log - (form != letter) * 150)
    for sign, share in parsed_shares(SIGNS).items():
        logs[ord(sign)] = max(logs[ord(sign)], int(log_ratio(share, _SHARES)) + _LATIN_BESIDE_CHINESE)


def _pairs(*tallies: Tally) -> npt.NDArray[np.uint16]:
    """Hash the pairs whose second is likelier behind the first than elsewhere; the greater gain keeps a slot."""
    keys = np.concatenate([tally.pairs for tally in tallies])
    gains = np.concatenate([_gains(tally) for tally in tallies])
    keys, gains = keys[gains > _LEAST_GAIN], gains[gains > _LEAST_GAIN]
    order = np.lexsort((keys, gains))
    keys, gains = keys[order], gains[order]
    first, second = keys >> 16, keys & 0xFFFF
    table = np.zeros(PAIR_SLOTS, np.uint16)
    table[pair_slot(first, second)] = (pair_tag(first, second) << 8 | np.minimum(255, gains // GAIN_STEP)).astype(
        np.uint16
    )
    return table


def _gains(tally: Tally) -> Whole:
    """Give log(P(second | first) / P(second)) of each pair, held down by the share of chance."""
    total = int(tally.character_counts.sum())
    first = tally.character_counts[np.searchsorted(tally.characters, tally.pairs >> 16)]
    second = tally.character_counts[np.searchsorted(tally.characters, tally.pairs & 0xFFFF)]
    alone = np.maximum(1, first * second)
    return log_ratio(_CHANCE * alone + _JOINED * tally.pair_counts * total, alone * 100)
