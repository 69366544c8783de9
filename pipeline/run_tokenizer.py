"""The run's tokenizer, when it is known at the start: the user's model, copied into the run, or one trained before."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from headrace.schemas.durable import publish, sync_file, sync_refs, temporary_beside
from headrace.schemas.errors import ConfigError, FormatError
from headrace.schemas.unit import FileRef
from headrace.stages.base import Stage
from headrace.stages.tokenize_text import TokenizeStage
from headrace.stages.tokenizing.published import committed_model, trained_model

BUILT_IN = "bytes"


def model_path(stages: Sequence[Stage], base: Path) -> Path | None:
    """Give the model file the configuration names, checked, or None when it is trained, built in, or not needed."""
    for stage in stages:
        if isinstance(stage, TokenizeStage) and stage.model and stage.model != BUILT_IN:
            path = base / stage.model
            if not path.is_file():
                remedy = "check `model:` of the tokenize stage"
                raise ConfigError("the tokenizer model is not there", where=str(path), remedy=remedy)
            try:
                stage.opened(str(path))
            except FormatError as error:
                raise ConfigError(error.what, where=error.where, why=error.why, remedy=error.remedy) from error
            return path
    return None


def known_tokenizer(stages: Sequence[Stage], base: Path, run: Path, committed: FileRef | None) -> FileRef | None:
    """Give the model in the run's folder, or None when it must still be trained (or none is needed).

    `committed` is the one that the manifest names. A session that died may have published another one since.
    """
    if committed is not None:
        return committed_model(run, committed)
    given = model_path(stages, base)
    return _adopted(given, run) if given else trained_model(run)


def _adopted(model: Path, run: Path) -> FileRef:
    """Copy a user's model into the run, so that the run can be read and resumed wherever it is moved."""
    temporary = temporary_beside(run / "tokenizer" / "model.model")
    shutil.copyfile(model, temporary)
    sync_file(temporary)
    ref = publish(temporary, run, "tokenizer", "model", ".model")
    sync_refs(run, [ref])
    return ref
