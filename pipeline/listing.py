"""From the patterns of a source to its files, and from the files to splits: what the plan sees of the disk."""

from __future__ import annotations

import glob
import os
import stat
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from headrace.pipeline.globs import WILD, expression
from headrace.pipeline.remote_listing import resolve_remote
from headrace.pipeline.run_as_input import check_no_run, looks_like_run
from headrace.schemas.errors import ConfigError
from headrace.schemas.source import InputFile, Source, Split
from headrace.stages.reading.content import open_content
from headrace.stages.reading.file_names import typeable, typed
from headrace.stages.reading.formats import cuttable, is_table
from headrace.stages.reading.location import is_uri, local_path
from headrace.stages.reading.part import FILE_COST
from headrace.stages.reading.storage import UNREADABLE
from headrace.stages.reading.stream import StreamFaultError

RANGE_UNITS = 16  # a byte range holds this many units: long enough to amortise opening, short enough to share out

_PLACES = ("stdlib", "purelib")

Refuse = Callable[[ConfigError], None]  # told of what cannot be taken; if it returns, the rest is taken
Skip = Callable[[str], None]  # told of a folder that is left out


def stop_at(error: ConfigError) -> None:
    """Refuse the whole source: a run that has begun could not be told of the missing part any more."""
    raise error


def resolve_source(
    source: Source, base: Path, run: Path | None = None, refuse: Refuse = stop_at, skip: Skip | None = None
) -> tuple[str, list[InputFile]]:
    """Find the files of a source, in the order of their paths' bytes, and the folder that the paths are relative to.

    The folder is the longest one that all patterns share before their first wildcard, so that two machines which hold
    the same files in different places give the same relative paths; in a store it is a URI, with the options that the
    workers need to reach it. Names that are not UTF-8 are escaped (`file_names`), in patterns as well. What lies in the
    run's own folder is no input. `refuse` is told of local folders that cannot be listed, and by default raises. `skip`
    is told of folders that hold another run and are met while a folder or `**` is walked: a result among the input is
    none of it. A source that begins at such a folder, or at a part of one other than its shards, is refused. Without
    `skip` runs are read like others; a pattern that names files in a part of a run finds them either way.
    """
    if any(is_uri(path) for path in source.paths):
        place, objects = resolve_remote(source)
        return place.uri(), objects
    patterns = [_absolute(pattern, base) for pattern in source.paths]
    _check_named(patterns, source, base)
    root = Path(os.path.commonpath([literal_folder(p) for p in patterns]))
    walk = _Walk(refuse, skip, str(run.absolute()) if run else None)
    if skip is not None:
        _check_no_runs(patterns, source, walk)
    every = {path for pattern in patterns for path in _matches(pattern, walk)}
    found = {os.path.relpath(path, root) for path in every if not walk.is_own(path)}
    exclusions = [expression(pattern) for pattern in source.exclude]
    names = {path: typeable(path) for path in sorted(found, key=os.fsencode)}
    wanted = [path for path, name in names.items() if not any(e.fullmatch(name) for e in exclusions)]
    if not wanted:
        why = _nothing(source, patterns, walk) + (" after the exclusions" if found else "")
        raise ConfigError(
            "no input file was found", where=f"source {source.name}", why=why, remedy=_check_paths(source, base)
        )
    return typeable(str(root)), [_listed(root, path, names[path]) for path in wanted]


def cut_splits(source: Source, root: str, files: list[InputFile], *, unit_bytes: int, first_index: int) -> list[Split]:
    """Cut a source's files into splits: byte ranges of big files, single files, and groups of small ones, in order."""
    pieces: list[tuple[tuple[InputFile, ...], int, int | None]] = []
    for group in _groups(files, unit_bytes):
        span = RANGE_UNITS * unit_bytes
        if len(group) > 1 or group[0].bytes <= span or not _rangeable(source, root, group[0]):
            pieces.append((group, 0, None))
            continue
        size = group[0].bytes
        pieces.extend((group, begin, begin + span if begin + span < size else None) for begin in range(0, size, span))
    numbered = enumerate(pieces, first_index)
    return [Split(index, source.name, root, group, begin, end) for index, (group, begin, end) in numbered]


def _check_named(patterns: list[str], source: Source, base: Path) -> None:
    """Refuse a path without wildcards that does not exist: a glob may match nothing, a name is a promise."""
    if "" in source.paths:
        why = "an empty path names nothing; the folder itself is `.`"
        raise ConfigError("an input has no name", where=f"source {source.name}", why=why, remedy="name it")
    missing = [pattern for pattern in patterns if not WILD.search(pattern) and not os.path.lexists(pattern)]
    if missing:
        why = f"{', '.join(missing)} is not there"
        raise ConfigError(
            "an input is missing",
            where=f"source {source.name}",
            why=why,
            remedy=_check_paths(source, base),
        )


def _check_no_runs(patterns: list[str], source: Source, walk: _Walk) -> None:
    """Refuse other runs where a pattern begins; one that ends in file names may find them in any part of a run."""
    for pattern in patterns:
        folder = literal_folder(pattern)
        if walk.is_own(str(folder)):
            continue
        if Path(pattern).is_dir():
            check_no_run(folder, source.name)
        elif not os.path.lexists(pattern):
            check_no_run(folder, source.name, parts="**" in pattern)


def _nothing(source: Source, patterns: list[str], walk: _Walk) -> str:
    """Say why no file was found: a folder may be there and hold none."""
    if own := [pattern for pattern in patterns if walk.is_own(pattern)]:
        return f"{', '.join(own)} belong{'s' * (len(own) == 1)} to the run's own folder, whose files are no input"
    folders = [pattern for pattern in patterns if Path(pattern).is_dir()]
    if len(folders) < len(patterns) or source.exclude:
        return f"nothing matches {', '.join(source.paths)}"
    there = f"{', '.join(folders)} hold{'s' * (len(folders) == 1)}"
    if walk.left_out:
        return f"{there} no file but those of runs, which are results and no input: {', '.join(walk.left_out[:3])}"
    return f"{there} no file"


def _check_paths(source: Source, base: Path) -> str:
    relative = any(not Path(local_path(path)).expanduser().is_absolute() for path in source.paths)
    return "check the paths" + (f"; relative ones begin at {base}" if relative else "")


def _absolute(pattern: str, base: Path) -> str:
    for place in _PLACES:
        pattern = pattern.replace(f"{{{place}}}", sysconfig.get_paths()[place])
    whole = os.path.abspath(base / Path(local_path(pattern)).expanduser())  # noqa: PTH100  Path.resolve follows links
    return typed(whole)


def literal_folder(pattern: str) -> Path:
    """Give the folder that a pattern names before its first wildcard."""
    path, wild = Path(pattern), WILD.search(pattern)
    if wild and not os.path.lexists(pattern):
        return Path(pattern[: wild.start()] + "x").parent
    return path if path.is_dir() else path.parent


def _matches(pattern: str, walk: _Walk) -> Iterator[str]:
    # A name that exists is taken as it is, even with brackets in it.
    if os.path.lexists(pattern):
        yield from walk.below(Path(pattern)) if Path(pattern).is_dir() else [pattern]
    elif "**" in pattern:
        folder = literal_folder(pattern)
        wanted = expression(os.path.relpath(pattern, folder), deep=False)
        yield from (name for name in walk.below(folder) if wanted.fullmatch(os.path.relpath(name, folder)))
    else:
        found = glob.iglob(pattern, include_hidden=True)  # noqa: PTH207  Path.glob hides unreadable folders
        yield from (name for name in found if not Path(name).is_dir())


@dataclass(frozen=True, slots=True)
class _Walk:
    """Walks folders; `own` is the folder of the run that is planned, `left_out` are those of others."""

    refuse: Refuse
    skip: Skip | None
    own: str | None
    left_out: list[str] = field(default_factory=list)

    def is_own(self, path: str) -> bool:
        """Whether a path lies in the folder of the run that is planned, or is it."""
        return self.own is not None and (path == self.own or path.startswith(f"{self.own}{os.sep}"))

    def below(self, folder: Path, above: frozenset[tuple[int, int]] = frozenset()) -> Iterator[str]:
        """Give the files; links to folders are followed, except into one that is being walked already."""
        try:
            state = folder.stat()
            entries = list(os.scandir(folder))
        except FileNotFoundError:
            return
        except OSError as error:
            remedy = "change its rights, or leave it out by naming the folders beside it"
            why = error.strerror or ""
            self.refuse(ConfigError("a folder cannot be listed", where=str(folder), why=why, remedy=remedy))
            return
        here = (state.st_dev, state.st_ino)
        if here in above or (above and self._is_left_out(folder, entries)):
            return
        for entry in entries:
            if _is_folder(entry):
                yield from self.below(Path(entry.path), above | {here})
            else:
                yield entry.path

    def _is_left_out(self, folder: Path, entries: list[os.DirEntry[str]]) -> bool:
        if self.skip is None or not looks_like_run({entry.name for entry in entries}):
            return False
        path = str(folder)
        if not self.is_own(path) and path not in self.left_out:
            self.left_out.append(path)
            self.skip(path)
        return True


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _listed(root: Path, path: str, name: str) -> InputFile:
    try:
        state = (root / path).stat()
    except OSError:
        return InputFile(name, 0, UNREADABLE)
    if not stat.S_ISREG(state.st_mode):  # opening a pipe would wait for ever
        return InputFile(name, 0, UNREADABLE)
    return InputFile(name, state.st_size, state.st_mtime_ns)


def _groups(files: list[InputFile], unit_bytes: int) -> Iterator[tuple[InputFile, ...]]:
    """Put neighbours together while their sizes fit into a unit; tables and byte files stay apart."""
    group: list[InputFile] = []
    size = 0
    for file in files:
        cost = max(file.bytes, FILE_COST)
        if group and (size + cost > unit_bytes or is_table(file.path) != is_table(group[0].path)):
            yield tuple(group)
            group, size = [], 0
        group.append(file)
        size += cost
    if group:
        yield tuple(group)


def _rangeable(source: Source, root: str, file: InputFile) -> bool:
    try:
        content = open_content(root, file, source)
    except StreamFaultError:
        return False
    try:
        return not content.packed and content.wide is None and cuttable(content.format, source)
    finally:
        content.close()
