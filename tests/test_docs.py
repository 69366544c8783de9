"""What the documentation shows works: commands, configurations, links and the generated pages."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from headrace.pipeline.cli import main
from headrace.pipeline.load import load_config

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.stem != "COPYME")]
GUIDES = [page for page in PAGES if "decisions" not in page.parts]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands(page: Path) -> Iterator[list[str]]:
    for block in blocks(page, "bash"):
        for line in block.splitlines():
            words = shlex.split(line.partition(" > ")[0], comments=True)
            while "headrace" in words:
                words = words[words.index("headrace") + 1 :]
                yield words


COMMANDS = [(name_of(page), words) for page in GUIDES for words in commands(page)]
CONFIGURATIONS = [
    (name_of(page), block)
    for page in GUIDES
    for block in blocks(page, "yaml")
    if re.search("^stages:", block, re.MULTILINE)
]


def test_there_is_something_to_check() -> None:
    """A change of the pages' form must not make the tests below empty."""
    assert len(COMMANDS) >= 15
    assert len(CONFIGURATIONS) >= 3


@pytest.mark.parametrize(("page", "words"), COMMANDS, ids=[f"{page}: {' '.join(words)}" for page, words in COMMANDS])
def test_every_command_of_the_pages_is_one_of_ours(page: str, words: list[str]) -> None:
    """Command, options and number of arguments fit; nothing is run."""
    command = main.commands[words[0]]
    with command.make_context(words[0], list(words[1:])) as context:
        assert context.command is command


@pytest.mark.parametrize(("page", "block"), CONFIGURATIONS, ids=[page for page, _ in CONFIGURATIONS])
def test_every_configuration_of_the_pages_is_accepted(page: str, block: str, tmp_path: Path) -> None:
    """A reader can copy it, into examples/ where it names lists."""
    (tmp_path / "policy").symlink_to(ROOT / "examples/policy")
    (tmp_path / "c.yaml").write_text(block, encoding="utf-8")
    assert load_config(tmp_path / "c.yaml").config.run == yaml.safe_load(block)["run"]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    """Relative links name files of the repository."""
    links = re.findall(r"\]\((?!https?://|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_example_is_named_in_the_pages() -> None:
    """An example that no page names is not found."""
    text = "".join(page.read_text(encoding="utf-8") for page in GUIDES)
    assert [path.name for path in sorted((ROOT / "examples").glob("*.*")) if path.name not in text] == []


@pytest.mark.parametrize(
    ("page", "arguments"),
    [("stages.md", ["stages", "--markdown"]), ("configuration.md", ["schema", "--markdown"])],
)
def test_the_generated_pages_are_those_of_the_code(page: str, arguments: list[str]) -> None:
    """After a change of an option write them again, as their second line says."""
    own_process = [sys.executable, "-m", "headrace"]  # other tests' plug-ins are not part of the product
    result = subprocess.run([*own_process, *arguments], capture_output=True, check=True, encoding="utf-8")
    assert (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8") == result.stdout
