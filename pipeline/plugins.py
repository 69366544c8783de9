"""Stages of the user's own: a Python file is read once by the driver and executed, by name, in every worker."""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import headrace.stages
from headrace.schemas.errors import ConfigError
from headrace.stages.base import BatchStage, DocumentStage, OrderedStage, Stage


@dataclass(frozen=True, slots=True)
class Plugin:
    """The source of one plug-in file; travels to the workers, so that no shared folder is needed."""

    name: str
    source: str

    @property
    def sha256(self) -> str:
        """Hash of the source; part of the run's identity."""
        return hashlib.sha256(self.source.encode()).hexdigest()

    def load(self) -> ModuleType:
        """Execute the file as module `headrace_plugins_NAME`; twice in one process with the same source is free."""
        module_name = f"headrace_plugins_{self.name}"
        known = sys.modules.get(module_name)
        if known is not None and getattr(known, "_headrace_sha256", None) == self.sha256:
            return known
        module = ModuleType(module_name)
        module.__dict__["_headrace_sha256"] = self.sha256
        sys.modules[module_name] = module
        exec(compile(self.source, f"{self.name}.py", "exec"), module.__dict__)  # noqa: S102  # the user's own code
        return module


def read_plugin(path: Path) -> Plugin:
    """Read a plug-in file; one clear message if it is missing or does not run."""
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            "the plug-in cannot be read", where=str(path), why=str(error), remedy="check `plugins:`"
        ) from error
    plugin = Plugin(path.stem, source)
    try:
        module = plugin.load()
    except (Exception, SystemExit) as error:
        why = f"{type(error).__name__}: {error}"
        raise ConfigError("the plug-in does not run", where=str(path), why=why, remedy="mend the file") from error
    for name, value in vars(module).items():
        own = isinstance(value, type) and issubclass(value, Stage) and value.__module__ == module.__name__
        if own and not value.__subclasses__():  # a base of others may leave to them what it likes
            _check_stage(path, name, value)
    return plugin


def _check_stage(path: Path, name: str, stage: type[Stage]) -> None:
    """Refuse a stage class that could never be used, or that would fail on every document."""
    where = f"{path}: class {name}"
    if stage.registry.get(str(stage.model_fields["kind"].default)) is not stage:
        remedy = f'add `kind: Literal["{name.lower()}"] = "{name.lower()}"` to the class'
        raise ConfigError(
            "the stage has no kind", where=where, why="nothing can name it under `stages:`", remedy=remedy
        )
    inherited = (DocumentStage.process, BatchStage.process, OrderedStage.open)
    method = "open" if issubclass(stage, OrderedStage) else "process"
    if getattr(stage, method, None) in (*inherited, None):
        remedy = f"define {method}(self, ...) in a DocumentStage, a BatchStage or an OrderedStage"
        raise ConfigError(f"the stage has no `{method}`", where=where, why="it does nothing", remedy=remedy)


def load_builtins() -> None:
    """Import every stage module that ships with Headrace, so that its kind is known."""
    for module in pkgutil.iter_modules(headrace.stages.__path__):
        if not module.ispkg:
            importlib.import_module(f"headrace.stages.{module.name}")
