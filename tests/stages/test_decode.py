"""Decoding: marks first, then proofs, then the declared charset beside a detector; and a count of what is lost."""

from __future__ import annotations

import codecs
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.stages.parts import a_source, a_split, parts_of

from headrace.stages.decode import Decode
from headrace.stages.decoding.declaration import declared_in
from headrace.stages.decoding.decoder import decode

HANS = "数据预处理是训练大模型的第一步。先清洗，再去重，然后分级，最后切分成训练用的序列，缺一不可。\n"
HANT = "資料前處理是訓練大型模型的第一步。先清洗，再去除重複，然後分級，最後切成訓練用的序列，缺一不可。\n"
JAPANESE = "データの前処理は、大きなモデルを訓練するための最初の一歩です。ひらがなとカタカナと漢字。\n"
KOREAN = "데이터 전처리는 큰 모델을 훈련하기 위한 첫걸음입니다. 중복을 지우고 등급을 매깁니다.\n"
RUSSIAN = "Подготовка данных — первый шаг к обучению большой модели. Сначала чистим, потом убираем повторы.\n"
GERMAN = "Die Aufbereitung größerer Datenmengen fällt früher an als das Üben; schönes Gerät hilft dafür.\n"


def records(*data: bytes, kind: str = "text", declared: str | None = None, path: str = "f") -> pa.Table:
    """Give records of one file as reading gives them."""
    rows = len(data)
    return pa.table(
        {
            "doc_id": [f"s:{path}#{n}" for n in range(rows)],
            "data": pa.array(data, pa.large_binary()),
            "source": ["s"] * rows,
            "path": [path] * rows,
            "offset": list(range(rows)),
            "member": pa.nulls(rows, pa.string()),
            "format": [kind] * rows,
            "declared": pa.array([declared] * rows, pa.string()),
        }
    )


def decoded(*data: bytes, kind: str = "text", declared: str | None = None) -> tuple[str, str, str]:
    """Give the first record's text, charset and method."""
    table = Decode().process(records(*data, kind=kind, declared=declared))
    assert "verdict" not in table.column_names
    return table["text"][0].as_py(), table["encoding"][0].as_py(), table["encoding_method"][0].as_py()


@pytest.mark.parametrize(
    ("text", "encoding", "codec", "method"),
    [
        (HANS, "utf-8", "utf-8", "utf-8"),
        (HANS, "utf-8-sig", "utf-8", "bom"),
        (HANS, "utf-16", "utf-16-le", "bom"),
        (HANS, "utf-32", "utf-32-le", "bom"),
        (HANS, "utf-16-le", "utf-16-le", "detected"),
        (HANS, "utf-16-be", "utf-16-be", "detected"),
        (HANS.strip(), "utf-16-le", "utf-16-le", "detected"),
        (HANS.strip(), "utf-16-be", "utf-16-be", "detected"),
        (HANS, "utf-32-be", "utf-32-be", "detected"),
        (HANS, "gb2312", "gb18030", "detected"),
        (HANS + "𠮷㐀ḿ", "gb18030", "gb18030", "detected"),
        (HANS, "hz", "hz", "escape"),
        (HANT, "big5", "big5hkscs", "detected"),
        (JAPANESE, "cp932", "cp932", "detected"),
        (JAPANESE, "euc-jp", "euc_jp", "detected"),
        (JAPANESE, "iso2022-jp", "iso2022_jp_2004", "escape"),
        (KOREAN, "euc-kr", "cp949", "detected"),
        (KOREAN, "iso2022-kr", "iso2022_kr", "escape"),
        (RUSSIAN, "cp1251", "cp1251", "detected"),
        (RUSSIAN.replace("—", "-"), "koi8-r", "koi8-r", "detected"),
        (GERMAN, "cp1252", "cp1252", "detected"),
        ("plain ASCII ~{ with a brace and an escape \x1b[1m", "ascii", "utf-8", "utf-8"),
    ],
)
def test_charsets_of_a_sentence(text: str, encoding: str, codec: str, method: str) -> None:
    """One sentence is enough to name its charset, and the text comes back whole."""
    found, name, how = decoded(text.encode(encoding))
    assert (found, codecs.lookup(name), how) == (text, codecs.lookup(codec), method)


@settings(deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff\x1b\0~"), max_size=60))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_comes_back_whole(encoding: str, text: str) -> None:
    """Whatever is legal UTF-8, or carries a byte order mark, is never guessed at, but for a few two-byte sequences."""
    assume(encoding != "utf-8" or max(map(ord, text), default=0) < 0x80 or max(map(ord, text)) >= 0x800)
    assert decoded(text.encode(encoding))[0] == text


def test_byte_order_marks_are_no_text() -> None:
    """One or two in front go; one inside is left to cleaning."""
    twice = (codecs.BOM_UTF8 * 2) + "a\ufeffb".encode()
    assert decoded(twice)[0] == "a\ufeffb"
    assert decoded(codecs.BOM_UTF16_LE)[0] == ""


@pytest.mark.parametrize(
    ("text", "encoding", "declared", "codec"),
    [
        (HANT, "big5", "gb2312", "big5hkscs"),
        (HANS, "gbk", "utf-8", "gb18030"),
        (HANS, "utf-8", "gbk", "utf-8"),
        (RUSSIAN, "cp1251", "iso-8859-1", "cp1251"),
        (HANS, "gbk", "no-such-charset", "gb18030"),
        (HANS, "gbk", "base64", "gb18030"),
        ("资料", "gbk", "gb2312", "gb18030"),
        ("資料", "big5", "big5", "big5hkscs"),
        (RUSSIAN.replace("—", "-"), "iso8859-5", "iso-8859-5", "iso8859-5"),
        ("année", "mac-roman", "macintosh", "mac-roman"),
    ],
)
def test_declarations_are_heard_and_not_believed(text: str, encoding: str, declared: str, codec: str) -> None:
    """A declaration that fits decides short texts; one that gives odder text than the detector's choice loses."""
    found, name, _ = decoded(text.encode(encoding), declared=declared)
    assert (found, codecs.lookup(name)) == (text, codecs.lookup(codec))


def test_pages_declare_their_charset() -> None:
    """<meta> and the XML declaration count for pages, and only for pages."""
    short = "<html><head><meta charset=big5></head><body>資料</body></html>".encode("big5")
    assert decoded(short, kind="html")[1:] == ("big5hkscs", "declared")
    assert declared_in(b'<?xml version="1.0" encoding="GB2312"?><html>') == "GB2312"
    assert declared_in(b'<META http-equiv="Content-Type" content="text/html; charset=Shift_JIS">') == "Shift_JIS"
    assert declared_in(b"<p>charset=utf-8</p>") is None


def test_rows_of_a_file_are_judged_together() -> None:
    """A line that says nothing alone is read like the rest of its file; other files do not matter."""
    lines = [line.encode("gbk") for line in ("资料", *HANS.split("，"))]
    table = pa.concat_tables(
        [records(*lines, path="a"), records("資料前處理".encode("big5"), HANT.encode("big5"), path="b")]
    )
    result = Decode().process(table)
    assert result["encoding"].to_pylist() == ["gb18030"] * len(lines) + ["big5hkscs"] * 2
    assert result["text"].to_pylist() == ["资料", *HANS.split("，"), "資料前處理", HANT]


def test_a_long_ascii_head_does_not_decide() -> None:
    """The whole length of a file is looked at, not its first kilobytes."""
    page = b"<script>" + b"var x = 1;\n" * 9000 + b"</script>\n" + HANS.encode("gbk") * 3
    assert decoded(page)[1] == "gb18030"


def test_a_cut_last_character_is_forgiven() -> None:
    """Truncated UTF-8 stays UTF-8 and never falls back to another charset; one lost character is always allowed."""
    table = Decode().process(records(HANS.encode()[:-3]))
    assert table["encoding"].to_pylist() == ["utf-8"]
    assert table["text"][0].as_py() == HANS[:-2]
    assert table["damage"][0].as_py() == pytest.approx(1 / (len(HANS) - 2))
    assert table["verdict"].to_pylist() == [None]


def test_damage_is_measured_and_limited() -> None:
    """A record that lost too much is quarantined with the share and the limit; its neighbours are kept."""
    broken = HANS.encode() + b"\xff\xfe\xff\xff"
    table = Decode(max_damage=0.05).process(records(HANS.encode(), broken, HANS.encode()))
    assert table["verdict"].to_pylist() == [None, "quarantined", None]
    assert table["reason"].to_pylist() == [None, "undecodable", None]
    assert table["value"][1].as_py() == pytest.approx(4 / (len(HANS) + 4))
    assert table["threshold"].to_pylist() == [None, 0.05, None]
    kept = Decode(max_damage=0.2).process(records(broken))
    assert kept["verdict"].to_pylist() == [None]


def test_overlong_forms_never_become_what_they_hide() -> None:
    """The bytes C0 AF are damage, not a slash."""
    table = Decode().process(records(b"\xc0\xaf\xe0\x80\xaf" + HANS.encode()))
    assert "/" not in table["text"][0].as_py()


def test_cells_of_tables_are_text_already() -> None:
    """They are called native; bytes of another charset that a careless writer put there are judged cell by cell."""
    cells = (HANS.encode(), "café!".encode("cp1252"), HANT.encode("big5"), HANS.encode("gbk"), b"\xff\xff\xff\xff")
    table = Decode(max_damage=0.5).process(records(*cells, kind="row"))
    assert table["encoding_method"].to_pylist()[:4] == ["native", "detected", "detected", "detected"]
    assert table["text"].to_pylist()[:4] == [HANS, "café!", HANT, HANS]
    empty = records(b"x", kind="row").set_column(1, "data", pa.nulls(1, pa.large_binary()))
    assert Decode().process(empty)["text"].to_pylist() == [None]


def test_lines_of_utf16_are_decoded_alone(tmp_path: Path) -> None:
    """Lines behind the first have no byte order mark: reading says what it saw."""
    (tmp_path / "f.txt").write_bytes((HANS * 3).encode("utf-16"))
    for unit_bytes in (1, 10_000):
        parts = parts_of(a_split(tmp_path, "f.txt"), a_source(records="lines"), unit_bytes)
        texts = [text for part in parts for text in Decode().process(part.documents)["text"].to_pylist()]
        assert texts == [HANS] * 3


def test_what_reading_saw_is_not_called_declared(tmp_path: Path) -> None:
    """UTF-16 without a mark is detected in every part of a file; declared is what zero bytes do not tell."""
    (tmp_path / "f.txt").write_bytes((HANS * 3).encode("utf-16-le"))
    for unit_bytes in (1, 10_000):
        parts = parts_of(a_split(tmp_path, "f.txt"), a_source(records="lines"), unit_bytes)
        methods = {name for part in parts for name in Decode().process(part.documents)["encoding_method"].to_pylist()}
        assert methods == {"detected"}
    bare = "先清洗再去重然后分级"
    assert decoded(bare.encode("utf-16-le"), declared="utf-16-le") == (bare, "utf-16-le", "declared")


def test_nothing_stays_nothing() -> None:
    """A unit without records has the columns all the same."""
    table = Decode().process(records())
    assert table.num_rows == 0
    assert {"text", "encoding", "encoding_method", "encoding_confidence", "damage"} <= set(table.column_names)
    assert "data" not in table.column_names


def test_confidence_says_how_sure_it_is() -> None:
    """A proof is certain; a guess over two characters is not."""
    assert decode(HANS.encode()).confidence == 1
    assert decode("资料-2".encode("gbk")).confidence < 1


@pytest.mark.parametrize("encoding", ["gbk", "big5", "cp932", "cp1251", "utf-8"])
def test_units_of_one_file_agree(tmp_path: Path, encoding: str) -> None:
    """However a file is cut into units, each unit with a few lines finds the charset that the whole file has."""
    line = {"gbk": HANS, "big5": HANT, "cp932": JAPANESE, "cp1251": RUSSIAN, "utf-8": HANS}[encoding]
    (tmp_path / "f.txt").write_bytes((line * 40).encode(encoding))
    for unit_bytes in (300, 777, 100_000):
        parts = parts_of(a_split(tmp_path, "f.txt"), a_source(records="lines"), unit_bytes)
        tables = [Decode().process(part.documents) for part in parts if part.documents.num_rows]
        assert [text for table in tables for text in table["text"].to_pylist()] == [line] * 40
        assert len({name for table in tables for name in table["encoding"].to_pylist()}) == 1


def test_a_forced_charset_is_an_option() -> None:
    """`encoding` is taken for every input but marked ones and text that is text already; a wrong name is refused."""
    stage = Decode(encoding="Big5")
    result = stage.process(records(HANS.encode("gbk")))
    assert result["encoding"].to_pylist() == ["big5hkscs"]
    assert result["encoding_method"].to_pylist() == ["forced"]
    assert stage.process(records(HANS.encode("utf-8-sig")))["text"].to_pylist() == [HANS]
    assert stage.process(records(HANS.encode(), kind="row"))["encoding_method"].to_pylist() == ["native"]
    with pytest.raises(ValueError, match="no charset is called 'big-five'"):
        Decode(encoding="big-five")


def test_details_name_lines_and_bytes() -> None:
    """Odd lines of a document are named with their number in the file; a line that is a record, with its own."""
    good, other = HANS.encode("gbk"), HANS.encode()
    whole = Decode().process(records(good * 3 + other + good))
    assert whole["encoding_detail"].to_pylist() == [f"line 4 (byte {3 * len(good)}) as utf-8"]
    lines = records(good, b"\xff\xff\xff bytes\n", other, good)
    lines = lines.set_column(lines.schema.get_field_index("offset"), "offset", pa.array([0, 700, 900, 990]))
    result = Decode().process(lines.append_column("_line", pa.array([8, 9, 10, 11])))
    assert result["verdict"].to_pylist() == [None, "quarantined", None, None]
    assert result["detail"][1].as_py() == "gb18030 is the best guess; line 9 (byte 700): 3 codes lost"
    assert result["encoding"].to_pylist() == ["gb18030", "gb18030", "utf-8", "gb18030"]
    assert result["encoding_method"].to_pylist() == ["detected", "detected", "lines", "detected"]
    assert result["encoding_detail"].to_pylist()[2] == "line 10 (byte 900) as utf-8"


def test_one_bad_record_in_a_thousand() -> None:
    """It is quarantined with its place; the other 999 are kept as they are."""
    lines = [HANS.encode("gbk")] * 1000
    lines[617] = b"\x81\xff\xff\x80\xff\xff\n"
    result = Decode().process(records(*lines))
    assert [n for n, verdict in enumerate(result["verdict"].to_pylist()) if verdict] == [617]
    assert result["text"].to_pylist()[:617] == [HANS] * 617
    assert set(result["damage"].to_pylist()[:617]) == {0.0}


def test_members_of_a_container_are_judged_alone() -> None:
    """Pages of one crawl file are in many charsets; each is found by itself, with its own declaration."""
    pages = [HANS.encode("gbk"), HANT.encode("big5"), HANS.encode(), JAPANESE.encode("euc-jp"), "資料".encode("big5")]
    table = records(*pages)
    table = table.set_column(table.schema.get_field_index("member"), "member", pa.array([f"r{n}" for n in range(5)]))
    declared = pa.array([None, "gb2312", "gbk", None, "big5"], pa.string())
    table = table.set_column(table.schema.get_field_index("declared"), "declared", declared)
    result = Decode().process(table)
    assert result["text"].to_pylist() == [HANS, HANT, HANS, JAPANESE, "資料"]
    assert result["encoding_method"].to_pylist() == ["detected", "detected", "utf-8", "detected", "declared"]
