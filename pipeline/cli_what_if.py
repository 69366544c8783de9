"""`headrace what-if`: what other thresholds would change in a run, without running it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import click

from headrace.pipeline.cli_config import AS_JSON
from headrace.pipeline.cli_look import RUN
from headrace.pipeline.cli_output import near_path, print_json, print_table
from headrace.pipeline.wording import exact, printable

Part: TypeAlias = Mapping[str, Any]  # of the answer
_TITLES = {
    "would_be_dropped": "kept now, would be dropped",
    "would_go_on": "dropped now, would go on",
    "other_rule": "dropped now, would be dropped by another rule",
    "other_grade": "kept, with another grade",
}
_MOST = 1000  # examples of each change


@click.command("what-if", short_help="Say what other thresholds would change in a run, without running it again.")
@RUN
@click.argument("settings", nargs=-1, metavar="[STAGE.OPTION=VALUE]...")
@click.option(
    "--examples", type=click.IntRange(0, _MOST), default=3, metavar="N", help="Documents shown of each change (3)."
)
@click.option(
    "--list", "listed", type=click.Path(path_type=Path), metavar="FILE", help="Write all that change: .csv or .jsonl."
)
@AS_JSON
def what_if(run: Path, settings: tuple[str, ...], *, examples: int, listed: Path | None, as_json: bool) -> None:
    """Decide once more about the documents of RUN, by other thresholds, and say what would change.

    For example: headrace what-if runs/web clean.max_symbol_share=0.3 grade.keep='[A, B]'

    A setting is the stage's name as in the report (`clean`, the second one `clean.2`), its option, and the value as in
    the configuration; null switches a rule off. `headrace stages clean` lists the options of a stage. Without a
    setting, every stage that can decides once more as it did: nothing should change.

    Only what the run has stored is looked at, no input and no text; RUN is not touched. What a stage does to texts,
    and what stages behind it would do with documents that would go on, is not stored: `headrace rerun` finds out.
    """
    from headrace.pipeline.cli_output import users_code
    from headrace.pipeline.what_if.answer import what_if as decide_again

    with users_code():
        answer = decide_again(run, settings, examples, listed)
    if as_json:
        print_json(answer)
    else:
        _print(answer, listed)


def _print(answer: Part, listed: Path | None) -> None:
    state = "" if answer["finished"] else f", not finished: its first {answer['units']:,} units"
    click.echo(f"{answer['run']}, config {answer['parent']['config'][:16]}{state}")
    for each in answer["settings"]:
        click.echo(f"  {each['option']}: {_value(each['was'])} -> {_value(each['would'])}")
    click.echo()
    if answer["changes"]:
        _print_tables(answer)
        for change in answer["changes"]:
            for line in _change(change):
                click.echo(printable(line))
            click.echo()
    else:
        click.echo("nothing would change\n")
    for line in _closing(answer):
        click.echo(line)
    if listed is not None:
        click.echo(f"all that change: {near_path(listed)}")


def _print_tables(answer: Part) -> None:
    rules = [(r["stage"], r["rule"], r["now"], r["would"], r["would"] - r["now"]) for r in answer["rules"]]
    changed = [rule for rule in rules if rule[-1]]
    if changed:
        print_table("dropped", ["stage", "rule", "now", "would be", "difference"], changed)
    if same := len(rules) - len(changed):
        click.echo(f"{same} {'other ' * bool(changed)}rule{'s' * (same != 1)}: as many as now, in --json\n")
    columns = ["source", "kept now", "would be dropped", "would go on", "by another rule", "another grade"]
    print_table("by source", columns, [tuple(source.values()) for source in answer["sources"]])
    grades = [(g["was"], g["would"], g["documents"]) for g in answer["grades"]]
    if grades:
        print_table("grades of what stays", ["now", "would be", "documents"], grades)


def _change(change: Part) -> Iterator[str]:
    yield f"{_TITLES[change['change']]}: {_way(change)}, {_documents(change['documents'])}"
    if later := change["not_measured_by"]:
        yield f"  {', '.join(later)} never saw {'it' if change['documents'] == 1 else 'them'}: a rerun finds out"
    for example in change["examples"]:
        yield f"  {example['doc_id']}{_measured(example)}"
        if example["text"] is not None:
            yield f"    {example['text']}"


def _way(change: Part) -> str:
    """Say by which rules, or from which grade to which."""
    if change["grades"]:
        return " -> ".join(change["grades"])
    fates = [fate for fate in (change["was"], change["would"]) if fate and fate["rule"]]
    return " -> ".join(f"{fate['stage']}: {fate['rule']}" for fate in fates)


def _measured(example: Part) -> str:
    pairs = ((example[f"{time}_value"], example[f"{time}_threshold"]) for time in ("was", "would"))
    found = [
        f"measured {exact(value)}" + ("" if threshold is None else f", threshold {exact(threshold)}")
        for value, threshold in dict.fromkeys(pairs)
        if value is not None
    ]
    return f"  {' -> '.join(found)}" if found else ""


def _closing(answer: Part) -> Iterator[str]:
    kept = answer["kept"]
    on = f", and up to {kept['would_go_on']:,} that would go on" if kept["would_go_on"] else ""
    yield f"kept      {kept['now']:,} of {_documents(answer['documents'])} now, would be {kept['would']:,}{on}"
    if tokens := answer["tokens"]:
        yield f"tokens    {tokens['now']:,} now, would be {tokens['would']:,}"
    for each in answer["repeats"]:
        repeat = f"repeat{'s' * (each['documents'] == 1)}"
        repeated = f"{each['stage']} dropped {_documents(each['documents'])} that {repeat} {each['of']:,} of those"
        yield f"repeats   {repeated} that would be gone: some would stay in their place"
    if answer["forgotten"]:
        yield f"forgotten {_documents(answer['forgotten'])} on request, left out"
    if answer["contradicted"]:
        what = f"{_documents(answer['contradicted'])}: stored values do not give the run's own verdict"
        yield f"unclear   {what} (a stage of your own may have changed them); they count as they are"
    if answer["remedy"]:
        yield f"to do it  {answer['remedy']}"


def _value(value: object) -> str:
    return "null" if value is None else exact(value) if isinstance(value, float) else str(value)


def _documents(count: int) -> str:
    return f"{count:,} document{'s' * (count != 1)}"
