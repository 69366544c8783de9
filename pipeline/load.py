"""From a YAML file to a checked configuration: every mistake at once, each with its line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from headrace.pipeline.config import PipelineConfig
from headrace.pipeline.config_errors import describe, is_echo, value_steps
from headrace.pipeline.overrides import Override, overridden, parse_override
from headrace.pipeline.packs import pack_stages
from headrace.pipeline.plugins import Plugin, load_builtins, read_plugin
from headrace.pipeline.rule_values import repeated_prefixes, unknown_values, unused_numbers
from headrace.pipeline.yaml_lines import Steps, YamlFile, read_yaml
from headrace.schemas.errors import ConfigError


@dataclass(frozen=True, slots=True)
class LoadedConfig:
    """A configuration that was read and checked, with the plug-ins and lists it names; `base` is the YAML's folder."""

    config: PipelineConfig
    plugins: tuple[Plugin, ...]
    base: Path
    path: Path
    packs: Mapping[str, bytes] = field(default_factory=dict)  # what stages need of files, by their names

    @property
    def run_dir(self) -> Path:
        """Give the folder of the run."""
        return self.base / self.config.run


@dataclass(frozen=True, slots=True)
class _Draft:
    """A configuration that was read but not checked: the file, the overrides, and the value they give together."""

    file: YamlFile
    overrides: tuple[Override, ...]
    value: dict[str, Any]
    sound: bool = False  # the file alone has no mistakes: what is wrong comes of an override

    def fault(self, steps: Steps, message: str) -> tuple[int, str]:
        """Give a message with its place: the argument that set the value, or the line of the file."""
        for override in self.overrides:
            made = steps and steps == override.steps[: len(steps)] and steps not in self.file.lines
            around = self.sound and override.steps[: len(steps)] == steps
            if made or around or steps[: len(override.steps)] == override.steps:
                return 0, f"argument {override.text}: {message}"
        return self.at(self.file.line(steps), message)

    def tells(self, steps: Steps) -> bool:
        """Whether a section is to be spoken of: in a run whose file is sound, only if an override is in it."""
        return not self.sound or any(override.steps[: len(steps)] == steps for override in self.overrides)

    def at(self, line: int, message: str) -> tuple[int, str]:
        """Give a message with its line."""
        return line, f"{self.file.path}:{line}: {message}"


def load_config(path: Path, overrides: Sequence[str] = ()) -> LoadedConfig:
    """Read, override and check a configuration; raises one ConfigError that lists every mistake, one a line."""
    load_builtins()
    draft = _read(path, overrides)
    base = path.absolute().parent
    plugins, unread = _read_plugins(draft, base)
    config, invalid = _validated(draft)
    repeated = [draft.at(line, message) for line, message in draft.file.duplicates]
    faults = sorted([*repeated, *unread, *invalid])
    if config is None or faults:
        raise ConfigError("\n".join(dict.fromkeys(message for _, message in faults)))
    return LoadedConfig(config, plugins, base, path, pack_stages(config.stages, base))


def _read(path: Path, overrides: Sequence[str]) -> _Draft:
    file = read_yaml(path)
    if not isinstance(file.value, dict):
        what, why = "the configuration is a set of options", f"the file holds a {type(file.value).__name__}"
        raise ConfigError(what, where=f"{path}:1", why=why, remedy="write `option: value` lines")
    parsed = tuple(parse_override(text) for text in overrides)
    return _Draft(file, parsed, overridden(file.value, parsed))


def _read_plugins(draft: _Draft, base: Path) -> tuple[tuple[Plugin, ...], list[tuple[int, str]]]:
    """Execute the plug-ins before the stages are checked, since these may be of their kinds."""
    names = draft.value.get("plugins")
    plugins: list[Plugin] = []
    faults: list[tuple[int, str]] = []
    for index, name in enumerate(names if isinstance(names, list) else []):
        if not isinstance(name, str):
            continue  # validation says so
        try:
            plugin = read_plugin(base / name)
        except ConfigError as error:
            faults.append(draft.fault(("plugins", index), str(error)))
            continue
        if any(other.name == plugin.name for other in plugins):
            faults.append(draft.fault(("plugins", index), f"{name}: two plug-ins are named {plugin.name}; rename one"))
        plugins.append(plugin)
    return tuple(plugins), faults


def changed_config(file: YamlFile, overrides: Sequence[Override]) -> PipelineConfig:
    """Check the configuration of a run with some of its options changed; ConfigError lists every mistake."""
    config, faults = _validated(_Draft(file, tuple(overrides), overridden(file.value, overrides), sound=True))
    if config is None or faults:
        raise ConfigError("\n".join(dict.fromkeys(message for _, message in sorted(faults))))
    return config


def _validated(draft: _Draft) -> tuple[PipelineConfig | None, list[tuple[int, str]]]:
    try:
        config = PipelineConfig.model_validate(draft.value)
        faults = (*unknown_values(config.stages), *repeated_prefixes(config.stages))
        unused = ((steps, message) for steps, message in unused_numbers(config.stages) if draft.tells(steps))
        return config, [draft.fault(steps, message) for steps, message in (*faults, *unused)]
    except ValidationError as error:
        details = [e for e in error.errors(include_url=False) if not is_echo(e)]
    return None, [draft.fault(value_steps(draft.value, e["loc"]), describe(e, draft.value)) for e in details]
