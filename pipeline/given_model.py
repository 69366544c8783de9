"""A tokenizer model of the user's: copied into the run, so that the run stays whole when the original changes."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from headrace.schemas.durable import publish, sync_refs, temporary_beside
from headrace.schemas.errors import ConfigError
from headrace.schemas.unit import FileRef
from headrace.stages.base import Stage
from headrace.stages.tokenize_text import TokenizeStage


def model_path(stages: Sequence[Stage], base: Path) -> Path | None:
    """Give the model file the configuration names, or None when a tokenizer is trained, built in, or not needed."""
    for stage in stages:
        if isinstance(stage, TokenizeStage) and stage.model and stage.model != "bytes":
            path = base / stage.model
            if not path.is_file():
                raise ConfigError(
                    "the tokenizer model is not there", where=str(path), remedy="check `model:` of the tokenize stage"
                )
            return path
    return None


def given_model(stages: Sequence[Stage], base: Path, run: Path) -> FileRef | None:
    """Copy the configured model into the run, named by its content, and give the reference."""
    path = model_path(stages, base)
    if path is None:
        return None
    temporary = temporary_beside(run / "tokenizer" / path.name)
    shutil.copyfile(path, temporary)
    ref = publish(temporary, run, "tokenizer", "model", ".model")
    sync_refs(run, [ref])
    return ref
