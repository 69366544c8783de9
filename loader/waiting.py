"""Waiting for shards that are still to come: looked for at intervals, counted in seconds, and said aloud."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from headrace.schemas.errors import HeadraceError

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Who waits for whom."""

    rank: int
    epoch: int
    wanted: int  # shards that must be published before this rank goes on
    published: int
    acknowledged: int
    run: Path

    def __str__(self) -> str:
        what = f"shard {self.wanted} or the end of the run" if self.epoch == 0 else "the end of the run"
        return (
            f"rank {self.rank} waits for {what} (epoch {self.epoch}, {self.published} shards published in {self.run}); "
            f"it has acknowledged {self.acknowledged}, and the pipeline waits for it only if `ahead` more are written"
        )


OnWait = Callable[[Waiting], None]


class Patience:
    """Looks again and again until something new is there.

    `on_wait` is called at every look; what it raises ends the waiting. Nothing is lost: the reader's position has not
    moved yet.
    """

    def __init__(self, poll_s: float, patience_s: float, *, follow: bool, on_wait: OnWait | None) -> None:
        self.waited_s = 0.0
        self._poll_s, self._patience_s, self._follow, self._on_wait = poll_s, patience_s, follow, on_wait

    def wait(self, waiting: Waiting, look: Callable[[], bool]) -> None:
        """Return as soon as `look` finds something new; says who waits for whom every `patience_s` seconds."""
        if look():
            return
        if not self._follow:
            remedy = "wait until the run has ended, or read with follow=True"
            raise HeadraceError("the run is not finished", where=str(waiting.run), why=str(waiting), remedy=remedy)
        began = said = time.monotonic()
        try:
            while not look():
                if self._on_wait:
                    self._on_wait(waiting)
                time.sleep(self._poll_s)
                if time.monotonic() - said >= self._patience_s:
                    said = time.monotonic()
                    _LOG.warning("after %.0f s %s", said - began, waiting)
        finally:
            self.waited_s += time.monotonic() - began
