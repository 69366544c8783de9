"""Texts whose language is known from where they come from, cut to equal lengths, half of the files for tuning.

Chinese, English, Japanese and Korean come from the corpus, code from what is installed beside this Python. Where the
corpus has little traditional Chinese, simplified texts are converted when the samples are made. Markup that is no
language (roff, XML, literal blocks of documentation) is taken out of prose before it is cut.
"""

from __future__ import annotations

import html
import io
import json
import random
import re
import sysconfig
import tokenize
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import opencc

LABELS = ("zh-Hans", "zh-Hant", "classical", "poetry", "en", "ja", "ko", "code", "mixed")
LENGTHS = (100, 500, 2000)
TUNING, MEASURED = 0, 1  # halves of the files
_LETTERS = re.compile(r"[^\W\d_]")
_MIXED_SHARE = 0.7  # of the bytes of a mixed text are in the language that it is to be called
# Holds the modern translation of the chapter that it is named after.
_MISLABELLED = {"双语数据__后汉书__列传__宣张二王杜郭吴承郑赵__source.txt"}
_PROSE = {"zh-Hans": 0.5, "zh-Hant": 0.5, "classical": 0.5, "poetry": 0.5, "en": 0.75, "ja": 0.4, "ko": 0.4}
_KANA = re.compile(r"[\u3041-\u30ff]")
_OWN = {
    "zh": re.compile(r"[\u3400-\u9fff]"),
    "classical": re.compile(r"[\u3400-\u9fff]"),
    "poetry": re.compile(r"[\u3400-\u9fff]"),
    "en": re.compile(r"[A-Za-z]"),
    "ja": re.compile(r"[\u3041-\u30ff\u3400-\u9fff]"),
    "ko": re.compile(r"[\uac00-\ud7a3]"),
}


@dataclass(frozen=True, slots=True)
class Sample:
    """A text and what it is: `label` of LABELS, and the file that it comes from."""

    label: str
    text: str
    source: str
    language: str
    script: str | None = None  # where the label says it


def samples(corpus: Path, length: int, half: int, most: int, seed: int) -> list[Sample]:
    """Give at most so many texts of each label, each of about `length` characters."""
    pools = {label: list(_windows(corpus, label, length, half)) for label in LABELS[:-1]}
    pools["mixed"] = list(_mixed(pools, length, seed))
    chosen: list[Sample] = []
    for label, pool in pools.items():
        rng = random.Random(f"{label} {seed}")
        chosen += pool if len(pool) <= most else rng.sample(pool, most)
    return chosen


def _windows(corpus: Path, label: str, length: int, half: int) -> Iterator[Sample]:
    language, _, script = label.partition("-")
    language = {"classical": "lzh", "poetry": "lzh"}.get(label, language)
    for name, text in _texts(corpus, label):
        if zlib.crc32(name.encode()) % 2 != half:
            continue
        for begin in range(0, max(1, len(text) - length // 2), length):
            window = text[begin : begin + length].strip()
            if len(window) >= length // 2 and _is_of(label, window):
                yield Sample(label, window, name, language, script or None)


def _is_of(label: str, window: str) -> bool:
    """Tell whether a piece is text of its label and not a list of names, numbers or addresses within it."""
    if label == "ja" and 20 * len(_KANA.findall(window)) < len(window):
        return False
    own = _OWN.get(label.partition("-")[0])
    return own is None or len(own.findall(window)) >= _PROSE[label] * len("".join(window.split()))


def _mixed(pools: dict[str, list[Sample]], length: int, seed: int) -> Iterator[Sample]:
    """Give texts of two languages: paragraphs of one, then of the other, seven bytes to three."""
    rng = random.Random(f"mixed {seed}")
    for main, other in (("zh-Hans", "en"), ("en", "zh-Hans"), ("ja", "en"), ("en", "ko"), ("zh-Hans", "code")):
        for first in rng.sample(pools[main], min(60, len(pools[main]))):
            second = rng.choice(pools[other])
            parts = [_of_bytes(first.text, _MIXED_SHARE * length), _of_bytes(second.text, (1 - _MIXED_SHARE) * length)]
            if len(parts[1].encode()) < 0.5 * len(parts[0].encode()):
                rng.shuffle(parts)
                yield Sample("mixed", "\n\n".join(parts), f"{first.source} + {second.source}", first.language)


def _of_bytes(text: str, size: float) -> str:
    return text.encode()[: round(size)].decode("utf-8", "ignore")


@cache
def _texts(corpus: Path, label: str) -> tuple[tuple[str, str], ...]:
    """Give the names and the prose of all files of a label."""
    return tuple(_read(corpus, label))


def _read(corpus: Path, label: str) -> Iterator[tuple[str, str]]:
    if label == "code":
        yield from _code()
    elif label == "zh-Hant":
        for path in sorted((corpus / "zh/manpages/zh_TW").iterdir()):
            yield path.name, _roff(path.read_text(encoding="utf-8"))
        for name, text in _texts(corpus, "zh-Hans"):
            yield f"{name} (converted)", _traditional().convert(text)
    else:
        readers = {"zh-Hans": _modern, "classical": _classical, "poetry": _poems, "en": _english}
        yield from readers[label](corpus) if label in readers else _pages(corpus, label)


@cache
def _traditional() -> opencc.OpenCC:
    return opencc.OpenCC("s2t")


def _modern(corpus: Path) -> Iterator[tuple[str, str]]:
    for path in sorted((corpus / "zh/manpages/zh_CN").iterdir()):
        yield path.name, _roff(path.read_text(encoding="utf-8"))
    for folder in ("pingcap-docs", "paddle-docs"):
        for path in sorted((corpus / "zh" / folder).iterdir()):
            yield path.name, _prose(path.read_text(encoding="utf-8"))
    for path in sorted((corpus / "zh/classical-modern").glob("*.txt")):
        yield f"{path.name} (modern)", "\n".join(_after(path, "现代文："))


def _classical(corpus: Path) -> Iterator[tuple[str, str]]:
    for path in sorted((corpus / "zh/classical-source").glob("*.txt")):
        if path.name not in _MISLABELLED:
            yield path.name, path.read_text(encoding="utf-8")
    for path in sorted((corpus / "zh/classical-modern").glob("*.txt")):
        yield f"{path.name} (classical)", "\n".join(_after(path, "古文："))


def _after(path: Path, mark: str) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix(mark) for line in lines if line.startswith(mark)]


def _poems(corpus: Path) -> Iterator[tuple[str, str]]:
    for path in sorted((corpus / "zh/chinese-poetry").glob("*.json")):
        entries = json.loads(path.read_text(encoding="utf-8"))
        poems = [entry["paragraphs"] for entry in entries if isinstance(entry, dict) and "paragraphs" in entry]
        yield path.name, "\n\n".join("\n".join(lines) for lines in poems)


def _english(corpus: Path) -> Iterator[tuple[str, str]]:
    for path in sorted((corpus / "en").rglob("*")):
        if path.is_file() and path.parent.name != "fortunes":
            yield path.name, _prose(path.read_text(encoding="utf-8", errors="replace"))


def _pages(corpus: Path, label: str) -> Iterator[tuple[str, str]]:
    codecs = {
        "ja": {"EUC-JP": "euc-jp", "SHIFT_JIS": "shift_jis", "CP932": "cp932"},
        "ko": {"EUC-KR": "euc-kr", "Johab": "johab", "iso-2022-kr": "iso-2022-kr"},
    }[label]
    for folder, codec in codecs.items():
        for path in sorted((corpus / "enc/chardet" / folder).iterdir()):
            text = path.read_bytes().decode(codec, "ignore")
            yield f"{folder}/{path.name}", _untagged(text)


def _untagged(text: str) -> str:
    """Give a page or a feed without tags, and only the lines that hold a letter beyond ASCII."""
    text = html.unescape(re.sub(r"(?s)<(script|style)\b.*?</\1>|<!\[CDATA\[|\]\]>|<[^>]*>", "\n", text))
    text = re.sub(r"(?s)<[^>]*>", " ", html.unescape(text))
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if any(ord(c) > 0x2FFF for c in line))


def _roff(text: str) -> str:
    lines = [line for line in text.splitlines() if not line.startswith((".\\", "'\\", ".ie", ".el", ".de"))]
    plain = "\n".join(re.sub(r"^\.\w{1,3}\b ?", "", line) for line in lines)
    return re.sub(r"\\f.|\\[&%/|]|\\s-?\d|\\\(..|\\", "", plain)


def _prose(text: str) -> str:
    """Give Markdown or reStructuredText without what is literal: fenced and indented blocks, directives, comments."""
    text = re.sub(r"(?ms)^ *(```|~~~).*?^ *\1", "", text)
    text = re.sub(r"<[^>\n]+>|\]\([^)\n]*\)|(?m:^\.\. .*$)", " ", text)
    return "\n".join(line for line in text.splitlines() if not line.startswith(("   ", "\t", "---", "===", "|", "+")))


def _code() -> Iterator[tuple[str, str]]:
    """Give sources of several languages that stand on every machine that runs this."""
    standard = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(standard.glob("*.py"))[::2]:
        yield path.name, _without_prose(path)
    packages = Path(sysconfig.get_paths()["purelib"])
    places = (
        (Path(sysconfig.get_paths()["include"]), "*.h"),
        (packages / "numpy", "*.h"),
        (packages / "pyarrow", "*.h"),
    )
    scripts = ((packages / "pyarrow", "*.pyx"), (packages / "matplotlib", "*.js"), (packages / "werkzeug", "*.js"))
    for folder, pattern in (*places, *scripts):
        for path in sorted(folder.rglob(pattern))[:60]:
            text = path.read_text(encoding="utf-8", errors="ignore")
            text = re.sub(r'(?s)/\*.*?\*/|""".*?"""', "", text)
            yield path.name, re.sub(r"(?m)^\s*(//|#(?!\s*(include|define|if|endif|else))).*\n", "", text)


def _without_prose(path: Path) -> str:
    """Give a Python file without comments and documentation strings, which are English."""
    try:
        source = path.read_text(encoding="utf-8")
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (SyntaxError, UnicodeDecodeError, tokenize.TokenError):
        return ""
    lines = source.splitlines()
    gone: set[int] = set()
    before = tokenize.NEWLINE
    for token in tokens:
        first, last = token.start[0], token.end[0]
        starts = before in (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT)
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and (starts or last > first)):
            gone.update(range(first, last + 1))
        before = token.type
    kept = (line for number, line in enumerate(lines, start=1) if number not in gone)
    return "\n".join(line for line in kept if line.strip())
