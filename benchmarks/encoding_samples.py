"""Samples for the benchmark of encodings: slices of real text, and the bytes that a charset makes of them.

The texts come from the corpus alone. What the decoder knows comes from packages (jieba, OpenCC, jusText, Python's
codecs) alone, so nothing is measured on what was learnt.
"""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from headrace.stages.decoding.chinese_words import traditional_text
from headrace.stages.decoding.cns11643 import cns_planes
from headrace.stages.kernels.characters import simplified
from headrace.stages.kernels.charset_model import CELLS

LENGTHS = (24, 200, 4000)  # characters
_HANS = ("gb2312", "gbk", "gb18030", "hz", "iso-2022-cn", "utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
_HANT = ("gbk", "big5", "cp950", "big5hkscs", "euc-tw", "utf-8", "utf-16-le")
_LANGUAGES_OF_LABELS = {
    "ja__": "ja",
    "jp": "ja",
    "shift": "ja",
    "cp932": "ja",
    "kr": "ko",
    "ko__": "ko",
    "russian": "ru",
    "koi8": "ru",
    "maccyr": "ru",
    "bulgarian": "bg",
    "greek": "el",
    "el__": "el",
    "hebrew": "he",
    "ar__": "ar",
    "hungarian": "hu",
    "hu__": "hu",
    "polish": "pl",
    "czech": "cs",
    "turkish": "tr",
    "tr__": "tr",
    "tis-620": "th",
    "fr__": "fr",
    "de__": "de",
    "es__": "es",
    "da__": "da",
}
_CYRILLIC = ("cp1251", "koi8-r", "iso8859-5", "cp866", "mac-cyrillic")
_SHORTEST_TEXT = 100


@dataclass(frozen=True, slots=True)
class Kind:
    """What is sampled: a charset, the language of the text, and how many characters beyond ASCII a slice must have."""

    codec: str
    language: str
    least: int = 4
    most: int | None = None

    @property
    def chinese(self) -> bool:
        """Say whether the text is Chinese."""
        return self.language in ("hans", "hant")

    @property
    def single_byte(self) -> bool:
        """Say whether the charset has one byte a character."""
        return not self.chinese and self.language not in ("ja", "ko") and self.codec != "utf-8"


@dataclass(frozen=True, slots=True)
class Sample:
    """Bytes, and the text that they hold."""

    data: bytes
    text: str


KINDS = (
    *(Kind(codec, "hans") for codec in _HANS),
    *(Kind(codec, "hant") for codec in _HANT),
    *(Kind(codec, "ja") for codec in ("cp932", "euc_jp", "iso2022_jp")),
    *(Kind(codec, "ko") for codec in ("cp949", "euc_kr", "iso2022_kr")),
    *(Kind(codec, "ru") for codec in _CYRILLIC),
    *(Kind(codec, language) for codec, language in (("cp1251", "bg"), ("cp1253", "el"), ("iso8859-7", "el"))),
    *(Kind(codec, language) for codec, language in (("cp1255", "he"), ("cp1256", "ar"), ("cp874", "th"))),
    *(Kind(codec, language, 1) for codec, language in (("cp1250", "hu"), ("iso8859-2", "hu"), ("cp1250", "cs"))),
    *(Kind(codec, language, 1) for codec, language in (("iso8859-2", "pl"), ("cp1250", "pl"), ("cp1254", "tr"))),
    *(Kind("cp1252", language, 1) for language in ("fr", "de", "es", "da")),
    *(Kind("utf-8", language, 1) for language in ("fr", "de", "hu", "ru", "el", "ja", "ko")),
    Kind("utf-8", "en", 0),
)
FEW_HAN = tuple(Kind(codec, lang, 1, 3) for codec, lang in (("gb18030", "hans"), ("big5", "hant"), ("utf-8", "hans")))


def samples(texts: Mapping[str, Sequence[str]], kind: Kind, length: int, count: int, seed: int) -> list[Sample]:
    """Give slices of `length` characters, re-encoded; characters that the charset lacks are left out."""
    rng = random.Random(f"{seed} {kind.codec} {kind.language} {length} {kind.most}")
    pool = [text for text in texts.get(kind.language, ()) if len(text) > max(_SHORTEST_TEXT, min(length, 200) // 2)]
    found: list[Sample] = []
    for _ in range(60 * count if pool else 0):
        text = rng.choice(pool)
        at = rng.randrange(max(1, len(text) - length))
        sample = encoded(text[at : at + length], kind.codec)
        beyond = sum(character > "\x7f" for character in sample.text)
        long_enough = len(sample.text) >= length * 0.8 or length >= LENGTHS[-1]
        if long_enough and kind.least <= beyond <= (len(sample.text) if kind.most is None else kind.most):
            found.append(sample)
            if len(found) == count:
                break
    return found


def encoded(text: str, codec: str) -> Sample:
    """Encode what a charset holds of a text."""
    if codec == "euc-tw":
        codes = _euc_tw()
        kept = "".join(c for c in text if c < "\x80" or c in codes)
        return Sample(b"".join(c.encode() if c < "\x80" else codes[c] for c in kept), kept)
    if codec == "iso-2022-cn":
        kept = text.encode("gb2312", "ignore").decode("gb2312")
        return Sample(b"\n".join(_iso_2022_cn(line) for line in kept.split("\n")), kept)
    data = text.encode(codec, "ignore")
    return Sample(data, data.decode(codec))


def corpus_texts(corpus: Path) -> dict[str, list[str]]:
    """Give the texts of each language; every second traditional one is made of a simplified text."""
    texts: dict[str, list[str]] = {"hans": [], "hant": [], "en": [_read(path) for path in _files(corpus / "en")]}
    for path in _files(corpus / "zh"):
        text = _read(path).replace("\ufeff", "").replace("\x1b", "")
        script = _script(text) if "opencc" not in path.parts else None  # tables of characters, no text
        if script:
            texts[script].append(text)
    texts["hant"] += [traditional_text(text[:20_000]) for text in texts["hans"][::2]]
    for language, text in _labelled(corpus):
        texts.setdefault(language, []).append(text)
    return texts


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="ignore")


def _script(text: str) -> str | None:
    """Tell simplified from traditional Chinese; None for what is neither or both."""
    han = "".join(re.findall("[\u4e00-\u9fff]", text)[:4000])
    if not han:
        return None
    same = sum(a == b for a, b in zip(han.translate(simplified()), han, strict=True)) / len(han)
    return "hans" if same > 0.97 else "hant" if same < 0.9 else None


def _labelled(corpus: Path) -> Iterator[tuple[str, str]]:
    """Give language and text of the files whose charset is known."""
    with (corpus / "MANIFEST.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["kind"] != "encoding" or not row["path"].startswith(("enc/chardet", "enc/uchardet")):
                continue
            label = re.search(r"(?:enc|label)=([^;]+)", row["truth"])
            named = (row["path"] + row["truth"]).lower()
            language = next((lang for sign, lang in _LANGUAGES_OF_LABELS.items() if sign in named), None)
            if label and language:
                try:
                    text = (corpus / row["path"]).read_bytes().decode(label[1])
                except (LookupError, UnicodeError):
                    continue
                yield language, text.replace("\ufeff", "")


@cache
def _euc_tw() -> dict[str, bytes]:
    """Give the shortest code of each character of CNS 11643."""
    codes: dict[str, bytes] = {}
    for plane in (7, 6, 5, 4, 3, 15, 2, 1):
        for place, point in enumerate(cns_planes()[plane].tolist()):
            if point:
                pair = bytes((0xA1 + place // CELLS, 0xA1 + place % CELLS))
                codes[chr(point)] = pair if plane == 1 else bytes((0x8E, 0xA0 + plane)) + pair
    return codes


def _iso_2022_cn(line: str) -> bytes:
    runs = re.findall("[\x00-\x7f]+|[^\x00-\x7f]+", line)
    coded = b"".join(
        run.encode() if run.isascii() else b"\x0e" + bytes(byte & 0x7F for byte in run.encode("gb2312")) + b"\x0f"
        for run in runs
    )
    return (b"" if line.isascii() else b"\x1b$)A") + coded
