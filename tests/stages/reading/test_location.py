"""URIs of inputs: taken apart literally, and never with a credential in them."""

from __future__ import annotations

import pytest

from headrace.schemas.errors import ConfigError
from headrace.stages.reading.location import is_uri, local_path, parse_location, without_options


@pytest.mark.parametrize(
    ("uri", "authority", "path", "options"),
    [
        ("s3://b", "b", "", {}),
        ("s3://b/", "b", "", {}),
        ("s3://b/d/*.txt", "b", "d/*.txt", {}),
        ("s3://b/d/a?.txt", "b", "d/a?.txt", {}),
        ("S3://b/d/", "b", "d", {}),
        ("s3://b/a%41 +é.txt", "b", "a%41 +é.txt", {}),
        ("s3://b/d?region=x&anonymous=true", "b", "d", {"region": "x", "anonymous": "true"}),
        ("s3://b/?-?.txt?endpoint_override=h:1&region=x", "b", "?-?.txt", {"endpoint_override": "h:1", "region": "x"}),
        ("s3://b?tls_ca_file_path=%2Fetc%2Fa%20b.pem", "b", "", {"tls_ca_file_path": "/etc/a b.pem"}),
        ("gs://anonymous@b/d", "anonymous@b", "d", {}),
        ("abfss://c@a.dfs.core.windows.net/d/x", "c@a.dfs.core.windows.net", "d/x", {}),
        ("hdfs://name:8020/d?user=ann", "name:8020", "d", {"user": "ann"}),
        ("hdfs:///d", "", "d", {}),
    ],
)
def test_a_uri_is_taken_literally(uri: str, authority: str, path: str, options: dict[str, str]) -> None:
    """Nothing in a path is percent-decoded; a query begins only at a `?` that a name and `=` follow."""
    place = parse_location(uri)
    assert (place.authority, place.path, dict(place.options)) == (authority, path, options)
    assert parse_location(place.uri()) == place


@pytest.mark.parametrize(
    ("uri", "secret"),
    [
        ("s3://AKIA123:hidden@b/d", "hidden"),
        ("s3://AKIA123@b/d", "AKIA123"),
        ("s3://b/d?access_key=hidden", "hidden"),
        ("s3://b/d?secret_key=hidden&region=x", "hidden"),
        ("s3://b/d?session_token=hidden", "hidden"),
        ("abfss://:hidden@account.dfs.core.windows.net/c", "hidden"),
        ("abfs://c@a.dfs.core.windows.net/d?client_secret=hidden", "hidden"),
        ("abfs://c@a.dfs.core.windows.net/d?sv=2024&sig=hidden", "hidden"),
        ("gs://b/d?access_token=hidden", "hidden"),
    ],
)
def test_credentials_are_refused_and_not_repeated(uri: str, secret: str) -> None:
    """They would go into the run folder; the message says which environment variables to use."""
    with pytest.raises(ConfigError, match=r"source s: credentials stand in a path.*environment: [A-Z_]{8,}") as caught:
        parse_location(uri, "source s")
    assert secret not in str(caught.value)


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("ftp://h/a", r"ftp:// is not known.*s3://.*gs://.*abfss://"),
        ("https://h/a.txt", r"https:// is not known"),
        ("s3://b/d?colour=red", r"'colour' is no option of s3://.*Known are anonymous, endpoint_override.*\[\?\]"),
        ("s3://", r"names no bucket"),
        ("s3:///d", r"names no bucket"),
        ("s3://b/d//x.txt", r"s3://b/d//x.txt has two slashes in a row"),
    ],
)
def test_what_cannot_be_read_is_refused(uri: str, message: str) -> None:
    """Unknown schemes, unknown options, and names without a bucket."""
    with pytest.raises(ConfigError, match=message):
        parse_location(uri)


def test_what_is_a_uri() -> None:
    """file:// is a local path; Windows-like and odd local names are no URIs."""
    assert [is_uri(path) for path in ("s3://b", "FILE:///a", "a:b/c", "a/s3://b", "~/x")] == [True, *[False] * 4]
    assert local_path("file://localhost/a/*") == "/a/*"
    assert without_options("data/?a=1") == "data/?a=1"
