from __future__ import annotations

import hashlib
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from tests.loader.token_runs import TokenRun, make_run

from headrace.loader.follow import Published
from headrace.schemas.errors import ConfigError, FormatError
from headrace.schemas.manifest import MANIFEST, ManifestLine


def test_lines_that_are_not_published_do_not_exist(tmp_path: Path) -> None:
    """A line in the file counts only when the published count reaches it."""
    run, published = TokenRun(tmp_path), Published(tmp_path)
    assert not published.poll()
    run.add(2)
    run.add(2, publish=False)
    assert published.poll()
    assert (len(published.shards), published.ended) == (1, False)
    run.end()
    assert published.poll()
    assert (len(published.shards), published.ended) == (2, True)


def test_the_prefix_hash_is_that_of_the_bytes(tmp_path: Path) -> None:
    """The hash of n lines is the SHA-256 of their bytes in the file, whenever they were read."""
    run, published = make_run(tmp_path, [1, 1], end=False), Published(tmp_path)
    published.poll()
    run.add(1)
    published.poll()
    raw = (tmp_path / MANIFEST).read_bytes().splitlines(keepends=True)
    for n in range(4):
        assert published.prefix_sha256(n) == hashlib.sha256(b"".join(raw[:n])).hexdigest()


def test_a_torn_tail_behind_the_published_lines_is_ignored(tmp_path: Path) -> None:
    """A writer may be in the middle of the next line."""
    run, published = make_run(tmp_path, [1], end=False), Published(tmp_path)
    (tmp_path / MANIFEST).write_bytes(run.lines[0] + b'{"torn')
    published.poll()
    assert published.lines == 1


def test_an_altered_line_is_refused(tmp_path: Path) -> None:
    """The line's checksum is checked."""
    make_run(tmp_path, [1, 2])
    raw = (tmp_path / MANIFEST).read_bytes()
    (tmp_path / MANIFEST).write_bytes(raw.replace(b'"sequences":2', b'"sequences":3'))
    with pytest.raises(FormatError, match="line 2: the line was altered"):
        Published(tmp_path).poll()


def test_a_lost_line_is_refused(tmp_path: Path) -> None:
    """Fewer lines than published is a damaged run."""
    run = make_run(tmp_path, [1, 2], end=False)
    (tmp_path / MANIFEST).write_bytes(run.lines[0])
    with pytest.raises(FormatError, match="2 lines are published, 1 are there"):
        Published(tmp_path).poll()


def test_a_run_that_was_started_anew_is_noticed(tmp_path: Path) -> None:
    """Fewer lines than before means another run in the same folder."""
    make_run(tmp_path, [1, 2])
    published = Published(tmp_path)
    published.poll()
    make_run(tmp_path, [1], end=False)
    with pytest.raises(FormatError, match="replaced while it was read"):
        published.poll()


def test_a_run_of_documents_is_refused(tmp_path: Path) -> None:
    """Parquet output holds no tokens, and the message says which options give some."""
    run = make_run(tmp_path, [1], end=False)
    line = ManifestLine.decode(run.lines[0], 0)
    assert line.shard is not None
    run.lines[0] = replace(line, shard=replace(line.shard, format="parquet")).encode()
    (tmp_path / MANIFEST).write_bytes(run.lines[0])
    with pytest.raises(ConfigError, match=r"not token shards.*format: parquet.*tokenize"):
        Published(tmp_path).poll()


def test_a_copy_in_another_process_reads_the_manifest_itself(tmp_path: Path) -> None:
    """Pickling keeps the run only."""
    make_run(tmp_path, [1, 2])
    published = Published(tmp_path)
    published.poll()
    copy = pickle.loads(pickle.dumps(published))
    copy.poll()
    assert copy.shards == published.shards
