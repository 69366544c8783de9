from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from tests.pipeline.made_run import BROKEN_ID, COPY_ID, KEPT_IDS, LONG, SHORT_IDS, lines_of, make_run

from headrace.pipeline.explain import explain
from headrace.pipeline.shard_rows import Piece, pieces_of, read_shard
from headrace.schemas.errors import ConfigError, FormatError


def test_a_dropped_document_is_explained_by_rule_value_and_threshold(tmp_path: Path) -> None:
    """The verdict names the stage that decided and what it measured."""
    found = explain(make_run(tmp_path), SHORT_IDS[1])
    verdict = ("dropped", "clean", "characters", 5.0, 50.0)
    assert tuple(found[name] for name in ("verdict", "stage", "reason", "value", "threshold")) == verdict
    assert found["values"] == {"characters": 5.0}
    assert (found["shard"], found["survivor"]) == (None, None)


def test_a_repeated_document_names_the_survivor_and_where_it_is(tmp_path: Path) -> None:
    """The survivor may be in another unit."""
    found = explain(make_run(tmp_path), COPY_ID)
    assert (found["reason"], found["value"], found["place"]["unit"]) == ("near_duplicate", 0.97, 1)
    assert found["survivor"]["doc_id"] == KEPT_IDS[0]
    assert (found["survivor"]["place"]["unit"], found["survivor"]["place"]["row"]) == (0, 0)


def test_a_quarantined_document_brings_the_errors_own_words(tmp_path: Path) -> None:
    """What could not be read says why."""
    found = explain(make_run(tmp_path), BROKEN_ID)
    assert (found["verdict"], found["stage"], found["detail"]) == ("quarantined", "decode", "invalid byte at 17")


@pytest.mark.parametrize("form", ["arrow", "lmdb"])
def test_the_pieces_of_a_kept_document_hold_exactly_its_tokens(tmp_path: Path, form: str) -> None:
    """Shard, sequence and token range lead to the document's own bytes, put together in order."""
    run = make_run(tmp_path, form)
    found = explain(run, KEPT_IDS[1])
    shard = lines_of(run)[0].shard
    assert shard is not None
    assert (found["shard"]["line"], found["shard"]["file"]) == (0, shard.file.name)
    sequences = [row for table in read_shard(run, shard, ["tokens"]) for row in table["tokens"].to_pylist()]
    pieces = [Piece(**piece) for piece in found["shard"]["pieces"]]
    assert len(pieces) > 1
    ids = [token for piece in pieces for token in sequences[piece.sequence][piece.begin : piece.end]]
    assert bytes(ids[:-1]).decode() == f"{LONG} b"
    assert [piece.start for piece in pieces] == [64 * number for number in range(len(pieces))]


def test_pieces_of_two_documents_in_one_sequence_are_told_apart(tmp_path: Path) -> None:
    """A piece begins where the one before it ends."""
    run = make_run(tmp_path)
    shard = lines_of(run)[0].shard
    assert shard is not None
    every = [piece for unit in (0, 1) for piece in pieces_of(run, shard, unit, 0)]
    assert sum(piece.end - piece.begin for piece in every) == shard.tokens
    assert pieces_of(run, shard, 0, 1) == []


def test_a_run_of_texts_shows_the_text_from_its_shard(tmp_path: Path) -> None:
    """Parquet shards hold the text, the documents file does not."""
    found = explain(make_run(tmp_path, "parquet"), KEPT_IDS[2])
    assert (found["text"], found["characters"]) == (f"{LONG} c", len(LONG) + 2)
    assert found["shard"]["pieces"] == []


@pytest.mark.parametrize(
    ("typed", "suggested"),
    [
        ("web:a.txt#880", "did you mean web:a.txt#900 or web:a.txt#0?"),
        ("web:a.txt", "did you mean web:a.txt#0 or web:a.txt#900?"),
        ("web:brokn.txt#0", "did you mean web:broken.txt#0 or "),
        ("copy.txt", "did you mean web:copy.txt#0?"),
        ("nothing like it", "a doc_id is source:path#offset, as in documents/"),
    ],
)
def test_an_unknown_id_brings_the_nearest_ones(tmp_path: Path, typed: str, suggested: str) -> None:
    """The nearest offset of the same file, else files with a similar name."""
    with pytest.raises(ConfigError) as refusal:
        explain(make_run(tmp_path), typed)
    assert refusal.value.remedy.startswith(suggested)


def test_an_unknown_id_of_a_growing_run_says_from_where_it_is_not_committed(tmp_path: Path) -> None:
    """The document may still come."""
    with pytest.raises(ConfigError, match="units from 3 on are not committed"):
        explain(make_run(tmp_path, end=False), "web:d.txt#0")


def test_a_damaged_shard_is_a_message_and_no_traceback(tmp_path: Path) -> None:
    """The file is named, and what to do."""
    run = make_run(tmp_path)
    for path in (run / "shards").iterdir():
        path.write_bytes(b"not a shard")
    with pytest.raises(FormatError, match=r"shards/0+-\w+\.arrow: the shard cannot be read: ArrowInvalid"):
        explain(run, KEPT_IDS[0])


def test_a_shard_of_another_version_is_refused(tmp_path: Path) -> None:
    """Version 2 is not read as if it were 1."""
    run = make_run(tmp_path)
    shard = lines_of(run)[0].shard
    assert shard is not None
    path = run / shard.file.name
    with pa.ipc.open_file(path) as file:
        table = file.read_all()
    newer = table.replace_schema_metadata({b"headrace.shard.version": b"2"})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, newer.schema) as writer:
        writer.write_table(newer)
    with pytest.raises(FormatError, match="shard version b'2' is not known"):
        list(read_shard(run, shard))
