"""`headrace dedup`: remove repetitions from files, for people who want only that."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headrace.pipeline.cli_config import AS_JSON
from headrace.pipeline.cli_output import near_path, print_json
from headrace.pipeline.cli_run import carry_out
from headrace.pipeline.wording import printable, shell_word

if TYPE_CHECKING:
    from headrace.pipeline.load import LoadedConfig
    from headrace.pipeline.report_documents import Row

_SCHEMES = ("datasketch", "datasketch_legacy", "datatrove", "nemo", "fss", "simhash")
_KEEP = ("first_seen", "components", "best")
_SMALL = 20_000_000  # bytes of input that are done before actors have started
RESOLVED = "config.resolved.yaml"
REPORT_HTML = "report.html"
_FIELDS = re.compile(r"(the (?:fields|columns) are: [^;]+)")
_BY_PATH = (
    "headrace: the first of repeating texts is so by path, not by the order of INPUT; for one file to win over others, "
    "give it a result of its own and name that by --against"
)
_NO_TEXT = ("parse: no_text_field", "read: no_text_column")
_EXACT, _NEAR = "exact_duplicate", "near_duplicate"


@click.command(short_help="Remove repetitions from files, and nothing else.")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Folder of the result.")
@click.option(
    "--threshold", type=click.FloatRange(0, 1, min_open=True), metavar="S", help="Similarity of near duplicates (0.8)."
)
@click.option("--scheme", type=click.Choice(_SCHEMES), help="How near duplicates are found (datasketch).")
@click.option("--exact-only", is_flag=True, help="Drop only texts equal but for case, width and amount of spaces.")
@click.option("--keep", type=click.Choice(_KEEP), help="Which one stays (first_seen).")
@click.option("--compare", is_flag=True, help="Count what each --keep would have kept; reads the input twice.")
@click.option(
    "--against", multiple=True, metavar="RUN", help="Drop what an earlier run kept, too; as often as you like."
)
@click.option("--text-field", metavar="NAME", help="Field or column that holds the text (text).")
@click.option("--records", type=click.Choice(["file", "lines", "paragraphs"]), help="A document of plain text (file).")
@click.option("--format", "form", type=click.Choice(["parquet", "jsonl"]), default="parquet", help="Of the result.")
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Processes; by default one per core.")
@click.option("--executor", type=click.Choice(["ray", "inline"]), help="One process for small inputs, else ray.")
@click.option("--fresh", is_flag=True, help="Remove what an earlier run left in DIR, and start over.")
@AS_JSON
@click.pass_context
def dedup(
    ctx: click.Context,
    *,
    inputs: tuple[str, ...],
    out: Path,
    threshold: float | None,
    scheme: str | None,
    exact_only: bool,
    keep: str | None,
    compare: bool,
    against: tuple[str, ...],
    text_field: str | None,
    records: str | None,
    form: str,
    workers: int | None,
    executor: str | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Remove exact and near repetitions from INPUT...: files, folders, globs, archives, s3:// addresses.

    Text, HTML, JSON, JSON lines, CSV, Parquet, WARC, compressed or not, in any charset. Texts stay as they are; they
    are compared without regard to case, width and traditional characters. To be equal they need white space at the same
    places, however much; to be nearly equal not in Chinese and other scripts without spaces. Of those that repeat each
    other the first by path stays, in whatever order INPUT is given, unless --keep says otherwise; what is to win over
    the rest is done first, into a folder of its own, which --against names for the rest. What is kept goes to
    DIR/shards as Parquet or JSON lines, with the other fields of each record in `metadata`. DIR is a run like any
    other: the same command goes on where it was stopped.
    """
    from headrace.pipeline.dedup_config import Wanted, dedup_config
    from headrace.pipeline.plan import make_plan

    source = _given({"text_field": text_field, "records": records})
    engine = _given({"workers": workers, "executor": executor})
    near, which = (threshold, scheme, exact_only), (keep, compare)
    if keep is None and list(inputs) != sorted(inputs, key=os.fsencode):
        click.echo(_BY_PATH, err=True)
    loaded = dedup_config(Wanted(inputs, out, *near, *which, against, source=source, engine=engine, format=form))
    plan = make_plan(loaded, fresh=fresh)
    if workers is None and executor is None and plan.bytes <= _SMALL:
        loaded = _in_one_process(loaded)
    carry_out(ctx, loaded, fresh=fresh, as_json=as_json, plan=plan, tell=_tell)


def _given(options: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in options.items() if value is not None}


def _in_one_process(loaded: LoadedConfig) -> LoadedConfig:
    engine = loaded.config.engine.model_copy(update={"executor": "inline"})
    return replace(loaded, config=loaded.config.model_copy(update={"engine": engine}))


def _tell(run: Path, report: Row, as_json: bool) -> None:  # noqa: FBT001  # one signature for all
    """Print what was found and where it is."""
    told = summary(run, report)
    if as_json:
        print_json(told)
        return
    folder = near_path(run)
    for line in _lines(folder, told, report["files"]["listed"]):
        click.echo(printable(line))
    if report["state"] == "done":
        click.echo("")
        for line in _advice(folder, told):
            click.echo(line)


def _advice(folder: Path, told: Row) -> Iterator[str]:
    """Say how to go on, by commands that give something here."""
    run, further = shell_word(str(folder)), []
    if told["exact"] or told["near"]:
        further.append(f"headrace dups {run} --diff")
    if told["example"]:
        further.append(f"headrace explain {run} {shell_word(told['example'])}")
    for label, command in zip(("to look further: ", " " * 17), further, strict=False):
        yield f"{label}{command}"
    yield f"in pictures:     {printable(str(folder / REPORT_HTML))}"
    yield "other options:   the same command with another --out, or with --fresh, which removes this result"


def _lines(folder: Path, told: Row, files: int) -> Iterator[str]:
    yield f"documents  {told['documents']:>13,}  in {files:,} file{'s' * (files != 1)}"
    for name in ("exact", "near"):
        if told[name] is not None:
            yield f"{name:<9}  {told[name]:>13,}  dropped"
    for reason, count in told["left_out"].items():
        example = told["left_out_examples"].get(reason, {})
        yield f"left out   {count:>13,}  {reason}{_hint(reason, example)}{_such_as(example.get('doc_id'))}"
    if told["empty_files"]:
        count, example = told["empty_files"], told["empty_file"]
        yield f"left out   {count:>13,}  file{'s' * (count != 1)} without a byte{_such_as(example)}"
    where = f"in {folder / 'shards'}" if told["shards"] else "nothing is written"
    yield f"kept       {told['kept']:>13,}  {where}"
    for name in _KEEP if told["policies"] else ():
        if (count := told["policies"][name]) is not None:
            yield f"           {count:>13,}  by --keep {name}"
    yield f"every document, with what became of it and why: {folder / 'documents'}"


def _such_as(example: str | None) -> str:
    return f", such as {example}" if example else ""


def _hint(reason: str, example: Row) -> str:
    """Name the option that helps where the text is not found, and the fields that there are."""
    if reason not in _NO_TEXT:
        return ""
    known = _FIELDS.search(example.get("detail") or "")
    return ": name it by --text-field" + (f" ({known[1]})" if known else "")


def summary(run: Path, report: Row) -> Row:
    """Give what `--json` prints: counts, and the files that hold what was kept.

    `near` is None where near duplicates were not looked for. `left_out` counts by stage and reason what left for
    something else than repeating, `left_out_examples` has one of each. Empty files have no document. `policies` is what
    each policy would have kept, where that was counted.
    """
    from headrace.pipeline.committed import open_committed
    from headrace.pipeline.explain import empty_files
    from headrace.pipeline.report_html import reasons

    committed = open_committed(run)
    gone = Counter(reasons(report, "dropped")) + Counter(reasons(report, "quarantined"))
    options = committed.stage("dedup")
    looked = bool(options.get("minhash") or options.get("simhash"))
    repeated = {"exact": f"dedup: {_EXACT}", "near": f"dedup: {_NEAR}"}
    examples = {f"{row['stage']}: {row['reason']}": row for row in reversed(report["examples"])}
    left_out = {reason: n for reason, n in gone.most_common() if reason not in repeated.values()}
    empty = list(empty_files(committed))
    first = [examples[reason]["doc_id"] for reason in (*repeated.values(), *left_out) if reason in examples]
    return {
        "run": str(run),
        "state": report["state"],
        "documents": report["totals"]["documents"],
        "exact": gone[repeated["exact"]],
        "near": gone[repeated["near"]] if looked else None,
        "left_out": left_out,
        "left_out_examples": {
            reason: {name: examples[reason][name] for name in ("doc_id", "detail")}
            for reason in left_out
            if reason in examples
        },
        "empty_files": len(empty),
        "empty_file": next(iter(empty), None),
        "kept": report["totals"]["kept"],
        "policies": report["dedup"]["policies"] if report["dedup"] else None,
        "shards": [line.shard.file.name for line in committed.lines if line.shard],
        "config": RESOLVED,
        "example": next(iter([*first, *empty]), None),
    }
