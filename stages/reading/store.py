"""A file system of pyarrow, connected: what a store holds, and its objects opened for reading."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import pyarrow as pa
from pyarrow import fs

from headrace.stages.reading.location import Location
from headrace.stages.reading.store_errors import is_untold

_ATTEMPTS = 8  # doubling from a fraction of a second: the eighth comes about a minute after the first
_CONNECT_S = 10.0
_GCS_RETRY_S = "60"
_SECOND = 1_000_000_000
_NOBODY = ".headrace-asks-whether-the-store-answers"


@dataclass(frozen=True, slots=True)
class Found:
    """What lies at a path of a store. `mtime_ns` is cut to seconds: listings know more digits than objects do."""

    path: str  # relative to the bucket
    folder: bool
    bytes: int
    mtime_ns: int


class Store:
    """One bucket, container or cluster. Every method raises what pyarrow raises: OSError, mostly."""

    def __init__(self, place: Location, attempts: int | None = None) -> None:
        self._fs, base = _connected(place, attempts or _attempts())
        self._base = base.rstrip("/")

    def look(self, path: str) -> Found | None:
        """Say what lies at a path; None where nothing does."""
        info = self._fs.get_file_info(self._key(path))
        return None if info.type == fs.FileType.NotFound else self._found(info)

    def below(self, path: str, *, deep: bool) -> Iterator[Found]:
        """List a folder, in one pass over everything below it if `deep`; nothing if it is not there."""
        selector = fs.FileSelector(self._key(path), allow_not_found=True, recursive=deep)
        yield from (self._found(info) for info in self._fs.get_file_info(selector))

    def open(self, path: str) -> pa.NativeFile:
        """Open an object for reads at any offset."""
        return self._fs.open_input_file(self._key(path))

    def time_of(self, handle: pa.NativeFile, path: str) -> int | None:
        """Give the modification time of an opened object, without another request where the store told it already."""
        if isinstance(self._fs, fs.S3FileSystem) and (told := dict(handle.metadata()).get("Last-Modified")):
            return int(datetime.fromisoformat(told.decode()).timestamp()) * _SECOND
        found = self.look(path)
        return found.mtime_ns if found else None

    def ask(self, folder: str) -> None:
        """Ask for an object that nobody has: raises if the store does not answer or does not let us list the folder."""
        self._fs.get_file_info(self._key(f"{folder}/{_NOBODY}" if folder else _NOBODY))

    def _key(self, path: str) -> str:
        return f"{self._base}/{path}" if path else self._base or "/"

    def _found(self, info: fs.FileInfo) -> Found:
        path = info.path[len(self._base) :].removeprefix("/")
        folder = info.type == fs.FileType.Directory
        return Found(path, folder, info.size or 0, (info.mtime_ns or 0) // _SECOND * _SECOND)


@cache
def store_of(place: Location) -> Store:
    """Connect to a store, once in a process for each set of options; pass the place with an empty path."""
    return Store(place)


def read_at(handle: pa.NativeFile, offset: int, size: int) -> bytes:
    """Read a range; tries again where the store's answer was lost before the SDK could see what it was."""
    for attempt in range(_attempts()):
        try:
            return handle.read_at(size, offset)  # type: ignore[call-arg]  # the stubs know one argument
        except OSError as error:
            if not is_untold(error) or attempt + 1 == _attempts():
                raise
            time.sleep(0.05 * 2**attempt)
    raise OSError("no attempt was made")


def _attempts() -> int:
    """Give the number of tries: that of the AWS tools' own variable, if it is set."""
    told = os.environ.get("AWS_MAX_ATTEMPTS", "")
    return max(1, int(told)) if told.isdigit() else _ATTEMPTS


def _connected(place: Location, attempts: int) -> tuple[fs.FileSystem, str]:
    if place.kind == "s3":
        return _s3(place, attempts), place.authority
    options = dict(place.options)
    if place.kind == "gs":
        options.setdefault("retry_limit_seconds", _GCS_RETRY_S)
    top = Location(place.scheme, place.authority, "", tuple(sorted(options.items())))
    uri = top.uri().replace("?", "/?", 1) if options else f"{top}/"
    return fs.FileSystem.from_uri(uri)


def _s3(place: Location, attempts: int) -> fs.S3FileSystem:
    options: dict[str, Any] = {n: {"true": True, "false": False}.get(value, value) for n, value in place.options}
    if endpoint := _endpoint():
        options = {"scheme": endpoint[0], "endpoint_override": endpoint[1], **options}
    options.setdefault("region", _region(place))
    retries = fs.AwsStandardS3RetryStrategy(max_attempts=attempts)
    return fs.S3FileSystem(connect_timeout=_CONNECT_S, retry_strategy=retries, **options)


def _endpoint() -> tuple[str, str] | None:
    """Give scheme and host of the endpoint that the AWS tools' own variables name; pyarrow ignores them."""
    url = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    if not url:
        return None
    scheme, _, host = url.rpartition("://")
    return scheme or "https", host.rstrip("/")


def _region(place: Location) -> str | None:
    """Ask AWS for a bucket's region where nothing else says it; stores behind an endpoint of their own need none."""
    told = ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE")
    if "endpoint_override" in dict(place.options) or _endpoint() or any(os.environ.get(name) for name in told):
        return None
    return fs.resolve_s3_region(place.authority)
