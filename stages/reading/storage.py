"""The one door to inputs: a file of a split is examined and opened here, on a disk or in a store."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from headrace.schemas.errors import HeadraceError
from headrace.schemas.source import InputFile
from headrace.stages.reading.file_names import on_disk
from headrace.stages.reading.location import Location, is_uri, parse_location
from headrace.stages.reading.store import Store, read_at, store_of
from headrace.stages.reading.store_errors import cause_of, interrupted, said
from headrace.stages.reading.stored_file import StoredFile
from headrace.stages.reading.stream import StreamFaultError

UNREADABLE = -1  # mtime_ns of a file that could not even be looked at when the input was listed
_STORE_FAULTS = (OSError, pa.ArrowException)


class InputChangedError(HeadraceError):
    """A file is not the one that the plan was made with."""


def open_listed(root: str, file: InputFile) -> BinaryIO:
    """Open a listed file for unbuffered reads at any offset.

    Raises StreamFaultError if this one file cannot be read; HeadraceError if it is not the one that was listed, or if
    its store does not answer.
    """
    if file.mtime_ns == UNREADABLE:
        raise StreamFaultError("unreadable_file", "a pipe, a device or a dead link, or nothing that may be examined")
    if is_uri(root):
        return cast(BinaryIO, _open_stored(root, file))
    _compare(file, *_local_state(root, file), file.path)
    try:
        return _path(root, file).open("rb", buffering=0)
    except OSError as error:
        raise StreamFaultError("unreadable_file", error.strerror or "cannot be opened") from error


def open_table(root: str, file: InputFile) -> pa.NativeFile:
    """Open a listed file for Arrow's readers, which ask for the ranges of the columns and row groups they need."""
    if is_uri(root):
        return pa.PythonFile(_open_stored(root, file), mode="r")
    return pa.OSFile(bytes(_path(root, file)), "rb")  # type: ignore[arg-type]  # as text it would have to be UTF-8


def check_unchanged(root: str, file: InputFile) -> None:
    """Raise InputChangedError where a file is no longer the listed one, HeadraceError where its store is silent."""
    with suppress(StreamFaultError):  # it cannot be examined now; the next read says so, if it matters
        if is_uri(root):
            _compare(file, *_stored_state(root, file), str(parse_location(root).below(file.path)))
        else:
            _compare(file, *_local_state(root, file), file.path)


def _path(root: str, file: InputFile) -> Path:
    return Path(on_disk(root)) / on_disk(file.path)


def _local_state(root: str, file: InputFile) -> tuple[int, int]:
    try:
        state = _path(root, file).stat()
    except FileNotFoundError as error:
        raise _changed(file.path, "it is gone") from error
    except OSError as error:
        raise StreamFaultError("unreadable_file", error.strerror or "cannot be examined") from error
    return state.st_size, state.st_mtime_ns


def _stored_state(root: str, file: InputFile) -> tuple[int, int]:
    place, store = _connected(root, file)
    try:
        found = store.look(place.path)
    except _STORE_FAULTS as error:
        raise _fault(store, place, error) from error
    if found is None:
        raise _changed(str(place), "it is gone")
    return found.bytes, found.mtime_ns


def _open_stored(root: str, file: InputFile) -> StoredFile:
    place, store = _connected(root, file)
    try:
        handle = store.open(place.path)
        size, mtime_ns = handle.size(), store.time_of(handle, place.path)
    except _STORE_FAULTS as error:
        raise _fault(store, place, error) from error
    _compare(file, size, mtime_ns, str(place))
    return StoredFile(partial(_fetch, store, place, handle), size)


def _connected(root: str, file: InputFile) -> tuple[Location, Store]:
    place = parse_location(root).below(file.path)
    try:
        return place, store_of(place.at(""))
    except _STORE_FAULTS as error:
        raise interrupted(place, error) from error


def _fetch(store: Store, place: Location, handle: pa.NativeFile, offset: int, size: int) -> bytes:
    try:
        data = read_at(handle, offset, size)
    except _STORE_FAULTS as error:
        raise _fault(store, place, error) from error
    if len(data) < size:
        raise _changed(str(place), f"it ends at byte {offset + len(data)}, {size - len(data)} bytes early")
    return data


def _fault(store: Store, place: Location, error: BaseException) -> Exception:
    """Say whether one object failed, or the store: where its own words do not tell, it is asked for something else."""
    if isinstance(error, FileNotFoundError):
        return _changed(str(place), "it is gone")
    if cause_of(error) in ("silent", "no_bucket", "no_credentials"):
        return interrupted(place, error)
    try:
        store.ask(place.path.rpartition("/")[0])
    except _STORE_FAULTS as silence:
        return interrupted(place, silence)
    return StreamFaultError("unreadable_file", said(error))


def _compare(file: InputFile, size: int, mtime_ns: int | None, where: str) -> None:
    if (size, mtime_ns) != (file.bytes, file.mtime_ns):
        raise _changed(where, f"it had {file.bytes} bytes and has {size} now, or its time differs")


def _changed(where: str, why: str) -> InputChangedError:
    return InputChangedError(
        "an input file changed after the run was planned",
        where=where,
        why=why,
        remedy="restore the file, or start again with --fresh",
    )
