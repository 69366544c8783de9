"""The container files name only commands, options, ports and paths that exist."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@dataclass(frozen=True)
class Deployment:
    """The three files, parsed."""

    instructions: tuple[tuple[str, str], ...]
    compose: dict[str, Any]
    ignored: tuple[str, ...]

    @property
    def services(self) -> dict[str, Any]:
        services: dict[str, Any] = self.compose["services"]
        return services

    def all(self, instruction: str) -> list[str]:
        return [rest for name, rest in self.instructions if name == instruction]


def parse_dockerfile(text: str) -> tuple[tuple[str, str], ...]:
    """Give the instructions with continuation lines joined and comments left out."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    parts = (line.split(None, 1) for line in joined.splitlines() if line.strip())
    return tuple((name.upper(), rest) for name, rest in parts)


def parse(dockerfile: str, compose: str, ignore: str) -> Deployment:
    return Deployment(parse_dockerfile(dockerfile), yaml.safe_load(compose), tuple(ignore.split("\n")))


def copied_from_tree(deployment: Deployment) -> list[str]:
    words = [rest.split() for rest in deployment.all("COPY") if not rest.startswith("--from")]
    return [source for line in words for source in line[:-1]]


def copy_problems(deployment: Deployment) -> Iterator[str]:
    for source in copied_from_tree(deployment):
        if not (ROOT / source).exists():
            yield f"COPY {source}: no such file"
        if f"!{source}" not in deployment.ignored:
            yield f"COPY {source}: .dockerignore leaves it out"
    for link in (ROOT / "src/headrace").iterdir():
        if link.is_symlink() and link.name not in copied_from_tree(deployment):
            yield f"src/headrace/{link.name} points to a folder that is not copied"


def install_problems(deployment: Deployment) -> Iterator[str]:
    run = "\n".join(deployment.all("RUN"))
    for image in deployment.all("FROM"):
        version = re.match(r"python:(\d+\.\d+)", image)
        if version is None or version[1] not in SpecifierSet(PROJECT["requires-python"]):
            yield f"FROM {image}: not {PROJECT['requires-python']}"
    constraint = re.search(r"--constraint \S*/(\S+)", run)
    if constraint is None or constraint[1] not in copied_from_tree(deployment):
        yield "the wheel is installed without the constraints file of the tree"
    for extras in re.findall(r"\.whl\)?\[([\w,]+)\]", run):
        for extra in set(extras.split(",")) - set(PROJECT["optional-dependencies"]):
            yield f"extra {extra} is not one of the project's"
    if not re.search(r"^torch==", (ROOT / "constraints.txt").read_text(), re.MULTILINE):
        yield "constraints.txt pins no torch, which the image installs first"


def image_problems(deployment: Deployment) -> Iterator[str]:
    (entry,) = json.loads(deployment.all("ENTRYPOINT")[-1])
    if entry not in PROJECT["scripts"]:
        yield f"ENTRYPOINT {entry} is not a script of the project"
    yield from command_problems([entry, *json.loads(deployment.all("CMD")[-1])])
    if (deployment.all("USER") or ["root"])[-1] == "root":
        yield "the image runs as root"
    folder = deployment.all("WORKDIR")[-1]
    if folder not in {target for service in deployment.services.values() for _, target, _ in volumes(service)}:
        yield f"WORKDIR {folder}, where jobs start, is not shared between the services"


def program(name: str) -> click.Command | None:
    """Give the command line of one of the two programs; imported here, since importing ray takes a second."""
    if name == "ray":
        from ray.scripts.scripts import cli

        return cli
    if name == "headrace":
        from headrace.pipeline.cli import main

        return main
    return None


def options(command: click.Command) -> set[str]:
    return {"--help", *(name for option in command.params for name in (*option.opts, *option.secondary_opts))}


def command_problems(argv: list[str]) -> Iterator[str]:
    """Walk from the program through its groups to one command; check every option given to it."""
    command: click.Command | None = program(argv[0])
    if command is None:
        yield f"{argv[0]}: no such program"
    rest = argv[1:]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        name, rest = rest[0], rest[1:]
        command = command.commands.get(name)
        if command is None:
            yield f"{' '.join(argv)}: no command {name}"
    own, _, inner = "\0".join(rest).partition("\0--\0")
    for word in own.split("\0"):
        if command is not None and word.startswith("-") and word.partition("=")[0] not in options(command):
            yield f"{' '.join(argv)}: no option {word}"
    if inner:
        yield from command_problems(inner.split("\0"))


def argvs(service: dict[str, Any]) -> Iterator[list[str]]:
    yield [*service["entrypoint"], *service["command"]]
    if "healthcheck" in service:
        yield service["healthcheck"]["test"][1:]


def volumes(service: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for volume in service["volumes"]:
        source, target, *mode = volume.split(":")
        yield source, target, "".join(mode)


def flag(argv: list[str], name: str) -> str | None:
    return next((word.partition("=")[2] for word in argv if word.partition("=")[0] == name), None)


def port_problems(deployment: Deployment) -> Iterator[str]:
    head = [*deployment.services["head"]["entrypoint"], *deployment.services["head"]["command"]]
    open_ports = {f"head:{flag(head, '--port')}", f"http://head:{flag(head, '--dashboard-port')}"}
    for name, service in deployment.services.items():
        for address in filter(None, (flag(argv, "--address") for argv in argvs(service))):
            if address not in open_ports:
                yield f"{name} calls {address}, but the head listens at {sorted(open_ports)}"
        for published in service.get("ports", ()):
            host, _, inside = published.split(":")
            if f"http://head:{inside}" not in open_ports or host != "127.0.0.1":
                yield f"{name} publishes {published}"
    if flag(head, "--dashboard-host") != "0.0.0.0":
        yield "the job API listens on the head's loopback only"


def path_problems(deployment: Deployment) -> Iterator[str]:
    for name, service in deployment.services.items():
        mounts = sorted(volumes(service), key=lambda mount: -len(mount[1]))
        for source, _, _ in mounts:
            known = (ROOT / source).is_dir() if source.startswith(".") else source in deployment.compose["volumes"]
            if not known:
                yield f"{name}: volume {source} does not exist"
        for word in service["command"]:
            key, _, path = word.rpartition("=")
            if path.startswith("/"):
                yield from (f"{name}: {word}: {problem}" for problem in file_problems(key, path, mounts))


def file_problems(key: str, path: str, mounts: list[tuple[str, str, str]]) -> Iterator[str]:
    """A file that is read must exist in the tree; a folder that an override names must be on a writable volume."""
    mount = next((mount for mount in mounts if path.startswith(mount[1] + "/")), None)
    if mount is None:
        yield "not on a shared volume"
        return
    from headrace.pipeline.config import PipelineConfig

    source, target, mode = mount
    if key and (key not in PipelineConfig.model_fields or mode == "ro"):
        yield "not an option of the configuration, or not writable"
    if not key and not (ROOT / source / path.removeprefix(target + "/")).is_file():
        yield "no such file in the tree"


def environment_problems(deployment: Deployment) -> Iterator[str]:
    modes = {service.get("environment", {}).get("RAY_AUTH_MODE") for service in deployment.services.values()}
    if len(modes) != 1 or None in modes:
        yield f"RAY_AUTH_MODE must be the same on every node: {modes}"
    for name, service in deployment.services.items():
        if service.get("environment", {}).get("RAY_USAGE_STATS_ENABLED") != "0":
            yield f"{name} reports usage statistics"


def problems(deployment: Deployment) -> list[str]:
    """Give everything that is wrong with the container files, in words."""
    found = [
        *copy_problems(deployment),
        *install_problems(deployment),
        *image_problems(deployment),
        *port_problems(deployment),
        *path_problems(deployment),
        *environment_problems(deployment),
    ]
    for service in deployment.services.values():
        found += [problem for argv in argvs(service) for problem in command_problems(argv)]
    return found


FILES = ("Dockerfile", "docker-compose.yml", ".dockerignore")


def test_the_container_files_fit_the_code() -> None:
    """Every command, option, port, path and extra of the container files exists."""
    assert problems(parse(*((ROOT / name).read_text() for name in FILES))) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("Dockerfile", "COPY stages ", "COPY stage ", "COPY stage: no such file"),
        ("Dockerfile", "COPY stages ./stages", "", "folder that is not copied"),
        (".dockerignore", "!stages", "", ".dockerignore leaves it out"),
        ("Dockerfile", "FROM python:3.11-slim\n", "FROM python:3.10-slim\n", "FROM python:3.10-slim: not >=3.11"),
        ("Dockerfile", "--constraint /wheels/constraints.txt ", "", "without the constraints file"),
        ("Dockerfile", "[train,demo]", "[train,demos]", "extra demos"),
        ("Dockerfile", '["headrace"]', '["headraces"]', "ENTRYPOINT headraces"),
        ("Dockerfile", "USER headrace\n", "", "runs as root"),
        ("Dockerfile", "WORKDIR /data", "WORKDIR /elsewhere", "WORKDIR /elsewhere"),
        ("docker-compose.yml", '"--head"', '"--heads"', "no option --heads"),
        ("docker-compose.yml", "- submit\n", "- submits\n", "no command submits"),
        ("docker-compose.yml", "- run\n", "- runs\n", "no command runs"),
        ("docker-compose.yml", "- run=/data", "- --frisch\n      - run=/data", "no option --frisch"),
        ("docker-compose.yml", "--dashboard-port=8265", "--dashboard-port=8266", "calls http://head:8265"),
        ("docker-compose.yml", "127.0.0.1:8265", "0.0.0.0:8265", "publishes 0.0.0.0:8265"),
        ("docker-compose.yml", "--dashboard-host=0.0.0.0", "--dashboard-host=127.0.0.1", "loopback only"),
        ("docker-compose.yml", "examples/demo.yaml", "examples/demos.yaml", "no such file in the tree"),
        ("docker-compose.yml", "- run=/data", "- runs=/data", "not an option of the configuration"),
        ("docker-compose.yml", "- run=/data/runs", "- run=/data/examples", "not writable"),
        ("docker-compose.yml", "- run=/data", "- run=/tmp", "not on a shared volume"),
        ("docker-compose.yml", "- ./examples:", "- ./example:", "volume ./example does not exist"),
        ("docker-compose.yml", "RAY_AUTH_MODE: disabled", "OTHER: disabled", "RAY_AUTH_MODE"),
        ("docker-compose.yml", 'STATS_ENABLED: "0"', 'STATS_ENABLED: "1"', "usage statistics"),
    ],
)
def test_a_slip_in_a_container_file_is_found(file: str, old: str, new: str, message: str) -> None:
    """A wrong name, port or path in one of the files is reported, so the check above can fail."""
    texts = {name: (ROOT / name).read_text() for name in FILES}
    assert old in texts[file]
    texts[file] = texts[file].replace(old, new)
    assert any(message in problem for problem in problems(parse(*texts.values())))


def test_dockerfile_instructions_survive_continuation_lines_and_comments() -> None:
    """A wrapped instruction is one instruction, and a comment is none."""
    assert parse_dockerfile("# a\nRUN x \\\n  && y\n\nuser me\n") == (("RUN", "x  && y"), ("USER", "me"))
