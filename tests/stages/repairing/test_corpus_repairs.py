"""Repairs on the corpus: what is broken there comes out right, and what is right stays."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ftfy
import pyarrow as pa
import pytest
from tests.stages.parts import Outcome, a_source

from headrace.schemas.arrays import text_buffers
from headrace.stages.clean import Clean
from headrace.stages.kernels.repair_scan import MOJIBAKE, scan
from headrace.stages.repair import Repair, repaired
from headrace.stages.repairing.suspicion import signals

SENTENCE = "数据预处理是大模型训练的第一步。清洗、去重、分级，缺一不可。"
# Real text of many languages, right but for what is listed in WRONG.
RIGHT = ("zh", "en", "dup", "html", "enc/uchardet", "enc/chardet")
WRONG = {
    "en/fortunes/computers",  # quotation marks of UTF-8 as Latin-1
    *(
        f"dup/debian-copyright/{name}.txt"
        for name in ("dbus-bin", "dbus-daemon", "dbus-session-bus-common", "python3-dbus")
    ),  # "Â§"
    "html/trafilatura-eval/swr.de-volleyball.html",  # "lÃ¶schen"
    "enc/chardet/TIS-620/pharmacy.kku.ac.th.centerlab.xml",  # bullets of Windows as C1 controls
}


def texts_of(corpus: Path, folder: str, name: str) -> list[str]:
    """Read, decode and parse one file."""
    return Outcome(corpus / folder, a_source(name)).texts(name)


def mended(corpus: Path, folder: str, name: str) -> tuple[str, dict[str, int]]:
    """Read one file of one document and repair it."""
    (text,) = texts_of(corpus, folder, name)
    return repaired(text)


def jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def mojibake_cases(corpus: Path, name: str) -> list[tuple[str, str]]:
    """Give original and wanted text of ftfy's cases; of encoding alone where its other fixes would change more."""
    cases = json.loads((corpus / "mojibake" / f"{name}.json").read_text(encoding="utf-8"))
    return [(case["original"], case.get("fixed-encoding", case["fixed"])) for case in cases]


@pytest.mark.parametrize(
    ("name", "wanted", "counts"),
    [
        ("bom-middle.txt", None, {"byte_order_marks": 1}),
        ("bom-twice.txt", None, {}),  # decode has taken both
        ("double-encoded.txt", SENTENCE, {"mojibake": 1}),
        ("legit-pinyin.txt", None, {}),
        ("private-use.txt", None, {}),
        ("astral-han.txt", None, {}),
        ("gbk-as-utf8-lossy.txt", None, {}),
    ],
)
def test_made_faults(corpus: Path, name: str, wanted: str | None, counts: dict[str, int]) -> None:
    """Each file comes out as its row says; where no text is given, nothing but what is counted goes."""
    (before,) = texts_of(corpus, "bad/made", name)
    after, found = repaired(before)
    assert found == counts
    assert after.strip() == (wanted or before.replace("\ufeff", "")).strip()


def test_control_characters_and_terminal_codes(corpus: Path) -> None:
    """controls.txt and nul-bytes.txt lose them and nothing else."""
    text, _ = mended(corpus, "bad/made", "controls.txt")
    assert text.replace("\n", "") == "The quick pipeline reads every record exactly once, then stops."
    text, counts = mended(corpus, "bad/made", "nul-bytes.txt")
    assert "\0" not in text
    assert counts.keys() <= {"controls"}
    assert "分级" in text


@pytest.mark.parametrize(
    ("name", "last"), [("nul-escaped.jsonl", "once, then stops."), ("nul-in-html.html", "缺一不可。")]
)
def test_nul_of_any_container_goes(corpus: Path, name: str, last: str) -> None:
    """A NUL that came through JSON or HTML is gone, and the text behind it is there."""
    text, _ = mended(corpus, "bad/made", name)
    assert "\0" not in text
    assert last in text


def test_line_ends_of_all_kinds(corpus: Path) -> None:
    """line-ends.txt has nine pieces on nine lines, cr-only.txt more than one line and no carriage return."""
    text, _ = mended(corpus, "bad/made", "line-ends.txt")
    assert text.split() == text.strip().split("\n") == list("一二三四五六七八九")
    text, _ = mended(corpus, "bad/made", "cr-only.txt")
    assert "\r" not in text
    assert len(text.strip().split("\n")) > 1


def test_joiners_stay_and_directions_go(corpus: Path) -> None:
    """rtl-zwj.txt keeps the joiners of emoji and Devanagari and loses U+202E, U+202C, isolates and U+200B."""
    (before,) = texts_of(corpus, "bad/made", "rtl-zwj.txt")
    after, counts = repaired(before)
    assert after.count("\u200d") == before.count("\u200d") > 3
    assert after.count("\u200f") == before.count("\u200f") == 1
    assert not set(after) & set("\u202e\u202c\u2066\u2069\u200b")
    assert len(before) - len(after) == counts["bidi"] + counts["zero_width"]


def test_a_hundred_thousand_marks(corpus: Path) -> None:
    """combining-1e5.txt is capped and counted."""
    (before,) = texts_of(corpus, "bad/made", "combining-1e5.txt")
    after, counts = repaired(before)
    assert sum(map(bool, map(unicodedata.combining, after))) <= 8 < len(before) / 1000
    assert counts["marks"] >= 99_000


def test_lost_text_is_left_and_dropped_as_damage(corpus: Path) -> None:
    """gbk-as-utf8-lossy.txt cannot be mended; clean's rule takes it out."""
    texts = texts_of(corpus, "bad/made", "gbk-as-utf8-lossy.txt")
    table = Clean().process(Repair().process(pa.table({"text": pa.array(texts, pa.large_string())})))
    assert table["reason"].to_pylist() == ["max_damage_share"]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("011-nbsp-utf8.csv", None),
        ("015-dash-and-mojibake.txt", None),
        ("017-lossy-a-macron.txt", None),
        ("019-zh-as-macroman.txt", "国际会议｜数据质量也需要被看见"),
        ("021-emoji-in-zh.txt", None),
        ("023-spaces-as-tokens.txt", None),
        ("025-spaces-newlines.txt", None),
    ],
)
def test_reported_bugs(corpus: Path, name: str, wanted: str | None) -> None:
    """Bug reports about repair: mended as people read it, or unchanged where any guess is wrong."""
    for text in texts_of(corpus, "bugs", name):
        after, _ = repaired(text)
        assert after == (wanted or text)
        assert "Â" not in after


def test_no_line_is_left_without_a_visible_character(corpus: Path) -> None:
    """Bug 029: control and zero-width characters are gone before a tokenizer could learn them."""
    text, counts = mended(corpus, "bugs", "029-controls-in-corpus.txt")
    assert counts
    categories = {unicodedata.category(c) for c in text if c not in "\n\t"}
    assert not categories & {"Cc", "Cf", "Cn", "Co", "Zl", "Zp"}


@pytest.mark.parametrize("name", ["in-the-wild", "language-names", "synthetic", "negative", "known-failures"])
def test_as_often_right_as_ftfy(corpus: Path, name: str) -> None:
    """Of each file of ftfy's own cases at least as many come out right as by ftfy itself, the negative ones all."""
    cases = mojibake_cases(corpus, name)
    ours = sum(repaired(original, controls=False)[0] == fixed for original, fixed in cases)
    theirs = sum(ftfy.fix_encoding(original) == fixed for original, fixed in cases)
    assert ours >= theirs
    assert ours == len(cases) or name == "known-failures"


def test_the_scan_finds_all_that_ftfy_would_mend(corpus: Path) -> None:
    """No line that ftfy mends is passed over by the scan."""
    cases = [
        case[0] for name in ("in-the-wild", "language-names", "synthetic") for case in mojibake_cases(corpus, name)
    ]
    changed = [original for original in cases if ftfy.fix_encoding(original) != original]
    bits = scan(*text_buffers(pa.array(changed, pa.large_string())), signals(), 8)
    assert len(changed) > 30
    assert (bits & MOJIBAKE != 0).all()


def test_polluted_pages_are_restored_exactly(corpus: Path) -> None:
    """pairs.jsonl comes out as it was; of dev-03 the one byte that is gone stays lost, and is not guessed."""
    for row in jsonl(corpus / "pinyin/pairs.jsonl"):
        after, counts = repaired(row["corrupt"])
        assert counts == {"pinyin": row["annotations"]}
        wanted = row["clean"]
        if row["id"] == "dev-03":
            assert row["corrupt"].count("\ufffd") == 2
            assert after.count("\ufffd") == 1
            wanted = wanted.replace("稳定性优化。", "稳定性优\ufffd。")
        assert after == wanted


@pytest.mark.parametrize(("seed", "annotations", "characters"), [("000", 944, 8119), ("003", 371, 9643)])
def test_seed_pages_are_restored(corpus: Path, seed: str, annotations: int, characters: int) -> None:
    """Both crawled pages lose every annotation; the sentences read by a person come out as that person has them."""
    page = (corpus / f"pinyin/seed-{seed}.txt").read_text(encoding="utf-8")
    after, counts = repaired(page)
    assert counts == {"pinyin": annotations}
    assert len(after) == characters
    assert not re.search("\\([a-zü]*[āáǎàēéěèīíǐìōóǒòūúǔùǖǘǚǜ][a-zü]*\\)", after)
    sentences = [row["restored_hans"] for row in jsonl(corpus / "pinyin/reference.jsonl") if row["seed"] == seed]
    assert len(sentences) == 4
    for sentence in sentences:
        # The reader knew a character by the sense that the page has lost; it is never guessed.
        assert sentence in after or sentence.replace("影响极小", "影响极\ufffd\ufffd") in after


def right_texts(corpus: Path) -> Iterator[tuple[str, str]]:
    for folder in RIGHT:
        for path in sorted((corpus / folder).rglob("*")):
            codec = path.parent.name if folder == "enc/chardet" else "utf-8"
            try:
                yield path.relative_to(corpus).as_posix(), path.read_bytes().decode(codec)
            except (OSError, UnicodeDecodeError, LookupError):
                continue  # a folder, or what the tests of decoding are about


def test_what_is_right_stays(corpus: Path) -> None:
    """Over a thousand real texts in many languages: not one is changed, but for the few that are garbled in truth."""
    paths, texts = zip(*right_texts(corpus), strict=True)
    assert len(texts) > 1000
    result = Repair().process(pa.table({"text": pa.array(texts, pa.large_string())}))
    changed = {
        name: {path for path, n in zip(paths, result[f"values.repaired_{name}"].to_pylist(), strict=True) if n}
        for name in ("mojibake", "pinyin", "look_alikes", "marks")
    }
    assert changed["mojibake"] == WRONG
    assert not changed["pinyin"] | changed["marks"]
    # Compatibility ideographs of Japanese and Korean pages: to Unicode the same characters, as NFC shows.
    for path, before, after in zip(paths, texts, result["text"].to_pylist(), strict=True):
        if path in changed["look_alikes"]:
            assert unicodedata.normalize("NFC", after) == unicodedata.normalize(
                "NFC", repaired(before, look_alikes=False)[0]
            )
