"""The charset kernels beside their plain twins, over texts, damaged texts and bytes that are no text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.stages.decoding.batch import decoded_as, judged
from headrace.stages.decoding.charset import NUMBER_OF
from headrace.stages.decoding.charsets import DOUBLE_BYTE, NUMBERED, WIDE
from headrace.stages.decoding.model_cache import charset_model
from headrace.stages.decoding.rows import rows_of_bytes
from headrace.stages.kernels import charset_plain as plain
from headrace.stages.kernels.charset_at_once import UNTOLD, read_at_once
from headrace.stages.kernels.charset_facts import (
    BROKEN,
    CODES,
    CONTROLS,
    CUTS,
    ESCAPES,
    HIGH,
    NULS,
    PAIRS,
    SIZE,
    TILDES,
)
from headrace.stages.kernels.charset_model import (
    BIG5,
    FIRST_PAGE,
    HOPELESS,
    UTF_8,
    UTF_16_BE,
    UTF_16_LE,
)
from headrace.stages.kernels.charset_race import CODEC, PROVEN, SAMPLED, SCORE, SECOND, SECOND_SCORE
from headrace.stages.kernels.charset_transcode import LAYOUT, LOST_CODES, ODD, STRAIN

MODEL = charset_model()
SENTENCES = {
    "gb18030": "数据预处理是训练模型的第一步（ḿ，€5）。\n先清洗再去重 Headrace 3 号。\n",
    "big5": "資料前處理是訓練模型的第一步。\n先清洗，再去除重複 A 級。\n",
    "cp932": "データの前処理は、最初の一歩です。\nﾃﾞｰﾀ ｱ漢字。\n",
    "euc_jp": "データの前処理は、最初の一歩です。丂侌\n",
    "cp949": "데이터 전처리는 큰 모델을 훈련하기 위한 첫걸음입니다.\n",
    "johab": "데이터 전처리는 큰 모델을\n",
    "utf-8": "数据 naïve 😀 データ данные\n",
    "utf-16-le": "数据预处理，第一步\n",
    "cp1251": "Подготовка ДАННЫХ — первый шаг к обучению.\n",
    "koi8-r": "Сначала чистим, потом убираем повторы. Ёлка\n",
    "cp1252": "Die Aufbereitung größerer Datenmengen – „früher“ 3 £\n",
    "cp1250": "Příliš žluťoučký kůň úpěl ďábelské ódy\n",
    "cp1253": "Η προεπεξεργασία των ΔΕΔΟΜΕΝΩΝ είναι\n",
    "cp1255": "עיבוד מקדים של נתונים\n",
    "cp1256": "المعالجة المسبقة للبيانات\n",
    "cp874": "การเตรียมข้อมูล\n",
}


@st.composite
def encodings(draw: st.DrawFn) -> bytes:
    """Give short bytes: a text in some charset, perhaps cut, with strange bytes in it; or strange bytes alone."""
    if draw(st.booleans()):
        return draw(st.binary(max_size=40))
    codec = draw(st.sampled_from(sorted(SENTENCES)))
    data = SENTENCES[codec].encode(codec, "ignore")
    begin = draw(st.integers(0, len(data)))
    part = data[begin : begin + draw(st.integers(0, 60))]
    at = draw(st.integers(0, len(part)))
    return part[:at] + draw(st.binary(max_size=3)) + part[at:]


def test_facts_are_counts() -> None:
    """Bytes are counted by what they are, UTF-8 by its sequences up to the first that is broken."""
    data = "aé中😀\0\x1b\x01~{\t\n".encode() + b"\xe4\xb8"
    (facts,) = judged(rows_of_bytes(data), np.array([-1]), 0, MODEL, proofs=True).facts
    assert facts[[SIZE, HIGH, NULS, ESCAPES, TILDES, CONTROLS]].tolist() == [len(data), 11, 1, 1, 1, 1]
    assert facts[[CODES, PAIRS, CUTS, BROKEN]].tolist() == [3, 1, 1, 0]
    (facts,) = judged(rows_of_bytes(b"\xc3\xa9\xff\xc3\xa9" * 200), np.array([-1]), 0, MODEL, proofs=True).facts
    assert facts[[HIGH, CODES, BROKEN]].tolist() == [1000, 1, 1]


@pytest.mark.parametrize("lead", range(0x80, 0x100))
def test_sequences_are_counted_as_python_reads_them(lead: int) -> None:
    """Whatever follows a lead byte, it is a whole sequence, a broken one or a cut one as Python's decoder has it."""
    for tail in (b"", b"\x80", b"\x9f\xbf", b"\xa0\x80", b"\x80A", b"A\x80", b"\xc0\x80", b"\xbf\xff", b"\x90\xbf\x80"):
        data = bytes([lead]) + tail
        (facts,) = judged(rows_of_bytes(data), np.array([-1]), 0, MODEL, proofs=True).facts
        points = [unit.point for unit in plain.utf8_units(data) if data[unit.at] >= 0x80]
        whole = points[: points.index(plain.LOST)] if plain.LOST in points else points
        assert facts[BROKEN] == (plain.LOST in points), data
        assert facts[CODES] == sum(point > 0 for point in whole), data
        assert facts[CUTS] == sum(point < 0 for point in whole), data
        assert facts[PAIRS] == sum(0x80 <= point < 0x800 for point in whole), data


@settings(max_examples=120, deadline=None)
@given(data=encodings())
def test_texts_and_losses(data: bytes) -> None:
    """Each charset gives the text, the losses and the strain that its twin gives."""
    for name in NUMBERED:
        number = NUMBER_OF[name]
        if name in WIDE:
            continue
        batch = decoded_as(rows_of_bytes(data), np.array([number]), MODEL)
        text, lost = plain.text_of(data, number, MODEL)
        assert batch.utf8[: batch.offsets[-1]].tobytes().decode() == text, name
        assert batch.notes[0, LOST_CODES] == lost, name
        if name in DOUBLE_BYTE:
            assert batch.notes[0, STRAIN] == plain.strain(data, number, MODEL), name
        if number == BIG5:
            assert batch.notes[0, LAYOUT] == plain.vendor_codes(data, MODEL)


@settings(max_examples=120, deadline=None)
@given(data=encodings())
def test_scores(data: bytes) -> None:
    """The race is won by the charset to which its twin gives the best score, and both have the same scores."""
    (found,) = judged(rows_of_bytes(data), np.array([-1]), 0, MODEL, proofs=False).found
    assert not found[PROVEN]
    scores = dict.fromkeys(range(len(NUMBERED)), HOPELESS)
    for guess, (family, _, prior) in enumerate(MODEL.guesses.tolist()):
        score = plain.double_byte_score(data, guess, MODEL) + prior
        scores[family] = max(scores[family], score)
    scores |= {UTF_8: plain.utf8_score(data, MODEL) + 100}
    scores |= {
        codec: plain.utf16_score(data, MODEL, big_endian=codec == UTF_16_BE) - 500 for codec in (UTF_16_LE, UTF_16_BE)
    }
    scores |= plain.page_scores(data, MODEL)
    for codec, score in ((CODEC, SCORE), (SECOND, SECOND_SCORE)):
        if found[score] > HOPELESS:
            assert found[score] == scores[int(found[codec])], NUMBERED[found[codec]]
    assert found[SCORE] == max(score for codec, score in scores.items() if _may_win(codec, found))


def _may_win(codec: int, found: np.ndarray) -> bool:
    """Leave out what the race does not try: pages where double bytes are easy, UTF-16 of odd or damaged bytes."""
    tried = {int(found[CODEC]), int(found[SECOND])}
    return codec in tried or codec < UTF_8


@pytest.mark.parametrize("codec", sorted(set(SENTENCES) - {"johab", "utf-16-le"}))
def test_a_sentence_is_told(codec: str) -> None:
    """One sentence is enough for the race, and its score is its twin's."""
    data = SENTENCES[codec].encode(codec, "ignore")
    (found,) = judged(rows_of_bytes(data), np.array([-1]), 0, MODEL, proofs=False).found
    names = {"big5": "big5hkscs"}
    assert NUMBERED[found[CODEC]] == names.get(codec, codec)
    if found[CODEC] >= FIRST_PAGE:
        assert found[SCORE] == plain.page_scores(data, MODEL)[int(found[CODEC])]


@settings(max_examples=60, deadline=None)
@given(
    codec=st.sampled_from(["gb18030", "big5", "cp932", "euc_jp", "cp949", "utf-8"]),
    odd=st.one_of(st.just(b""), st.binary(max_size=3), st.sampled_from(["€", "ḿ", "Ê̄", "龘", "\ufeff", "\U0001f600"])),
    at=st.integers(0, 600),
)
def test_a_long_text_at_once(codec: str, odd: bytes | str, at: int) -> None:
    """What is told at once has the charset and scores of the race and the text of its twin, nothing lost or odd."""
    data = (SENTENCES[codec] * 12).encode(codec, "ignore")
    data = data[:at] + (odd if isinstance(odd, bytes) else odd.encode(codec, "ignore")) + data[at:]
    told, score, lead, sampled, size, points = _at_once(data)
    if told == UNTOLD:
        return
    batch = judged(rows_of_bytes(data), np.array([-1]), 0, MODEL, proofs=True)
    (found,), number = batch.found.tolist(), told
    assert number == found[CODEC]
    assert not batch.suspects
    text = data.decode() if number == UTF_8 else points[:size].tobytes().decode("utf-32-le")
    assert (text, 0) == plain.text_of(data, number, MODEL)
    if number != UTF_8:
        assert [score, lead, sampled] == [found[SCORE], found[SCORE] - found[SECOND_SCORE], found[SAMPLED]]
        assert plain.strain(data, number, MODEL) <= ODD


@pytest.mark.parametrize("codec", ["gb18030", "big5", "euc_jp", "cp949", "utf-8"])
def test_clean_long_texts_are_told_at_once(codec: str) -> None:
    """Long texts without anything odd need no second call; one that has lost a code does."""
    data = (SENTENCES[codec] * 12).encode(codec, "ignore")
    assert NUMBERED[_at_once(data)[0]] == {"big5": "big5hkscs"}.get(codec, codec)
    assert _at_once(data + b"\xff\n")[0] == UNTOLD


def _at_once(data: bytes) -> tuple[int, int, int, int, int, np.ndarray]:
    points = np.empty(len(data), np.uint32)
    return *read_at_once(np.frombuffer(data, np.uint8), MODEL.codes, MODEL.longer, points), points
