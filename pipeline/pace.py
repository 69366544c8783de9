"""Pace: how many shards every rank of the trainer has behind it, and whether another one may be opened."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from headrace.schemas.pace import Launch, rank_file, read_acknowledgement, read_launch

_POLL_S = 0.05


class Pace:
    """Reads the acknowledgement files of the newest launch; the acknowledged count never falls.

    `required`: the pipeline waits for its trainer, however long. Otherwise acknowledged = written until a trainer
    attaches; it binds the shards from then on, and is unbound when it ends or stops beating.
    """

    def __init__(
        self,
        run: Path,
        ahead: int,
        *,
        required: bool,
        beat_timeout_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._run, self._ahead, self._required, self._timeout, self._clock = run, ahead, required, beat_timeout_s, clock
        self._acknowledged = 0
        self._launch: Launch | None = None
        self._ignored = None if required else read_launch(run)  # a trainer of an earlier session does not bind this one
        self._beats: dict[int, tuple[int, float]] = {}
        self._polled = -1.0

    @property
    def bound(self) -> bool:
        """A trainer holds the pipeline back at present."""
        return self._required or self._launch is not None

    def may_open(self, written: int) -> bool:
        """Whether one more shard may be opened with `written` committed ones."""
        return written - self.acknowledged(written) < self._ahead

    def acknowledged(self, written: int) -> int:
        """Give how many leading shards count as consumed."""
        now = self._clock()
        if now - self._polled >= _POLL_S:
            self._polled = now
            self._poll(now, written)
        if not self.bound:
            self._acknowledged = max(self._acknowledged, written)
        return self._acknowledged

    def release(self) -> None:
        """The bundled trainer has ended for good: nothing is waited for any more."""
        self._required = False
        self._ignored, self._launch = read_launch(self._run), None

    def _poll(self, now: float, written: int) -> None:
        launch = read_launch(self._run)
        if launch is None or launch == self._ignored:
            return
        if launch != self._launch:
            self._launch, self._beats = launch, {}
            if not self._required:
                self._acknowledged = max(self._acknowledged, written)
        ranks = [read_acknowledgement(rank_file(self._run, launch.launch, rank)) for rank in range(launch.world)]
        slowest = min((rank.shards if rank else 0) for rank in ranks)
        self._acknowledged = max(self._acknowledged, min(slowest, written))
        for number, rank in enumerate(ranks):
            beat = rank.beat if rank else -1
            if number not in self._beats or self._beats[number][0] != beat:
                self._beats[number] = (beat, now)
        ended = all(rank is not None and rank.ended for rank in ranks)
        silent = any(now - since > self._timeout for _, since in self._beats.values())
        if not self._required and (ended or silent):
            self._ignored, self._launch = launch, None
