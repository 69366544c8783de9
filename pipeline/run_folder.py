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

from headrace.pipeline.plan import PLAN_VERSION, Plan, check_writable
from headrace.pipeline.recipe_changes import changes
from headrace.schemas.durable import canonical_json, replace_file, sync_folder
from headrace.schemas.errors import ConfigError, FormatError, HeadraceError
from headrace.schemas.manifest import MANIFEST, PUBLISHED

FOLDERS = ("shards", "documents", "quarantine", "ledger", "index", "tokenizer", "spool", "pace", "trainer")
FILES = (
    "plan.json",
    "config.resolved.yaml",
    MANIFEST,
    PUBLISHED,
    "events.jsonl",
    "report.json",
    "report.html",
    "error.log",
)
LOCK, PLAN, SPOOL = "lock", "plan.json", "spool"


class RunFolder:
    """An opened run folder, locked until `close`; the lock falls with the process, however it ends."""

    def __init__(self, path: Path) -> None:
        check_writable(path)
        self.path = path
        self.path.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(path / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(self._lock, 4096).decode(errors="replace").strip()
            os.close(self._lock)
            why = f"another process is at work on it ({owner})" if owner else "another process is at work on it"
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
        try:
            value = json.loads(before or b"{}")
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

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
        elif foreign := [p.name for p in self.path.iterdir() if p.name not in {LOCK, *FILES, *FOLDERS}]:
            why = f"it holds {', '.join(sorted(foreign)[:3])}, and no {PLAN}"
            raise ConfigError(
                "not a run folder", where=str(self.path), why=why, remedy="name an empty or a new folder in `run:`"
            )
        shutil.rmtree(self.path / SPOOL, ignore_errors=True)  # what waited there is read from the source again
        for name in FOLDERS:
            (self.path / name).mkdir(exist_ok=True)
        for leftover in self.path.glob("*/.*.tmp"):
            leftover.unlink(missing_ok=True)
        if not known.exists():
            text = yaml.safe_dump(dict(resolved), allow_unicode=True, sort_keys=False)
            replace_file(self.path / "config.resolved.yaml", text.encode())
            replace_file(known, canonical_json(plan.to_json()) + b"\n")
        sync_folder(self.path)

    def _clear(self) -> None:
        """Remove a run. A kill on the way leaves the old run or none: the list of files goes before the files."""
        for name in (PUBLISHED, MANIFEST):
            (self.path / name).unlink(missing_ok=True)
        sync_folder(self.path)
        for name in FOLDERS:
            shutil.rmtree(self.path / name, ignore_errors=True)
        for name in reversed(FILES):  # the plan last: while it is there, another configuration is refused
            (self.path / name).unlink(missing_ok=True)

    def _check_identity(self, plan: Plan) -> None:
        known = self.path / PLAN
        stored = json.loads(known.read_bytes())
        if stored.get("version") != PLAN_VERSION:
            why = f"version {stored.get('version')!r}"
            raise FormatError(
                "the plan is of another release",
                where=str(self.path / PLAN),
                why=why,
                remedy="use that release, or --fresh",
            )
        if stored["identity"] == plan.identity:
            return
        differences = changes(stored, plan.to_json())
        raise ConfigError(
            "this is not the run that was started here",
            where=str(self.path),
            why="; ".join(differences),
            remedy="undo the change to resume, name another folder in `run:`, or start over with --fresh",
        )

    def sweep(self, named: set[str]) -> list[str]:
        """After the end line: remove what killed sessions left, files that no line names; gives their names."""
        removed = []
        for folder in ("shards", "documents", "quarantine", "ledger", "index", "tokenizer"):
            for path in sorted((self.path / folder).iterdir()):
                name = f"{folder}/{path.name}"
                if (name not in named and path.suffix != ".json") or (folder == "ledger" and name not in named):
                    path.unlink()
                    removed.append(name)
        shutil.rmtree(self.path / SPOOL, ignore_errors=True)
        return removed

    def close(self) -> None:
        """Give the lock back."""
        os.close(self._lock)
