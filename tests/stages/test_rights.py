"""Each piece of evidence is kept with its kind and place; the column is filled, and hints are obeyed, by option."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from headrace.schemas.source import Cursor, InputFile, Source, Split
from headrace.schemas.unit import UnitBatch
from headrace.stages.apply import apply
from headrace.stages.base import BatchStage
from headrace.stages.decode import Decode
from headrace.stages.licensing.evidence import gathered, windows
from headrace.stages.parse import Parse
from headrace.stages.read import read_part
from headrace.stages.rights import Rights

TableOf = Callable[..., pa.Table]


def rows(stage: Rights, table: pa.Table) -> list[dict[str, Any]]:
    batch = apply("rights", stage, UnitBatch(0, table))
    found = [row for part in (batch.documents, *batch.settled) for row in part.to_pylist()]
    return sorted(found, key=lambda row: str(row["doc_id"]))


def evidence(row: dict[str, Any]) -> list[tuple[str, str, str]]:
    found = json.loads(row["metadata"] or "{}").get("licence_evidence", [])
    return [(each["licence"], each["kind"], each["where"]) for each in found]


TEXTS = {
    "Code.\nSPDX-License-Identifier: MIT OR Apache-2.0\n": [("MIT OR Apache-2.0", "spdx", "text:6")],
    "This work is licensed under a Creative Commons Attribution-ShareAlike 4.0 International License.": [
        ("CC-BY-SA-4.0", "phrase", "text:47")
    ],
    "本作品采用知识共享 署名-非商业性使用 4.0 国际许可协议进行许可。": [("CC-BY-NC-4.0", "phrase", "text:10")],
    "除特别声明外，文章以 CC BY-SA 4.0 协议发布": [("CC-BY-SA-4.0", "phrase", "text:11")],
    "see https://creativecommons.org/licenses/by/4.0/": [("CC-BY-4.0", "cc_link", "text:12")],
    "It is free software under the GPLv3 or later.": [("GPL-3.0-or-later", "phrase", "text:30")],
    "© 2024 某某网 版权所有": [("LicenseRef-all-rights-reserved", "reserved", "text:11")],
    "本博客所有文章除特别声明外，均采用 BY-NC-SA 许可协议。": [("LicenseRef-CC-BY-NC-SA", "phrase", "text:18")],
    "本文为博主原创文章，遵循 CC 4.0 BY-SA 版权协议": [("CC-BY-SA-4.0", "phrase", "text:13")],
    "本站的全部文字在創用CC 姓名標示-相同方式分享 4.0協議之條款下提供": [("CC-BY-SA-4.0", "phrase", "text:13")],
    "Text is available under the Creative Commons Attribution-ShareAlike License 4.0; additional terms may apply.": [
        ("CC-BY-SA-4.0", "phrase", "text:45")
    ],
    "除特别声明外采用CC BY-SA 4.0协议": [("CC-BY-SA-4.0", "phrase", "text:8")],
    "依据MIT许可证发布": [("MIT", "phrase", "text:2")],
    "原创不易，未经许可请勿转载": [("LicenseRef-all-rights-reserved", "reserved", "text:9")],
    "# This is free software under the terms of the GNU General Public License as published\n# by the Free Software"
    " Foundation, either version 3 of the License, or\n# (at your option) any later version.": [
        ("GPL-3.0-or-later", "phrase", "text:47")
    ],
    "GPLv3 and MIT License differ in spirit.": [],
    "他在文章上署名，得到授权。": [],
    "nothing of the kind": [],
}


@pytest.mark.parametrize("text", TEXTS)
def test_what_a_text_says(text: str, table_of: TableOf) -> None:
    """Statements count, mentions do not; the column gets the first that fills it."""
    (row,) = rows(Rights(), table_of([text]))
    assert evidence(row) == TEXTS[text]
    fills = [licence for licence, kind, _ in TEXTS[text] if kind not in {"cc_link", "reserved"}]
    assert row["licence"] == (fills[0] if fills else None)
    assert row["values.licences"] == len([kind for _, kind, _ in TEXTS[text] if kind != "reserved"])


def test_all_kinds_come_in_the_order_of_their_weight(table_of: TableOf) -> None:
    """The source's statement stays in the column; nothing else of the metadata changes."""
    metadata = {
        "License": "apache-2.0",
        "licenses": ["MIT", "MIT", 7],
        "rights": {"licences": [["html_link", "https://creativecommons.org/licenses/by/4.0/"], ["json_ld", "CC0"]]},
        "warc": {"headers": {"link": '<https://a.example/terms>; rel="license", <x>; rel=next'}},
        "title": "T",
        "long": 2**80,
    }
    table = table_of(
        ["SPDX-License-Identifier: ISC"] * 2, metadata=[json.dumps(metadata)] * 2, licence=["press terms", None]
    )
    stated, unstated = rows(Rights(), table)
    assert evidence(stated) == [
        ("LicenseRef-press-terms", "source", "licence"),
        ("Apache-2.0", "field", "metadata.License"),
        ("MIT", "field", "metadata.licenses"),
        ("LicenseRef-a.example-terms", "header", "header.link"),
        ("CC-BY-4.0", "html_link", "html"),
        ("CC0-1.0", "json_ld", "html"),
        ("ISC", "spdx", "text:0"),
    ]
    assert (stated["licence"], unstated["licence"]) == ("press terms", "Apache-2.0")
    after = json.loads(unstated["metadata"])
    assert {name: value for name, value in after.items() if name != "licence_evidence"} == metadata
    (again,) = rows(Rights(fill=("spdx",)), table.slice(1))
    assert again["licence"] == "ISC"


def test_hints_are_reported_and_drop_by_option(table_of: TableOf) -> None:
    """Headers and marks of the page, for all robots or for those that are named."""
    known = [
        {"warc": {"headers": {"x-robots-tag": "noindex, noarchive", "tdm-reservation": "1"}}},
        {"rights": {"robots": [["*", "noai"], ["gptbot", "noindex"]]}},
        None,
    ]
    table = table_of(["a", "b", "c"], metadata=[json.dumps(each) if each else None for each in known])
    found = rows(Rights(), table)
    hints = ("noindex", "noarchive", "noai", "tdm_reserved")
    assert [[row[f"values.{hint}"] for hint in hints] for row in found] == [[1, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert not any(row.get("reason") for row in found)
    dropped = rows(Rights(noindex="drop", noai="drop", agents=("GPTBot",)), table)
    assert [(row.get("reason"), row.get("detail")) for row in dropped] == [
        ("noindex", "HTTP header X-Robots-Tag"),
        ("noindex", "meta gptbot"),
        (None, None),
    ]
    assert (dropped[0]["value"], dropped[0]["threshold"]) == (1, 0)


def test_only_licences_that_are_wanted_go_on(table_of: TableOf) -> None:
    """Whole ids, or beginnings of them; a document without a licence has none of them."""
    table = table_of(["a", "b", "c", "d"], licence=["CC-BY-4.0", "MIT", None, "CC-BY-NC-4.0"])
    found = rows(Rights(keep_licences=("CC-BY-4*", "MIT")), table)
    assert [(row.get("reason"), row.get("detail")) for row in found] == [
        (None, None),
        (None, None),
        ("licence_not_allowed", "no licence is known"),
        ("licence_not_allowed", "CC-BY-NC-4.0"),
    ]


def test_headers_and_marks_come_through_read_and_parse(tmp_path: Path) -> None:
    """From a WARC to the verdict: the reader hands on the headers, parse what the page says."""
    page = b'<html><head><title>T</title><meta name=robots content="noai"></head><body><p>%s</p>' % (
        b"Words of it. " * 20
    )
    page += b'<p><a rel="license" href="https://creativecommons.org/licenses/by-sa/4.0/">CC</a></p></body></html>'
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: noindex\r\nTDM-Reservation: 1\r\n\r\n" + page
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nContent-Length: {len(http)}\r\n"
    kind = "Content-Type: application/http; msgtype=response\r\n\r\n"
    (tmp_path / "a.warc").write_bytes((head + kind).encode() + http + b"\r\n\r\n")
    stat = (tmp_path / "a.warc").stat()
    split = Split(0, "s", str(tmp_path), (InputFile("a.warc", stat.st_size, stat.st_mtime_ns),), 0, None)
    table = read_part(split, Source(name="s", paths=("a.warc",)), Cursor(0, 0, 0, 0, 0, None), 1_000_000).documents
    stages: tuple[BatchStage, ...] = (Decode(), Parse())
    batch = UnitBatch(0, table)
    for stage in stages:
        batch = apply(stage.kind, stage, batch)
    (row,) = rows(Rights(), batch.documents)
    assert evidence(row) == [("CC-BY-SA-4.0", "html_link", "html")]
    assert row["licence"] == "CC-BY-SA-4.0"
    assert [row[f"values.{hint}"] for hint in ("noindex", "noarchive", "noai", "tdm_reserved")] == [1, 0, 1, 1]


@pytest.mark.parametrize(
    ("field", "licence"),
    [
        *(
            (nothing, None)
            for nothing in ("unknown", " None ", "null", "N/A", "", "其他", [], {}, 7, None, [None], {"x": 1})
        ),
        ({"key": "mit", "name": "MIT License", "spdx_id": "MIT"}, "MIT"),
        ({"@id": "https://creativecommons.org/licenses/by/4.0/"}, "CC-BY-4.0"),
        ([{"title": "CC BY-SA 4.0"}], "CC-BY-SA-4.0"),
        (["unknown", "ISC"], "ISC"),
    ],
)
def test_fields_of_records(field: object, licence: str | None, table_of: TableOf) -> None:
    """Objects of code hosts and catalogues are read; what says that nothing is known is no evidence."""
    text = "Released under the Apache License 2.0."
    (row,) = rows(Rights(), table_of([text], metadata=[json.dumps({"license": field})]))
    assert row["licence"] == (licence or "Apache-2.0")
    assert [where for _, kind, where in evidence(row) if kind == "field"] == ["metadata.license"] * bool(licence)


PHRASES = (
    "under the MIT License ",
    "采用 CC BY 4.0 许可",
    "SPDX-License-Identifier: (((MIT\n",
    "All rights reserved. ",
)


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_text_of_nothing_but_statements_is_searched_in_part(phrase: str) -> None:
    """What is searched of one document is bounded, so that its time is; what stands in front is found."""
    text = phrase * (3_000_000 // len(phrase))
    assert sum(end - begin for begin, end, _ in windows(text)) < 201_000
    spread = (phrase + "x" * 1000) * 3000
    assert sum(end - begin for begin, end, _ in windows(spread)) < 201_000
    assert gathered(None, {}, text[:3000]) == gathered(None, {}, text)


@pytest.mark.parametrize("fill", ["rel=", "<x>", '<x>; rel="', "<x>; a=b; "])
def test_headers_take_no_long_time(fill: str) -> None:
    """A header of a megabyte that says nothing is passed over once, not once from each of its places."""
    link = f"{fill * (1_000_000 // len(fill))}, <https://a.example/t>; rel=license"
    found = gathered(None, {"warc": {"headers": {"link": link}}}, None)
    assert [each.licence for each in found] == ["LicenseRef-a.example-t"]
