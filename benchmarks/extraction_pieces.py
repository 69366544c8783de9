"""What made texts consist of: paragraphs, pictures with captions, lists and tables."""

from __future__ import annotations

from benchmarks.extraction_maker import Maker


def add_paragraph(maker: Maker) -> None:
    text = maker.paragraph()
    if maker.chance(0.2):
        text = f"{text} <a href='/y'>{maker.sentence(30)}</a>"
    maker.add_main("p" if maker.chance(0.9) else "div", text)


def add_broken_lines(maker: Maker) -> None:
    """Add paragraphs the old way: by empty lines."""
    text = maker.paragraph()
    maker.add_main("span", text)
    maker.add("span", "<br><br>")


def add_picture(maker: Maker) -> None:
    caption = maker.phrase("caption") if maker.chance(0.5) else maker.sentence(50)
    maker.open("picture", "figure" if maker.chance(0.4) else "div")
    maker.add("span", "<img src='/i.jpg'>")
    maker.add(maker.rng.choice(("figcaption", "p", "div", "span")), caption)
    maker.close()


def add_list(maker: Maker) -> None:
    """Add a list of sentences or of a few words each, at times with a list in one of its items."""
    tag, most = maker.rng.choice(("ul", "ol")), maker.rng.choice((16, 30, 80))
    items = [maker.words(most) for _ in range(maker.rng.randint(2, 7))]
    inner = [maker.words(most) for _ in range(maker.rng.randint(1, 3))] if maker.chance(0.3) else []
    nested = f"<{tag}>{''.join(f'<li>{item}</li>' for item in inner)}</{tag}>" if inner else ""
    maker.add(tag, "".join(f"<li>{item}</li>" for item in items[:-1]) + f"<li>{items[-1]}{nested}</li>")
    maker.also_main(*items, *inner)


def add_table(maker: Maker) -> None:
    rows = [(maker.sentence(14), maker.sentence(30)) for _ in range(maker.rng.randint(3, 6))]
    maker.add("table", "".join(f"<tr><th>{left}</th><td>{right}</td></tr>" for left, right in rows))
    maker.also_main(*(cell for row in rows for cell in row))
