"""What each policy of dedup would have kept, for the report of a run whose first pass has counted it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from headrace.pipeline.committed import Committed
from headrace.pipeline.events import read_events
from headrace.pipeline.report_documents import Row
from headrace.pipeline.report_events import read_times
from headrace.pipeline.report_parts import table
from headrace.schemas.manifest import FIRST_PASS

_POLICIES = ("first_seen", "components", "best")


def policies_report(committed: Committed) -> Row | None:
    """Give what the policies keep of the documents that reach dedup; None where all have not been looked at."""
    named = (ref for line in committed.lines for ref in line.index_runs if "-verdicts-" in ref.name)
    ref = next(named, None)
    if ref is None or not (committed.run / ref.name).is_file():
        return None
    from headrace.stages.deduplication.verdict_file import policies_in  # kernels, which other reports do without

    stage = Path(ref.name).name.partition("-verdicts-")[0]
    looking = (s for s in committed.plan["recipe"]["stages"] if s["kind"] == "dedup" and _looks_at_all(s))
    return {"stage": stage, "keep": next(looking)["keep"], "policies": policies_in(committed.run / ref.name)}


def _looks_at_all(options: Row) -> bool:
    return options["keep"] != "first_seen" or bool(options["compare"])


def struck_before(run: Path) -> list[Row]:
    """Give the documents that a deadline or a dead worker took out of the first pass: they stay in the second."""
    return [{**row, "pass": 1} for row in read_times(read_events(run / FIRST_PASS)).struck]


def policies_section(found: Row | None) -> Iterator[str]:
    """Say it in HTML."""
    if found is None:
        return
    counts = found["policies"]
    rows = [(name, counts[name], counts["documents"] - counts[name]) for name in _POLICIES if counts[name] is not None]
    yield "<h2>Which one stays</h2>"
    yield f"<p>This run has <code>keep: {found['keep']}</code> at {found['stage']}. Of the same documents stay:</p>"
    yield table(["keep", "kept", "dropped"], rows)
    if counts["moved"] is not None:
        yield f"<p>best keeps another document than components {counts['moved']:,} times.</p>"
