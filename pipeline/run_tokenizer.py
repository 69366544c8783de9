"""The run's tokenizer, when it is known at the start: the user's model, copied into the run, or one trained before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from headrace.schemas.errors import ConfigError
from headrace.schemas.unit import FileRef
from headrace.stages.base import RunContext, Stage
from headrace.stages.tokenize_text import TokenizeStage
from headrace.stages.tokenizing.published import adopt_model
from headrace.stages.tokenizing.spool import open_spool

BUILT_IN = "bytes"


def model_path(stages: Sequence[Stage], base: Path) -> Path | None:
    """Give the model file the configuration names, or None when a tokenizer is trained, built in, or not needed."""
    for stage in stages:
        if isinstance(stage, TokenizeStage) and stage.model and stage.model != BUILT_IN:
            path = base / stage.model
            if not path.is_file():
                remedy = "check `model:` of the tokenize stage"
                raise ConfigError("the tokenizer model is not there", where=str(path), remedy=remedy)
            return path
    return None


def known_tokenizer(stages: Sequence[Stage], base: Path, run: Path) -> FileRef | None:
    """Give the model in the run's folder, or None when it must still be trained (or none is needed)."""
    given = model_path(stages, base)
    if given is not None:
        return adopt_model(run, given)
    for stage in stages:
        if isinstance(stage, TokenizeStage) and stage.train:
            return open_spool(RunContext(run, stage.kind), stage).model
    return None
