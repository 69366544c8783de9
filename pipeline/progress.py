"""Progress of a run on stderr: a live table per stage on a terminal, one plain line every few seconds elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

from headrace.pipeline.events import Event, Watcher
from headrace.pipeline.standing import Standing, last_metrics, trained_on

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

LIVE_EVERY_S, PLAIN_EVERY_S = 0.25, 5.0


class Surface(Protocol):
    """Where progress is shown."""

    def note(self, text: str) -> None:
        """Show something that happened, for good."""
        ...

    def draw(self, standing: Standing, text: str) -> None:
        """Show how the run stands; `text` says it in one line."""
        ...


@contextmanager
def shown(run: Path, out: IO[str]) -> Iterator[Watcher]:
    """Give a watcher that shows a run's progress on `out` until the block ends."""
    from rich.console import Console

    console = Console(file=out, highlight=False, markup=False)
    if not console.is_terminal:
        with _ticking(Progress(run, PlainLines(out), PLAIN_EVERY_S)) as watch:
            yield watch
        return
    with LiveTable(console) as table, _ticking(Progress(run, table, LIVE_EVERY_S)) as watch:
        yield watch


class Progress:
    """Sums events up and draws now and then; a thread ticks, since a run that waits for its trainer has no events."""

    def __init__(
        self, run: Path, surface: Surface, every_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.every_s = every_s
        self._run, self._clock = run, clock
        self._surface: Surface = surface
        self._standing = Standing()
        self._lock = threading.Lock()
        self._heard = self._drawn = clock()

    def watch(self, event: Event) -> None:
        """Take one event."""
        with self._lock:
            self._standing.take(event)
            self._heard = self._clock()
            if event.kind == "started":
                self._note(_opening(self._standing))
            for note in self._standing.notes:
                self._note(note)
            self._standing.notes.clear()
            if event.kind == "ended" and self._standing.nothing_left:
                self._note("the run is finished: nothing was left to do (--fresh starts over)")
            elif event.kind == "ended" or self._due():
                self._draw()

    def tick(self) -> None:
        """Draw if nothing was drawn for a while."""
        with self._lock:
            if self._due():
                self._draw()

    def _due(self) -> bool:
        return self._clock() - self._drawn >= self.every_s

    def _seconds(self) -> float:
        return self._standing.seconds + self._clock() - self._heard

    def _note(self, text: str) -> None:
        with self._lasting():
            self._surface.note(f"[{self._seconds():7.1f} s] {text}")

    def _draw(self) -> None:
        self._drawn = self._clock()
        self._standing.acknowledged = trained_on(self._run)
        text = line(self._standing, self._seconds(), last_metrics(self._run))
        with self._lasting():
            self._surface.draw(self._standing, f"[{self._seconds():7.1f} s] {text}")

    @contextmanager
    def _lasting(self) -> Iterator[None]:
        """Go on without a display when its terminal was closed, or its reader has left: the run is what counts."""
        try:
            yield
        except (OSError, ValueError):
            self._surface = Nowhere()


class Nowhere:
    """Shows nothing."""

    def note(self, text: str) -> None:
        """Leave it unsaid."""

    def draw(self, standing: Standing, text: str) -> None:
        """Leave it undrawn."""


class PlainLines:
    """Writes lines."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def note(self, text: str) -> None:
        """Write a line."""
        self._out.write(f"{text}\n")
        self._out.flush()

    def draw(self, standing: Standing, text: str) -> None:
        """Write a line."""
        self.note(text)


class LiveTable:
    """Redraws a table of the stages in place, with the line of the whole run under it."""

    def __init__(self, console: Console) -> None:
        from rich.live import Live

        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> LiveTable:
        self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        with suppress(OSError, ValueError):  # the terminal is gone
            self._live.stop()

    def note(self, text: str) -> None:
        """Write a line above the table."""
        self._console.print(text)

    def draw(self, standing: Standing, text: str) -> None:
        """Replace the table."""
        self._live.update(_table(standing, text), refresh=True)


def line(standing: Standing, seconds: float, metrics: dict[str, object] | None) -> str:
    """Say in one line how far the run is, in documents, bytes, shards and steps."""
    if standing.settling:
        return standing.settling
    stages, size = standing.current()
    received = next((s.received for s in stages.values() if s.received), 0)
    gone = sum(s.dropped for s in stages.values())  # what is kept is not known while later stages have work to do
    faulty = sum(s.quarantined for s in stages.values())
    speed = size / 1e6 / max(seconds, 1e-3)
    parts = [
        f"unit {standing.resumed_at + standing.units}",
        f"{standing.in_flight} in flight",
        f"{size / 1e6:.1f} MB read, {speed:.1f} MB/s",
        f"{received:,} documents in, {gone:,} dropped" + (f", {faulty:,} quarantined" if faulty else ""),
        f"shards {standing.shards} written" + (f", {standing.acknowledged} trained on" if metrics else ""),
    ]
    if standing.tokens:
        parts.append(f"{standing.tokens:,} tokens")
    if metrics:
        parts.append(f"step {metrics.get('step')}, loss {_number(metrics.get('loss'))}")
    return "; ".join(parts)


@contextmanager
def _ticking(progress: Progress) -> Iterator[Watcher]:
    ended = threading.Event()

    def tick() -> None:
        while not ended.wait(progress.every_s):
            progress.tick()

    thread = threading.Thread(target=tick, name="progress", daemon=True)
    thread.start()
    try:
        yield progress.watch
    finally:
        ended.set()
        thread.join()


def _number(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _opening(standing: Standing) -> str:
    went_on = f", going on after unit {standing.resumed_at - 1}" if standing.resumed_at else ""
    return f"started on the {standing.executor} executor{went_on}"


def _table(standing: Standing, foot: str) -> RenderableType:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, caption=foot, caption_justify="left")
    table.add_column("stage")
    for name in ("units", "in", "kept", "dropped", "quarantined", "busy s"):
        table.add_column(name, justify="right")
    for name, stage in standing.current()[0].items():
        numbers = (stage.units, stage.received, stage.kept, stage.dropped, stage.quarantined)
        table.add_row(name, *(f"{n:,}" for n in numbers), f"{stage.seconds:,.1f}")
    return table
