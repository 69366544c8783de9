"""What each policy of dedup would have kept, for the report of a run whose first pass has counted it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from headrace.pipeline.committed import Committed
from headrace.pipeline.events import read_events
from headrace.pipeline.report_documents import Row
from headrace.pipeline.report_events import read_times
from headrace.pipeline.report_parts import table
from headrace.pipeline.two_pass.policies import read_policies
from headrace.schemas.manifest import FIRST_PASS

_POLICIES = ("first_seen", "components", "best")


def policies_report(committed: Committed) -> Row | None:
    """Give what the policies keep of the documents that reach dedup; None where all have not been looked at."""
    found = read_policies(committed.run)
    return found and {name: found[name] for name in ("stage", "keep", "policies")}


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
