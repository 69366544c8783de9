"""The tables that a policy report shows first, on its page and on the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from headrace.pipeline.report_documents import Row
from headrace.pipeline.wording import rate_words

OVERVIEW = ("source", "documents", "sampled", "unsafe", "personal data before", "left in the text", "no licence")
FINDINGS = ("source", "finding", "documents", "rate", "one of them (headrace explain)")


def overview(report: Row) -> list[tuple[object, ...]]:
    """Give a line for each source."""
    return [_line(source) for source in report["sources"]]


def _line(source: Row) -> tuple[object, ...]:
    personal, unlicensed = source["personal_data"], source["licences"]["without"]["share"]
    rates = (source["unsafe"], personal["before"], personal["left"])
    no_licence = "" if unlicensed is None else f"{100 * unlicensed:.3g} %"
    return source["source"], source["documents"], source["sampled"], *map(rate_words, rates), no_licence


def findings(report: Row) -> list[tuple[object, ...]]:
    """Give a line for each thing that was found in each source: matches of a word list, personal data, a hint."""
    return [
        (source["source"], name, rate["documents"], rate_words(rate), rate["examples"][0])
        for source in report["sources"]
        for name, rate in _found(source)
        if rate and rate["documents"]
    ]


def _found(source: Row) -> Iterator[tuple[str, Row | None]]:
    yield from ((rate["name"], rate) for rate in source["words"])
    for kind in source["personal_data"]["kinds"]:
        yield f"{kind['kind']} before masking", kind["before"]
        yield f"{kind['kind']} left in the text", kind["left"]
    yield from ((rate["name"], rate) for rate in source["rights"])
