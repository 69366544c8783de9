"""Pages made to learn from: news, notices, forums, shops, manuals and blogs as Chinese and English sites build them.

The sentences are those of `benchmarks.text`; menus, bylines, appeals and the markup around them were written for this.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.extraction_around import add_bottom, add_byline, add_comments, add_side, add_tail, add_top
from benchmarks.extraction_maker import MadePage, Maker
from benchmarks.extraction_pieces import add_broken_lines, add_list, add_paragraph, add_picture, add_table

LANGUAGES = ("zh", "en", "de")
_PAGES = 12  # of each kind and language


def made_pages() -> Iterator[MadePage]:
    """Give all pages; they are the same whenever they are made on a machine."""
    for language in LANGUAGES:
        for kind in (_news, _notice, _forum, _shop, _manual, _blog):
            for number in range(_PAGES):
                maker = Maker(language, f"{kind.__name__} {number}")
                kind(maker)
                yield maker.page(f"{language}{kind.__name__}-{number}")


def _news(maker: Maker) -> None:
    add_top(maker)
    maker.open("page")
    maker.open("article", maker.rng.choice(("div", "article", "section")))
    maker.add_main("h1", maker.headline)
    add_byline(maker)
    maker.open("body")
    if maker.chance(0.4):
        maker.add_main("p", f"<strong>{maker.paragraph(1, 2)}</strong>")
    for number in range(maker.rng.randint(3, 9)):
        add_paragraph(maker)
        if maker.chance(0.3):
            add_picture(maker)
        if maker.chance(0.12):
            maker.add("p", f"{maker.phrase('pointer')} <a href='/x'>{maker.sentence(50)}</a>")
        if number and maker.chance(0.15):
            maker.add_main(maker.rng.choice(("h2", "h3")), maker.sentence(40))
    add_tail(maker, inside=True)
    maker.close()
    add_tail(maker, inside=False)
    maker.close()
    add_side(maker)
    maker.close()
    add_bottom(maker)


def _notice(maker: Maker) -> None:
    add_top(maker)
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
        add_table(maker)
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
    add_bottom(maker)


def _forum(maker: Maker) -> None:
    add_top(maker)
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
    add_bottom(maker)


def _shop(maker: Maker) -> None:
    add_top(maker)
    maker.open("page")
    maker.add_main("h1", maker.headline)
    maker.add("div", maker.phrase("price"))
    maker.add("button", maker.phrase("buy"))
    maker.open("body")
    for _ in range(maker.rng.randint(1, 4)):
        add_paragraph(maker)
    if maker.chance(0.7):
        add_table(maker)
    if maker.chance(0.5):
        add_list(maker)
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
    add_bottom(maker)


def _manual(maker: Maker) -> None:
    maker.open("side", "nav")
    maker.links("title", 6, 20)
    maker.close()
    maker.open("body", maker.rng.choice(("div", "main", "section")))
    maker.add_main("h1", maker.headline)
    for _ in range(maker.rng.randint(2, 5)):
        maker.add_main("h2", maker.sentence(40))
        for _ in range(maker.rng.randint(1, 3)):
            add_paragraph(maker)
        if maker.chance(0.5):
            lines = "\n".join(f"    {maker.rng.choice(('run', 'make', 'get'))} --{n}" for n in range(3))
            maker.add_main("pre", f"def f(x):\n{lines}")
        if maker.chance(0.6):
            add_list(maker)
        if maker.chance(0.3):
            add_table(maker)
        if maker.chance(0.3):
            maker.add_main("p", f"{maker.sentence(20)} <a href='/d'>{maker.sentence(20)}</a> {maker.sentence(20)}")
    maker.close()
    maker.add("div", maker.phrase("neighbour"))
    add_bottom(maker)


def _blog(maker: Maker) -> None:
    add_top(maker)
    maker.open("article", maker.rng.choice(("div", "article")))
    maker.add_main(maker.rng.choice(("h1", "h2")), maker.headline)
    add_byline(maker)
    if maker.chance(0.3):
        maker.add("p", maker.phrase("author"))
    maker.open("body")
    broken = maker.chance(0.25)
    for _ in range(maker.rng.randint(3, 8)):
        if broken:
            add_broken_lines(maker)
        else:
            add_paragraph(maker)
        if maker.chance(0.2):
            add_picture(maker)
    if maker.chance(0.3):
        add_list(maker)
    add_tail(maker, inside=True)
    maker.close()
    add_tail(maker, inside=False)
    maker.close()
    add_comments(maker)
    add_side(maker)
    add_bottom(maker)
