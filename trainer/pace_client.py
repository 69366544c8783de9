"""Tell the pipeline how far training has come: an acknowledgement file, and a sign of life while a step takes long."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from headrace.schemas.durable import replace_file
from headrace.schemas.pace import Acknowledgement, rank_file

LEAST_INTERVAL_S = 0.1  # each write is an fsync; the pipeline looks about as often


@dataclass(frozen=True, slots=True)
class Position:
    """How far one rank has come: shards behind it, steps done, and whether it will read no more."""

    shards: int = 0
    step: int = 0
    ended: bool = False


class PaceClient:
    """Writes the acknowledgement file of one rank, from a thread of its own: a slow step is not taken for a death.

    >>> with PaceClient(run, launch="b1", rank=0, beat_s=1.0) as pace:  # doctest: +SKIP
    ...     pace.report(shards=3, step=17)
    """

    def __init__(self, run: Path, *, launch: str, rank: int, beat_s: float) -> None:
        self._path = rank_file(run, launch, rank)
        self._launch, self._rank, self._beat_s = launch, rank, beat_s
        self._position = Position()
        self._beat = 0
        self._changed, self._closing = threading.Event(), threading.Event()
        self._failure: OSError | None = None
        self._thread = threading.Thread(target=self._run, name="pace", daemon=True)

    def __enter__(self) -> PaceClient:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._write()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._changed.set()
        self._thread.join()
        if kind is None:
            self._write()

    def report(self, *, shards: int, step: int) -> None:
        """Acknowledge the leading `shards` after `step` steps; the file follows within a tenth of a second."""
        if self._failure:
            raise self._failure
        self._position = Position(max(shards, self._position.shards), step)
        self._changed.set()

    def end(self) -> None:
        """Say that this rank will read no more; the pipeline then stops waiting for it."""
        self._position = replace(self._position, ended=True)
        self._changed.set()

    def _run(self) -> None:
        try:
            while not self._closing.is_set():
                self._changed.wait(self._beat_s)
                self._changed.clear()
                self._write()
                self._closing.wait(LEAST_INTERVAL_S)
        except OSError as error:  # the run folder is gone or full: the next report tells the trainer
            self._failure = error

    def _write(self) -> None:
        p = self._position
        self._beat += 1
        line = Acknowledgement(self._launch, self._rank, p.shards, p.step, self._beat, p.ended)
        replace_file(self._path, line.encode())
