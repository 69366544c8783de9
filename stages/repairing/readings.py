"""The Mandarin readings of characters, from the data that pypinyin ships."""

from __future__ import annotations

import json
import unicodedata
from functools import cache
from importlib.util import find_spec
from pathlib import Path


@cache
def readings() -> dict[str, frozenset[str]]:
    """Give the toneful readings of each character, in NFC; the file alone is read, the package would take 58 MB."""
    spec = find_spec("pypinyin")
    folder = Path(str(spec.origin)).parent if spec else Path()
    table: dict[str, str] = json.loads((folder / "pinyin_dict.json").read_text(encoding="utf-8"))
    return {
        chr(int(point)): frozenset(unicodedata.normalize("NFC", listed).split(",")) for point, listed in table.items()
    }


def fits(character: str, syllable: str) -> bool:
    """Tell whether a syllable with its tone mark is a reading of a character.

    >>> fits("數", "shù"), fits("數", "wèi")
    (True, False)
    """
    return unicodedata.normalize("NFC", syllable) in readings().get(character, frozenset())
