"""Pages made to learn from: news, notices, forums, shops, manuals and blogs as Chinese and English sites build them.

The sentences are those of `benchmarks.text`; menus, bylines, appeals and the markup around them were written for this.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.text import sentences

# Phrases that stand around texts on web pages, by language, and names of boxes.
_FOUND: dict[str, dict[str, list[str]]] = json.loads(
    Path(__file__).with_name("extraction_phrases.json").read_text(encoding="utf-8")
)
BOXES, PHRASES = _FOUND["boxes"], {name: _FOUND[name] for name in ("zh", "en", "de")}
LANGUAGES = ("zh", "en", "de")
_PAGES = 12  # of each kind and language


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page, the pieces of it that are main text, and those that may be either."""

    name: str
    page: str
    main: tuple[str, ...]
    either: tuple[str, ...]


def made_pages() -> Iterator[MadePage]:
    """Give all pages; they are the same whenever they are made on a machine."""
    for language in LANGUAGES:
        for kind in (_news, _notice, _forum, _shop, _manual, _blog):
            for number in range(_PAGES):
                maker = _Maker(language, f"{kind.__name__} {number}")
                kind(maker)
                yield maker.page(f"{language}{kind.__name__}-{number}")


class _Maker:
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


def _news(maker: _Maker) -> None:
    _top(maker)
    maker.open("page")
    maker.open("article", maker.rng.choice(("div", "article", "section")))
    maker.add_main("h1", maker.headline)
    _byline(maker)
    maker.open("body")
    if maker.chance(0.4):
        maker.add_main("p", f"<strong>{maker.paragraph(1, 2)}</strong>")
    for number in range(maker.rng.randint(3, 9)):
        _paragraph(maker)
        if maker.chance(0.3):
            _picture(maker)
        if maker.chance(0.12):
            maker.add("p", f"{maker.phrase('pointer')} <a href='/x'>{maker.sentence(50)}</a>")
        if number and maker.chance(0.15):
            maker.add_main(maker.rng.choice(("h2", "h3")), maker.sentence(40))
    _tail(maker, inside=True)
    maker.close()
    _tail(maker, inside=False)
    maker.close()
    _side(maker)
    maker.close()
    _bottom(maker)


def _notice(maker: _Maker) -> None:
    _top(maker)
    maker.open("crumbs")
    maker.add("span", maker.phrase("crumbs"))
    maker.close()
    maker.open("article")
    maker.add_main(maker.rng.choice(("h1", "h2")), maker.headline)
    maker.open("meta")
    maker.add("span", maker.phrase("byline"))
    maker.add("span", maker.phrase("mechanics"))
    maker.close()
    maker.open("body")
    maker.add_main("p", maker.phrase("salutation"))
    for number in range(maker.rng.randint(2, 6)):
        maker.add_main("p", f"{number + 1}. {maker.paragraph(1, 3)}" if maker.chance(0.5) else maker.paragraph(1, 3))
    if maker.chance(0.4):
        _table(maker)
    maker.add_main("p", maker.phrase("closing"))
    maker.add_main("p", maker.phrase("signature"))
    maker.add_main("p", maker.phrase("date"))
    maker.close()
    if maker.chance(0.5):
        maker.add_either("p", maker.phrase("attachment"))
    for kind in ("editor", "mechanics", "neighbour"):
        if maker.chance(0.6):
            maker.add("div", maker.phrase(kind))
    maker.close()
    _bottom(maker)


def _forum(maker: _Maker) -> None:
    _top(maker)
    maker.open("page")
    maker.add_main("h1", maker.headline)
    table = maker.chance(0.5)
    for _ in range(maker.rng.randint(2, 8)):
        maker.open("post", "table" if table else "div")
        if table:
            maker.open("user", "td")
        else:
            maker.open("user")
        maker.add("div", f"<a href='/u'>{maker.phrase('name')}</a>")
        for _ in range(maker.rng.randint(1, 4)):
            maker.add("div", maker.phrase("user facts"))
        maker.close()
        if table:
            maker.open("message", "td")
        else:
            maker.open("message")
        maker.add("div", maker.phrase("posted"))
        for _ in range(maker.rng.randint(1, 3)):
            maker.add_main("div" if maker.chance(0.3) else "p", maker.paragraph(1, 3))
        maker.add("div", " ".join(f"<a href='/r'>{maker.phrase('button')}</a>" for _ in range(3)))
        maker.close()
        maker.close()
    maker.add("div", maker.phrase("login"))
    maker.close()
    _bottom(maker)


def _shop(maker: _Maker) -> None:
    _top(maker)
    maker.open("page")
    maker.add_main("h1", maker.headline)
    maker.add("div", maker.phrase("price"))
    maker.add("button", maker.phrase("buy"))
    maker.open("body")
    for _ in range(maker.rng.randint(1, 4)):
        _paragraph(maker)
    if maker.chance(0.7):
        _table(maker)
    if maker.chance(0.5):
        _list(maker)
    maker.close()
    maker.open("related")
    maker.add("h3", maker.phrase("related"))
    for _ in range(maker.rng.randint(3, 6)):
        maker.open("card")
        maker.add("a", maker.sentence(40), attributes=" href='/p'")
        maker.add("span", maker.phrase("price"))
        maker.close()
    maker.close()
    maker.close()
    _bottom(maker)


def _manual(maker: _Maker) -> None:
    maker.open("side", "nav")
    maker.links("title", 6, 20)
    maker.close()
    maker.open("body", maker.rng.choice(("div", "main", "section")))
    maker.add_main("h1", maker.headline)
    for _ in range(maker.rng.randint(2, 5)):
        maker.add_main("h2", maker.sentence(40))
        for _ in range(maker.rng.randint(1, 3)):
            _paragraph(maker)
        if maker.chance(0.5):
            lines = "\n".join(f"    {maker.rng.choice(('run', 'make', 'get'))} --{n}" for n in range(3))
            maker.add_main("pre", f"def f(x):\n{lines}")
        if maker.chance(0.6):
            _list(maker)
        if maker.chance(0.3):
            _table(maker)
        if maker.chance(0.3):
            maker.add_main("p", f"{maker.sentence(20)} <a href='/d'>{maker.sentence(20)}</a> {maker.sentence(20)}")
    maker.close()
    maker.add("div", maker.phrase("neighbour"))
    _bottom(maker)


def _blog(maker: _Maker) -> None:
    _top(maker)
    maker.open("article", maker.rng.choice(("div", "article")))
    maker.add_main(maker.rng.choice(("h1", "h2")), maker.headline)
    _byline(maker)
    if maker.chance(0.3):
        maker.add("p", maker.phrase("author"))
    maker.open("body")
    broken = maker.chance(0.25)
    for _ in range(maker.rng.randint(3, 8)):
        if broken:
            _broken_lines(maker)
        else:
            _paragraph(maker)
        if maker.chance(0.2):
            _picture(maker)
    if maker.chance(0.3):
        _list(maker)
    _tail(maker, inside=True)
    maker.close()
    _tail(maker, inside=False)
    maker.close()
    _comments(maker)
    _side(maker)
    _bottom(maker)


def _paragraph(maker: _Maker) -> None:
    text = maker.paragraph()
    if maker.chance(0.2):
        text = f"{text} <a href='/y'>{maker.sentence(30)}</a>"
    maker.add_main("p" if maker.chance(0.9) else "div", text)


def _broken_lines(maker: _Maker) -> None:
    """Add paragraphs the old way: by empty lines."""
    text = maker.paragraph()
    maker.add_main("span", text)
    maker.add("span", "<br><br>")


def _picture(maker: _Maker) -> None:
    caption = maker.phrase("caption") if maker.chance(0.5) else maker.sentence(50)
    maker.open("picture", "figure" if maker.chance(0.4) else "div")
    maker.add("span", "<img src='/i.jpg'>")
    maker.add(maker.rng.choice(("figcaption", "p", "div", "span")), caption)
    maker.close()


def _list(maker: _Maker) -> None:
    """Add a list of sentences or of a few words each, at times with a list in one of its items."""
    tag, most = maker.rng.choice(("ul", "ol")), maker.rng.choice((16, 30, 80))
    items = [maker.words(most) for _ in range(maker.rng.randint(2, 7))]
    inner = [maker.words(most) for _ in range(maker.rng.randint(1, 3))] if maker.chance(0.3) else []
    nested = f"<{tag}>{''.join(f'<li>{item}</li>' for item in inner)}</{tag}>" if inner else ""
    maker.add(tag, "".join(f"<li>{item}</li>" for item in items[:-1]) + f"<li>{items[-1]}{nested}</li>")
    maker.also_main(*items, *inner)


def _table(maker: _Maker) -> None:
    rows = [(maker.sentence(14), maker.sentence(30)) for _ in range(maker.rng.randint(3, 6))]
    maker.add("table", "".join(f"<tr><th>{left}</th><td>{right}</td></tr>" for left, right in rows))
    maker.also_main(*(cell for row in rows for cell in row))


def _byline(maker: _Maker) -> None:
    if maker.chance(0.85):
        maker.open("meta")
        for _ in range(maker.rng.randint(1, 3)):
            maker.add(maker.rng.choice(("span", "div", "p")), maker.phrase("byline"))
        maker.close()


def _tail(maker: _Maker, *, inside: bool) -> None:
    """Add what stands behind a text: appeals, authors, sources, tags; inside its box or below it."""
    for kind, share in (
        ("editor", 1.0),
        ("appeal", 0.7),
        ("author", 0.6),
        ("share", 0.5),
        ("tags", 0.4),
        ("rights", 0.2),
    ):
        if not maker.chance(share / 2):
            continue
        boxed = not inside or maker.chance(0.5)
        if boxed:
            maker.open(kind)
        if kind == "author" and maker.chance(0.5):
            maker.add(maker.rng.choice(("h3", "h4", "strong")), maker.phrase("about"))
        maker.add(maker.rng.choice(("p", "div")), maker.phrase(kind))
        if boxed:
            maker.close()
    if not inside and maker.chance(0.7):
        _related(maker)


def _related(maker: _Maker) -> None:
    maker.open("related")
    maker.add(maker.rng.choice(("h2", "h3", "div")), maker.phrase("related"))
    if maker.chance(0.5):
        maker.links("title", 3, 8)
    else:
        for _ in range(maker.rng.randint(2, 5)):
            maker.open("card")
            maker.add("a", maker.sentence(60), attributes=" href='/t'")
            maker.add("p", maker.paragraph(1, 2)[:140] + "…")
            maker.add("span", maker.phrase("byline"))
            maker.close()
    maker.close()


def _comments(maker: _Maker) -> None:
    maker.open("comments")
    maker.add("h3", maker.phrase("comments"))
    for _ in range(maker.rng.randint(0, 6)):
        maker.open("comment")
        maker.add("div", maker.phrase("posted"))
        maker.add("p", maker.paragraph(1, 3))
        maker.add("a", maker.phrase("button"), attributes=" href='/c'")
        maker.close()
    maker.add("p", maker.phrase("login"))
    maker.close()


def _top(maker: _Maker) -> None:
    maker.open("head")
    maker.add("div", maker.phrase("site"))
    maker.open("navigation", maker.rng.choice(("div", "ul", "nav")))
    maker.links("menu", 5, 14)
    maker.close()
    maker.close()


def _side(maker: _Maker) -> None:
    maker.open("side", maker.rng.choice(("div", "aside")))
    for _ in range(maker.rng.randint(1, 3)):
        maker.add("h3", maker.phrase("related"))
        maker.links("title", 3, 8)
    if maker.chance(0.4):
        maker.add("p", maker.phrase("author"))
    if maker.chance(0.4):
        maker.add("p", maker.phrase("appeal"))
    maker.close()


def _bottom(maker: _Maker) -> None:
    maker.open("footer", maker.rng.choice(("div", "footer")))
    maker.links("menu", 3, 8)
    for _ in range(maker.rng.randint(1, 3)):
        maker.add("p", maker.phrase("rights"))
    maker.close()
