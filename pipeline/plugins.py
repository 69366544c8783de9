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
        plugin.load()
    except (Exception, SystemExit) as error:
        why = f"{type(error).__name__}: {error}"
        raise ConfigError("the plug-in does not run", where=str(path), why=why, remedy="mend the file") from error
    return plugin


def load_builtins() -> None:
    """Import every stage module that ships with Headrace, so that its kind is known."""
    for module in pkgutil.iter_modules(headrace.stages.__path__):
        if not module.ispkg:
            importlib.import_module(f"headrace.stages.{module.name}")
