"""Texts of mainframes: told from any other by their letters and spaces, and never kept as the garbage of a page."""

from __future__ import annotations

import pytest

from headrace.stages.decoding.charsets import PAGES
from headrace.stages.decoding.decoder import decode
from headrace.stages.decoding.ebcdic import ebcdic_lines, ebcdic_page

TEXTS = (
    "The old mill had seven wheels, all of them of oak.",
    "THE OLD MILL HAD SEVEN WHEELS, ALL OF THEM OF OAK.",
    "Customer record 00123: Smith, John; balance 1,204.50 USD",
    "Die Mühle am Bach hat ein altes Wasserrad, das sich langsam dreht.",
    "Le moulin à eau tourne très lentement près de la rivière.",
    "hello world abc",
)
ODD = TEXTS[0].encode("cp037")


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("end", ["", "\n", "\x85"])
def test_it_is_found_and_read(text: str, end: str) -> None:
    """From a few words on, with either line end of EBCDIC."""
    found = decode((text + end).encode("cp037") * 3)
    assert (found.text, found.encoding, found.method, found.lost) == ((text + end) * 3, "cp037", "detected", 0)
    assert found.confidence > 0.8


def test_fixed_records_are_mostly_spaces() -> None:
    """Eighty columns a record, no line ends."""
    text = "".join(f"{name:<40}{amount:>40}" for name, amount in (("Smith, John", "1,204.50"), ("Miller, Ann", "7.00")))
    assert decode(text.encode("cp037")).text == text


def test_brackets_tell_the_international_page() -> None:
    """Its brackets lie where the American page has ¢ and !."""
    text = "the first [of all] wheels turns [slowly] today"
    assert decode(text.encode("cp500")).text == text
    assert decode(text.encode("cp037")).text == text


@pytest.mark.parametrize("page", [name for name, _, _ in PAGES])
def test_other_charsets_are_not_taken_for_it(page: str) -> None:
    """Every byte of each page, words of it between @, and addresses."""
    letters = bytes(range(0x80, 0x100)).decode(page, "ignore").encode(page)
    for data in (letters, letters.replace(b"\xa0", b"@"), b"@".join([letters[:40]] * 20), b"a@b.org, c@d.org " * 9):
        assert ebcdic_page(data) is None


def test_double_byte_texts_are_not_taken_for_it() -> None:
    """Their second bytes may be 0x40, but not every fifth."""
    for codec, text in (("gb18030", "丂侤傽在水车旁"), ("big5", "一乙丁七乃九了二"), ("cp932", "　、。，．・ァ愛")):
        assert decode(text.encode(codec) * 10).encoding not in ("cp037", "cp500")


@pytest.mark.parametrize("other", ["an ordinary line about mills and wheels", "磨坊里的水车转得很稳，石磨不会发热。"])
@pytest.mark.parametrize("count", [1, 10])
def test_lines_of_it_are_named_as_lost(other: str, count: int) -> None:
    """Among lines of UTF-8 they are no Cyrillic; the line is named, the others are whole."""
    lines = [other.encode()] * count
    found = decode(b"\n".join([*lines, ODD, *lines]))
    assert found.encoding == "utf-8"
    assert found.text.split("\n").count(other) == 2 * count
    assert found.lost > 20
    assert (found.detail or "").startswith(f"line {count + 1} (byte {(len(lines[0]) + 1) * count})")


def test_lines_are_only_looked_for_in_utf8() -> None:
    """Where the other lines are in a page too, the file stays what it was taken for."""
    russian = "Подготовка данных, первый шаг"
    data = b"\n".join([russian.encode("cp1251")] * 5 + [ODD])
    assert not ebcdic_lines(data)
    assert ebcdic_lines(b"\n".join([russian.encode(), ODD, russian.encode()[:-1]]))
    assert decode(data).text.startswith(russian)
