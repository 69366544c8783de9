"""Puts made pages together: markup piece by piece, and beside it what of it is main text."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path

from benchmarks.text import sentences

# Phrases that stand around texts on web pages, by language, and names of boxes.
_FOUND: dict[str, dict[str, list[str]]] = json.loads(
    Path(__file__).with_name("extraction_phrases.json").read_text(encoding="utf-8")
)
BOXES, PHRASES = _FOUND["boxes"], {name: _FOUND[name] for name in ("zh", "en", "de")}


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page, the pieces of it that are main text, and those that may be either."""

    name: str
    page: str
    main: tuple[str, ...]
    either: tuple[str, ...]


class Maker:
    """Puts a page together, piece by piece; what is main text is taken down beside it."""

    def __init__(self, language: str, seed: str) -> None:
        self.rng = random.Random(f"{language} {seed}")
        self.language = language
        self._sentences = sentences("zh" if language == "zh" else "en")
        self._html: list[str] = []
        self._main: list[str] = []
        self._either: list[str] = []
        self._closing: list[str] = []
        self.classless = self.rng.random() < 0.3
        self.headline = self.sentence(60)

    def page(self, name: str) -> MadePage:
        """Give what was put together."""
        title = f"{self.headline} - {self.phrase('site')}"
        head = f"<head><title>{title}</title><meta charset=utf-8></head>"
        page = f"<!DOCTYPE html><html>{head}<body>{''.join(self._html)}</body></html>"
        return MadePage(name, page, tuple(self._main), tuple(self._either))

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def phrase(self, kind: str) -> str:
        """Give one of the phrases of a kind, with numbers and names filled in."""
        text = self.rng.choice(PHRASES[self.language][kind])
        date = f"{self.rng.randint(2005, 2025)}-{self.rng.randint(1, 12):02}-{self.rng.randint(1, 28):02}"
        return text.format(n=self.rng.randint(2, 900), date=date, name=self.rng.choice(PHRASES[self.language]["name"]))

    def sentence(self, most: int) -> str:
        """Give a sentence, cut at a word if it is longer than this."""
        found = self.rng.choice(self._sentences).replace("<", "‹").replace("&", "+")
        if len(found) <= most:
            return found
        return found[:most].rpartition(" ")[0] or found[:most]

    def paragraph(self, least: int = 1, most: int = 5) -> str:
        between = "" if self.language == "zh" else " "
        return between.join(self.sentence(300) for _ in range(self.rng.randint(least, most)))

    def open(self, box: str, tag: str = "div") -> None:
        """Open a box, mostly with a class that says what it is."""
        named = self.rng.choice(BOXES[box])
        attribute = "id" if self.chance(0.2) else "class"
        self._html.append(f"<{tag}>" if self.classless or not named else f'<{tag} {attribute}="{named}">')
        self._closing.append(tag)

    def close(self) -> None:
        self._html.append(f"</{self._closing.pop()}>")

    def add(self, tag: str, text: str, *, attributes: str = "") -> None:
        self._html.append(f"<{tag}{attributes}>{text}</{tag}>")

    def add_main(self, tag: str, text: str) -> None:
        """Add a piece of the main text."""
        self.add(tag, text)
        self._main.append(text)

    def also_main(self, *pieces: str) -> None:
        """Take down what was added as a part of something larger."""
        self._main.extend(pieces)

    def words(self, most: int) -> str:
        """Give a few words, some of them as code or as a link."""
        text = self.sentence(most)
        draw = self.rng.random()
        if draw < 0.2:
            return f"<code>{text[: most // 2]}</code> {text[most // 2 :]}"
        return f"<a href='/w'>{text}</a>" if draw < 0.3 else text

    def add_either(self, tag: str, text: str) -> None:
        self.add(tag, text)
        self._either.append(text)

    def links(self, kind: str, least: int, most: int, tag: str = "li") -> None:
        for _ in range(self.rng.randint(least, most)):
            text = self.phrase(kind) if kind in PHRASES[self.language] else self.sentence(50)
            self._html.append(f"<{tag}><a href='/{self.rng.randint(1, 999)}'>{text}</a></{tag}>")
