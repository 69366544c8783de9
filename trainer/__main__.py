"""`python -m headrace.trainer RUN --config FILE.json`: one rank of a trainer, as the launcher starts it."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from headrace.loader.launch import announce
from headrace.schemas.errors import ConfigError, HeadraceError
from headrace.schemas.training import TrainingConfig
from headrace.trainer.stop import Stop


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, and give the exit code: 0 done or stopped with a checkpoint, 1 failed, 2 configuration or arguments."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="trainer: %(message)s")
    try:
        _train(options)
    except HeadraceError as error:
        logging.getLogger(__name__).error("%s", error)  # the message says it all
        return error.exit_code
    return 0


def _train(options: argparse.Namespace) -> None:
    training = _configuration(options.config)
    if options.world != training.trainer.world_size:
        why = f"--world is {options.world}, trainer.world_size is {training.trainer.world_size}"
        raise ConfigError("the world size is not the configured one", why=why, remedy="start it with `headrace train`")
    launch = options.launch or announce(options.run, options.world).launch
    stop = Stop(options.run, launch, options.parent)
    stop.on_signals()
    try:  # only now: importing torch takes seconds in which a signal may come
        from headrace.trainer.loop import train
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ConfigError("training needs PyTorch", remedy="install it with `pip install 'headrace[train]'`") from error
    train(options.run, training, stop=stop, rank=options.rank, world=options.world)


def _configuration(path: Path) -> TrainingConfig:
    try:
        return TrainingConfig.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigError("the configuration cannot be read", where=str(path), why=str(error)) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = f"{path}, {'.'.join(map(str, first['loc']))}"
        raise ConfigError("the configuration is not valid", where=where, why=first["msg"]) from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m headrace.trainer", description=__doc__)
    parser.add_argument("run", type=Path, help="folder of the run")
    parser.add_argument("--config", type=Path, required=True, help="JSON with `loader` and `trainer`")
    parser.add_argument("--launch", help="id of the launch; by default a new one is announced")
    parser.add_argument("--rank", type=int, default=0, help="this process among those of the launch")
    parser.add_argument("--world", type=int, default=1, help="processes of the launch")
    parser.add_argument("--parent", type=int, help="stop when this process is no longer the parent")
    return parser


if __name__ == "__main__":
    sys.exit(main())
