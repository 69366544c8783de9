"""What the pages of reports are put together from: the page itself, its style, and tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TypeAlias

from headrace.pipeline.wording import cell

Line: TypeAlias = Mapping[str, object]

_CSS = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }
body { color: #1c2733; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; border-bottom: 1px solid #d5dbe1; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .6rem; }
.facts div { background: #f3f5f7; border-radius: .4rem; padding: .5rem .7rem; }
.facts b { display: block; font-size: 1.15rem; }
.wide { overflow-x: auto; margin-bottom: 1rem; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top; border-bottom: 1px solid #e6eaee; }
.n { text-align: right; font-variant-numeric: tabular-nums; }
td { overflow-wrap: break-word; max-width: 26rem; }
svg { width: 100%; height: auto; }
.small { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .5rem; }
.warning { background: #fdf1e3; border-left: 4px solid #d9822b; padding: .5rem .8rem; }
"""


def whole_page(title: str, parts: Iterable[str]) -> str:
    """Give a page that loads nothing from elsewhere; `parts` are HTML, the title is text."""
    body, title = "\n".join(parts), escape(title)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>{_CSS}</style>\n</head>\n'
        f"<body>\n<h1>{title}</h1>\n{body}\n</body>\n</html>\n"
    )


def facts_box(facts: Line) -> str:
    """Give the numbers on top of a page; those that are not known are left out."""
    shown = (
        f"<div>{escape(name)}<b>{escape(cell(value))}</b></div>" for name, value in facts.items() if value is not None
    )
    return f'<div class="facts">{"".join(shown)}</div>'


def warning_box(text: str) -> str:
    """Give a sentence that should not be overlooked."""
    return f'<p class="warning">{escape(text)}</p>'


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], left_out: int = 0) -> str:
    """Give a table; `left_out` rows that are not in it are mentioned under it."""
    lines = list(rows)
    numeric = [_numeric(next((row[i] for row in lines if row[i] is not None), None)) for i in range(len(columns))]
    head = "".join(f"<th{' class=n' * n}>{escape(name)}</th>" for name, n in zip(columns, numeric, strict=True))
    body = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in lines)
    more = f"<p>{left_out:,} more are in documents/.</p>" if left_out else ""
    return f'<div class="wide"><table>\n<tr>{head}</tr>\n{body}\n</table></div>{more}'


def picked(rows: Iterable[Line], columns: Sequence[str], left_out: int = 0) -> str:
    """Give a table of some values of each row."""
    return table(columns, [tuple(row[name] for name in columns) for row in rows], left_out)


def _cell(value: object) -> str:
    return f"<td{' class=n' * _numeric(value)}>{escape(cell(value))}</td>"


def _numeric(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
