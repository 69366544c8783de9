"""The part of the report's page about repetitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from headrace.pipeline.charts import DROPPED, NEUTRAL, bar_chart
from headrace.pipeline.report_documents import Row
from headrace.pipeline.report_parts import picked, table


def duplicates_section(duplicates: Mapping[str, Row]) -> Iterator[str]:
    """Give what was dropped as repetition, how large clusters are, how similar near duplicates, and some examples."""
    if not duplicates:
        return
    yield "<h2>Repetitions</h2>"
    yield "<p>Documents that repeat the same one are a cluster; <code>headrace dups</code> shows them all.</p>"
    reasons = list(dict.fromkeys(reason for found in duplicates.values() for reason in found["dropped"]))
    rows = [
        (
            stage,
            *(found["dropped"].get(reason) for reason in reasons),
            *(found[name] for name in ("clusters", "largest", "in_earlier_runs")),
        )
        for stage, found in duplicates.items()
    ]
    yield table(["stage", *reasons, "clusters", "largest", "repeat earlier runs"], rows)
    for stage, found in duplicates.items():
        yield from _stage(stage, found)


def _stage(stage: str, found: Row) -> Iterator[str]:
    sizes = {f"{row['from']:,} to {row['to']:,}": row["clusters"] for row in found["sizes"]}
    yield f"<h3>{stage}: clusters by their documents</h3>"
    yield bar_chart(sizes, "clusters", NEUTRAL)
    if found["similarity"]:
        yield f"<h3>{stage}: how similar near duplicates are to what stays</h3>"
        yield bar_chart(_similarities(found["similarity"]), "documents", DROPPED)
    yield f"<h3>{stage}: the largest clusters</h3>"
    names = ("documents", "survivor", "doc_id", "similarity", "difference", "excerpt")
    yield picked(found["examples"], names)


def _similarities(spread: Row) -> dict[str, float]:
    """Give the bars from the first that is not empty on."""
    counts, edges = spread["documents"], spread["edges"]
    first = next(place for place, count in enumerate(counts) if count)
    return {f"{edges[place]:.2f}": counts[place] for place in range(first, len(counts))}
