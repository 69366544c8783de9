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


class StoredFile(io.RawIOBase):
    """Reads go to the bytes fetched last; who reads on gets larger and larger blocks, who jumps gets what was asked.

    Holds at most the block that is read, the two fetched ahead, and a single longer read that was asked for.
    """

    def __init__(self, fetch: Fetch, size: int) -> None:
        super().__init__()
        self._fetch, self._size = fetch, size
        self._at = 0
        self._begin, self._block = 0, b""
        self._step = 0
        self._ahead: deque[tuple[int, Future[bytes]]] = deque()  # offsets and bytes of neighbouring blocks
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
        self._ahead.clear()
        self._block = b""
        super().close()

    def _held(self, wanted: int) -> bytes:
        offset = self._at - self._begin
        return self._block[offset : offset + wanted] if 0 <= offset < len(self._block) else b""

    def _load(self, wanted: int) -> bytes:
        """Fetch the bytes at the place of the next read, and more behind them if this file is read on and on."""
        on = self._at == self._begin + len(self._block) and self._at > 0
        self._step = min(BLOCK, self._step * _GROWTH) if on else FIRST
        size = min(max(wanted, self._step), self._size - self._at)
        data = self._arrived() or self._fetch(self._at, size)
        end = self._at + len(data)
        if self._step == BLOCK:
            self._fetch_ahead(end)
        if len(data) > BLOCK:  # a long read goes to its reader alone; where it ended is remembered
            self._begin, self._block = end, b""
            return data
        self._begin, self._block = self._at, data
        return data[:wanted]

    def _arrived(self) -> bytes:
        """Give the block that was fetched ahead, if it is the one that is read now."""
        if self._ahead and self._ahead[0][0] == self._at:
            return self._ahead.popleft()[1].result()
        for _, block in self._ahead:
            block.cancel()
        self._ahead.clear()
        return b""

    def _fetch_ahead(self, end: int) -> None:
        """Keep the next blocks on their way."""
        self._threads = self._threads or ThreadPoolExecutor(AHEAD, "read-ahead")
        offset = self._ahead[-1][0] + BLOCK if self._ahead else end
        while len(self._ahead) < AHEAD and offset < self._size:
            size = min(BLOCK, self._size - offset)
            self._ahead.append((offset, self._threads.submit(self._fetch, offset, size)))
            offset += size
