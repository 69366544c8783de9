"""Build the tables of `charset_model.Model` from installed packages: a few seconds; `model_cache` keeps the result."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headrace.stages.decoding import code_tables
from headrace.stages.decoding.characters import characters
from headrace.stages.decoding.charsets import PAGES, RARER_LANGUAGES
from headrace.stages.decoding.cns11643 import cns_planes
from headrace.stages.decoding.languages import EDGE, FOREIGN, LANGUAGES, Language, language
from headrace.stages.decoding.letters import SIGNS, SPANISH_SIGNS, parsed_shares
from headrace.stages.decoding.logarithm import log_ratio
from headrace.stages.kernels.charset_model import (
    BEYOND,
    BIG5,
    CASELESS,
    COST_SHIFT,
    COST_STEP,
    CP932,
    CP949,
    DIGIT,
    EUC_JP,
    EUC_TW,
    FINAL,
    GB18030,
    HANS,
    HANT,
    JAPANESE,
    JOHAB,
    KOREAN,
    LOWER,
    MARK,
    MOST_COST,
    NOTHING,
    OPENER,
    SIGN,
    UNDEFINED,
    UPPER,
    Logs,
    Model,
    Numbers,
)

# Double-byte hypotheses: family, language, and how likely it is before anything is read (centinats).
_HYPOTHESES = (
    (GB18030, HANS, 0),
    (GB18030, HANT, -250),
    (GB18030, JAPANESE, -700),
    (BIG5, HANT, -100),
    (CP932, JAPANESE, -300),
    (EUC_JP, JAPANESE, -400),
    (CP949, KOREAN, -150),
    (EUC_TW, HANT, -500),
    (JOHAB, KOREAN, -700),
)
_LANGUAGES_OF_FAMILIES = (
    [HANS, HANT],
    [HANT],
    [JAPANESE],
    [JAPANESE],
    [KOREAN],
    [HANT],
    [KOREAN],
    [HANT],
)
_NO_LETTER, _NO_SIGN, _NOT_A_CHARACTER, _CONTROL = -1150, -1250, -3000, -1300
_ALPHABET = 28  # A to Z behind the two numbers that are no letters
_FOREIGN_SHARE = 50  # one letter in so many is of another language
_SIGN_SHARE = 100_000
_FINALS = "םןךףץς"
_OPENERS = "’“‘„‚«»‹›¿¡§©€£·№\u00a0"
_SAME_LETTER = {"ş": "ș", "ţ": "ț"}  # Romanian, where the page has but the cedilla
_ASCII = {"\t": -450, "\n": -350, "\r": -400, " ": -270, "\x1b": -900}
_ASCII_LOWER, _ASCII_DIGIT, _ASCII_UPPER, _ASCII_SIGN, _ASCII_RARE, _ASCII_CONTROL = -370, -460, -480, -500, -600, -1500


def built_model() -> Model:
    """Build all tables."""
    han = characters()
    rows = [(n, code, prior) for n, (_, prior, codes) in enumerate(PAGES) for code in codes]
    pages = np.stack([code_tables.page(name) for name, _, _ in PAGES])
    spoken = [language(code) for code in LANGUAGES]
    foreign = _foreign_shares(spoken)
    tables = [_page_row(pages[n], language(code), foreign, spanish=code == "es") for n, code, _ in rows]
    return Model(
        codes=_packed(_codes(), han.logs),
        longer=np.concatenate([code_tables.gb18030_four_byte(), cns_planes().ravel()]).astype(np.uint32),
        pages=pages,
        guesses=np.array(_HYPOTHESES, np.int64),
        character_logs=han.logs,
        ascii_logs=_ascii_logs(),
        pairs=han.pairs,
        page_guesses=np.array(
            [(n, LANGUAGES.index(code), prior + RARER_LANGUAGES.get(code, 0)) for n, code, prior in rows], np.int64
        ),
        byte_logs=np.stack([logs for logs, _, _ in tables]),
        kinds=np.stack([kinds for _, kinds, _ in tables]),
        symbols=np.stack([symbols for _, _, symbols in tables]),
        letter_pairs=np.stack([known.pairs for known in spoken]).astype(np.int16),
        latin=np.array([known.latin for known in spoken]),
        latin_pairs=_latin_pairs(spoken),
    )


def _codes() -> npt.NDArray[np.uint32]:
    """Give the two-byte codes in the order of the families of `charset_model`."""
    return np.stack(
        [
            code_tables.gb18030(),
            code_tables.big5(),
            code_tables.two_byte("cp932"),
            code_tables.euc_jp(),
            code_tables.two_byte("cp949"),
            code_tables.euc_tw(),
            code_tables.two_byte("johab"),
            code_tables.big5_cp950(),
        ]
    )


def _packed(codes: npt.NDArray[np.uint32], logs: Logs) -> npt.NDArray[np.uint32]:
    """Put into each entry how unlikely its character is in the languages that are written in its charset."""
    spoken = np.stack([logs[languages].max(0) for languages in _LANGUAGES_OF_FAMILIES]).astype(np.int64)
    costs = np.minimum(
        -np.take_along_axis(spoken, np.minimum(codes, BEYOND).astype(np.int64), 1) // COST_STEP, MOST_COST
    )
    packed: npt.NDArray[np.uint32] = np.where(codes, codes | (costs << COST_SHIFT), 0).astype(np.uint32)
    return packed


def _ascii_logs() -> Logs:
    logs = np.full(128, _ASCII_CONTROL, np.int16)
    for code in range(0x21, 0x7F):
        character = chr(code)
        logs[code] = (
            _ASCII_LOWER
            if character.islower()
            else _ASCII_DIGIT
            if character.isdigit()
            else _ASCII_UPPER
            if character.isupper()
            else _ASCII_SIGN
        )
    logs[[ord(c) for c in "^`|~\\{}"]] = _ASCII_RARE
    for character, log in _ASCII.items():
        logs[ord(character)] = log
    return logs


def _latin_pairs(spoken: list[Language]) -> Logs:
    """Give two thirds of how much likelier a pair of Latin letters is in a language than in all of them together.

    Not all of it, since neighbouring pairs say the same thing twice.
    """
    pairs = np.stack([known.pairs[:_ALPHABET, :_ALPHABET] for known in spoken])
    latin = np.array([known.latin for known in spoken])
    mean = pairs[latin].sum(0) // int(latin.sum())
    return np.where(latin[:, None, None], (pairs - mean) * 2 // 3, 0).astype(np.int16)


def _foreign_shares(spoken: list[Language]) -> dict[str, int]:
    """Give each letter's mean share over the languages in Latin letters: how likely it is as a guest in one of them."""
    latin = [known for known in spoken if known.latin]
    letters = sorted({letter for known in latin for letter in known.shares})
    return {letter: sum(known.shares.get(letter, 0) for known in latin) // len(latin) for letter in letters}


def _page_row(
    points: npt.NDArray[np.uint32], known: Language, foreign: dict[str, int], *, spanish: bool
) -> tuple[Logs, Numbers, Numbers]:
    """Give, for one page read as one language, the log, the kind and the letter of each byte."""
    signs = {**parsed_shares(SIGNS), **(parsed_shares(SPANISH_SIGNS) if spanish else {})}
    logs, kinds, symbols = np.zeros(256, np.int16), np.zeros(256, np.uint8), np.zeros(256, np.uint8)
    for byte in range(256):
        character = chr(points[byte])
        kind = kinds[byte] = _kind(character, byte)
        if kind in (LOWER, UPPER, CASELESS, FINAL, MARK):
            letter = character.lower()[0]
            symbols[byte] = known.letters.get(letter) or known.letters.get(_SAME_LETTER.get(letter, ""), FOREIGN)
            logs[byte] = _rare(foreign.get(letter, 0) // _FOREIGN_SHARE, _NO_LETTER)
        else:
            symbols[byte] = EDGE
            logs[byte] = _NOT_A_CHARACTER if not points[byte] else _rare(signs.get(character, 0), _NO_SIGN)
        if byte >= 0x80 and 0x80 <= points[byte] < 0xA0:
            logs[byte] = _CONTROL
    return logs, kinds, symbols


def _rare(share: int, least: int) -> int:
    return max(int(log_ratio(max(1, share), _SIGN_SHARE)), least) if share else least


def _kind(character: str, byte: int) -> int:
    point = ord(character)
    if byte >= 0x80 and (point == 0 or 0x80 <= point < 0xA0):
        return UNDEFINED
    if character in _FINALS:
        return FINAL
    if character in _OPENERS:
        return OPENER
    if _is_mark(point):
        return MARK
    if character.isalpha():
        return UPPER if character.isupper() else LOWER if character.islower() else CASELESS
    if byte < 0x80:
        return DIGIT if character.isdigit() else NOTHING
    return SIGN


def _is_mark(point: int) -> bool:
    """Say whether a character stands on the one before: tones, points of Hebrew and Arabic, vowels of Thai."""
    thai = point == 0x0E31 or 0x0E34 <= point < 0x0E3B or 0x0E47 <= point < 0x0E4F
    return thai or 0x0300 <= point < 0x0370 or 0x05B0 <= point < 0x05C3 or 0x064B <= point < 0x0653
