"""An object of a store as a file: few large requests, and the next blocks already on their way while one is used."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from headrace.stages.reading.stream import StreamFaultError

Fetch = Callable[[int, int], bytes]  # (offset, size) -> exactly these bytes

FIRST = 1 << 16  # a file's head, a footer: most first reads want a few kilobytes
BLOCK = 1 << 22
AHEAD = 2  # at 30 ms to the first byte and 90 MB/s a connection: 64 MB/s with 8 MiB and one ahead, 95 so
_GROWTH = 16  # 64 KiB, 1 MiB, 4 MiB
_RUNS = 3  # the text and two more columns


class _Run:
    """Reads that follow each other: the block that is read, and the neighbouring ones on their way."""

    def __init__(self, begin: int) -> None:
        self.begin, self.block, self.step = begin, b"", 0
        self.ahead: deque[tuple[int, Future[bytes]]] = deque()

    @property
    def end(self) -> int:
        """Give the offset behind the block."""
        return self.begin + len(self.block)

    def held(self, at: int, wanted: int) -> bytes:
        """Give up to `wanted` bytes of the block."""
        return self.block[at - self.begin : at - self.begin + wanted] if self.begin <= at < self.end else b""

    def arrived(self) -> bytes:
        """Give the block that was fetched ahead, if there is one."""
        return self.ahead.popleft()[1].result() if self.ahead else b""

    def drop(self) -> None:
        """Ask for nothing more."""
        for _, block in self.ahead:
            block.cancel()
        self.ahead.clear()


class StoredFile(io.RawIOBase):
    """Who reads on gets larger and larger blocks; who jumps gets what was asked. Columns may be read side by side.

    Holds at most three blocks for each of three runs of reads, and a single longer read that was asked for.
    """

    def __init__(self, fetch: Fetch, size: int) -> None:
        super().__init__()
        self._fetch, self._size = fetch, size
        self._at = 0
        self._runs: deque[_Run] = deque()  # the one read last is the last
        self._threads: ThreadPoolExecutor | None = None

    def readable(self) -> bool:
        """Say yes."""
        return True

    def seekable(self) -> bool:
        """Say yes."""
        return True

    def tell(self) -> int:
        """Give the offset of the next read."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to an offset; nothing is fetched before the next read."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """Give `size` bytes, fewer only at the end or before a fault; the next read then raises it."""
        left = max(0, self._size - self._at)
        wanted = left if size is None or size < 0 else min(size, left)
        pieces: list[bytes] = []
        while wanted:
            try:
                piece = self._held(wanted) or self._load(wanted)
            except StreamFaultError:
                if not pieces:
                    raise
                break
            pieces.append(piece)
            self._at += len(piece)
            wanted -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # typeshed: any writable buffer
        """Fill a buffer; give the number of bytes."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Let go of all blocks; requests under way end by themselves."""
        if self._threads:
            self._threads.shutdown(wait=False, cancel_futures=True)
        self._runs.clear()
        super().close()

    def _held(self, wanted: int) -> bytes:
        return next((data for run in reversed(self._runs) if (data := run.held(self._at, wanted))), b"")

    def _load(self, wanted: int) -> bytes:
        """Fetch the bytes at the place of the next read, and more behind them if it is where an earlier one ended."""
        run = self._run()
        run.step = min(BLOCK, run.step * _GROWTH) if run.step else FIRST
        data = run.arrived() or self._fetch(self._at, min(max(wanted, run.step), self._size - self._at))
        run.begin, run.block = self._at, data
        if run.step == BLOCK:
            self._fetch_ahead(run)
        if len(data) > BLOCK:  # a long read goes to its reader alone; where it ended is remembered
            run.begin, run.block = run.end, b""
        return data[:wanted]

    def _run(self) -> _Run:
        """Give the run that goes on at the place of the next read, or begin one in place of the oldest."""
        run = next((run for run in reversed(self._runs) if run.end == self._at), None)
        if run is not None:
            self._runs.remove(run)
        elif len(self._runs) == _RUNS:
            self._runs.popleft().drop()
        self._runs.append(run or _Run(self._at))
        return self._runs[-1]

    def _fetch_ahead(self, run: _Run) -> None:
        self._threads = self._threads or ThreadPoolExecutor(AHEAD, "read-ahead")
        offset = run.ahead[-1][0] + BLOCK if run.ahead else run.end
        while len(run.ahead) < AHEAD and offset < self._size:
            size = min(BLOCK, self._size - offset)
            run.ahead.append((offset, self._threads.submit(self._fetch, offset, size)))
            offset += size
