"""Pictures of the report as SVG: the same numbers give the same bytes, and the page needs nothing from elsewhere."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from headrace.pipeline.wording import cell

KEPT, DROPPED, QUARANTINED, NEUTRAL = "#2a7f62", "#d9822b", "#b33a3a", "#4c6a92"
_STYLE: Any = {
    "svg.hashsalt": "headrace",  # names of clip paths would be random otherwise
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_WIDTH = 7.0  # inches


def funnel_chart(rows: Sequence[dict[str, Any]]) -> str:
    """Draw what every stage kept, dropped and quarantined."""
    names = [row["stage"] for row in rows]
    kept = [row["kept"] for row in rows]
    dropped = [sum(row["dropped"].values()) for row in rows]
    quarantined = [sum(row["quarantined"].values()) for row in rows]

    def draw(axes: Axes) -> None:
        left = [0] * len(rows)
        for label, values, color in (
            ("kept", kept, KEPT),
            ("dropped", dropped, DROPPED),
            ("quarantined", quarantined, QUARANTINED),
        ):
            axes.barh(names, values, left=left, color=color, label=label)
            left = [a + b for a, b in zip(left, values, strict=True)]
        axes.invert_yaxis()
        axes.set_xlabel("documents")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.12), ncols=3, frameon=False)

    return _svg(draw, 0.3 * len(rows) + 1.2)


def bar_chart(values: dict[str, float], unit: str, color: str = NEUTRAL) -> str:
    """Draw one bar for each name, in the given order, with its number behind it."""

    def draw(axes: Axes) -> None:
        bars = axes.barh(list(values), list(values.values()), color=color)
        axes.bar_label(bars, [cell(value) for value in values.values()], padding=3, fontsize=8)
        axes.margins(x=0.12)
        axes.invert_yaxis()
        axes.set_xlabel(unit)

    return _svg(draw, 0.27 * len(values) + 0.8)


def histogram_chart(spread: dict[str, Any], threshold: float | None = None) -> str:
    """Draw how a measure is spread over kept documents and those that left; a dashed line marks the threshold."""

    def draw(axes: Axes) -> None:
        edges = spread["edges"]
        axes.stairs(spread["kept"], edges, fill=True, color=KEPT, alpha=0.7, label="kept")
        axes.stairs(spread["gone"], edges, color=DROPPED, linewidth=1.2, label="left")
        if spread["log"]:
            axes.set_xscale("symlog", linthresh=1.0)
        if threshold is not None and edges[0] <= threshold <= edges[-1]:
            axes.axvline(threshold, color=QUARANTINED, linestyle="--", linewidth=1)
        axes.set_yscale("symlog", linthresh=1.0)
        axes.set_ylim(bottom=0)
        axes.set_title(spread["name"], fontsize=9)

    return _svg(draw, 1.7, width=3.4)


def curve_chart(lines: dict[str, tuple[Sequence[float], Sequence[float]]], x: str, y: str) -> str:
    """Draw lines of (x values, y values), each with its name."""

    def draw(axes: Axes) -> None:
        for color, (name, (across, up)) in zip((NEUTRAL, DROPPED, KEPT), lines.items(), strict=False):
            axes.plot(across, up, color=color, label=name, linewidth=1.4)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        if len(lines) > 1:
            axes.legend(frameon=False)

    return _svg(draw, 2.4)


def _svg(draw: Callable[[Axes], None], height: float, width: float = _WIDTH) -> str:
    with _style():
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure.add_subplot())
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    text = out.getvalue()
    drawing = text[text.index("<svg") :]
    drawing = re.sub(r'<g id="[^"]*">', "<g>", drawing)  # the names repeat from picture to picture
    return re.sub(
        r'(<svg[^>]*?) width="[^"]*"', r"\1", re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", drawing, count=1), count=1
    )


@contextmanager
def _style() -> Iterator[None]:
    with mpl.rc_context(_STYLE):
        yield
