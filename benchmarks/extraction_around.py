"""What stands around made texts: menus, bylines, appeals, authors, related pages, comments, and the foot."""

from __future__ import annotations

from benchmarks.extraction_maker import Maker


def add_byline(maker: Maker) -> None:
    if maker.chance(0.85):
        maker.open("meta")
        for _ in range(maker.rng.randint(1, 3)):
            maker.add(maker.rng.choice(("span", "div", "p")), maker.phrase("byline"))
        maker.close()


def add_tail(maker: Maker, *, inside: bool) -> None:
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
        add_related(maker)


def add_related(maker: Maker) -> None:
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


def add_comments(maker: Maker) -> None:
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


def add_top(maker: Maker) -> None:
    maker.open("head")
    maker.add("div", maker.phrase("site"))
    maker.open("navigation", maker.rng.choice(("div", "ul", "nav")))
    maker.links("menu", 5, 14)
    maker.close()
    maker.close()


def add_side(maker: Maker) -> None:
    maker.open("side", maker.rng.choice(("div", "aside")))
    for _ in range(maker.rng.randint(1, 3)):
        maker.add("h3", maker.phrase("related"))
        maker.links("title", 3, 8)
    if maker.chance(0.4):
        maker.add("p", maker.phrase("author"))
    if maker.chance(0.4):
        maker.add("p", maker.phrase("appeal"))
    maker.close()


def add_bottom(maker: Maker) -> None:
    maker.open("footer", maker.rng.choice(("div", "footer")))
    maker.links("menu", 3, 8)
    for _ in range(maker.rng.randint(1, 3)):
        maker.add("p", maker.phrase("rights"))
    maker.close()
