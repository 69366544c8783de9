"""Parsing: every record becomes documents or is named with the reason, and metadata is strict JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stages.parts import UNIT, Outcome, a_source, a_split, outcome, parts_of
from tests.stages.parts import parsed as decoded_and_parsed_batch
from tests.stages.reading.made_warcs import http, record

from headrace.schemas.document import DOCUMENT_SCHEMA
from headrace.schemas.unit import UnitBatch
from headrace.stages.parse import Parse
from headrace.stages.parsing.extraction.engines import by_headrace as main_text
from headrace.stages.parsing.json_values import parsed, spelled

CLEAN = "数据预处理是大模型训练的第一步。清洗、去重、分级，缺一不可。"


def strict(metadata: str) -> Any:
    """Read JSON and refuse NaN and infinity."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(metadata, parse_constant=refuse)


@pytest.mark.parametrize(
    ("content", "options", "texts"),
    [
        (b"a\r\nb\rc\n\n", {}, ["a\nb\nc"]),
        (b"a\0b\0", {}, ["ab"]),
        (b"one\r\n\r\n \ntwo", {"records": "lines"}, ["one", "two"]),
        (b"one\r\nmore\r\n\r\ntwo\n", {"records": "paragraphs"}, ["one\nmore", "two"]),
        (b"  indented\n", {"records": "lines"}, ["  indented"]),
    ],
)
def test_plain_text(tmp_path: Path, content: bytes, options: dict[str, str], texts: list[str]) -> None:
    """Line ends become line feeds, those at the end of a record go, NUL goes; all else stays."""
    assert outcome(tmp_path, "f.txt", content, **options).texts("f.txt") == texts


@pytest.mark.parametrize("content", [b"\xef\xbb\xbf", b" \n\t\n", "\u3000\u3000".encode(), b"\0\0\0"])
def test_white_space_is_no_document(tmp_path: Path, content: bytes) -> None:
    """It is dropped as empty, or the file is counted as one without content."""
    result = outcome(tmp_path, "f.txt", content)
    assert not result.documents
    assert [row["verdict"] for row in result.settled] == ["dropped"]
    assert result.reasons("f.txt") == ["empty"]


LINES: list[tuple[bytes, str | None, dict[str, Any] | None]] = [
    (b'{"text": "x"}', "x", None),
    (b'{"text": "x", "b": 1, "a": [null, true]}', "x", {"a": [None, True], "b": 1}),
    (b'{"text": "first", "text": "last"}', "last", None),
    (rb'{"text": "\u524d\ud800\u540e"}', "前\ufffd后", None),
    (rb'{"text": "\ud83d\ude00", "k\udc00": "\udfff"}', "😀", {"k\ufffd": "\ufffd"}),
    (b'{"text": "x", "n": NaN, "i": -Infinity, "big": 1e999}', "x", {"n": None, "i": None, "big": None}),
    (b'{"text": "x", "n": 123456789012345678901234567890}', "x", {"n": 123456789012345678901234567890}),
    (b'{"text": "x", "n": 18446744073709551616, "o": [1e2]}', "x", {"n": 18446744073709551616, "o": [100.0]}),
    ('{"text": "a\u2028b"}'.encode(), "a\u2028b", None),
    (b'\t{"text": "x"}\r', "x", None),
]


@pytest.mark.parametrize(("line", "text", "metadata"), LINES)
def test_json_lines(tmp_path: Path, line: bytes, text: str, metadata: dict[str, Any] | None) -> None:
    """The text is taken out; the other fields are kept as strict JSON with sorted keys."""
    (document,) = outcome(tmp_path, "f.jsonl", line + b"\n").documents
    assert document["text"] == text
    assert (strict(document["metadata"]) if document["metadata"] else None) == metadata
    if metadata:
        assert list(strict(document["metadata"])) == sorted(metadata)


@pytest.mark.parametrize(
    ("line", "reason", "detail"),
    [
        (b'{"text": "x"', "invalid_json", "line 2 (byte 14): "),
        (b'{"text": "x"} {"text": "y"}', "invalid_json", "Extra data"),
        (b'{"text": "a\tb"}', "invalid_json", "control character"),
        (b"{'text': 1}", "invalid_json", "at character 1"),
        (b"[" * 100_000, "invalid_json", "nested more than 250 levels"),
        (b'{"text": "x", "m": ' + b"[" * 900 + b"]" * 900 + b"}", "invalid_json", "nested more than 250 levels"),
        (b'{"text": "x", "n": ' + b"1" * 5000 + b"}", "invalid_json", "digits"),
        (b'{"text": null}', "empty", None),
        (b'{"text": " \\n"}', "empty", None),
        (b'{"text": 5}', "text_not_string", "holds a number"),
        (b'{"text": ["a"]}', "text_not_string", "holds an array"),
        (b'{"text": "a\tb"}', "invalid_json", "Invalid control character at character 11"),
        (b'{"text": {"a": 1}}', "text_not_string", "holds an object"),
        (b'{"text": true}', "text_not_string", "holds a boolean"),
        (b"{}", "no_text_field", "no field 'text': the object is empty"),
        (b"2.5", "not_an_object", "a number"),
        (b'"a"', "not_an_object", "a string"),
        (b'{"txt": "x", "b": 1}', "no_text_field", "no field 'text'; the fields are: b, txt"),
        (b'["text"]', "not_an_object", "an array"),
        (b"null", "not_an_object", "null"),
    ],
)
def test_lines_that_give_no_document(tmp_path: Path, line: bytes, reason: str | None, detail: str | None) -> None:
    """Each is counted under its reason with its place; the lines around it are kept."""
    result = outcome(tmp_path, "f.jsonl", b'{"text": "a"}\n' + line + b'\n{"text": "b"}\n')
    assert [t for t in result.texts("f.jsonl") if t != "x"] == ["a", "b"]
    assert result.reasons("f.jsonl") == ([reason] if reason else [])
    if reason:
        (row,) = result.settled
        assert row["doc_id"] == "s:f.jsonl#14"
        assert row["verdict"] == ("dropped" if reason == "empty" else "quarantined")
        assert detail is None or detail in row["detail"]


def test_the_address_has_a_column(tmp_path: Path) -> None:
    """A field `url` that is a string goes there; anything else under that name stays metadata."""
    lines = b'{"text": "x", "url": "http://a.example/"}\n{"text": "y", "url": 5}\n'
    one, two = outcome(tmp_path, "f.jsonl", lines).documents
    assert (one["url"], one["metadata"]) == ("http://a.example/", None)
    assert (two["url"], two["metadata"]) == (None, '{"url":5}')


@pytest.mark.parametrize(
    ("kind", "body", "own"),
    [
        (
            "text/html; charset=utf-8",
            b"<html><title>T</title><p>Some text.</p></html>",
            "title",
        ),
        ("application/json", b'{"text": "Some text.", "author": "A"}', "author"),
        ("text/plain", b"Some text.", None),
    ],
    ids=["html", "json", "text"],
)
def test_what_the_container_says_stays(tmp_path: Path, kind: str, body: bytes, own: str | None) -> None:
    """The record of a web crawl keeps its date, status and place beside what the page says of itself."""
    found = outcome(tmp_path, "a.warc", record(http(body, kind)))
    (row,) = found.documents
    said = strict(row["metadata"])
    assert said["warc"]["status"] == 200
    assert set(said) == {"warc", own} - {None}


def test_the_text_may_be_a_list(tmp_path: Path) -> None:
    """`text_field: name[]` joins a list of strings with line breaks, and takes nothing else."""
    lines = b'{"body": ["a", "b"]}\n{"body": "c"}\n{"body": [1]}\n'
    result = outcome(tmp_path, "f.jsonl", lines, text_field="body[]")
    assert result.texts("f.jsonl") == ["a\nb"]
    assert result.reasons("f.jsonl") == ["text_not_string"] * 2


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=[])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(value=_VALUES)
def test_any_value_has_a_strict_spelling(value: Any) -> None:
    """Whatever Python's writer lets through is read, and spelled as JSON that can be written as UTF-8."""
    spelling = spelled(parsed(json.dumps(value).encode(), exact=True))
    strict(spelling)
    assert spelled(parsed(spelling.encode(), exact=True)) == spelling


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("space", ["", " \n"])
def test_elements_of_an_array_are_named_by_their_bytes(tmp_path: Path, encoding: str, space: str) -> None:
    """The offset in a doc_id is where the element begins in the file, in whatever charset that is."""
    items = [{"text": f"{CLEAN}{n}", "n": n} for n in range(4)]
    spellings = [json.dumps(item, ensure_ascii=False) for item in items]
    text = f"{space}[{space}" + f"{space},{space}".join(spellings) + f"{space}]{space}"
    data = text.encode(encoding)
    result = outcome(tmp_path, "f.json", data)
    assert [d["text"] for d in result.documents] == [item["text"] for item in items]
    plain = encoding.removesuffix("-sig") if encoding != "utf-16" else "utf-16-le"
    for document, spelling in zip(result.documents, spellings, strict=True):
        place = document["offset"]
        assert document["doc_id"] == f"s:f.json#{place}"
        assert data[place:].decode(plain).startswith(spelling)


def test_json_files(tmp_path: Path) -> None:
    """One object is one document; an array without elements is empty; a fault ends an array, not what came before."""
    assert outcome(tmp_path, "a.json", b' {"text": "x", "n": 1} ').texts("a.json") == ["x"]
    assert outcome(tmp_path, "b.json", b" [ ] ").reasons("b.json") == ["empty"]
    assert outcome(tmp_path, "c.json", b'"x"').reasons("c.json") == ["not_an_object"]
    assert outcome(tmp_path, "d.json", b'{"text": "x"').reasons("d.json") == ["invalid_json"]
    for rest in (b"", b'{"text": ', b'{"text": "y"}', b"]", b'{"text": "y"}]]', b"nul]", b"[" * 100_000):
        result = outcome(tmp_path, "e.json", b'[{"text": "x"}, ' + rest)
        assert result.texts("e.json") == ["x", "y"] if b"y" in rest else ["x"]
        assert result.reasons("e.json") == ["invalid_json"]
        assert result.settled[0]["detail"]
    result = outcome(tmp_path, "f.json", b'[{"text": "x"}, {"text"}, [1], {"text": "y,]\\""}]')
    assert result.texts("f.json") == ["x", 'y,]"']
    assert [(row["reason"], row["offset"]) for row in result.settled] == [("invalid_json", 16), ("not_an_object", 26)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_with_any_delimiter(tmp_path: Path, delimiter: str) -> None:
    """The header names the fields; its delimiter is used; each row is its own document with its own offset."""
    data = delimiter.join(("id", "text", "url")) + "\r\n"
    data += delimiter.join(("1", f'"{delimiter}said ""so""\r\nagain"', "http://x")) + "\r\n"
    data += delimiter.join(("2", CLEAN, "")) + "\r\n"
    result = outcome(tmp_path, "f.csv", data.encode("gbk"))
    one, two = result.documents
    assert (one["text"], one["url"], one["metadata"]) == (f'{delimiter}said "so"\nagain', "http://x", '{"id":"1"}')
    assert (two["text"], two["encoding"]) == (CLEAN, "gb18030")


def test_quotes_mean_nothing_between_tabs(tmp_path: Path) -> None:
    """A .tsv file is lines and tabs: a lone quote swallows nothing."""
    result = outcome(tmp_path, "f.tsv", b'text\tn\n"half\t1\nnext\t2\n')
    assert result.texts("f.tsv") == ['"half', "next"]


def test_csv_rows_that_do_not_fit(tmp_path: Path) -> None:
    """Too many or too few fields, quotes that never close: quarantined with the line, the other rows are kept."""
    result = outcome(tmp_path, "f.csv", b'id,text\n1,a\n2,b,c\n3\n4,d\n5,"open\n6,e\n')
    assert [(row["text"], row["offset"]) for row in result.documents] == [("a", 8), ("d", 20), ("e", 32)]
    assert [(row["reason"], row["offset"]) for row in result.settled] == [
        ("invalid_csv", 12),
        ("invalid_csv", 18),
        ("invalid_csv", 24),
    ]
    assert "3 fields where the header has 2" in result.settled[0]["detail"]


def test_long_fields_of_csv(tmp_path: Path) -> None:
    """The limit is the source's, not the csv module's 128 KiB."""
    assert outcome(tmp_path, "f.csv", b"text,n\n" + b"x" * 300_000 + b",1\n").texts("f.csv") == ["x" * 300_000]


MENU = "".join(f'<li><a href="/{n}">{word}</a></li>' for n, word in enumerate(("Home", "About us", "Contact")))
ARTICLE = "".join(f"<p>{CLEAN} Paragraph {n} of the article says this.</p>" for n in range(6))
PAGE = f"""<!DOCTYPE html><html><head><title>The &amp; title</title><style>p {{}}</style></head><body>
<nav><ul>{MENU}</ul></nav><article><h1>Heading</h1>{ARTICLE}</article>
<footer><a href="/p">Privacy</a> <a href="/t">Terms of use</a></footer><script>var x = "secret";</script></body></html>
"""


def test_pages_give_their_main_text(tmp_path: Path) -> None:
    """Menus, footers and scripts go; the title is metadata."""
    (document,) = outcome(tmp_path, "f.html", PAGE.encode("gbk")).documents
    assert "Paragraph 5" in document["text"]
    assert not any(word in document["text"] for word in ("About us", "Privacy", "secret"))
    assert document["metadata"] == '{"title":"The & title"}'


@pytest.mark.parametrize(
    ("page", "wanted"),
    [
        ("<html><body><script>var a = 1;</script><style>p{}</style><noscript>js</noscript></body></html>", ""),
        ("<div>" * 400 + CLEAN * 4 + "</div>" * 400, CLEAN),
        ("<div>" * 20_000 + CLEAN * 4, CLEAN),
        ("<ul><li>" * 20_000 + CLEAN, CLEAN),
        ("".join(f"<b a={n}>" for n in range(400)) + f"<p>{CLEAN}" * 5000, CLEAN),
        ("<html><body><p>ab\0cd", "abcd"),
        ("<p>One sentence.<p>Another sentence", "Another sentence"),
        ("<a " + "x=1 " * 100_000 + ">正文正文</a>", "正文正文"),
    ],
)
def test_pages_that_are_broken(page: str, wanted: str) -> None:
    """Depth, NUL, missing ends and endless attributes cost no text and no exception."""
    text = main_text(page)
    assert wanted in text
    assert bool(text) == bool(wanted)


def test_the_same_page_gives_the_same_text() -> None:
    """Nothing is remembered from page to page."""
    other = PAGE.replace("Paragraph", "Section")
    assert len({(main_text(PAGE), main_text(other)) for _ in range(5)}) == 1


def test_a_large_page_is_quick() -> None:
    """Beyond 20,000 tags the quick extractor does it alone, and nothing is lost."""
    assert (
        main_text("<p>" + "</p><p>".join(f"Sentence number {n} of many." for n in range(50_000))).count("many")
        == 50_000
    )


def test_cells_of_a_table(tmp_path: Path) -> None:
    """Cells without text are dropped as empty; the other columns come along as metadata."""
    pq.write_table(pa.table({"text": [CLEAN, None, "", "b\r\n"], "n": [1, 2, 3, 4]}), tmp_path / "f.parquet")
    result = Outcome(tmp_path, a_source("f.parquet"))
    assert result.texts("f.parquet") == [CLEAN, "b\n"]
    assert result.reasons("f.parquet") == ["empty", "empty"]
    assert [d["metadata"] for d in result.documents] == ['{"n":1}', '{"n":4}']


def test_documents_have_the_schema_and_the_order(tmp_path: Path) -> None:
    """Files of all formats in one unit come out in their order, with the columns of a document and no others."""
    files = {
        "a.txt": CLEAN.encode(),
        "b.json": b'[{"text": "b0"}, {"text": "b1"}]',
        "c.csv": b"text\nc\n",
        "d.html": PAGE.encode(),
        "e.jsonl": b'{"text": "e"}\n',
        "f.txt": b"f",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    result = Outcome(tmp_path, a_source("."))
    assert [d["path"] for d in result.documents] == ["a.txt", "b.json", "b.json", "c.csv", "d.html", "e.jsonl", "f.txt"]
    assert list(result.documents[0]) == DOCUMENT_SCHEMA.names
    assert result.counts == dict.fromkeys(files, 1)


def test_a_unit_without_records() -> None:
    """It has the columns of a document, and verdicts that say nothing."""
    from tests.stages.parts import parsed as decoded_and_parsed

    from headrace.schemas.document import RAW_SCHEMA
    from headrace.schemas.unit import UnitBatch

    batch = decoded_and_parsed(UnitBatch(0, RAW_SCHEMA.empty_table()))
    assert batch.documents.schema.equals(DOCUMENT_SCHEMA)
    assert Parse().kind == "parse"


@pytest.mark.parametrize("unit_bytes", [40, UNIT])
@pytest.mark.parametrize("bad", ['500,"open', '500,5" wide', '500,a "word"', '500,"x" y', "500,a,b", "500"])
def test_one_bad_row_in_a_thousand_costs_itself(tmp_path: Path, bad: str, unit_bytes: int) -> None:
    """Stray quotes swallow nothing: the other rows are there, each with its place, and the bad one has its line."""
    rows = [f'{n},"text {n}, quoted"' if n % 3 else f"{n},text {n}" for n in range(1000)]
    rows[500] = bad
    data = "id,text\n" + "\n".join(rows) + "\n"
    (tmp_path / "f.csv").write_text(data)
    result = Outcome(tmp_path, a_source("f.csv"), unit_bytes)
    refused = {row["offset"] for row in result.settled}
    good = bad == '500,a "word"'
    assert refused == (set() if good else {data.index(bad)})
    assert len(result.documents) == 1000 - len(refused)
    assert all(row["detail"].startswith(f"line 502 (byte {row['offset']}): ") for row in result.settled)
    for row in result.documents:
        assert data[row["offset"] :].startswith(f"{orjson.loads(row['metadata'])['id']},")


def test_lines_that_may_belong_together_are_not_taken_apart(tmp_path: Path) -> None:
    """A field of several lines whose end is broken is refused as a whole: its lines are no rows."""
    result = outcome(tmp_path, "f.csv", b'id,text\n0,a\n1,"one, x\ntwo, y\nthree" z, w\n2,"b"\n3,c\n')
    assert result.texts("f.csv") == ["a", "c"]
    assert [row["reason"] for row in result.settled] == ["invalid_csv"]


def test_the_url_of_a_container_counts_more(tmp_path: Path) -> None:
    """Where a container says from where a record was fetched, that is the url; the record's own stays in metadata."""
    (tmp_path / "f.jsonl").write_bytes(b'{"text": "a", "url": "inside"}\n{"text": "b", "url": "inside"}\n')
    (part,) = parts_of(a_split(tmp_path, "f.jsonl"), a_source())
    urls = pa.array(["http://outside", None])
    records = part.documents.set_column(part.documents.schema.get_field_index("url"), "url", urls)
    table = decoded_and_parsed_batch(UnitBatch(0, records)).documents
    assert table["url"].to_pylist() == ["http://outside", "inside"]
    assert table["metadata"].to_pylist() == ['{"url":"inside"}', None]


def test_text_inside_objects(tmp_path: Path) -> None:
    """`a.b` is field b of the object a, unless a field has that very name; what else is in a stays in the metadata."""
    lines = (
        b'{"a": {"b": "deep", "c": 1}, "k": 2}\n{"a": {"b": "alone"}}\n{"a.b": "flat", "a": {"b": "x"}}\n'
        b'{"a": "none"}\n{"a": {"b": 3}}\n'
    )
    result = outcome(tmp_path, "f.jsonl", lines, text_field="a.b")
    assert [(row["text"], row["metadata"]) for row in result.documents] == [
        ("deep", '{"a":{"c":1},"k":2}'),
        ("alone", None),
        ("flat", '{"a":{"b":"x"}}'),
    ]
    assert [(row["reason"], row["detail"].partition(":")[0]) for row in result.settled] == [
        ("no_text_field", "line 4 (byte 92)"),
        ("text_not_string", "line 5 (byte 106)"),
    ]


def test_elements_of_arrays_have_lines(tmp_path: Path) -> None:
    """A broken element of a JSON file is named by its line and its byte, in any charset."""
    text = '[\n{"text": "清洗"},\n\n{"text": 1},\n{"text": }\n]\nrest'
    for encoding in ("utf-8", "gb18030", "utf-16-le"):
        result = outcome(tmp_path, "f.json", text.encode(encoding))
        places = [(row["reason"], row["detail"].partition(":")[0]) for row in result.settled]
        wanted = ((4, "text_not_string", '{"text": 1'), (5, "invalid_json", '{"text": }'), (7, "invalid_json", "rest"))
        assert places == [
            (reason, f"line {line} (byte {len(text[: text.index(sign)].encode(encoding))})")
            for line, reason, sign in wanted
        ]
