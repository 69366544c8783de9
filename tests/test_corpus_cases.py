"""Every file of the corpus's `bad` and `bugs` gives what is right, as `headrace read` prints it.

The table is in corpus_outcomes.py. A row that fails is the product's fault until the corpus says something else.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import zstandard
from tests.corpus_outcomes import (
    AMBIGUOUS,
    BUGS,
    JSON_EITHER,
    JSON_RIGHT,
    JSON_WRONG,
    LATER,
    MADE,
    OPEN,
    PARQUET,
    Wanted,
)
from tests.read_command import Row, places, rows_of

from headrace.stages.clean import Clean

# The first test reads all files, and compiles kernels where nobody has yet.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

FOLDERS = {"made": "bad/made", "bugs": "bugs", "parquet": "bad/parquet-testing"}
CASES = [
    *(("made", name, wanted) for name, wanted in MADE),
    *(("bugs", name, wanted) for name, wanted in BUGS),
    *(("parquet", name, wanted) for name, wanted in PARQUET),
]
RIGHT = [f"y_{name}.json" for name in JSON_RIGHT.split()]
WRONG = [f"n_{name}.json" for name in JSON_WRONG.split()]


@pytest.fixture(scope="module")
def found(corpus: Path) -> dict[str, list[Row]]:
    """Read each folder once, all its files together as in a run, with the default options."""
    rows: dict[str, list[Row]] = {}
    for folder in (*FOLDERS.values(), "bad/jsontestsuite", "bad/unicode"):
        for row in rows_of(corpus / folder):
            rows.setdefault(str(Path(row["path"]).relative_to(corpus)), []).append(row)
    return rows


@pytest.fixture(scope="module")
def beside(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Row]:
    """Read each value of the JSON suite as another field of a document with a text."""
    folder = tmp_path_factory.mktemp("beside")
    for name in (*RIGHT, *WRONG):
        value = (corpus / "bad/jsontestsuite" / name).read_bytes().replace(b"\n", b" ")
        (folder / f"{name}l").write_bytes(b'{"other": ' + value + b', "text": "a text"}\n')
    return {Path(row["path"]).name.removesuffix("l"): row for row in rows_of(folder)}


@pytest.fixture(scope="module")
def truths(corpus: Path) -> dict[str, str]:
    """Give what the corpus itself says is right, by path."""
    with (corpus / "MANIFEST.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    truths = {row["path"]: row["truth"] for row in rows if row["path"].startswith("bad/")}
    with (corpus / "bugs" / "CASES.tsv").open(encoding="utf-8") as file:
        return truths | {f"bugs/{row['input']}": row["right result"] for row in csv.DictReader(file, delimiter="\t")}


def marked(place: str, name: str, wanted: Wanted, number: int) -> Any:
    """Mark what is not right yet; with options, the file is another case."""
    reason = OPEN.get(f"{place}/{name}")
    marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
    return pytest.param(place, name, wanted, id=f"{number}-{place}/{name}", marks=marks)


def ambiguous(name: str) -> Any:
    """Mark what another row of the corpus contradicts."""
    reason = AMBIGUOUS.get(name)
    return pytest.param(name, marks=[pytest.mark.xfail(reason=reason, strict=True)] if reason else [])


@pytest.mark.parametrize(("place", "name", "wanted"), [marked(*case, n) for n, case in enumerate(CASES)])
def test_outcome(
    corpus: Path, found: dict[str, list[Row]], truths: dict[str, str], place: str, name: str, wanted: Wanted
) -> None:
    """The texts, charset, repairs, faults and drops of a file are exactly those of its line in the table."""
    path = f"{FOLDERS[place]}/{name}"
    rows = rows_of(corpus / path, **wanted.options) if wanted.options else found[path]
    documents = [row for row in rows if "text" in row]
    texts = [row["text"] for row in documents]
    truth = truths[path]
    if wanted.instead and texts == wanted.instead.texts:
        wanted = wanted.instead
    assert texts == wanted.texts if not isinstance(wanted.texts, int) else len(texts) == wanted.texts, truth
    assert places(rows, "error") == [(reason, offset) for reason, offset, _ in wanted.faults], truth
    for row, (_, _, said) in zip((row for row in rows if "error" in row), wanted.faults, strict=True):
        assert said in row["error"]["detail"], truth
    assert places(rows, "dropped") == list(wanted.drops), truth
    assert {row["encoding"] for row in documents} <= set(wanted.encoding.split()), truth
    assert {row["method"] for row in documents} <= ({wanted.method} if wanted.method else METHODS), truth
    assert counted(documents) == wanted.repairs, truth
    assert sum(row["private_use"] for row in documents) == wanted.private_use, truth
    check_more(corpus / path, wanted, documents)


METHODS = {"utf-8", "bom", "detected", "declared", "lines", "native"}


def counted(documents: list[Row]) -> Counter[str]:
    """Add up the repairs."""
    return sum((Counter(row["repairs"]) for row in documents), Counter[str]())


def check_more(path: Path, wanted: Wanted, documents: list[Row]) -> None:
    """Compare with what is said only of some files."""
    for row in documents:
        row["text"].encode()
        assert not set(row["text"]) & {"\0", "\r", "\ufeff"}
        for part in wanted.holds:
            assert part in row["text"]
    if wanted.by_json:
        assert [(row["text"], row["metadata"] or {}) for row in documents] == list(by_json(path))
    if wanted.cleaned:
        table = pa.table({"text": pa.array([row["text"] for row in documents], pa.large_string())})
        assert set(Clean().process(table)["reason"].to_pylist()) == {wanted.cleaned}


def by_json(path: Path) -> Iterator[tuple[str, object]]:
    """Give text and the other fields of every whole line, as the standard library reads them."""
    for line in unpacked(path.read_bytes()).removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        try:
            value = json.loads(line, parse_constant=lambda _: None, parse_float=finite)
        except ValueError:
            continue
        yield value.pop("text"), value


def finite(number: str) -> float | None:
    """Give a number, None for one that a float cannot hold: JSON has no infinity."""
    return value if abs(value := float(number)) != float("inf") else None


def unpacked(data: bytes) -> bytes:
    """Unpack as long as it is packed; of a cut file, what is before the cut."""
    match data[:3]:
        case b"\x1f\x8b\x08":
            try:
                return unpacked(gzip.decompress(data))
            except (EOFError, zlib.error, gzip.BadGzipFile):
                return zlib.decompressobj(-zlib.MAX_WBITS).decompress(data[gzip_header(data) :])
        case b"BZh":
            return bz2.decompress(data)
        case b"\x28\xb5\x2f":
            with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True) as reader:
                return reader.read()
    return data


def gzip_header(data: bytes) -> int:
    """Give the length of a gzip header, with the file's name if it has one (RFC 1952)."""
    return data.index(b"\0", 10) + 1 if data[3] & 8 else 10


def test_every_file_has_its_outcome(truths: dict[str, str]) -> None:
    """No row of the corpus's lists of faults and bugs is without a line in the table, and no line without a row."""
    listed = {f"{FOLDERS[place]}/{name}" for place, name, _ in CASES} | {"bad/unicode/blns.json"}
    listed |= {f"bad/jsontestsuite/{name}" for name in (*RIGHT, *WRONG, *JSON_EITHER)}
    assert listed == truths.keys()
    assert len(truths) == 35 + 82 + 127 + 16 + 1
    for names, truth in ((RIGHT, "must be accepted"), (WRONG, "must be rejected"), (JSON_EITHER, "either")):
        assert {truths[f"bad/jsontestsuite/{name}"] for name in names} == {truth}
    for key, reason in (LATER | OPEN).items():
        place, _, name = key.partition("/")
        assert f"{FOLDERS[place]}/{name}" in truths
        assert reason


@pytest.mark.parametrize("name", RIGHT)
def test_json_that_must_be_accepted(
    found: dict[str, list[Row]], beside: dict[str, Row], corpus: Path, name: str
) -> None:
    """A right file is not called invalid, and beside a text its value comes out as it is."""
    path = f"bad/jsontestsuite/{name}"
    assert {row["error"]["reason"] for row in found[path]} <= {"not_an_object", "no_text_field"}
    assert beside[name]["text"] == "a text"
    assert beside[name]["metadata"] == {"other": json.loads((corpus / path).read_bytes())}


@pytest.mark.parametrize("name", [ambiguous(name) for name in WRONG])
def test_json_that_must_be_rejected(found: dict[str, list[Row]], beside: dict[str, Row], name: str) -> None:
    """A wrong file gives no document and is called invalid, with the byte; beside a text it costs that document."""
    rows = found[f"bad/jsontestsuite/{name}"]
    wrong = [row for row in rows if row.get("error", {}).get("reason") == "invalid_json"]
    assert not [row for row in rows if "text" in row]
    if name == "n_single_space.json":  # a file without anything in it, as blank lines of JSON Lines are no records
        assert places(rows, "dropped") == [("empty", 0)]
    else:
        assert wrong
    assert all(f"(byte {row['offset']}): " in row["error"]["detail"] for row in wrong)
    assert beside[name]["error"]["reason"] == "invalid_json"


@pytest.mark.parametrize("name", JSON_EITHER)
def test_json_that_may_be_either(found: dict[str, list[Row]], name: str) -> None:
    """What the suite leaves open is read: an element that is no object is named as what it is."""
    (row,) = found[f"bad/jsontestsuite/{name}"]
    assert row["error"]["reason"] in ("not_an_object", "no_text_field")
    assert JSON_EITHER[name] in row["error"]["detail"]


def test_every_naughty_string_passes(corpus: Path, found: dict[str, list[Row]], tmp_path: Path) -> None:
    """As an element of an array each is named; as a text it is read, or dropped where nothing is visible."""
    strings: list[str] = json.loads((corpus / "bad/unicode/blns.json").read_bytes())
    assert places(found["bad/unicode/blns.json"], "error") == [
        ("not_an_object", row["offset"]) for row in found["bad/unicode/blns.json"]
    ]
    assert len(found["bad/unicode/blns.json"]) == len(strings) == 515
    lines = (json.dumps({"text": text, "n": n}) for n, text in enumerate(strings))
    (tmp_path / "naughty.jsonl").write_text("\n".join(lines))
    rows = rows_of(tmp_path / "naughty.jsonl")
    assert len(rows) == len(strings)
    for row, text in zip(rows, strings, strict=True):
        if "text" in row:
            assert row["metadata"]["n"] == strings.index(text) or strings.count(text) > 1
            row["text"].encode()
        else:
            assert row["dropped"]["reason"] == "empty"
            assert not any(char.isalnum() for char in text)
    unchanged = sum(row.get("text") == text for row, text in zip(rows, strings, strict=True))
    assert unchanged >= 470


def test_the_command_gives_these_rows(corpus: Path, found: dict[str, list[Row]]) -> None:
    """In another process `headrace read --json` prints the same rows in the same order, and exits with 1 for faults.

    So the state of an earlier page changes nothing (bug 065), and neither does that of a whole run.
    """
    command = [sys.executable, "-m", "headrace", "read", "--json", str(corpus / "bugs")]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 1
    rows = [row for path, rows in found.items() if path.startswith("bugs/") for row in rows]
    assert [json.loads(line) for line in done.stdout.splitlines()] == rows


def test_ten_calls_ten_equal_results(corpus: Path, found: dict[str, list[Row]]) -> None:
    """Bug 065: nothing is kept between calls that would make the same page shorter."""
    path = corpus / "bugs/065-same-page-ten-times.html"
    (row,) = found["bugs/065-same-page-ten-times.html"]
    assert [rows_of(path) for _ in range(10)] == [[row]] * 10
