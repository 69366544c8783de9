"""The report as one page of HTML: readable on a phone, no script, nothing loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TypeAlias

from headrace.pipeline.charts import DROPPED, bar_chart, curve_chart, funnel_chart, histogram_chart
from headrace.pipeline.drop_bands.report import bands_section
from headrace.pipeline.dups.page import duplicates_section
from headrace.pipeline.report_documents import Row
from headrace.pipeline.report_parts import facts_box, picked, table, warning_box, whole_page
from headrace.pipeline.two_pass.report import policies_section
from headrace.pipeline.wording import cell, exact, size_words
from headrace.stages.filtering.names import column_of
from headrace.stages.filtering.presets import PRESETS

Report: TypeAlias = Row

_REASONS_DRAWN = 25


def page(report: Report) -> str:
    """Give the whole page."""
    parts = (part for section in _SECTIONS for part in section(report))
    return whole_page(f"Headrace run {report['run']}", parts)


def _head(report: Report) -> Iterator[str]:
    totals, times = report["totals"], report["times"]
    trainer = report["trainer"]
    facts = {
        "state": report["state"],
        "taken up from": report["parent"],
        "input": f"{totals['files']:,} files, {size_words(totals['bytes'])}",
        "documents": totals["documents"],
        "kept": totals["kept"],
        "units": totals["units"],
        "shards": totals["shards"],
        "tokens": totals["tokens"],
        "padding": _percent(totals["padding_share"]),
        "time": f"{times['seconds']:,.0f} s in {times['sessions']} session{'s' * (times['sessions'] != 1)}",
        "speed": f"{cell(times['megabytes_per_second'])} MB/s",
        "tokens/s": times["tokens_per_second"] if totals["tokens"] else None,
        "loss": f"{cell(trainer['first']['loss'])} to {cell(trainer['last']['loss'])}" if trainer else None,
        "executor": f"{times['executor']}, {times['workers']} workers" if times["executor"] else None,
    }
    yield facts_box(facts)
    for warning in _warnings(report):
        yield warning_box(warning)


def _warnings(report: Report) -> Iterator[str]:
    if report["state"] != "done":
        yield f"The run is {report['state']}: this page covers the units that are committed. The same command goes on."
    yield from (row["words"] for row in report["drop_bands"]["rows"] if row["outside"])
    if report["struck"]:
        yield (
            f"{len(report['struck'])} documents were taken out by a deadline, a memory limit or a worker's death. "
            "On another machine they may be judged otherwise, so its output may differ from this one."
        )


def _funnel(report: Report) -> Iterator[str]:
    yield "<h2>Funnel</h2>"
    if not report["funnel"]:
        yield "<p>Nothing is committed yet.</p>"
        return
    yield funnel_chart(report["funnel"])
    rows = [
        (r["stage"], r["received"], r["added"], r["kept"], sum(r["dropped"].values()), sum(r["quarantined"].values()))
        for r in report["funnel"]
    ]
    yield table(["stage", "received", "added", "kept", "dropped", "quarantined"], rows)
    yield from (f"<p>Repeated {words}.</p>" for words in taken_words(report))
    yield table(["source", "kept", "dropped", "quarantined"], [tuple(row.values()) for row in report["sources"]])


def taken_words(report: Report) -> Iterator[str]:
    """Say how many lines or paragraphs `dedup_lines` took out of texts."""
    for unit, found in report["repeated_lines"].items():
        documents = f"{found['documents']:,} document{'s' * (found['documents'] != 1)}"
        yield f"{unit}: {found['taken']:,} taken out of {documents}"


def _bands(report: Report) -> Iterator[str]:
    yield from bands_section(report["drop_bands"])


def reasons(report: Report, verdict: str) -> dict[str, int]:
    """Give every reason of a verdict as `stage: reason`, most frequent first."""
    found = {f"{r['stage']}: {why}": n for r in report["funnel"] for why, n in r[verdict].items()}
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def _reasons(report: Report) -> Iterator[str]:
    yield "<h2>Why documents were dropped</h2>"
    found = reasons(report, "dropped")
    if not found:
        yield "<p>None was.</p>"
        return
    yield bar_chart(dict(list(found.items())[:_REASONS_DRAWN]), "documents", DROPPED)
    yield "<h3>Examples</h3>"
    dropped = [_exact(row) for row in report["examples"] if row["verdict"] == "dropped"]
    yield picked(dropped, ("stage", "reason", "value", "threshold", "doc_id", "survivor"))


def _exact(row: Row) -> Row:
    """Give an example with all digits of what was measured, as `headrace explain` shows them."""
    measured = {name: row[name] for name in ("value", "threshold")}
    return {**row, **{name: None if value is None else exact(value) for name, value in measured.items()}}


def _policies(report: Report) -> Iterator[str]:
    yield from policies_section(report["dedup"])


def _duplicates(report: Report) -> Iterator[str]:
    yield from duplicates_section(report["duplicates"])


def _faults(report: Report) -> Iterator[str]:
    files, faults = report["files"], report["faults"]
    yield "<h2>Faults, file by file</h2>"
    texts = f"{files['with_text']:,} of {files['listed']:,} files gave text"
    yield f"<p>{texts}; {faults['documents']:,} documents are in quarantine.</p>"
    if faults["rows"]:
        yield picked(faults["rows"], ("file", "stage", "reason", "documents", "detail"), faults["left_out"])
    if files["counts"]:
        yield "<h3>Counted beside the documents</h3>"
        yield table(["records of another kind, faults that were mended", "records"], list(files["counts"].items()))
    if files["named"]["rows"]:
        yield "<h3>Files without text</h3>"
        yield picked(files["named"]["rows"], ("file", "why"), files["named"]["left_out"])
    if report["struck"]:
        yield "<h3>Judged by a deadline, a memory limit or a dead worker</h3>"
        yield picked(report["struck"], ("doc_id", "stage", "cause", "unit"))


def _texts(report: Report) -> Iterator[str]:
    yield "<h2>Charsets, languages, grades</h2>"
    rows = [(r["encoding"], r["method"], r["documents"], r["damaged"]) for r in report["charsets"]]
    yield table(["charset", "found by", "documents", "with damage"], rows)
    for name in ("languages", "grades"):
        if report[name]:
            yield table([name, "documents kept"], list(report[name].items()))


def _measures(report: Report) -> Iterator[str]:
    if not report["histograms"]:
        return
    thresholds = {column_compared(row["reason"]): row["threshold"] for row in report["examples"]}
    yield "<h2>Measures</h2>"
    yield "<p>Green: kept. Orange: left the chain. Dashed: the threshold. Heights grow by powers of ten.</p>"
    drawn = (histogram_chart(spread, thresholds.get(spread["name"])) for spread in report["histograms"])
    yield f'<div class="small">{"".join(f"<div>{drawing}</div>" for drawing in drawn)}</div>'


def column_compared(reason: str) -> str:
    """Give the column that a rule compares: `values.digit_share` for `max_digit_share`, that of a preset's rule too."""
    preset, _, rule = reason.rpartition(".")
    value = PRESETS[preset].value_of_field(rule) if preset in PRESETS else None
    return column_of(value, "") if value else f"values.{rule.removeprefix('min_').removeprefix('max_')}"


def _time(report: Report) -> Iterator[str]:
    times = report["times"]
    yield "<h2>Time</h2>"
    if times["stage_seconds"]:
        yield bar_chart(times["stage_seconds"], "seconds of work, over all workers")
    if times["waits"]:
        yield "<p>Seconds in which the pipeline had nothing to do but wait:</p>"
        yield table(["waited for", "seconds"], list(times["waits"].items()))
    if len(times["commits"]) > 1:
        seconds, written, read = zip(*times["commits"], strict=True)
        lines: dict[str, tuple[Sequence[float], Sequence[float]]] = {"written": (seconds, written)}
        if report["trainer"]:
            lines["trained on, or not waited for"] = (seconds, read)
        yield curve_chart(lines, "seconds", "shards")
    if report["incidents"]["counts"]:
        yield table(["incident", "times"], list(report["incidents"]["counts"].items()))


def _training(report: Report) -> Iterator[str]:
    tokenizer, trainer = report["tokenizer"], report["trainer"]
    if tokenizer:
        yield "<h2>Tokenizer</h2>"
        yield table(["name", "value"], [(name, _flat(value)) for name, value in tokenizer.items()])
    if trainer:
        yield "<h2>Training</h2>"
        steps = [point["step"] for point in trainer["curve"]]
        yield curve_chart({"loss": (steps, [_number(point["loss"]) for point in trainer["curve"]])}, "step", "loss")
        last = trainer["last"]
        yield table(["last step", "value"], [pair for pair in last.items() if not isinstance(pair[1], dict | None)])


def _identity(report: Report) -> Iterator[str]:
    yield "<h2>Identity</h2>"
    yield table(["part", "SHA-256"], list(report["identity"].items()))
    yield f"<p>Written by Headrace {escape(report['headrace'])}; the same numbers are in report.json.</p>"


_SECTIONS = (
    *(_head, _funnel, _bands, _reasons, _policies, _duplicates, _faults, _measures),
    *(_texts, _time, _training, _identity),
)


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{share:.2%}"


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _flat(value: object) -> str:
    return ", ".join(f"{k} {_flat(v)}" for k, v in value.items()) if isinstance(value, dict) else cell(value)
