"""Listing of object stores: URIs become files exactly as local patterns do, and every mistake has its one message."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.s3_server import BUCKET, Request, S3Server
from tests.stages.parts import a_source, faults_of, parts_of

from headrace.pipeline.globs import WILD
from headrace.pipeline.listing import cut_splits, resolve_source
from headrace.schemas.errors import ConfigError, HeadraceError

HERE = Path()
TREE = ("a.txt", "d/b.txt", "d/a.md", "d/x/c.txt", "d/.hid/e.txt", "d/x/y/f.md", "other/g.txt", "é/清 洗+%.txt")


@pytest.fixture(scope="module")
def tree(s3_session: S3Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder of small files."""
    folder = tmp_path_factory.mktemp("tree")
    for name in TREE:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


@pytest.fixture
def stored(s3: S3Server, tree: Path) -> S3Server:
    """Give the server with the tree below `top`."""
    s3.put_folder("top", tree)
    s3.requests.clear()
    return s3


@pytest.mark.parametrize(
    ("patterns", "exclude"),
    [
        (("",), ()),
        (("d",), ()),
        (("d/",), ()),
        (("d/*.txt",), ()),
        (("d/**",), ()),
        (("d/**/*.txt",), ()),
        (("**/*.md",), ()),
        (("d/?.md",), ()),
        (("[ad]*",), ()),
        (("d/*/c.txt",), ()),
        (("d/x*/**/*.md",), ()),
        (("a.txt",), ()),
        (("d/x/c.txt", "d/b.txt"), ()),
        (("d/*.txt", "other", "d"), ()),
        (("d", "no-*.txt"), ()),
        (("",), ("**/*.md", "other")),
        (("d",), ("x", "[!b].txt", "?.md")),
        (("é",), ()),
    ],
)
def test_patterns_mean_what_they_mean_on_a_disk(
    stored: S3Server, tree: Path, patterns: tuple[str, ...], exclude: tuple[str, ...]
) -> None:
    """Same files, same order, same relative paths, below the same folder: the doc_ids do not say where files lie."""
    local_root, local = resolve_source(a_source(*(f"{tree}/{p}" for p in patterns), exclude=exclude), HERE)
    uris = [stored.uri(f"top/{pattern}") for pattern in patterns]
    root, files = resolve_source(a_source(*uris, exclude=exclude), HERE)
    assert [(f.path, f.bytes) for f in files] == [(f.path, f.bytes) for f in local] != []
    below = Path(local_root).relative_to(tree).as_posix()
    assert root == stored.uri("top" if below == "." else f"top/{below}")
    assert all(f.mtime_ns % 10**9 == 0 and f.mtime_ns > 10**18 for f in files)


def test_one_listing_of_the_literal_prefix(stored: S3Server) -> None:
    """A glob asks for its literal folder only, and goes below it only where it must."""
    for pattern, query in (("top/d/**/*.txt", "prefix=top%2Fd%2F"), ("top/d/*.txt", "delimiter=%2F")):
        stored.requests.clear()
        resolve_source(a_source(stored.uri(pattern)), HERE)
        lists = [r.query for r in stored.requests if "list-type=2" in r.query and "max-keys=1000" in r.query]
        assert len(lists) == 1 and query in lists[0] and "prefix=top%2Fd%2F" in lists[0]


def test_a_whole_bucket(stored: S3Server) -> None:
    """The bucket alone is a folder, with and without a slash."""
    for uri in (f"s3://{BUCKET}?{stored.options}", f"s3://{BUCKET}/?{stored.options}"):
        root, files = resolve_source(a_source(uri), HERE)
        assert root == f"s3://{BUCKET}?{stored.options}"
        assert [f.path for f in files] == [f"top/{name}" for name in sorted(TREE, key=str.encode)]


def test_names_with_brackets_are_names(s3: S3Server) -> None:
    """An object that exists is taken literally."""
    s3.put("d/a[1].txt", b"x")
    assert [f.path for f in resolve_source(a_source(s3.uri("d/a[1].txt")), HERE)[1]] == ["a[1].txt"]
    assert WILD.search("d/a[1].txt")


def test_keys_that_are_no_paths_are_listed_and_reported(s3: S3Server) -> None:
    """Stores allow `a//b`, `./a` and bytes under the name of a folder; nothing is left out without a word."""
    s3.put("d/good.txt", b"good\n")
    for key in ("d//double.txt", "d/./dot.txt", "d/../up.txt", "d/x/", "d/x/in.txt", "d/k", "d/k/in.txt"):
        s3.put_raw(key, b"text\n")
    source = a_source(s3.uri("d"))
    root, files = resolve_source(source, HERE)
    (split,) = cut_splits(source, root, files, unit_bytes=100_000, first_index=0)
    parts = parts_of(split, source)
    read = [path for part in parts for path in part.documents["path"].to_pylist()]
    assert read == ["good.txt", "k", "k/in.txt", "x/in.txt"]
    assert {(row["path"], row["reason"]) for row in faults_of(parts)} == {
        (path, "unreadable_file") for path in ("/double.txt", "./dot.txt", "../up.txt", "x/")
    }


def listing_error(source_paths: list[str], **options: object) -> str:
    """Give the message of a listing that is refused, with its exit code."""
    with pytest.raises(HeadraceError) as caught:
        resolve_source(a_source(*source_paths, **options), HERE)
    assert "\n" not in str(caught.value)
    return f"exit {caught.value.exit_code}: {caught.value}"


def test_what_is_not_there(stored: S3Server) -> None:
    """Missing bucket, missing key, empty prefix, all excluded: each says which, and nothing was started."""
    options = stored.options
    assert listing_error([f"s3://no-such-bucket/d/*.txt?{options}"]).startswith(
        "exit 2: source s: s3://no-such-bucket: there is no such bucket. Check its name"
    )
    assert listing_error([f"s3://no-such-bucket/d?{options}"]).startswith("exit 2: source s: s3://no-such-bucket: ther")
    missing = listing_error([stored.uri("top/nothing.txt")])
    assert missing.startswith(f"exit 2: source s: an input is missing: s3://{BUCKET}/top/nothing.txt is not there.")
    empty = listing_error([stored.uri("top/none/*.txt")])
    assert empty == (
        f"exit 2: source s: no input file was found: nothing matches s3://{BUCKET}/top/none/*.txt. "
        f"Check the paths; s3://{BUCKET}/top/none was listed"
    )
    assert "after the exclusions" in listing_error([stored.uri("top")], exclude=("**",))


def test_paths_that_do_not_go_together(stored: S3Server, tree: Path) -> None:
    """One source is one folder: local paths, other buckets and other options are refused."""
    here = stored.uri("top/d")
    assert "exit 2: source s: a source mixes local paths and URIs" in listing_error([here, str(tree)])
    assert "s3://corpus and s3://other. Make a source of each" in listing_error(
        [here, f"s3://other/d?{stored.options}"]
    )
    assert "its options differ" in listing_error([here, f"s3://{BUCKET}/d"])
    assert "exit 2: source s: credentials stand in a path" in listing_error([f"{here}&secret_key=abc"])


@pytest.mark.parametrize("code", ["AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch"])
def test_who_may_not_list(stored: S3Server, code: str) -> None:
    """Wrong or missing credentials: exit code 2, the place, and where to set others."""
    stored.refuse = lambda request: (403, code)
    for path in ("top/d/*.txt", ""):
        message = listing_error([stored.uri(path)])
        assert message.startswith(f"exit 2: source s: s3://{BUCKET}: the store ")
        assert "AWS_PROFILE" in message and "anonymous=true" in message


def test_who_may_list_but_not_read(stored: S3Server) -> None:
    """Found out before the run starts; a single object that is denied is left to the run."""

    def deny(*names: str) -> None:
        def refuse(request: Request) -> tuple[int, str] | None:
            denied = request.method in ("GET", "HEAD") and request.path.endswith(names)
            return (403, "AccessDenied") if denied else None

        stored.refuse = refuse

    deny(".txt", ".md")
    message = listing_error([stored.uri("top/d")])
    assert message.startswith(f"exit 2: source s: no object can be read: s3://{BUCKET}/top/d: the store denies access")
    deny("a.md")
    assert len(resolve_source(a_source(stored.uri("top/d")), HERE)[1]) == 5


def test_a_store_that_does_not_answer(stored: S3Server, s3_environment: None) -> None:
    """That is no mistake in the configuration: exit code 1, in a second or two, with the endpoint in the message."""
    stored.refuse = lambda request: (503, "SlowDown")
    assert listing_error([stored.uri("top")]).startswith(f"exit 1: source s: s3://{BUCKET}: the store does not answer")
    message = listing_error([f"s3://{BUCKET}/top?endpoint_override=127.0.0.1:9&scheme=http&region=x"])
    assert "exit 1: source s: s3://corpus: the store does not answer" in message and "127.0.0.1:9" in message


def test_a_store_whose_driver_is_missing_is_a_mistake_of_the_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """HDFS needs a Java machine and Hadoop's classes: the message is the library's, on one line, without a trace."""
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(ConfigError, match=r"source s: hdfs://name:8020: the store cannot be read: .+HADOOP_USER_NAME"):
        resolve_source(a_source("hdfs://name:8020/d"), HERE)
