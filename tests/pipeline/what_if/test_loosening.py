"""What `explain` offers for a document that a rule of the user's own took out."""

from __future__ import annotations

from pathlib import Path

from tests.pipeline.what_if.small_runs_asked import made_run, rows

from headrace.pipeline.explain import explain
from headrace.pipeline.what_if.answer import what_if


def test_a_rule_of_ones_own_is_switched_off_beside_the_numbers_that_a_document_breaks_too(tmp_path: Path) -> None:
    """A rule has no number of its own to loosen; with the settings that are named the document goes on."""
    chain = "{kind: filter, profiles: {'*': [general]}, general: {min_characters: 60}, rules: {short: characters < 90}}"
    run = made_run(tmp_path, before=chain)
    reasons = {row["reason"]: doc_id for doc_id, row in rows(run).items() if row["stage"] == "filter"}
    assert set(reasons) == {"general.min_characters", "short"}
    for doc_id in reasons.values():
        command = explain(run, doc_id)["what_if"]
        settings = command.split()[3:]
        assert settings[-1] == "filter.rules.short=null"
        changes = what_if(run, settings, examples=1000)["changes"]
        assert doc_id in [one["doc_id"] for each in changes if not each["would"]["rule"] for one in each["examples"]]
