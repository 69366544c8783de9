"""The run folder: one owner at a time, one identity, and a manifest that is whole before anybody builds on it."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from headrace.pipeline.committed import FOLDERS, PLAN, plan_bytes, read_plan
from headrace.pipeline.plan import Plan, check_writable
from headrace.pipeline.recipe_changes import changes
from headrace.schemas.durable import canonical_json, replace_file, sync_folder
from headrace.schemas.errors import ConfigError, FormatError, HeadraceError
from headrace.schemas.index import MERGED
from headrace.schemas.manifest import FIRST_PASS, MANIFEST, POLICIES, PUBLISHED, read_published
from headrace.schemas.tombstones import TOMBSTONES, TOMBSTONES_LOCK

RESOLVED = "config.resolved.yaml"
FILES = (
    "plan.json",
    RESOLVED,
    MANIFEST,
    PUBLISHED,
    "events.jsonl",
    "report.json",
    "report.html",
    "policy.json",
    "policy.html",
    POLICIES,
    "error.log",
)
LOCK, SPOOL = "lock", "spool"
_SWEPT = ("shards", "documents", "quarantine", "ledger", "index", "tokenizer")


def in_use(path: Path) -> bool:
    """Say whether a process is at work on the run."""
    try:
        lock = os.open(path / LOCK, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def check_apart(folder: Path, parent: Path) -> None:
    """Raise ConfigError if a run that takes another one up would be in that one's folder, which is only read."""
    there = parent.resolve()
    if there in (folder.resolve(), *folder.resolve().parents):
        what, why = "the new run would be in the folder of the run that it begins with", "that run is never written to"
        raise ConfigError(what, where=str(folder), why=why, remedy="name a folder beside it by --run")


class RunFolder:
    """An opened run folder, locked until `close`; the lock falls with the process, however it ends."""

    def __init__(self, path: Path) -> None:
        check_writable(path)
        check_ours(path)
        self.path = path
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(path / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            why, remedy = error.strerror or str(error), "name another folder (`run:`, --out or --run)"
            raise ConfigError("the run folder cannot be made", where=str(path), why=why, remedy=remedy) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = _note(os.read(self._lock, 4096)).get("pid")
            os.close(self._lock)
            why = "another process is at work on it" + (f" (pid {owner})" if owner else "")
            raise HeadraceError(
                "the run is in use", where=str(path), why=why, remedy="wait for it, or stop it"
            ) from None
        self.left_behind = self._note_owner({"pid": os.getpid()})

    def _note_owner(self, note: Mapping[str, Any]) -> dict[str, Any]:
        """Write who holds the lock; give what the last owner had written."""
        os.lseek(self._lock, 0, os.SEEK_SET)
        before = os.read(self._lock, 4096)
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, canonical_json(note), 0)
        return _note(before)

    def note_ray_folder(self, folder: str | None) -> None:
        """Remember an embedded cluster's folder, so that the next start removes it if this process is killed."""
        if folder:
            self._note_owner({"pid": os.getpid(), "ray": folder})

    def prepare(self, plan: Plan, resolved: Mapping[str, Any], *, fresh: bool) -> None:
        """Create the folder's skeleton, or check that it belongs to the same run; `fresh` clears it first."""
        known = self.path / PLAN
        if fresh:
            self._clear()
        if known.exists():
            self._check_identity(plan)
        elif (self.path / PUBLISHED).exists():
            remedy = "restore it from a copy, or start over with --fresh"
            raise FormatError("the plan of the run is gone", where=str(known), remedy=remedy)
        shutil.rmtree(self.path / SPOOL, ignore_errors=True)  # what waited there is read from the source again
        for name in FOLDERS:
            (self.path / name).mkdir(exist_ok=True)
        for name in _SWEPT:
            for leftover in (self.path / name).glob(".*.tmp"):
                leftover.unlink(missing_ok=True)
        if not known.exists():
            text = yaml.safe_dump(dict(resolved), allow_unicode=True, sort_keys=False)
            replace_file(self.path / RESOLVED, text.encode())
            replace_file(known, plan_bytes(plan.to_json()))
        sync_folder(self.path)

    def _clear(self) -> None:
        """Remove a run. A kill on the way leaves the old run or none: the list of files goes before the files."""
        for folder in (self.path, self.path / FIRST_PASS):
            for name in (PUBLISHED, MANIFEST):
                (folder / name).unlink(missing_ok=True)
        sync_folder(self.path)
        for name in (*FOLDERS, FIRST_PASS):
            shutil.rmtree(self.path / name, ignore_errors=True)
        # The tombstones stay: what was forgotten is asked for in the new run, too, whatever its documents are numbered.
        for name in reversed(FILES):  # the plan last: while it is there, another configuration is refused
            (self.path / name).unlink(missing_ok=True)

    def _check_identity(self, plan: Plan) -> None:
        stored = read_plan(self.path)
        if stored["identity"] == plan.identity:
            return
        differences = changes(stored, plan.to_json())
        remedy = "undo the change to resume, name another folder (`run:`, --out or --run), or start over with --fresh"
        what, why = "this is not the run that was started here", "; ".join(differences)
        raise ConfigError(what, where=str(self.path), why=why, remedy=remedy)

    def sweep(self, named: set[str]) -> list[str]:
        """After the end line: remove what is not needed any more, and files that no line names; gives their names."""
        removed = []
        for folder in _SWEPT:
            for path in sorted(p for p in (self.path / folder).iterdir() if not p.is_dir()):
                name = f"{folder}/{path.name}"
                if (name not in named and path.suffix != ".json") or (folder == "ledger" and name not in named):
                    path.unlink()
                    removed.append(name)
        for folder in (SPOOL, MERGED):
            shutil.rmtree(self.path / folder, ignore_errors=True)
        return removed

    def close(self) -> None:
        """Give the lock back."""
        os.close(self._lock)


def check_ours(run: Path) -> None:
    """Refuse somebody else's folder before a single file in it is touched; --fresh deletes only what is ours.

    A run has a plan or, should that be lost, a manifest. A start that was killed leaves folders without files.
    """
    if not run.is_dir() or _has_plan(run) or _has_manifest(run):
        return
    foreign = sorted(path.relative_to(run).as_posix() for path in run.iterdir() if not _from_a_start(path))
    if foreign:
        why = f"it holds {', '.join(foreign[:3])}, and no {PLAN} of a run"
        remedy = "name an empty or a new folder (`run:`, --out or --run)"
        raise ConfigError("not a run folder", where=str(run), why=why, remedy=remedy)


def _has_plan(run: Path) -> bool:
    try:
        read_plan(run)
    except ConfigError:
        return False
    except FormatError as error:  # damaged, or of another release: a plan all the same, unless it is no JSON at all
        return error.what != "not a plan"
    return True


def _has_manifest(run: Path) -> bool:
    try:
        return (run / PUBLISHED).is_file() and read_published(run) >= 0
    except FormatError:
        return False


def _from_a_start(path: Path) -> bool:
    """Say whether a start that was killed before it had a plan may have left this."""
    if path.name in FOLDERS:
        return path.is_dir() and not any(p for p in path.rglob("*") if not p.is_dir())
    if path.name == LOCK:
        return path.is_file() and (path.stat().st_size == 0 or path.read_bytes()[:1] == b"{")
    return path.name in {RESOLVED, "error.log", TOMBSTONES, TOMBSTONES_LOCK} or (
        path.name.startswith((f".{RESOLVED}.", f".{PLAN}.", f".{TOMBSTONES}.")) and path.suffix == ".tmp"
    )


def _note(raw: bytes) -> dict[str, Any]:
    """Read what an owner wrote into the lock file; a killed one may have written nothing, or half of it."""
    try:
        value = json.loads(raw or b"{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
