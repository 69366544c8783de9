"""Bytes to text for one value and for many files in one call."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.stages.decoding.decoder import decode, decode_rows
from headrace.stages.decoding.rows import rows_of_values

HANS = "数据预处理是训练大模型的第一步。先清洗，再去重，然后分级，最后切分成训练用的序列，缺一不可。\n"
HANT = "資料前處理是訓練大型模型的第一步。先清洗，再去除重複，然後分級，最後切成訓練用的序列，缺一不可。\n"
RUSSIAN = "Подготовка данных - первый шаг к обучению. Сначала чистим, потом убираем повторы.\n"
FRENCH = "Le prétraitement des données est la première étape, déjà très utile à l'élève.\n"
PLAIN = "The wheel turns, and the water goes on.\n"


@pytest.mark.parametrize("codec", ["cp1251", "koi8-r", "iso8859-5", "cp866", "mac-cyrillic"])
@pytest.mark.parametrize("words", ["РОССИЯ", "МОСКВА И ПЕТЕРБУРГ", "ПОДГОТОВКА ДАННЫХ", "ПРАВИТЕЛЬСТВО"])
def test_capitals_alone_in_cyrillic(words: str, codec: str) -> None:
    """Which letter follows which tells capitals in one page from small letters in another."""
    assert decode(words.encode(codec)).text == words


@pytest.mark.parametrize("codec", ["cp1253", "iso8859-7"])
@pytest.mark.parametrize("words", ["ΕΛΛΗΝΙΚΗ", "ΤΑ ΝΕΑ ΤΗΣ ΗΜΕΡΑΣ", "ΠΡΟΒΛΗΜΑ"])
def test_capitals_alone_in_greek(words: str, codec: str) -> None:
    """The same for Greek."""
    assert decode(words.encode(codec)).text == words


@pytest.mark.parametrize(
    ("most", "other", "main", "second"),
    [
        (HANS, HANS, "gbk", "utf-8"),
        (HANS, HANS, "utf-8", "gbk"),
        (HANT, HANT, "big5", "utf-8"),
        (HANT, HANT, "utf-8", "big5"),
        (HANS, HANT, "gbk", "big5"),
        (HANT, HANS, "big5", "gbk"),
        (FRENCH, FRENCH, "utf-8", "cp1252"),
        (FRENCH, FRENCH, "cp1252", "utf-8"),
        (HANS, RUSSIAN, "utf-8", "cp1251"),
        (RUSSIAN, RUSSIAN, "cp1251", "utf-8"),
    ],
)
@pytest.mark.parametrize("each", [2, 4, 40])
def test_lines_in_two_charsets(most: str, other: str, main: str, second: str, each: int) -> None:
    """Every line is read by its own charset, and the lines that are not in the file's are named."""
    texts = [other if line % each == each - 1 else most for line in range(45)]
    codecs = [second if line % each == each - 1 else main for line in range(45)]
    found = decode(b"".join(text.encode(codec) for text, codec in zip(texts, codecs, strict=True)))
    assert found.text == "".join(texts)
    assert (found.method, found.lost) == ("lines", 0)
    assert " as " in (found.detail or "")


def test_a_bad_line_costs_that_line() -> None:
    """One line of a thousand is no text: it shows as U+FFFD, and is named with its number and its first byte."""
    lines = [HANS.encode("gbk")] * 1000
    lines[500] = b"\xff\xff\x81\xff\xfe\xff bytes\n"
    found = decode(b"".join(lines))
    assert found.text.count("\ufffd") == found.lost > 0
    assert [n for n, line in enumerate(found.text.split("\n")[:-1], 1) if line != HANS[:-1]] == [501]
    begin = 500 * len(HANS.encode("gbk"))
    assert found.detail == f"line 501 (byte {begin}): {found.lost} codes lost"
    assert found.damage == pytest.approx(found.lost / len(found.text))
    assert found.encoding == "gb18030"


def test_details_stay_short() -> None:
    """Many damaged lines are counted, the first five are named."""
    found = decode((HANS.encode("gbk") + b"\xff\xff bytes\n") * 9)
    assert found.detail is not None
    assert found.detail.count("line") == 5
    assert found.detail.endswith("; 4 more places")


@pytest.mark.parametrize("codec", ["utf-8", "gbk", "gb18030", "big5", "cp932", "euc_jp", "cp949", "utf-16-le"])
def test_a_cut_last_character_is_left_out_and_counted(codec: str) -> None:
    """It is no reason to leave the charset, and it is not shown."""
    text = {
        "big5": HANT.strip(),
        "cp932": "データの前処理は、最初の一歩です",
        "euc_jp": "データの前処理は、最初の一歩です",
    }
    whole = text.get(codec, "데이터 전처리는 모델을 훈련하기" if codec == "cp949" else HANS.strip())
    found = decode(whole.encode(codec)[:-1])
    assert (found.text, found.lost) == (whole[:-1], 1)
    assert found.damage == pytest.approx(1 / (len(whole) - 1))


def test_replacement_characters_of_the_input_are_not_our_loss() -> None:
    """U+FFFD that somebody else put there is text."""
    for codec in ("utf-8", "gb18030", "utf-16"):
        found = decode((HANS + "\ufffd\n").encode(codec))
        assert (found.text, found.lost, found.damage) == (HANS + "\ufffd\n", 0, 0.0)


@pytest.mark.parametrize("data", [b"\xc0\xaf", b"\xe0\x80\xaf", b"\xed\xa0\x80\xed\xb0\x80", b"\xf5\x80\x80\x80"])
def test_forms_that_utf8_forbids_are_damage(data: bytes) -> None:
    """Overlong forms, surrogates and what is beyond Unicode become U+FFFD, as the Unicode Standard counts them."""
    found = decode(HANS.encode() * 3 + data + HANS.encode())
    assert found.encoding == "utf-8"
    assert found.text.replace("\ufffd", "") == HANS * 4
    assert found.lost == data.decode("utf-8", "replace").count("\ufffd")


def test_few_two_byte_sequences_may_be_chinese() -> None:
    """Bytes that are legal UTF-8 and good Chinese in GBK are Chinese, others stay UTF-8."""
    for text in ("什么", "一些", "同时", "系统", "学校", "为什么", "目前, 学习"):
        text.encode("gbk").decode()
        assert decode(text.encode("gbk")).text == text
    for text in ("naïve loader", "déjà vu", "Ελλάδα", "é", "дом"):
        assert decode(text.encode()).text == text


def test_forced_charsets() -> None:
    """What is forced is taken, but for marks; an unknown name is an error that says so."""
    assert decode(HANS.encode("gbk"), encoding="gb2312").method == "forced"
    assert decode(HANS.encode("utf-8-sig"), encoding="gbk").text == HANS
    assert decode(PLAIN.encode("cp037"), encoding="cp037").text == PLAIN
    assert decode(HANS.encode("gbk"), encoding="utf-8").lost > 10
    with pytest.raises(LookupError, match="no charset is called 'x-none'"):
        decode(b"", encoding="x-none")


def test_rare_charsets_are_read_where_they_are_declared() -> None:
    """A declaration outside the race counts if its text is a likely one."""
    text = "Подготовка данных первый шаг\n"
    assert decode(text.encode("koi8-t"), declared="koi8-t").text == text
    assert decode(PLAIN.encode("cp037"), declared="cp037").text == PLAIN
    assert decode(HANS.encode("gbk"), declared="cp037").text == HANS


def test_iso_2022_cn_line_by_line() -> None:
    """Its lines begin in ASCII, and sets are named once; damage is counted."""
    coded = b"".join(
        b"\x1b$)A" * (n == 0) + b"No. \x0e" + bytes(b & 0x7F for b in line.encode("gb2312")) + b"\x0f.\n"
        for n, line in enumerate(("数据预处理", "先清洗再去重"))
    )
    found = decode(coded)
    assert (found.text, found.encoding, found.method) == (
        "No. 数据预处理.\nNo. 先清洗再去重.\n",
        "iso-2022-cn",
        "escape",
    )


def test_many_values_in_one_call_are_each_judged_alone() -> None:
    """The text, charset, confidence and detail of a value do not depend on its neighbours."""
    values = [
        HANS.encode("gbk"),
        HANT.encode("big5"),
        b"",
        PLAIN.encode(),
        HANS.encode("utf-16"),
        HANS.encode("utf-16-le"),
        HANS.encode("hz"),
        (HANS * 200).encode("gbk"),
        HANS.encode("gbk") * 3 + HANS.encode(),
        RUSSIAN.encode("koi8-r"),
        "资料".encode("gbk"),
        HANS.encode()[:-2],
        bytes(range(256)),
    ]
    together = decode_rows(rows_of_values(values), [None] * len(values))
    texts = together.array().to_pylist()
    for n, value in enumerate(values):
        alone = decode(value)
        charset = together.charsets[n]
        assert (texts[n], together.text(n)) == (alone.text, alone.text)
        assert (charset.codec, charset.method, charset.confidence) == (alone.encoding, alone.method, alone.confidence)
        assert (together.lost[n], together.details.get(n)) == (alone.lost, alone.detail)


@pytest.mark.parametrize("size", [1, 2, 7])
def test_very_many_very_short_rows_of_one_file(size: int) -> None:
    """A sample is taken of them as of any file, within its bounds."""
    text = HANS.strip() * 900
    values = [text[at : at + size].encode("gbk") for at in range(0, len(text), size)]
    apart = rows_of_values(values)
    found = decode_rows(apart.as_one(), [None])
    assert "".join(found.array().to_pylist()) == text
    assert {charset.codec for charset in found.charsets} == {"gb18030"}


def test_confidence_is_between_none_and_one() -> None:
    """Proofs are certain, a race over two characters is less so, and what is no text is hardly believed."""
    assert decode(HANS.encode()).confidence == decode(HANS.encode("utf-16")).confidence == 1
    assert 0.5 < decode("资料".encode("gbk")).confidence < 1
    noise = np.random.default_rng(1).integers(0, 256, 4000, np.uint8).tobytes()
    assert decode(noise).confidence <= 0.05
