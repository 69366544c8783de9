"""Language, script and shares of texts: characters settle what they can, a model the rest; nothing is invented.

What decides is the main script of the prose, by bytes of its letters. Kana makes Han Japanese, up to four Han
characters for each, Hangul makes it Korean, up to two; other Han is Chinese. Two scripts in one text are told by
`language_share`.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import (
    Array,
    Bytes,
    Column,
    Counts,
    Flags,
    Floats,
    Offsets,
    read_only,
    text_array,
    text_buffers,
)
from headrace.stages.kernels import language_scan as scan
from headrace.stages.kernels.language_lines import keywords, traits
from headrace.stages.languages.found import ONE_VARIANT, Found, ModelName, Names
from headrace.stages.languages.literary import folded, known_pairs, literary, weights
from headrace.stages.languages.scripts import LATIN, SCRIPTS, scripts, signs

UNDETERMINED, CODE = "und", "code"
_BOPOMOFO = SCRIPTS.index("Bopo")
LEAST_LETTERS = {"Hani": 4, "Kana": 2, "Hang": 2}  # fewer say nothing
LEAST_OTHER = 12  # letters of another script
LEAST_CERTAIN = 0.5  # what the model holds less likely is not named
SAMPLES = (256, 2048)  # bytes of letters that the model reads at first, and where it is not SURE
SURE = 0.95
LEAST_CODE = 16  # bytes
CODE_FROM = 0.7  # of the bytes
_KANJI = 4  # Han characters that one kana makes Japanese: a tenth of kana is enough
_LEAST_CANTONESE, _CANTONESE = 2, 0.4  # characters, and their share of those that tell Cantonese from standard Chinese
_CANTONESE_OF_HAN = 0.015  # poems have one here and there
_HANJA = 2  # Han characters that one of Hangul makes Korean
_STANDARD_OF_HAN = 0.05  # with more of 的 了 是 在 … they are Chinese
_LEAST_JAPANESE = 2  # characters of Japanese alone, without kana
_HAN_BYTES = 3
_DIGITS = 6  # of what logarithms give: machines differ in the last bits
_PRIOR = 1  # characters that are taken to speak against a language that characters settle


def found(texts: Column, name: ModelName) -> Found:
    """Give what each text of a column is."""
    data, offsets = text_buffers(texts)
    letters = np.zeros((len(offsets) - 1, len(SCRIPTS)), np.int64)
    counts = scan.scan(data, offsets, tables(), traits(), keywords(), letters)
    main, share = _main_script(counts, letters)
    code_share = _share(counts[:, scan.CODE_BYTES], counts[:, scan.BYTES])
    language, confidence = _by_characters(main, counts, letters)
    asked = np.flatnonzero(main >= LATIN)
    if name == "py3langid" and len(asked):
        language[asked], confidence[asked] = _by_model(
            data, offsets, asked, main[asked], letters[asked, main[asked]], counts[asked, scan.CODE_BYTES]
        )
    code = (code_share >= CODE_FROM) & (counts[:, scan.CODE_BYTES] >= LEAST_CODE)
    language[code], confidence[code] = CODE, code_share[code]
    telling = counts[:, scan.SIMPLIFIED_ONLY] + counts[:, scan.TRADITIONAL_ONLY]
    hant_share = np.where(telling > 0, _share(counts[:, scan.TRADITIONAL_ONLY], telling), np.nan)
    return Found(
        language,
        _script_names(language, main, hant_share),
        np.round(confidence, _DIGITS).astype(np.float64),
        share,
        hant_share,
        np.round(np.where((main == scan.HAN) & (language != "yue"), literary(counts), 0.0), _DIGITS).astype(np.float64),
        _cantonese(counts),
        code_share,
        _share(counts[:, scan.TABLE_BYTES], counts[:, scan.BYTES]),
        _share(counts[:, scan.DIGITS], counts[:, scan.CHARACTERS]),
    )


def tables() -> scan.Tables:
    """Give the tables that the scan works with."""
    return scan.Tables(scripts(), signs(), weights(), folded(), known_pairs())


def _main_script(counts: Counts, letters: Counts) -> tuple[Counts, Floats]:
    """Give the script with the most bytes of letters, HAN, KANA and HANGUL standing for languages, and its share.

    0 where there are too few letters.
    """
    merged = letters.copy()
    kana, han = letters[:, scan.KANA], letters[:, scan.HAN]
    kanji = np.where(_is_japanese(counts, kana), han, np.minimum(han, _KANJI * kana))
    merged[:, scan.KANA] += kanji
    hanja = np.where(_is_mixed_korean(counts, letters), han - kanji, 0)
    merged[:, scan.HANGUL] += hanja
    merged[:, scan.HAN] += letters[:, _BOPOMOFO] - kanji - hanja
    merged[:, _BOPOMOFO] = 0
    main = merged.argmax(axis=1)
    size = merged[np.arange(len(main)), main]
    least = np.full(len(SCRIPTS), LEAST_OTHER)
    for name, number in LEAST_LETTERS.items():
        least[SCRIPTS.index(name)] = number * _HAN_BYTES
    return np.where(size >= least[main], main, 0), _share(size, merged.sum(axis=1))


def _is_japanese(counts: Counts, kana: Counts) -> Flags:
    """Tell which texts have no kana, but characters that Japanese alone has, and none of simplified Chinese."""
    only = counts[:, scan.JAPANESE_ONLY] >= _LEAST_JAPANESE
    return np.asarray(only & (kana == 0) & (counts[:, scan.SIMPLIFIED_ONLY] == 0))


def _is_mixed_korean(counts: Counts, letters: Counts) -> Flags:
    """Tell which texts write Korean in Hangul and Han together: no simplified characters, few words of Chinese."""
    beside = (letters[:, scan.KANA] == 0) & (letters[:, scan.HANGUL] * _HANJA >= letters[:, scan.HAN])
    chinese = counts[:, scan.STANDARD_ONLY] > _STANDARD_OF_HAN * counts[:, scan.HAN_CHARACTERS]
    return np.asarray(beside & ~chinese & (counts[:, scan.SIMPLIFIED_ONLY] == 0))


def _by_characters(main: Counts, counts: Counts, letters: Counts) -> tuple[Names, Floats]:
    """Give the languages that characters settle, and how sure they are; `und` and 0 for all others."""
    classical, cantonese = literary(counts), _cantonese(counts)
    own = counts[:, scan.CANTONESE_ONLY]
    least = np.maximum(_LEAST_CANTONESE, _CANTONESE_OF_HAN * counts[:, scan.HAN_CHARACTERS])
    spoken = (cantonese >= _CANTONESE) & (own >= least)
    chinese = np.where(spoken, "yue", np.where(classical >= 0.5, "lzh", "zh"))
    variety = np.where(spoken, 1.0, np.maximum(classical, 1 - classical))
    cases = [main == scan.HAN, main == scan.KANA, main == scan.HANGUL]
    language = np.select(cases, [chinese, "ja", "ko"], UNDETERMINED).astype("U8")
    size = letters[:, [scan.HAN, scan.KANA, scan.HANGUL, _BOPOMOFO]].sum(axis=1) / _HAN_BYTES
    sure = size / (size + _PRIOR) * np.where(cases[0], variety, 1.0)
    return language, np.where(language == UNDETERMINED, 0.0, sure)


def _cantonese(counts: Counts) -> Floats:
    own, standard = counts[:, scan.CANTONESE_ONLY], counts[:, scan.STANDARD_ONLY]
    return _share(own, own + standard)


def _by_model(
    data: Bytes, offsets: Offsets, asked: Counts, main: Counts, letters: Counts, code: Counts
) -> tuple[Names, Floats]:
    """Give the languages that the model names for some documents; `und` where it is not sure, or says that it is none.

    Nearly all are settled by a short sample; the model reads more of the others.
    """
    from headrace.stages.languages.model import NO_LANGUAGE, named

    names, sure = named(_samples(data, offsets, (asked, main, letters, code), SAMPLES[0]))
    again = np.flatnonzero((sure < SURE) & (letters > SAMPLES[0]))
    if len(again):
        rest = (asked[again], main[again], letters[again], code[again])
        names[again], sure[again] = named(_samples(data, offsets, rest, SAMPLES[1]))
    sure = np.where(names == NO_LANGUAGE, 0.0, sure)
    return np.where(sure < LEAST_CERTAIN, UNDETERMINED, names), sure


def _samples(data: Bytes, offsets: Offsets, rows: tuple[Counts, ...], limit: int) -> Array:
    from headrace.stages.kernels.language_sample import sample

    asked, main, letters, code = (read_only(column) for column in rows)
    return text_array(*sample(data, offsets, asked, main, letters, code, limit, scripts(), traits(), keywords()))


def _script_names(language: Names, main: Counts, hant_share: Floats) -> Names:
    """Give ISO 15924 names: Hani where variants are mixed or nothing tells them, Zyyy where there are no letters."""
    named = np.array(SCRIPTS)[main]
    variant = np.select([hant_share >= ONE_VARIANT, hant_share <= 1 - ONE_VARIANT], ["Hant", "Hans"], "Hani")
    cases = [main == scan.HAN, main == scan.KANA, main == scan.HANGUL, main == 0]
    letterless = np.where(language == CODE, "Latn", "Zyyy")
    return np.select(cases, [variant, np.array("Jpan"), np.array("Kore"), letterless], named)


def _share(part: Counts, whole: Counts) -> Floats:
    return np.asarray(part / np.maximum(1, whole), np.float64)


def identified(text: str, model: ModelName = "py3langid") -> tuple[str, str, float]:
    """Give language, script and confidence of one text.

    >>> identified("學而時習之，不亦說乎？有朋自遠方來，不亦樂乎？人不知而不慍，不亦君子乎？")[:2]
    ('lzh', 'Hant')
    >>> identified("12:30")
    ('und', 'Zyyy', 0.0)
    """
    result = found(pa.array([text], pa.large_string()), model)
    return str(result.language[0]), str(result.script[0]), float(result.confidence[0])
