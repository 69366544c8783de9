"""The policy report as one page of HTML, in the form of the run's report."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from headrace.pipeline.policy.tables import OVERVIEW, overview
from headrace.pipeline.report_documents import Row
from headrace.pipeline.report_parts import facts_box, table, warning_box, whole_page
from headrace.pipeline.wording import rate_words

_EXPLAIN = "`headrace explain RUN DOC_ID` shows a document."


def policy_page(report: Row) -> str:
    """Give the whole page."""
    parts = (part for section in _SECTIONS for part in section(report))
    return whole_page(f"Policy of the Headrace run {report['run']}", parts)


def _head(report: Row) -> Iterator[str]:
    sources = report["sources"]
    yield facts_box(
        {
            "state": report["state"],
            "sources": len(sources),
            "documents kept": sum(source["documents"] for source in sources),
            "sampled": sum(source["sampled"] for source in sources),
            "characters, about": sum(source["characters"] or 0 for source in sources),
            "seed": str(report["seed"]),
        }
    )
    for note in report["notes"]:
        yield warning_box(note)
    yield (
        "<p>Rates are shares of the sampled documents, with the interval in which the rate of all documents of the "
        "source lies with 95 % confidence (Wilson 1927); where every document was looked at the rate is exact.</p>"
    )
    yield table(OVERVIEW, overview(report))


def _unsafe(report: Row) -> Iterator[str]:
    yield "<h2>Unsafe documents</h2>"
    for one in report["lists"]:
        yield f"<p>List {escape(one['name'])}: {one['words']:,} entries, SHA-256 {one['sha256']}.</p>"
    yield _rates(report, "words", "word list")


def _rates(report: Row, part: str, what: str) -> str:
    rows = [
        (source["source"], rate["name"], rate["documents"], rate_words(rate), ", ".join(rate["examples"]))
        for source in report["sources"]
        for rate in source[part]
    ]
    return table(["source", what, "documents", "rate", "some of them"], rows) if rows else "<p>Not known.</p>"


def _personal(report: Row) -> Iterator[str]:
    yield "<h2>Personal data</h2>"
    yield "<p>Before: counted by the stage <code>pii</code>. Left: found by searching the stored texts again.</p>"
    rows = [
        (source["source"], kind["kind"], rate_words(kind["before"]), rate_words(kind["left"]))
        for source in report["sources"]
        for kind in source["personal_data"]["kinds"]
        if any(rate and rate["documents"] for rate in (kind["before"], kind["left"]))
    ]
    yield table(["source", "kind", "documents before", "documents left"], rows) if rows else "<p>None was found.</p>"
    places = [
        (source["source"], kind["kind"], place["doc_id"], place["context"])
        for source in report["sources"]
        for kind in source["personal_data"]["kinds"]
        for place in kind["places"]
    ]
    if places:
        yield f"<h3>What is left, masked here</h3><p>{_EXPLAIN}</p>"
        yield table(["source", "kind", "doc_id", "context"], places)


def _rights(report: Row) -> Iterator[str]:
    yield "<h2>Robots hints and opt-outs</h2>"
    yield _rates(report, "rights", "hint")


def _licences(report: Row) -> Iterator[str]:
    yield "<h2>Licences</h2>"
    yield "<p>Of all kept documents, not of the sample. A document counts for each licence that is said of it.</p>"
    for source in report["sources"]:
        licences = source["licences"]
        rows = [_licence(row) for row in licences["rows"]]
        if licences["without"]["documents"]:
            rows.append(_licence(licences["without"]))
        if rows:
            columns = [f"licence in {source['source']}", "documents", "share", "evidence", "some of them"]
            yield table(columns, rows)
        if licences["left_out"]:
            yield f"<p>{licences['left_out']:,} more licences are not shown.</p>"
        if licences["several"]:
            yield f"<p>Of {licences['several']:,} documents different licences are said.</p>"


def _licence(row: Row) -> tuple[object, ...]:
    evidence = ", ".join(f"{kind} {count:,}" for kind, count in row["evidence"].items()) or "none"
    share = f"{row['share']:.2%}"
    return row["licence"] or "no evidence", row["documents"], share, evidence, ", ".join(row["examples"])


def _identity(report: Row) -> Iterator[str]:
    yield "<h2>Identity</h2>"
    yield table(["part", "SHA-256"], list(report["identity"].items()))
    yield f"<p>Written by Headrace {escape(report['headrace'])}; the same numbers are in policy.json.</p>"


_SECTIONS = (_head, _unsafe, _personal, _rights, _licences, _identity)
