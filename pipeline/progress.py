"""Progress of a run on stderr: a live table per stage on a terminal, one plain line every few seconds elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from headrace.pipeline.events import Event, Watcher
from headrace.pipeline.standing import Standing, last_metrics

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

LIVE_EVERY_S, PLAIN_EVERY_S = 0.2, 5.0
_NOTES_SHOWN = 3


@contextmanager
def shown(run: Path, out: IO[str]) -> Iterator[Watcher]:
    """Give a watcher that shows a run's progress on `out` until the block ends."""
    from rich.console import Console

    console = Console(file=out, highlight=False, markup=False)
    if not console.is_terminal:
        yield PlainProgress(run, out).watch
        return
    live = LiveProgress(run, console)
    with live:
        yield live.watch


class PlainProgress:
    """Writes a line when something was committed or happened, at most one every few seconds of the run's own clock."""

    def __init__(self, run: Path, out: IO[str], every_s: float = PLAIN_EVERY_S) -> None:
        self._run, self._out, self._every_s = run, out, every_s
        self._standing = Standing()
        self._next = 0.0

    def watch(self, event: Event) -> None:
        """Take one event."""
        self._standing.take(event)
        for note in self._standing.notes:
            self._write(note)
        self._standing.notes.clear()
        if event.kind == "started":
            self._next = event.seconds + self._every_s
            self._write(_opening(self._standing))
        elif event.seconds >= self._next or event.kind == "ended":
            self._next = event.seconds + self._every_s
            self._write(line(self._standing, last_metrics(self._run)))

    def _write(self, text: str) -> None:
        self._out.write(f"[{self._standing.seconds:7.1f} s] {text}\n")
        self._out.flush()


class LiveProgress:
    """Redraws a table of the stages, with the shards and the trainer under it."""

    def __init__(self, run: Path, console: Console) -> None:
        from rich.live import Live

        self._run = run
        self._standing = Standing()
        self._next = 0.0
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> LiveProgress:
        self._live.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def watch(self, event: Event) -> None:
        """Take one event."""
        self._standing.take(event)
        for note in self._standing.notes:
            self._console.print(f"[{self._standing.seconds:7.1f} s] {note}")
        self._standing.notes.clear()
        if event.seconds >= self._next or event.kind in ("started", "ended"):
            self._next = event.seconds + LIVE_EVERY_S
            self._live.update(_table(self._standing, line(self._standing, last_metrics(self._run))), refresh=True)


def line(standing: Standing, metrics: dict[str, object] | None) -> str:
    """Say in one line how far the run is, in documents, bytes, shards and steps."""
    stages, size = standing.current()
    received = next((s.received for s in stages.values() if s.received), 0)
    kept = [s.kept for s in stages.values() if s.units]
    speed = size / 1e6 / max(standing.seconds, 1e-3)
    parts = [
        f"unit {standing.resumed_at + standing.units}",
        f"{standing.in_flight} in flight",
        f"{size / 1e6:.1f} of {standing.total_bytes / 1e6:.1f} MB read, {speed:.1f} MB/s",
        f"{received:,} documents in, {kept[-1] if kept else 0:,} kept",
        f"shards {standing.shards} written, {standing.acknowledged} trained on",
        f"{standing.tokens:,} tokens",
    ]
    if metrics:
        parts.append(f"step {metrics.get('step')}, loss {_number(metrics.get('loss'))}")
    return "; ".join(parts)


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
