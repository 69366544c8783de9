"""Commands about configurations: check one, list the stages, print the schema."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headrace.pipeline.cli_output import print_json, print_table, users_code
from headrace.pipeline.wording import size_words
from headrace.schemas.errors import ConfigError

if TYPE_CHECKING:
    from headrace.pipeline.load import LoadedConfig
    from headrace.pipeline.plan import Plan

AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


@click.command(short_help="Check a configuration and print its plan.")
@click.argument("config", type=click.Path(path_type=Path))
@click.argument("overrides", nargs=-1, metavar="[KEY.SUB=VALUE]...")
@AS_JSON
def check(config: Path, overrides: tuple[str, ...], *, as_json: bool) -> None:
    """Check CONFIG and print its plan; no data is read, nothing is written.

    Overrides change single options: engine.workers=2 stages.0.max_damage=0.05
    """
    from headrace.pipeline.load import load_config
    from headrace.pipeline.plan import check_writable, make_plan

    with users_code():
        loaded = load_config(config, overrides)
    plan = make_plan(loaded)
    check_writable(loaded.run_dir)
    warnings = [*_idle_paths(loaded), *plan.warnings]
    for warning in warnings:
        click.echo(f"headrace: {warning}", err=True)
    if as_json:
        print_json(plan.to_json())
    else:
        _print_plan(loaded, plan)
        click.echo("no mistakes found, but see above" if warnings else "no mistakes found")


def _print_plan(loaded: LoadedConfig, plan: Plan) -> None:
    from headrace.pipeline.two_pass.first_pass import first_pass

    print_table("sources", ["source", "files", "size", "splits"], list(_source_rows(loaded, plan)))
    if earlier := list(_earlier_rows(plan)):
        print_table("compared with earlier runs", ["stage", "run", "documents", "manifest lines"], earlier)
    if first := first_pass(loaded, plan):
        purpose = "to judge" if first.dedup.two_passes else "only to count what each policy would keep"
        _print_groups(f"first pass, {purpose}, in {first.loaded.run_dir}: one call each", first.plan)
    _print_groups("groups: one call each" if first is None else "second pass: one call each", plan)
    used = sum(1 for lane in plan.lanes if lane)
    click.echo(f"lanes     {used} with splits, of {len(plan.lanes)}")
    click.echo(f"input     {len(plan.inputs):,} files, {size_words(plan.bytes)}")
    for part, digest in plan.identity.items():
        click.echo(f"identity  {part} {digest[:16]}")
    click.echo(f"run       {loaded.run_dir}")


def _print_groups(title: str, plan: Plan) -> None:
    groups = [(group.name, group.kind, ", ".join(group.stages)) for group in plan.groups]
    print_table(title, ["group", "kind", "stages"], groups)


def _idle_paths(loaded: LoadedConfig) -> Iterator[str]:
    """Name the paths of a source that match no file while others of it do: a run goes on without them."""
    from headrace.pipeline.listing import resolve_source

    for source in loaded.config.sources:
        for path in source.paths if len(source.paths) > 1 else ():
            try:
                resolve_source(source.model_copy(update={"paths": (path,), "exclude": ()}), loaded.base)
            except ConfigError:
                yield f"source {source.name}: nothing matches {path}; a run goes on without it"


def _source_rows(loaded: LoadedConfig, plan: Plan) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for source in loaded.config.sources:
        files = [entry for entry in plan.inputs if entry[0] == source.name]
        splits = sum(1 for split in plan.splits if split.source == source.name)
        rows.append((source.name, len(files), size_words(sum(entry[2] for entry in files)), splits))
    return rows


def _earlier_rows(plan: Plan) -> Iterator[tuple[object, ...]]:
    for stage, runs in plan.earlier.runs.items():
        yield from ((stage, run.name, run.documents, run.lines) for run in runs)


@click.command(short_help="List the stages, or show the options of one.")
@click.argument("kind", required=False)
@click.option("--markdown", is_flag=True, help="Print the reference page.")
@AS_JSON
def stages(kind: str | None, *, markdown: bool, as_json: bool) -> None:
    """List the stages, or show the options of stage KIND with their defaults; filter.gopher: of that section alone."""
    from headrace.pipeline.describe import describe_stage
    from headrace.pipeline.plugins import load_builtins
    from headrace.stages.base import Stage

    load_builtins()
    kind, _, section = kind.partition(".") if kind else (None, "", "")
    if kind is not None and kind not in Stage.registry:
        from headrace.pipeline.config_errors import suggestion

        remedy = suggestion(kind, Stage.registry).removeprefix("; ") or "`headrace stages` lists them"
        raise ConfigError(f"there is no stage '{kind}'", remedy=remedy)
    described = [describe_stage(name) for name in sorted(Stage.registry) if kind in (None, name)]
    if section:
        described = [described[0].only(section)]
    if as_json:
        values: list[Any] = [stage.to_json() for stage in described]
        print_json(values[0] if kind else values)
    elif markdown:
        from headrace.pipeline.reference import stages_page

        click.echo(stages_page(described), nl=False)
    elif kind is None:
        print_table("stages", ["kind", "what it does"], [(stage.kind, stage.summary) for stage in described])
    else:
        click.echo(f"{kind} (version {described[0].version})\n\n{described[0].text}\n")
        rows = [(o.name, o.takes, o.default, o.description) for o in described[0].options]
        print_table("options", ["option", "takes", "default", "meaning"], rows, unbroken=("option",))


@click.command(short_help="Print the JSON Schema of a configuration.")
@click.option("--markdown", is_flag=True, help="Print the reference page instead.")
def schema(*, markdown: bool) -> None:
    """Print the JSON Schema of a configuration, every stage included: editors complete and check with it."""
    from headrace.pipeline.describe import json_schema
    from headrace.pipeline.plugins import load_builtins
    from headrace.pipeline.reference import configuration_page

    load_builtins()
    if markdown:
        click.echo(configuration_page(), nl=False)
    else:
        print_json(json_schema())
