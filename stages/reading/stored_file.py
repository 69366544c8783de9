"""An object of a store as a file: few large requests, and the next block already on its way while this one is used."""

from __future__ import annotations

import io
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from headrace.stages.reading.stream import StreamFaultError

Fetch = Callable[[int, int], bytes]  # (offset, size) -> exactly these bytes

FIRST = 1 << 16  # a file's head, a footer: most first reads want a few kilobytes
BLOCK = 1 << 23  # 8 MiB: at 100 MB/s a request's 50 ms are then a third of its time, or none, since blocks overlap
_GROWTH = 16  # 64 KiB, 1 MiB, 8 MiB


class StoredFile(io.RawIOBase):
    """Reads go to the bytes fetched last; who reads on gets larger and larger blocks, who jumps gets what was asked.

    Holds at most the block that is read, the one that is fetched ahead, and a single longer read that was asked for.
    """

    def __init__(self, fetch: Fetch, size: int) -> None:
        super().__init__()
        self._fetch, self._size = fetch, size
        self._at = 0
        self._begin, self._block = 0, b""
        self._step = 0
        self._ahead: tuple[int, int, Future[bytes]] | None = None
        self._thread: ThreadPoolExecutor | None = None

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
        """Let go of all blocks; a request under way ends by itself."""
        if self._thread:
            self._thread.shutdown(wait=False, cancel_futures=True)
        self._ahead, self._block = None, b""
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
        if len(data) > BLOCK:  # a long read goes to its reader alone; where it ended is remembered
            self._begin, self._block = self._at + len(data), b""
            return data
        self._begin, self._block = self._at, data
        if self._step == BLOCK:
            self._fetch_ahead(self._at + len(data))
        return data[:wanted]

    def _arrived(self) -> bytes:
        """Give the block that was fetched ahead, if it is the one that is read now."""
        ahead, self._ahead = self._ahead, None
        return ahead[2].result() if ahead and ahead[0] == self._at else b""

    def _fetch_ahead(self, offset: int) -> None:
        size = min(BLOCK, self._size - offset)
        if size <= 0:
            return
        self._thread = self._thread or ThreadPoolExecutor(1, "read-ahead")
        self._ahead = (offset, size, self._thread.submit(self._fetch, offset, size))
