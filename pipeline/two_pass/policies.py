"""What each policy of dedup would have kept: counts beside a run's output, which is the same with and without them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from headrace.pipeline.report_documents import Row
from headrace.schemas.durable import canonical_json, replace_file
from headrace.schemas.failpoints import reach
from headrace.schemas.manifest import POLICIES


def write_policies(
    run: Path, stage: str, keep: str, origin: Mapping[str, object], policies: Mapping[str, int | None]
) -> None:
    """Keep the counts in the run's folder, with what they were counted from."""
    found = {"stage": stage, "keep": keep, "origin": origin, "policies": policies}
    replace_file(run / POLICIES, canonical_json(found) + b"\n")
    reach("policies.written")


def read_policies(run: Path) -> Row | None:
    """Give them: stage, keep, origin and policies; None where there are none, or none that can be read."""
    try:
        found = json.loads((run / POLICIES).read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return found if isinstance(found, dict) and found.keys() == {"stage", "keep", "origin", "policies"} else None
