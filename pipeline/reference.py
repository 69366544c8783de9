"""The reference pages of the documentation, written from the models themselves, so that they cannot be out of date."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headrace.pipeline.config import PipelineConfig
from headrace.pipeline.describe import Option, StageDescription, options
from headrace.schemas.source import Source


def stages_page(described: Sequence[StageDescription]) -> str:
    """Give docs/reference/stages.md: every stage with its options."""
    parts = [
        "# Stages\n\nWritten by `headrace stages --markdown > docs/reference/stages.md`; a test compares the two.\n",
        "\n".join(f"- [`{stage.kind}`](#{stage.kind}) {stage.summary}" for stage in described) + "\n",
    ]
    for stage in described:
        parts.append(f"## {stage.kind}\n\n{stage.text}\n\nVersion {stage.version}.\n")
        parts.append(options_table(stage.options) if stage.options else "No options.\n")
    return "\n".join(parts)


def configuration_page() -> str:
    """Give docs/reference/configuration.md: every option but those of the stages."""
    every = list(options(PipelineConfig))
    sections = dict.fromkeys(o.name.partition(".")[0] for o in every if "." in o.name)
    parts = [
        "# The configuration\n",
        "Written by `headrace schema --markdown > docs/reference/configuration.md`; a test compares the two.\n",
        "The options of the stages have [a page of their own](stages.md).\n",
        options_table(o for o in every if "." not in o.name),
        "## sources\n\nEach item of the list:\n",
        options_table(options(Source)),
    ]
    for section in sections:
        parts += [f"## {section}\n", options_table(o for o in every if o.name.startswith(f"{section}."))]
    return "\n".join(parts)


def options_table(listed: Iterable[Option]) -> str:
    """Give one Markdown table of options."""
    rows = [f"| `{o.name}` | {_safe(o.takes)} | {_safe(o.default)} | {_safe(o.description)} |" for o in listed]
    return "\n".join(["| option | takes | default | meaning |", "| --- | --- | --- | --- |", *rows]) + "\n"


def _safe(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
