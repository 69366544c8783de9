"""A disk that remembers what is durable: watches fsync and rename, cuts the power, and shows what may be left."""

from __future__ import annotations

import json
import os
import random
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headrace.schemas.manifest import MANIFEST, PUBLISHED


class PowerLoss(BaseException):
    """The machine stops here."""


class PowerDisk:
    """Stands between the code and the folder `root` from `install` on; what is there already is durable.

    At the `cut`-th fsync, rename or positioned write from then on, it makes `after`: what of the folder survived. Each
    name that was not synced by its folder, and each content that was not synced itself, may be there or not, and
    unsynced content may be torn.
    """

    def __init__(self, root: Path, after: Path, rng: random.Random, cut: int | None = None) -> None:
        self.root, self.after, self._rng, self._cut = root, after, rng, cut
        self.steps = 0
        self.complaints: list[str] = []  # final names that stood for content that could still be lost
        self.watch_manifest: Callable[[bytes], None] = lambda line: None
        self._contents: dict[int, bytes] = {}
        self._names: dict[int, dict[str, int]] = {}
        self._held: list[int] = []  # open files, so that no inode number is used twice
        self._lock = threading.RLock()
        self._dead = False
        self._real: dict[str, Any] = {name: getattr(os, name) for name in ("fsync", "replace", "pwrite")}

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Begin to watch."""
        for path in [self.root, *self.root.rglob("*")] if self.root.exists() else []:
            self._note(path)
        patch.setattr(os, "fsync", self._fsync)
        patch.setattr(os, "replace", self._replace)
        patch.setattr(os, "pwrite", self._pwrite)

    def forget(self, path: Path) -> None:
        """Take a file for written but not synced, as one that a killed process left."""
        self._contents.pop(path.stat().st_ino, None)

    def close(self) -> None:
        """Let go of the inodes."""
        for descriptor in self._held:
            os.close(descriptor)
        self._held.clear()

    def durable(self, path: Path) -> bool:
        """Whether a file would be there, whole, after a power loss at this moment."""
        inode = path.stat().st_ino
        name_kept = self._names.get(path.parent.stat().st_ino, {}).get(path.name) == inode
        return name_kept and self._kept_whole(path)

    def _kept_whole(self, path: Path) -> bool:
        return self._contents.get(path.stat().st_ino) == path.read_bytes()

    def _check_published(self, lines: int) -> None:
        durable = self._contents.get((self.root / MANIFEST).stat().st_ino, b"").count(b"\n")
        if durable < lines:
            self.complaints.append(f"{lines} lines were published, {durable} were durable")

    def _note(self, path: Path) -> None:
        descriptor = os.open(path, os.O_RDONLY)
        self._held.append(descriptor)
        if path.is_dir():
            self._names[path.stat().st_ino] = _listing(path)
        else:
            self._contents[path.stat().st_ino] = path.read_bytes()

    def _fsync(self, descriptor: int) -> None:
        with self._lock:
            self._step()
            path = Path(f"/proc/self/fd/{descriptor}").resolve()
            if self.root in [path, *path.parents] and path.exists():
                self._note(path)

    def _replace(self, source: Any, target: Any, **options: Any) -> None:
        with self._lock:
            self._step()
            final = Path(target)
            if final.parent.parent == self.root and final.parent.name != "spool" and not self._kept_whole(Path(source)):
                self.complaints.append(f"{final.parent.name}/{final.name}")
            if final == self.root / PUBLISHED:
                self._check_published(json.loads(Path(source).read_bytes())["lines"])
            self._real["replace"](source, target, **options)

    def _pwrite(self, descriptor: int, data: Any, offset: int) -> int:
        with self._lock:
            self._step()
            if Path(f"/proc/self/fd/{descriptor}").resolve().name == "manifest.jsonl":
                self.watch_manifest(bytes(data))
            return int(self._real["pwrite"](descriptor, data, offset))

    def _step(self) -> None:
        if self._dead:
            raise PowerLoss
        self.steps += 1
        if self.steps == self._cut:
            self._dead = True
            self._survive(self.root, self.after)
            raise PowerLoss

    def _survive(self, folder: Path, target: Path) -> None:
        target.mkdir(parents=True, exist_ok=True)
        now, kept = _listing(folder), self._names.get(folder.stat().st_ino, {})
        for name in sorted({*now, *kept}):
            inode = now.get(name) if self._rng.random() < 0.5 else kept.get(name)
            if inode is None:
                continue
            if (folder / name).is_dir():
                self._survive(folder / name, target / name)
            else:
                (target / name).write_bytes(self._left_of(inode, folder / name if now.get(name) == inode else None))

    def _left_of(self, inode: int, path: Path | None) -> bytes:
        kept = self._contents.get(inode, b"")
        current = path.read_bytes() if path else kept
        old, new = (kept, current[len(kept) :]) if current.startswith(kept) else (b"", current)
        torn = new[: self._rng.randint(0, len(new))]
        holed = bytes(len(new) // 2) + new[len(new) // 2 :]
        return self._rng.choice([kept, current, old + torn, old + holed])  # what was appended to stays as it was


def _listing(folder: Path) -> dict[str, int]:
    with os.scandir(folder) as entries:
        return {entry.name: entry.inode() for entry in entries}


def swap(run: Path, survived: Path) -> None:
    """Put what survived in the place of the run."""
    shutil.rmtree(run)
    survived.rename(run)
