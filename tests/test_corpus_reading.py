"""The whole corpus through listing, reading, decoding and parsing: nothing unaccounted for, and the wanted outcomes."""

from __future__ import annotations

import csv
import json
import re
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.stages.parts import Outcome, a_source

pytestmark = pytest.mark.slow

CLEAN = "数据预处理是大模型训练的第一步。清洗、去重、分级，缺一不可。"
ENGLISH = "The quick pipeline reads every record exactly once, then stops."
# Kinds of the manifest whose files are text that can be read; the others hold faults, images, archives, truths.
READABLE = (
    *("arrow", "dup", "en-book", "en-docs", "en-quotes", "encoding", "encoding-table", "html+gold", "html-en"),
    *("html+reference", "html-zh-hans", "html/xml", "word list", "zh-classical", "zh-code-mixed", "zh-hans/hant-pair"),
    *("zh-modern-tech", "zh-novel", "zh-parallel", "zh-s2t"),
)
NO_TEXT = ("metadata.json", "sitemap.xml", "sitemap.xml.gz")  # what is wanted of a page, and lists of addresses
# Labels of the manifest that name a part of what is really in the files; EUC-TW has no codec.
CODECS = {"gb2312": "gb18030", "big5": "big5hkscs", "shift_jis": "cp932", "euc-tw": None}


def manifest(corpus: Path) -> list[dict[str, str]]:
    """Give the rows of the corpus's own list."""
    with (corpus / "MANIFEST.tsv").open(encoding="utf-8") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture(scope="module")
def whole(corpus: Path) -> Outcome:
    """Read everything as one source, the way a user would point at a folder."""
    return Outcome(corpus, a_source("."), 4_000_000)


def test_every_file_is_accounted_for(whole: Outcome, corpus: Path) -> None:
    """Each file has a count, and one that gave nothing says why: empty, a fault, or what its records were."""
    listed = {row["path"] for row in manifest(corpus)}
    assert listed <= {file.path for file in whole.files}
    assert {file.path for file in whole.files} == set(whole.counts)
    silent = set(whole.counts) - {row["path"] for row in (*whole.documents, *whole.settled)}
    unexplained = {path for path in silent if whole.notes[path] != "empty" and not whole.others[path]}
    assert not unexplained


def test_nothing_raised_and_every_fault_has_its_file(whole: Outcome) -> None:
    """No exception stood in for a judgement, and each settled row names file, reason and stage."""
    assert not [row for row in whole.settled if row["reason"] == "exception"]
    for row in whole.settled:
        assert row["path"] in whole.counts
        assert row["doc_id"] == f"s:{row['path']}#{row['offset']}"
        assert row["reason"]
        assert row["stage"] in ("read", "decode", "parse")


def test_names_are_unique(whole: Outcome) -> None:
    """No two documents have the same doc_id."""
    names = Counter(row["doc_id"] for row in whole.documents)
    assert max(names.values()) == 1


def test_readable_files_give_text(whole: Outcome, corpus: Path) -> None:
    """Of the files that are text by the manifest at least 95 in 100 yield some, in each large kind too."""
    given = {row["path"] for row in whole.documents}
    kinds: dict[str, list[bool]] = {}
    for row in manifest(corpus):
        if row["kind"] in READABLE and not row["path"].endswith(NO_TEXT):
            kinds.setdefault(row["kind"], []).append(row["path"] in given)
    files = [found for kind in kinds.values() for found in kind]
    assert len(files) > 1300
    assert sum(files) >= 0.95 * len(files)
    for kind, found in kinds.items():  # poems are JSON whose text is not called `text`: the next test
        assert kind == "zh-classical" or sum(found) >= 0.95 * len(found), kind


def test_poems_with_their_field(corpus: Path) -> None:
    """JSON arrays give one document a poem once the field is named."""
    poems = Outcome(corpus / "zh" / "chinese-poetry", a_source("*.json", text_field="paragraphs[]"))
    given = {row["path"] for row in poems.documents}
    assert len(given) >= 0.8 * len(poems.files)
    assert len(poems.documents) > 20_000


def test_texts_are_those_of_the_right_charset(whole: Outcome, corpus: Path) -> None:
    """At least 96 of 100 labelled files decode to exactly the text that their label gives."""
    texts = {row["path"]: row["text"] for row in whole.documents if row["path"].startswith("enc/")}
    right: list[bool] = []
    for row in manifest(corpus):
        if row["kind"] != "encoding" or row["path"].endswith((".html", ".htm", ".xml", ".xhtml", ".csv")):
            continue
        label = re.search(r"(?:^|;)enc=([^;]+)", row["truth"]) or re.search(r"label=([^;]+)", row["truth"])
        assert label, row
        codec = CODECS.get(label[1].lower(), label[1].lower())
        right.append(codec is not None and same(texts.get(row["path"]), (corpus / row["path"]).read_bytes(), codec))
    assert len(right) > 400
    assert sum(right) >= 0.96 * len(right)


def same(text: str | None, data: bytes, codec: str) -> bool:
    """Compare a document with the bytes decoded by their label, as plain text is parsed."""
    wanted = data.decode(codec, "replace").removeprefix("\ufeff").replace("\0", "")
    return text == wanted.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


@pytest.fixture(scope="module")
def made(corpus: Path) -> Outcome:
    """Read the small faults that were made on purpose."""
    return Outcome(corpus / "bad" / "made", a_source("."))


TEXTS = {  # file -> the texts wanted
    "bom-jsonl.jsonl": [CLEAN],
    "blank-lines.jsonl": 1,
    "broken-line.jsonl": 19,
    "crlf.jsonl": 4,
    "duplicate-keys.jsonl": [ENGLISH],
    "linesep-in-json.jsonl": 3,
    "lone-surrogate.jsonl": 3,
    "surrogate-pair-ok.jsonl": ["😀 𠀋"],
    "nan-inf.jsonl": [ENGLISH],
    "no-final-newline.jsonl": 2,
    "schema-drift.jsonl": 406,
    "wrong-types.jsonl": [CLEAN],
    "csv-quotes.csv": [CLEAN, 'a "quoted" word, and a comma', "line one\nline two"],
    "multi-member.jsonl.gz": 500,
    "multi-frame.jsonl.zst": 500,
    "gz-in-gz.jsonl.gz": 500,
    "gz-named-plain.jsonl": 500,
    "plain-named.jsonl.gz": 250,
    "docs.jsonl.bz2": 250,
    "300-rowgroups.parquet": 300,
    "odd-types.arrow": 10,
    "odd-types.parquet": 10,
    "zero-rows.parquet": 0,
    "bom-twice.txt": 1,
    "nul-escaped.jsonl": 1,
    "legit-pinyin.txt": 1,
}


@pytest.mark.parametrize("name", TEXTS)
def test_documents_of_made_faults(made: Outcome, name: str) -> None:
    """Each file gives the documents that are wanted of it."""
    wanted = TEXTS[name]
    found = made.texts(name)
    assert found == wanted if isinstance(wanted, list) else len(found) == wanted
    for text in found:
        text.encode()
        assert not re.search("[\0\r\ufeff]", text)


REASONS = {  # file -> how often each reason is wanted
    "bom-only-utf8.txt": {"empty": 1},
    "bom-only-utf16le.txt": {"empty": 1},
    "bom-only-utf32be.txt": {"empty": 1},
    "empty.parquet": {"unreadable_parquet": 1},
    "truncated.parquet": {"unreadable_parquet": 1},
    "jsonl-named.parquet": {"unreadable_parquet": 1},
    "no-text-column.parquet": {"no_text_column": 1},
    "odd-types.parquet": {"empty": 10},
    "odd-types.arrow": {"empty": 10},
    "bitflip.jsonl.gz": {"corrupt": 1},
    "bomb.jsonl.gz": {"record_too_large": 1},
    "truncated.jsonl.gz": {"truncated": 1},
    "truncated.jsonl.zst": {"truncated": 1},
    "broken-line.jsonl": {"invalid_json": 1},
    "deep-nest.jsonl": {"invalid_json": 1},
    "wrong-types.jsonl": {"not_an_object": 4, "text_not_string": 4, "no_text_field": 1, "empty": 2},
    "csv-quotes.csv": {"invalid_csv": 4},
    "script-only.html": {"empty": 1},
    "html-named.png": {"unsupported_format": 1},
    "png-named.jpg": {"unsupported_format": 1},
    "cmyk.jpg": {"unsupported_format": 1},
}


@pytest.mark.parametrize("name", REASONS)
def test_reasons_of_made_faults(made: Outcome, name: str) -> None:
    """Each fault is counted under its reason, as often as it occurs."""
    assert Counter(made.reasons(name)) == REASONS[name]


def test_files_without_content(made: Outcome) -> None:
    """They are counted as empty, packed or not, and are no error."""
    for name in ("empty.txt", "empty.jsonl", "empty.jsonl.gz", "empty.warc.gz"):
        assert (made.notes[name], made.reasons(name), made.texts(name)) == ("empty", [], [])


def test_details_say_where(made: Outcome, corpus: Path) -> None:
    """The place of a broken line can be found with `head -c` or an editor."""
    (row,) = [row for row in made.settled if row["path"] == "broken-line.jsonl"]
    broken = (corpus / "bad" / "made" / "broken-line.jsonl").read_bytes()[row["offset"] :].partition(b"\n")[0]
    assert re.match(rf"line [0-9]+ \(byte {row['offset']}\): ", row["detail"])
    with pytest.raises(ValueError, match=r"."):
        json.loads(broken)


def test_metadata_is_strict(made: Outcome) -> None:
    """NaN and infinity became null, long integers stayed, and the JSON is legal for everyone."""
    rows = [row for row in made.documents if row["metadata"]]
    assert len(rows) > 1000

    def refuse(name: str) -> None:
        raise AssertionError(name)

    for row in rows:
        json.loads(row["metadata"], parse_constant=refuse)
    (odd,) = [row["metadata"] for row in rows if row["path"] == "nan-inf.jsonl"]
    assert odd == '{"big":null,"int":9999999999999999999999999999999999999999,"n":null,"score":null}'


ENCODINGS = {
    "big5-declared-gb2312.html": "big5hkscs",
    "gbk-declared-utf8.html": "gb18030",
    "utf8-declared-gbk.html": "utf-8",
    "gb18030-4byte.txt": "gb18030",
    "utf16-nobom.txt": "utf-16-le",
    "truncated-utf8.txt": "utf-8",
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_charsets_of_made_faults(made: Outcome, name: str) -> None:
    """Declarations lie, byte order marks are missing, characters are cut: the text is right all the same."""
    (row,) = [row for row in made.documents if row["path"] == name]
    assert row["encoding"] == ENCODINGS[name]
    wanted = CLEAN[1:-2] if name != "big5-declared-gb2312.html" else "清洗與去重都不可以少"
    assert wanted in row["text"]


def test_single_texts_of_made_faults(made: Outcome) -> None:
    """What is wanted of the other text files of this stage."""
    (line_ends,) = made.texts("line-ends.txt")
    assert "\r" not in line_ends
    assert made.texts("cr-only.txt")[0].count("\n") >= 1
    assert CLEAN in made.texts("nul-bytes.txt")[0]
    assert made.texts("nul-in-html.html")[0].endswith(CLEAN)
    assert CLEAN in made.texts("deep-div.html")[0]
    assert all(part in made.texts("no-closing.html")[0] for part in (CLEAN, ENGLISH))
    assert "/" not in "".join(made.texts("overlong.txt"))
    assert len(made.texts("latin1-in-utf8.jsonl")) == 3
    assert made.texts("latin1-in-utf8.jsonl")[1] == "café °C"
    assert made.documents


def test_a_csv_with_semicolons_in_gbk(corpus: Path) -> None:
    """The header may be Chinese, in any charset, with any delimiter."""
    result = Outcome(corpus / "bad" / "made", a_source("csv-semicolon-gbk.csv", text_field="正文"))
    assert result.texts("csv-semicolon-gbk.csv") == [CLEAN]


def test_what_is_kept_of_damaged_files(made: Outcome) -> None:
    """Documents before the damage are kept."""
    assert len(made.texts("truncated.jsonl.gz")) > 100
    assert len(made.texts("bitflip.jsonl.gz")) > 0
    (long,) = made.texts("one-line-50MB.jsonl.gz")
    assert len(long) > 10_000_000


def test_bombs_stay_outside_memory(corpus: Path) -> None:
    """64 MiB in one line, packed into 64 kB, cost no more memory than the limit for a record allows."""
    tracemalloc.start()
    result = Outcome(corpus / "bad" / "made", a_source("bomb.jsonl.gz", max_record_bytes=1 << 20))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.reasons("bomb.jsonl.gz") == ["record_too_large"]
    assert peak < 16 << 20


def test_json_suite(corpus: Path) -> None:
    """What must be accepted is never called invalid, and what must be rejected gives no document."""
    suite = Outcome(corpus / "bad" / "jsontestsuite", a_source("."))
    accepted = {file.path for file in suite.files if file.path.startswith("y_")}
    assert len(accepted) > 30
    assert not {row["path"] for row in suite.settled if row["reason"] == "invalid_json"} & accepted
    assert not [row for row in suite.documents if row["path"].startswith("n_")]


def test_every_string_of_the_naughty_list_passes(corpus: Path) -> None:
    """Each of them, as the text of a line, comes back whole."""
    from headrace.stages.parsing.json_values import parsed

    strings: list[str] = json.loads((corpus / "bad" / "unicode" / "blns.json").read_bytes())
    for text in strings:
        assert parsed(json.dumps({"text": text}).encode(), exact=False) == {"text": text}


BUGS: dict[str, tuple[dict[str, Any], int]] = {
    "039-line-2mb.jsonl.gz": ({}, 3),
    "041-null-then-string.jsonl": ({}, 3050),
    "043-mixed-int-string.jsonl": ({}, 10),
    "045-nested-mixed.jsonl": ({}, 1),
    "047-multibyte-at-cut.jsonl.gz": ({}, 300),
    "049-upper-case-ending.JSONL": ({}, 1),
    "053-lmdb-fork.jsonl": ({}, 64),
    "069-two-frames.jsonl.zst": ({}, 2),
    "031-text-1m-chars.txt.gz": ({}, 1),
}


@pytest.mark.parametrize("unit_bytes", [5000, 1 << 20])
@pytest.mark.parametrize("name", BUGS)
def test_reported_bugs_of_readers(corpus: Path, name: str, unit_bytes: int) -> None:
    """Files on which other readers stop give the documents that are wanted, whatever the size of a unit."""
    options, wanted = BUGS[name]
    result = Outcome(corpus / "bugs", a_source(name, **options), unit_bytes)
    assert len(result.texts(name)) == wanted
    assert not result.settled


CHARSET_BUGS = {
    "001-ascii-with-gb2312-comments.txt": "温度单位为摄氏度",
    "005-one-accent-utf8.txt": "naïve loader",
    "007-path-with-two-han.txt": "资料-2.dat",
    "009-degree-signs-cp1252.txt": "°",
    "013-long-ascii-head-gb2312.html": "水利工程",
    "063-nested-format.html": "请点击",
    "067-nul-in-attr.html": "正文 text",
}


@pytest.mark.parametrize("name", CHARSET_BUGS)
def test_reported_bugs_of_detectors_and_extractors(corpus: Path, name: str) -> None:
    """Files that other libraries read wrongly give the right words, once."""
    (text,) = Outcome(corpus / "bugs", a_source(name)).texts(name)
    assert CHARSET_BUGS[name] in text
    assert text.count("请点击") <= 1


def test_tables_with_their_charset(corpus: Path) -> None:
    """CSV in Shift JIS and with no-break spaces in UTF-8."""
    bugs = corpus / "bugs"
    assert "りんごジュース" in Outcome(bugs, a_source("003-cp932-table.csv", text_field="品名")).texts(
        "003-cp932-table.csv"
    )
    rows = Outcome(bugs, a_source("011-nbsp-utf8.csv", format="text")).texts("011-nbsp-utf8.csv")
    assert "Â" not in rows[0]
