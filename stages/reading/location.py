"""Where an input lies when it is no local path: the parts of a URI, and what may stand in its query.

A URI is `scheme://authority/path?option=value&...`. The path is taken literally, as `aws s3 ls` prints it, without
percent-decoding. A `?` begins the query only where `name=` follows; elsewhere it is the wildcard for one character.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from headrace.schemas.errors import ConfigError

OPTIONS = {
    "s3": ("anonymous", "endpoint_override", "region", "scheme", "tls_ca_file_path", "force_virtual_addressing"),
    "gs": ("endpoint_override", "project_id", "retry_limit_seconds", "scheme"),
    "abfs": (
        *("blob_storage_authority", "blob_storage_scheme", "dfs_storage_authority", "dfs_storage_scheme"),
        *("client_id", "credential_kind", "enable_tls", "tenant_id"),
    ),
    "hdfs": ("kerb_ticket", "user"),
}
_ALIASES = {"gcs": "gs", "abfss": "abfs", "viewfs": "hdfs"}
_CREDENTIALS = {
    "s3": "AWS_PROFILE, or AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY; a public bucket needs `?anonymous=true`",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS, or `gcloud auth application-default login`; a public one, gs://anonymous@bucket",
    "abfs": "AZURE_TENANT_ID with AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, or `az login`",
    "hdfs": "HADOOP_USER_NAME, or `kinit` where Kerberos guards the cluster",
}
_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_QUERY = re.compile(r"\?(?=[A-Za-z_][A-Za-z0-9_-]*=)")
_SECRET = re.compile(r"key|secret|token|password|credential(?!_kind)|sig\b|sas", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a store: `path` is relative to the bucket, container or name node. Options say how to get there."""

    scheme: str
    authority: str
    path: str
    options: tuple[tuple[str, str], ...] = field(default=())

    @property
    def kind(self) -> str:
        """Name the kind of store: s3, gs, abfs or hdfs."""
        return _ALIASES.get(self.scheme, self.scheme)

    @property
    def credentials(self) -> str:
        """Say where this kind of store takes credentials from: the environment, never the configuration."""
        return _CREDENTIALS[self.kind]

    def at(self, path: str) -> Location:
        """Give another place of the same store."""
        return Location(self.scheme, self.authority, path, self.options)

    def below(self, path: str) -> Location:
        """Give the place of a path relative to this folder."""
        return self.at(f"{self.path}/{path}" if self.path else path)

    def uri(self) -> str:
        """Give the URI with its options: what a worker needs to open the place."""
        query = "&".join(f"{name}={quote(value, safe=':/')}" for name, value in self.options)
        return f"{self}?{query}" if query else str(self)

    def __str__(self) -> str:
        """Give the URI without options: what messages and a run's identity say."""
        return f"{self.scheme}://{self.authority}" + (f"/{self.path}" if self.path else "")


def is_uri(path: str) -> bool:
    """Say whether a path names a store; file:// stands for a local path.

    >>> is_uri("s3://bucket/a"), is_uri("file:///data"), is_uri("data/a.txt")
    (True, False, False)
    """
    match = _URI.match(path)
    return match is not None and match[1].lower() != "file"


def local_path(path: str) -> str:
    """Take the file:// off a local path.

    >>> local_path("file:///data/*.txt"), local_path("data/*.txt")
    ('/data/*.txt', 'data/*.txt')
    """
    return re.sub(r"^file://(localhost(?=/))?", "", path, flags=re.IGNORECASE)


def without_options(path: str) -> str:
    """Take off what says how to reach a store: the same data through another endpoint is the same input.

    >>> without_options("s3://bucket/d/*.jsonl?endpoint_override=127.0.0.1:9000&scheme=http")
    's3://bucket/d/*.jsonl'
    """
    return _QUERY.split(path, maxsplit=1)[0] if is_uri(path) else path


def parse_location(uri: str, where: str = "") -> Location:
    """Take a URI apart; raises ConfigError for unknown schemes and options, and for credentials, never repeating them.

    >>> parse_location("s3://bucket/logs/2024-??/*.gz?region=eu-west-1")
    Location(scheme='s3', authority='bucket', path='logs/2024-??/*.gz', options=(('region', 'eu-west-1'),))
    """
    scheme, rest = uri.split("://", 1)
    scheme = scheme.lower()
    if _ALIASES.get(scheme, scheme) not in OPTIONS:
        known = ", ".join(f"{name}://" for name in (*OPTIONS, *_ALIASES))
        why, remedy = f"{scheme}:// is not known", f"use a local path, file://, or {known}"
        raise ConfigError("an input lies in a place that cannot be read", where=where, why=why, remedy=remedy)
    main, *query = _QUERY.split(rest, maxsplit=1)
    authority, _, path = main.partition("/")
    place = Location(scheme, authority, path.rstrip("/"), _options(query[0] if query else ""))
    _check(place, where)
    return place


def _options(query: str) -> tuple[tuple[str, str], ...]:
    pairs = (pair.partition("=") for pair in query.split("&") if pair)
    return tuple(sorted((name, unquote(value)) for name, _, value in pairs))


def _check(place: Location, where: str) -> None:
    user = place.authority.rpartition("@")[0]
    names = [name for name, _ in place.options]
    secrets = [name for name in names if name not in OPTIONS[place.kind] and _SECRET.search(name)]
    if secrets or ":" in user or (user and place.kind == "s3"):
        raise ConfigError(
            "credentials stand in a path",
            where=where,
            why=f"{secrets[0] if secrets else 'what is before the @'} would be kept with the run and shown in reports",
            remedy=f"take it out, and use the environment: {place.credentials}",
        )
    unknown = [name for name in names if name not in OPTIONS[place.kind]]
    if unknown:
        why = f"{unknown[0]!r} is no option of {place.scheme}://"
        remedy = f"known are {', '.join(OPTIONS[place.kind])}; a literal ? in a name is written [?]"
        raise ConfigError("a path has an unknown option", where=where, why=why, remedy=remedy)
    if not place.authority and place.kind != "hdfs":
        raise ConfigError("a path names no bucket", where=where, why=f"{place.scheme}:// stands alone", remedy="add it")
    if "" in place.path.split("/")[:-1]:
        why, remedy = f"{place} has two slashes in a row", "remove one: such names cannot be read"
        raise ConfigError("a name in a path is empty", where=where, why=why, remedy=remedy)
