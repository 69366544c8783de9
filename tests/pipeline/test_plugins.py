"""A plug-in that cannot be used is refused when it is read, with the class and what to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.pipeline.plugins import read_plugin
from headrace.schemas.errors import ConfigError

HEAD = (
    "from typing import Literal\nfrom headrace.stages.base import BatchStage, Document, DocumentStage, OrderedStage\n\n"
)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "class Price(DocumentStage):\n    at: int = 1\n",
            r"class Price.*no kind.*kind: Literal\[\"price\"\] = \"price\"",
        ),
        ('class Lazy(DocumentStage):\n    kind: Literal["test_lazy"] = "test_lazy"\n', "class Lazy.*no `process`"),
        ('class Idle(BatchStage):\n    kind: Literal["test_idle"] = "test_idle"\n', "class Idle.*no `process`"),
        ('class Stuck(OrderedStage):\n    kind: Literal["test_stuck"] = "test_stuck"\n', "class Stuck.*no `open`"),
        ("def broken(:\n", "does not run.*SyntaxError"),
        ("raise RuntimeError('not today')\n", "does not run.*RuntimeError: not today"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_refused(body: str, said: str, tmp_path: Path) -> None:
    """Without this a stage without `process` would quarantine every document of the run."""
    path = tmp_path / "mine.py"
    path.write_text(HEAD + body, encoding="utf-8")
    with pytest.raises(ConfigError, match=said):
        read_plugin(path)


def test_a_base_of_the_plugins_own_needs_neither(tmp_path: Path) -> None:
    """Stages may share a base class in their file."""
    path = tmp_path / "shared_base.py"
    path.write_text(
        HEAD + "class Base(DocumentStage):\n    at: int = 1\n\n"
        'class Real(Base):\n    kind: Literal["test_real"] = "test_real"\n\n'
        "    def process(self, document: Document) -> Document:\n        return document\n",
        encoding="utf-8",
    )
    assert read_plugin(path).name == "shared_base"
