"""What holds for any text in any charset, and for any bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.stages.decoding.decoder import decode, decode_rows
from headrace.stages.decoding.rows import rows_of_values

TEXTS = {
    "hans": "数据 处理 模型 训练 清洗 去重 序列 分级 我们 中国 经济 发展 他们 的时候 没有 一个 可以 问题 ， 。 、 ：",
    "hant": "資料 處理 模型 訓練 清洗 重複 序列 分級 我們 中國 經濟 發展 他們 的時候 沒有 因為 一個 可以 問題 ， 。 、",
    "ja": "データ 処理 モデル です ます した 清掃 という こと する 私たち 日本 経済 について 、 。 の は を が に",
    "ko": "데이터 처리 모델 훈련 합니다 우리 한국 경제 때문에 하나의 문제 없다 있는 그리고 위한 것은",
    "ru": "данные обработка модель обучение мы Россия экономика потому что один вопрос нет есть и для это",
    "el": "δεδομένα επεξεργασία μοντέλο εκπαίδευση εμείς Ελλάδα οικονομία γιατί ένα πρόβλημα δεν και για",
    "he": "נתונים עיבוד מודל אימון אנחנו ישראל כלכלה כי אחד שאלה אין יש של את",
    "ar": "البيانات معالجة نموذج تدريب نحن العربية الاقتصاد لأن واحد سؤال لا في من على",
    "th": "ข้อมูล การประมวลผล แบบจำลอง การฝึก เรา ประเทศไทย เศรษฐกิจ เพราะ หนึ่ง ปัญหา ไม่ และ",
    "cs": "předzpracování dat je prvním krokem učení modelů čeština že který může být více když také při",
    "hu": "az adatok előfeldolgozása a tanítás első lépése és hogy nem egy magyar között több után második",
    "tr": "verilerin ön işlenmesi eğitimin ilk adımıdır için değil Türkiye güneş çünkü olduğu şehir ağaç",
    "fr": "le prétraitement des données est la première étape déjà très élève français où été même après",
    "de": "die Aufbereitung größerer Datenmengen fällt früher an für über schön natürlich können Straße",
}
WORDS = {language: text.split(" ") for language, text in TEXTS.items()}
CODECS = {
    "hans": ("gb2312", "gbk", "gb18030", "hz", "utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"),
    "hant": ("big5", "cp950", "big5hkscs", "gbk", "utf-8"),
    "ja": ("cp932", "euc_jp", "iso2022_jp", "utf-8"),
    "ko": ("cp949", "euc_kr", "johab", "iso2022_kr", "utf-8"),
    "ru": ("cp1251", "koi8-r", "iso8859-5", "cp866", "mac-cyrillic", "cp855"),
    "el": ("cp1253", "iso8859-7", "cp737"),
    "he": ("cp1255", "iso8859-8"),
    "ar": ("cp1256", "iso8859-6"),
    "th": ("cp874",),
    "cs": ("cp1250", "iso8859-2", "cp852"),
    "hu": ("cp1250", "iso8859-2", "cp852"),
    "tr": ("cp1254", "iso8859-9", "cp857"),
    "fr": ("cp1252", "iso8859-1", "mac-roman", "cp850"),
    "de": ("cp1252", "iso8859-1", "mac-roman", "cp850"),
}
PAIRS = [(language, codec) for language, codecs in CODECS.items() for codec in codecs]


@pytest.mark.parametrize(("language", "codec"), PAIRS)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_decode_undoes_encode(language: str, codec: str, data: st.DataObject) -> None:
    """Thirty words and more, in any order, come back from every charset that holds them."""
    between = "" if language in ("hans", "hant", "ja", "th") else " "
    words = data.draw(st.lists(st.sampled_from(WORDS[language]), min_size=30, max_size=60, unique=False))
    text = between.join([*WORDS[language], *words])
    found = decode(text.encode(codec))
    assert (found.text, found.lost) == (text, 0)


@settings(max_examples=300, deadline=None)
@given(
    data=st.binary(max_size=300), declared=st.sampled_from([None, "gbk", "utf-16", "latin1", "hz", "euc-tw", "koi8-t"])
)
def test_any_bytes_give_a_result(data: bytes, declared: str | None) -> None:
    """No exception, a text that can be written as UTF-8, and figures within their bounds."""
    found = decode(data, declared)
    found.text.encode()
    assert 0 <= found.confidence <= 1
    assert 0 <= found.lost <= len(data)
    assert found.damage <= 1 or found.lost > len(found.text)
    assert (found.lost > 0) == (found.damage > 0)


SIZE = 1_000_000
HEAPS = {
    "random": np.random.default_rng(3).integers(0, 256, SIZE, np.uint8).tobytes(),
    "0x80": b"\x80" * SIZE,
    "0xff": b"\xff" * SIZE,
    "escapes": b"\x1b" * SIZE,
    "openers": b"~{" * (SIZE // 2),
    "openers with text": b"~{VPND~}" * (SIZE // 8),
    "sets of ISO-2022": b"\x1b$)A\x0e" * (SIZE // 5),
    "zeros": b"\0" * SIZE,
    "leads": b"\x81" * SIZE,
    "lines": b"\xe9\n" * (SIZE // 2),
    "odd lines": b"\xc3\xa9\xff\n" * (SIZE // 4),
    "one long line": "数据".encode("gbk") * (SIZE // 4) + b"\xff",
}


@pytest.mark.parametrize("heap", HEAPS)
def test_a_megabyte_of_anything_ends(heap: str) -> None:
    """It gives a text within the limit of a test; in the square of the bytes it would be hours."""
    decode(HEAPS[heap]).text.encode()


@pytest.mark.soak
@pytest.mark.parametrize("heap", HEAPS)
def test_ten_megabytes_of_anything_end(heap: str) -> None:
    """So do ten."""
    decode(HEAPS[heap] * 10).text.encode()


@settings(max_examples=150, deadline=None)
@given(values=st.lists(st.binary(max_size=80), min_size=1, max_size=20), together=st.booleans())
def test_any_rows_give_as_many_texts(values: list[bytes], together: bool) -> None:  # noqa: FBT001  # drawn, not called
    """Rows of one file or of many: one text each, all legal UTF-8, whatever the bytes are."""
    rows = rows_of_values(values)
    found = decode_rows(rows.as_one() if together else rows, [None] * (1 if together else len(values)))
    texts = found.array()
    texts.validate(full=True)
    assert texts.to_pylist() == [found.text(row) for row in range(len(values))]
