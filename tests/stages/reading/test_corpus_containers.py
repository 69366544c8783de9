"""The corpus's faults of containers, compression, tables, JSON lines and CSV come out as its truth says."""

from __future__ import annotations

import json
import struct
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.stages.parts import Outcome, a_source, a_split, faults_of, parts_of
from tests.stages.reading.same_parts import read_by_cursors, read_whole

CLEAN = "数据预处理是大模型训练的第一步。清洗、去重、分级，缺一不可。"
WANTED: dict[str, tuple[int, dict[str, int]]] = {  # documents, and what else became of records or file
    "bom-jsonl.jsonl": (1, {}),
    "bom-only-utf8.txt": (0, {"empty": 1}),
    "bom-only-utf16le.txt": (0, {"empty": 1}),
    "bom-only-utf32be.txt": (0, {"empty": 1}),
    "empty.txt": (0, {}),
    "empty.jsonl": (0, {}),
    "empty.jsonl.gz": (0, {}),
    "empty.parquet": (0, {"unreadable_parquet": 1}),
    "zero-rows.parquet": (0, {}),
    "blank-lines.jsonl": (1, {}),
    "broken-line.jsonl": (19, {"invalid_json": 1}),
    "crlf.jsonl": (4, {}),
    "deep-nest.jsonl": (0, {"invalid_json": 1}),
    "duplicate-keys.jsonl": (1, {}),
    "linesep-in-json.jsonl": (3, {}),
    "lone-surrogate.jsonl": (3, {}),
    "surrogate-pair-ok.jsonl": (1, {}),
    "nan-inf.jsonl": (1, {}),
    "no-final-newline.jsonl": (2, {}),
    "schema-drift.jsonl": (406, {}),
    "wrong-types.jsonl": (1, {"not_an_object": 4, "text_not_string": 4, "no_text_field": 1, "empty": 2}),
    "csv-quotes.csv": (3, {"invalid_csv": 4}),
    "bitflip.jsonl.gz": (500, {"corrupt": 1}),
    "bomb.jsonl.gz": (0, {"record_too_large": 1}),
    "one-line-50MB.jsonl.gz": (1, {}),
    "truncated.jsonl.gz": (329, {"truncated": 1}),
    "truncated.jsonl.zst": (0, {"truncated": 1}),  # its one block is cut: nothing of it can be unpacked
    "multi-member.jsonl.gz": (500, {}),
    "multi-frame.jsonl.zst": (500, {}),
    "gz-in-gz.jsonl.gz": (500, {}),
    "gz-named-plain.jsonl": (500, {}),
    "plain-named.jsonl.gz": (250, {}),
    "docs.jsonl.bz2": (250, {}),
    "300-rowgroups.parquet": (300, {}),
    "odd-types.arrow": (10, {"empty": 10}),
    "odd-types.parquet": (10, {"empty": 10}),
    "no-text-column.parquet": (0, {"no_text_column": 1}),
    "truncated.parquet": (0, {"unreadable_parquet": 1}),
    "jsonl-named.parquet": (0, {"unreadable_parquet": 1}),
    "png-named.jpg": (0, {"unsupported_format": 1}),
    "html-named.png": (0, {"unsupported_format": 1}),
    "cut.jpg": (0, {"unsupported_format": 1}),
}


@pytest.mark.parametrize("name", WANTED)
def test_made_faults(corpus: Path, name: str) -> None:
    """Documents and reasons are those wanted; a file without any says that it is empty."""
    result = Outcome(corpus / "bad" / "made", a_source(name))
    documents, reasons = WANTED[name]
    assert len(result.texts(name)) == documents
    assert Counter(result.reasons(name)) == reasons
    if not documents and not reasons:
        assert result.notes[name] == "empty"
    for row in result.settled:
        assert row["reason"] == "empty" or row["detail"]


def test_details_name_lines_bytes_and_columns(corpus: Path) -> None:
    """Somebody who opens the file finds the place."""
    made = corpus / "bad" / "made"
    for name, sign in (("broken-line.jsonl", None), ("csv-quotes.csv", None), ("truncated.jsonl.gz", "behind")):
        data = (made / name).read_bytes()
        for row in Outcome(made, a_source(name)).settled:
            line, byte = row["detail"].partition("line ")[2].partition(" (byte ")[::2]
            assert byte.startswith(f"{row['offset']}): ")
            if sign is None:
                assert data.count(b"\n", 0, row["offset"]) + 1 == int(line)
    (row,) = Outcome(made, a_source("no-text-column.parquet")).settled
    assert "the columns are: content" in row["detail"]
    (row,) = Outcome(made, a_source("truncated.parquet")).settled
    assert "cut off at byte 2773" in row["detail"]
    (row,) = Outcome(made, a_source("truncated.jsonl.gz")).settled
    assert "the compressed data ends at its byte 5614" in row["detail"]


def test_rows_with_quotes(corpus: Path) -> None:
    """Commas, doubled quotes and line breaks inside quotes belong to the text; each faulty row behind has its line."""
    result = Outcome(corpus / "bad" / "made", a_source("csv-quotes.csv"))
    assert result.texts("csv-quotes.csv") == [CLEAN, 'a "quoted" word, and a comma', "line one\nline two"]
    assert [row["detail"].partition(" (")[0] for row in result.settled] == ["line 6", "line 7", "line 8", "line 9"]


def test_one_line_of_fifty_megabytes(corpus: Path) -> None:
    """It is one document of all its characters."""
    result = Outcome(corpus / "bad" / "made", a_source("one-line-50MB.jsonl.gz"))
    assert [len(text) for text in result.texts("one-line-50MB.jsonl.gz")] == [31_868_403]


BUGS: dict[str, int] = {
    "031-text-1m-chars.txt.gz": 1,
    "039-line-2mb.jsonl.gz": 3,
    "041-null-then-string.jsonl": 3050,
    "043-mixed-int-string.jsonl": 10,
    "045-nested-mixed.jsonl": 1,
    "047-multibyte-at-cut.jsonl.gz": 300,
    "049-upper-case-ending.JSONL": 1,
    "053-lmdb-fork.jsonl": 64,
    "069-two-frames.jsonl.zst": 2,
}


@pytest.mark.parametrize("name", BUGS)
def test_reported_bugs_of_readers(corpus: Path, name: str) -> None:
    """All documents are there, the same in units of any size and from any cursor."""
    whole = read_whole(corpus / "bugs", name, a_source(), 1 << 24)
    assert (len(whole[0]), whole[1]) == (BUGS[name], [])
    for unit_bytes in (1009, 65_536):
        assert read_by_cursors(a_split(corpus / "bugs", name), a_source(), unit_bytes) == whole


def test_types_that_change_inside_a_file(corpus: Path) -> None:
    """Null and string, number and string, nested lists: each record keeps its own."""
    bugs = Outcome(corpus / "bugs", a_source("04*.jsonl"))
    urls = [_values(row)[0]["url"] for row in bugs.documents if row["path"].startswith("041")]
    assert urls[:3000] == [None] * 3000
    assert all(urls[3000:])
    kinds = {type(v) for row in bugs.documents if row["path"].startswith("043") for v in _values(row)[0].values()}
    assert {int, str} <= kinds
    assert not bugs.settled


def _values(row: dict[str, Any]) -> list[Any]:
    return list(json.loads(row["metadata"]).values())


def test_a_table_without_footer_stops_nothing(corpus: Path) -> None:
    """It is named with what is missing, and the other files of the folder are read."""
    result = Outcome(corpus / "bugs", a_source("05*"))
    assert result.reasons("051-no-footer.parquet") == ["unreadable_parquet"]
    assert len(result.texts("053-lmdb-fork.jsonl")) == 64


def test_bad_tables_of_others(corpus: Path) -> None:
    """Each column of Apache's bad files taken as text: refused or read, never an end of the process."""
    folder = corpus / "bad" / "parquet-testing"
    reasons: Counter[str] = Counter()
    for path in sorted(folder.iterdir()):
        for column in _columns(path):
            parts = parts_of(a_split(folder, path.name), a_source(text_field=column))
            reasons.update(fault["reason"] for fault in faults_of(parts))
    assert reasons["unreadable_parquet"] >= 2
    assert set(reasons) <= {"unreadable_parquet", "no_text_column"}


def _columns(path: Path) -> list[str]:
    try:
        return [*pq.read_schema(path).names, "text"]
    except (OSError, ValueError, struct.error):
        return ["text"]
