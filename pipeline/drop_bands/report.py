"""What the report says of drop bands: every rule that has one, what it took out, and the documents to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from headrace.pipeline.drop_bands.bands import Bands, DropShare, known_rules
from headrace.pipeline.drop_bands.totals import Totals
from headrace.pipeline.dropped_examples import Example
from headrace.pipeline.report_documents import EXAMPLES_EACH, Row
from headrace.pipeline.report_parts import table
from headrace.pipeline.wording import percent
from headrace.schemas.document import DROPPED

Examples: TypeAlias = Mapping[tuple[str, str, str], list[Row]]  # by source, stage and reason
_BUILT_IN_DOCUMENTS = 1000


def bands_report(stages: Sequence[Row], events: Sequence[Row], totals: Totals, examples: Examples) -> Row:
    """Judge all that is committed by the bands of the newest session; of a run that had none, by the built-in ones."""
    watching = next((event for event in reversed(events) if event["kind"] == "watching"), {})
    on, documents = str(watching.get("on", "warn")), int(watching.get("documents", _BUILT_IN_DOCUMENTS))
    own = {name: band and (band[0], band[1]) for name, band in watching.get("bands", {}).items()}
    bands = Bands(own, documents, known_rules(stages))
    rows = [_row(share, examples) for share in totals.shares(bands)] if on != "ignore" else []
    return {"on": on, "documents": documents, "rows": rows}


def _row(share: DropShare, examples: Examples) -> Row:
    shown = list(_examples(share, examples)) if share.outside else []
    words = {"words": share.words, "remedy": share.remedy("RUN")} if share.outside else {}
    return {**share.to_json(), **words, "examples": shown[:EXAMPLES_EACH]}


def _examples(share: DropShare, examples: Examples) -> Iterator[Example]:
    for (source, stage, reason), rows in sorted(examples.items()):
        if stage == share.stage and share.rule in ("", reason) and share.source in ("", source):
            yield from ((row["doc_id"], row["value"], row["threshold"]) for row in rows if row["verdict"] == DROPPED)


def bands_section(bands: Row) -> Iterator[str]:
    """Give the part of the page: what every rule dropped of the documents that reached it, beside its band."""
    if not bands["rows"]:
        return
    yield "<h2>Drop bands</h2>"
    yield (
        f"<p>What each rule took out of the documents that reached its stage. A stage that fewer than "
        f"{bands['documents']:,} documents reached is not judged.</p>"
    )
    rows = [
        (
            f"{row['stage']}: {row['rule']}" if row["rule"] else row["stage"],
            row["source"] or "all",
            row["documents"],
            row["dropped"],
            percent(row["share"]),
            f"{percent(row['low'])} to {percent(row['high'])}",
            "outside" if row["outside"] else "",
            ", ".join(example[0] for example in row["examples"]),
        )
        for row in bands["rows"]
    ]
    yield table(["rule", "source", "documents", "dropped", "share", "expected", "", "some of them"], rows)
