"""What is found for each document of a table: licence, metadata with the evidence, and what its page asks of robots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from headrace.stages.licensing.evidence import EVIDENCE, Evidence, gathered, headers, may_say, pairs
from headrace.stages.licensing.robots import Asked, asked
from headrace.stages.parsing.json_values import holds_long_number, parsed, spelled


@dataclass(frozen=True, slots=True)
class Finding:
    """What is known of one document's rights."""

    licence: str | None
    metadata: str | None
    licences: int  # different ones that are said
    asked: Asked


def findings(table: pa.Table, fill: frozenset[str], agents: frozenset[str]) -> list[Finding]:
    """Look at column, metadata and text of every document."""
    speaks = may_say(table["text"])
    known = zip(table["licence"].to_pylist(), table["metadata"].to_pylist(), strict=True)
    found = []
    for row, (licence, metadata) in enumerate(known):
        text = table["text"][row].as_py() if speaks[row] else None
        found.append(_finding(licence, metadata, text, fill, agents))
    return found


def _finding(
    licence: str | None, metadata: str | None, text: str | None, fill: frozenset[str], agents: frozenset[str]
) -> Finding:
    if licence is None and metadata is None and text is None:
        return Finding(None, None, 0, {})
    data = metadata.encode() if metadata else b"{}"
    known: dict[str, object] = parsed(data, exact=holds_long_number(data))
    known.pop(EVIDENCE, None)  # of an earlier run
    evidence = gathered(licence, known, text)
    if evidence:
        metadata = spelled({**known, EVIDENCE: [each.to_json() for each in evidence]})
    said = {each.licence for each in evidence if each.kind != "reserved"}
    hints = asked(_rules(known), _reserved(known), agents)
    return Finding(licence or _filled(evidence, fill), metadata, len(said), hints)


def _filled(evidence: list[Evidence], fill: frozenset[str]) -> str | None:
    return next((each.licence for each in evidence if each.kind in fill), None)


def _rules(known: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    if "x-robots-tag" in (sent := headers(known)):
        yield "HTTP header X-Robots-Tag", "*", sent["x-robots-tag"]
    for agent, content in pairs(known, "robots"):
        yield f"meta {'robots' if agent == '*' else agent}", agent, content


def _reserved(known: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    if "tdm-reservation" in (sent := headers(known)):
        yield "HTTP header TDM-Reservation", sent["tdm-reservation"]
    for value, _ in pairs(known, "tdm"):
        yield "meta tdm-reservation", value
