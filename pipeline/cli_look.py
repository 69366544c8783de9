"""Commands that look at a run: inspect it, explain a document, verify every byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headrace.pipeline.cli_config import AS_JSON
from headrace.pipeline.cli_output import near_path, print_json, print_table
from headrace.pipeline.wording import cell, exact, size_words

if TYPE_CHECKING:
    from headrace.pipeline.report_documents import Row

_SHARDS_SHOWN = 20
RUN = click.argument("run", type=click.Path(path_type=Path))


@click.command(short_help="Show what a run holds, and write its report again.")
@RUN
@AS_JSON
def inspect(run: Path, *, as_json: bool) -> None:
    """Show what RUN holds: state, funnel, shards, first documents. Writes its report again."""
    from headrace.pipeline.cli_report import print_report
    from headrace.pipeline.inspect_run import inspect_run

    found = inspect_run(run)
    if as_json:
        print_json(found)
        return
    columns = ("line", "file", "units", "sequences", "tokens")
    shards = [(*(s[name] for name in columns), size_words(s["bytes"])) for s in found["shards"]]
    print_table("shards", [*columns, "size"], shards[:_SHARDS_SHOWN])
    if len(shards) > _SHARDS_SHOWN:
        click.echo(f"and {len(shards) - _SHARDS_SHOWN} more, in --json\n")
    documents = [(d["doc_id"], d["grade"], d["text"]) for d in found["documents"]]
    print_table("first kept documents", ["doc_id", "grade", "text"], documents)
    print_report(run, found["report"])


@click.command(short_help="Say what became of one document, and why.")
@RUN
@click.argument("doc_id")
@AS_JSON
def explain(run: Path, doc_id: str, *, as_json: bool) -> None:
    """Say what became of the document DOC_ID in RUN, and why.

    A doc_id is source:path#offset; documents/, the report and the shards name documents by it.
    """
    from headrace.pipeline.explain import explain as look_up

    found = look_up(run, doc_id)
    if as_json:
        print_json(found)
    else:
        _print_explanation(run, found)


def _print_explanation(run: Path, found: dict[str, Any]) -> None:
    click.echo(f"{found['doc_id']}\n{_verdict(found)}")
    if survivor := found["survivor"]:
        for line in _repeated(run, found["doc_id"], survivor):
            click.echo(line)
    if found["what_if"]:
        click.echo(f"what-if: {found['what_if']}")
    place = found["place"]
    row = "" if place["row"] is None else f", row {place['row']}"
    click.echo(f"recorded: {place['file']}{row}, unit {place['unit']}")
    if found["parent"]:
        click.echo(f"run again from: {found['parent']}")
    if found["shard"]:
        click.echo(f"written: {found['shard']['file']} (manifest line {found['shard']['line']})")
        for piece in found["shard"]["pieces"]:
            click.echo(f"  sequence {piece['sequence']}, tokens {piece['begin']} to {piece['end']}")
    print_table("what is known", ["name", "value"], list(_known(found)))
    if found["text"]:
        click.echo(f"text, {found['characters']:,} characters:\n{found['text']}")
    elif found["verdict"] == "dropped" and not found["forgotten"] and place["row"] is not None:
        click.echo("its text is not recorded: `record: full` of the write stage does that")


def _repeated(run: Path, doc_id: str, survivor: Row) -> Iterator[str]:
    """Say what a document repeats, and how to look at it; an earlier run may have been moved, and have lost it."""
    holds = near_path(Path(survivor["run"])) if "run" in survivor else run
    if not survivor.get("run_is_there", True):
        yield f"repeats: {survivor['doc_id']} of {holds}, which is not there; was it moved?"
        return
    gone = "run" in survivor and survivor["place"] is None
    yield f"repeats: {survivor['doc_id']}" + (f", which {holds} does not have any more" if gone else "")
    if not gone:
        yield f"  see `headrace explain {holds} '{survivor['doc_id']}'`"
    yield f"  in what they differ: `headrace dups {run} --of '{doc_id}' --diff`"


def _known(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Give every value with all its digits; those of `document` are stored as they came."""
    yield from ((name, cell(value)) for name, value in found["document"].items())
    for part in ("values", "scores"):
        yield from ((f"{part}.{name}", exact(value)) for name, value in found[part].items())


def _verdict(found: dict[str, Any]) -> str:
    if asked := found["forgotten"]:
        return f"{_decision(found)}; forgotten on request ({asked['kind']} {asked['value']})"
    return _decision(found)


def _decision(found: dict[str, Any]) -> str:
    if found["verdict"] == "kept":
        return "kept"
    parts = [f"{found['verdict']} by {found['stage']}: {found['reason']}"]
    if found["value"] is not None:
        parts.append(f"measured {exact(found['value'])}")
    if found["threshold"] is not None:
        parts.append(f"threshold {exact(found['threshold'])}")
    if found["detail"]:
        parts.append(found["detail"])
    return ", ".join(parts)


@click.command(short_help="Hash every file of a run again and recount it.")
@RUN
@AS_JSON
@click.pass_context
def verify(ctx: click.Context, run: Path, *, as_json: bool) -> None:
    """Hash every file of RUN again and recount its ledger; exit code 1 and one line for each difference."""
    from headrace.pipeline.verify import verify as check_run

    found = check_run(run)
    if as_json:
        print_json(found.to_json())
    else:
        size, state = size_words(found.bytes), "finished" if found.ended else "not finished"
        click.echo(f"{found.lines} manifest lines, {found.units} units, {found.documents:,} documents, run {state}")
        click.echo(f"{found.files:,} files hashed, {size}")
        for name in found.leftovers:
            click.echo(f"left over, not part of the run: {name}")
        click.echo("no difference" if not found.problems else f"{len(found.problems)} differences")
    for problem in found.problems:
        click.echo(f"headrace: {problem}", err=True)
    if found.problems:
        ctx.exit(1)
