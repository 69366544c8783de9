"""The corpus's files in all charsets: labelled files, reported bugs of other detectors, and faults made on purpose."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from headrace.stages.decoding.declaration import declared_in
from headrace.stages.decoding.decoder import decode

CLEAN = "数据预处理是大模型训练的第一步。清洗、去重、分级，缺一不可。"
LABELLED = 597


def labelled(corpus: Path) -> Iterator[tuple[str, bytes, dict[str, str]]]:
    """Give path, bytes and truth of the files whose charset is known."""
    with (corpus / "MANIFEST.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["kind"] == "encoding" and row["path"].startswith("enc/") and "encoding_rs" not in row["path"]:
                truth = dict(pair.split("=", 1) for pair in row["truth"].split(";") if "=" in pair)
                yield row["path"], (corpus / row["path"]).read_bytes(), truth


def is_right(text: str, data: bytes, truth: dict[str, str]) -> bool:
    """Compare with the checksum of the original, or with the text by the label: by Python's codec or by ours."""
    if "sha256_utf8" in truth:
        return hashlib.sha256(text.encode()).hexdigest() == truth["sha256_utf8"]
    label = truth.get("enc") or truth["label"]
    try:
        if text == data.decode(label).removeprefix("\ufeff"):
            return True
    except (LookupError, UnicodeDecodeError):
        pass
    return text == decode(data, encoding=label).text


@pytest.mark.slow
def test_every_labelled_file_is_right(corpus: Path) -> None:
    """All 597 files come out as their label or their original says, without being told."""
    files = list(labelled(corpus))
    wrong = [path for path, data, truth in files if not is_right(decode(data).text, data, truth)]
    assert len(files) == LABELLED
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "encoding", "wanted"),
    [
        ("001-ascii-with-gb2312-comments.txt", "gb18030", ["增益，勿改", "备用通道", "温度单位为摄氏度"]),
        ("003-cp932-table.csv", "cp932", ["りんごジュース"]),
        ("005-one-accent-utf8.txt", "utf-8", ["naïve loader"]),
        ("007-path-with-two-han.txt", "gb18030", ["资料-2.dat"]),
        ("009-degree-signs-cp1252.txt", "cp1252", ["°"]),
        ("011-nbsp-utf8.csv", "utf-8", ["\u00a0"]),
        ("013-long-ascii-head-gb2312.html", "gb18030", ["水利工程"]),
    ],
)
def test_reported_bugs_of_detectors(corpus: Path, name: str, encoding: str, wanted: list[str]) -> None:
    """Files that other detectors read wrongly."""
    found = decode((corpus / "bugs" / name).read_bytes())
    assert found.encoding == encoding
    assert all(words in found.text for words in wanted)
    assert found.lost == 0
    assert "Â" not in found.text


@pytest.mark.parametrize(
    ("name", "encoding", "wanted"),
    [
        ("big5-declared-gb2312.html", "big5hkscs", "清洗與去重都不可以少"),
        ("gbk-declared-utf8.html", "gb18030", CLEAN[1:-2]),
        ("utf8-declared-gbk.html", "utf-8", CLEAN[1:-2]),
        ("gb18030-4byte.txt", "gb18030", CLEAN[1:-2]),
        ("utf16-nobom.txt", "utf-16-le", CLEAN[1:-2]),
        ("csv-semicolon-gbk.csv", "gb18030", CLEAN),
        ("bom-only-utf8.txt", "utf-8", ""),
        ("bom-only-utf16le.txt", "utf-16-le", ""),
        ("bom-only-utf32be.txt", "utf-32-be", ""),
        ("nul-bytes.txt", "utf-8", CLEAN[:5]),
    ],
)
def test_faults_made_on_purpose(corpus: Path, name: str, encoding: str, wanted: str) -> None:
    """Declarations lie and marks are missing: the text is right all the same."""
    data = (corpus / "bad" / "made" / name).read_bytes()
    found = decode(data, declared_in(data))
    assert found.encoding == encoding
    assert wanted in found.text
    assert found.lost == 0


def test_damage_made_on_purpose(corpus: Path) -> None:
    """A cut character is left out, overlong forms stay hidden, and a line of Latin-1 among UTF-8 is read as such."""
    made = corpus / "bad" / "made"
    cut = decode((made / "truncated-utf8.txt").read_bytes())
    assert cut.encoding == "utf-8"
    assert cut.text == CLEAN[:-1]
    assert "/" not in decode((made / "overlong.txt").read_bytes()).text
    mixed = decode((made / "latin1-in-utf8.jsonl").read_bytes())
    assert '"caf\u00e9 \u00b0C"' in mixed.text
    assert CLEAN in mixed.text
    assert re.fullmatch(r"line 2 \(byte \d+\) as cp1252", mixed.detail or "")
