"""From the URIs of a source to its objects: one listing of each literal prefix, and the first look at a store."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from contextlib import suppress

import pyarrow as pa

from headrace.pipeline.globs import WILD, expression
from headrace.schemas.errors import ConfigError, HeadraceError
from headrace.schemas.source import InputFile, Source
from headrace.stages.reading.location import Location, is_uri, parse_location, without_options
from headrace.stages.reading.storage import UNREADABLE
from headrace.stages.reading.store import Found, Store, store_of
from headrace.stages.reading.store_errors import unplanned

_FAULTS = (OSError, pa.ArrowException)
_FIRST_ATTEMPTS = 3
_NO_NAMES = frozenset(("", ".", ".."))  # what Arrow or HTTP would fold away: such a key cannot be asked for


def resolve_remote(source: Source) -> tuple[Location, list[InputFile]]:
    """Find a source's objects, in the order of their paths' bytes, and the folder that the paths are relative to.

    What has no readable name is listed too, as a file that could not be examined. Raises ConfigError if nothing is
    found, may be listed or may be read; HeadraceError if the store does not answer.
    """
    places = _places(source)
    try:
        _look_once(places[0])
        return _resolved(source, places, store_of(places[0].at("")))
    except _FAULTS as error:
        raise unplanned(places[0].at(""), error, f"source {source.name}: ") from error


def _look_once(place: Location) -> None:
    """Find a mistyped endpoint in a second: all other requests are tried again for a minute."""
    store = Store(place.at(""), _FIRST_ATTEMPTS)
    if place.path:
        store.look(place.path)
    else:
        store.ask("")


def _resolved(source: Source, places: list[Location], store: Store) -> tuple[Location, list[InputFile]]:
    found: dict[str, Found] = {}
    folders = []
    for place in places:
        folder, matches = _matches(store, place, source)
        folders.append(folder)
        found.update((match.path, match) for match in matches)
    root = places[0].at(posixpath.commonpath(folders) if all(folders) else "")
    begin = len(root.path) + 1 if root.path else 0
    exclusions = [expression(pattern) for pattern in source.exclude]
    kept = (f for path, f in found.items() if not any(e.fullmatch(path[begin:]) for e in exclusions))
    files = sorted((_listed(f, begin) for f in kept), key=lambda file: file.path.encode())
    if not files:
        raise _nothing(source, store, root, excluded=bool(found))
    _check_readable(source, store, root, files)
    return root, files


def _places(source: Source) -> list[Location]:
    where = f"source {source.name}"
    if not all(is_uri(path) for path in source.paths):
        why, remedy = "doc_ids begin behind the folder that all its paths share", "make two sources of it"
        raise ConfigError("a source mixes local paths and URIs", where=where, why=why, remedy=remedy)
    places = [parse_location(path, where) for path in source.paths]
    others = [place for place in places if place.at("") != places[0].at("")]
    if others:
        same = str(others[0].at("")) == str(places[0].at(""))
        why = "its options differ" if same else f"{places[0].at('')} and {others[0].at('')}"
        remedy = "give all its paths the same options" if same else "make a source of each"
        raise ConfigError("a source reads several stores", where=where, why=why, remedy=remedy)
    return places


def _matches(store: Store, place: Location, source: Source) -> tuple[str, Iterator[Found]]:
    """Give a pattern's literal folder and its objects; a name that exists is taken as it is, even with brackets."""
    here = store.look(place.path) if place.path else Found("", folder=True, bytes=0, mtime_ns=0)
    if here and not here.folder:
        return posixpath.dirname(here.path), iter([here])
    if here:
        return place.path, _objects(store, place.path, deep=True)
    wild = WILD.search(place.path)
    if not wild:
        raise _missing(source, store, place)
    folder = posixpath.dirname(place.path[: wild.start()] + "x")
    rest = place.path[len(folder) :].removeprefix("/")
    wanted = expression(rest, deep=False)
    objects = _objects(store, folder, deep="/" in rest or "**" in rest)
    begin = len(folder) + 1 if folder else 0
    return folder, (found for found in objects if wanted.fullmatch(found.path[begin:]))


def _objects(store: Store, folder: str, *, deep: bool) -> Iterator[Found]:
    entries = list(store.below(folder, deep=deep))
    folders = {entry.path for entry in entries if entry.folder}
    for entry in entries:
        if not entry.folder:
            yield _real(store, entry) if entry.path in folders else entry


def _real(store: Store, entry: Found) -> Found:
    """Tell an object with the name of a folder from the folder's own marker, which holds bytes but cannot be opened."""
    found = store.look(entry.path)
    return found if found and not found.folder else Found(entry.path + "/", folder=False, bytes=0, mtime_ns=UNREADABLE)


def _listed(found: Found, begin: int) -> InputFile:
    path = found.path[begin:]
    readable = _NO_NAMES.isdisjoint(path.split("/"))
    return InputFile(path, found.bytes, found.mtime_ns) if readable else InputFile(path, 0, UNREADABLE)


def _check_readable(source: Source, store: Store, root: Location, files: list[InputFile]) -> None:
    """Read a byte: the right to list is not the right to read, and must not become a million unreadable files."""
    full = [file for file in files if file.bytes]
    errors = []
    for file in full[:1] + full[-1:]:
        try:
            store.open(root.below(file.path).path).read(1)
        except FileNotFoundError:
            return  # gone since it was listed: the run says so
        except _FAULTS as error:
            errors.append(error)
        else:
            return
    if errors:
        raise unplanned(root, errors[0], f"source {source.name}: no object can be read: ")


def _missing(source: Source, store: Store, place: Location) -> HeadraceError:
    return _no_bucket(source, store, place) or ConfigError(
        "an input is missing",
        where=f"source {source.name}",
        why=f"{place} is not there",
        remedy="check the path; names are case-sensitive and taken literally",
    )


def _nothing(source: Source, store: Store, root: Location, *, excluded: bool) -> HeadraceError:
    patterns = ", ".join(without_options(path) for path in source.paths)
    return _no_bucket(source, store, root) or ConfigError(
        "no input file was found",
        where=f"source {source.name}",
        why=f"nothing matches {patterns}" + (" after the exclusions" if excluded else ""),
        remedy=f"check the paths; {root} was listed",
    )


def _no_bucket(source: Source, store: Store, place: Location) -> ConfigError | None:
    """Give the error for a bucket that is not there: pyarrow shows one as an empty folder."""
    with suppress(*_FAULTS):  # who may list objects need not be allowed to look at the bucket
        if store.look("") is not None:
            return None
        remedy = "check its name, and region or endpoint_override if it lies elsewhere"
        return ConfigError("there is no such bucket", where=f"source {source.name}: {place.at('')}", remedy=remedy)
    return None
