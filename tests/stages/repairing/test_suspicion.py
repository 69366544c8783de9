"""The scan passes nothing over that could be mended, and little else."""

from __future__ import annotations

import ftfy
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.schemas.arrays import text_buffers
from headrace.stages.kernels.repair_scan import MOJIBAKE, scan
from headrace.stages.repairing.suspicion import signals

# What single-byte tables make of UTF-8, and what stands beside it.
WORDS = st.sampled_from(
    ["naïve", "café", "“mill”", "doesn’t", "déjà", "Müller", "мельница", "Ελλάδα", "数据", "à la", "¿qué?"]
)
CODECS = st.sampled_from(["latin-1", "sloppy-windows-1252", "sloppy-windows-1251", "sloppy-windows-1250", "macroman"])


def suspicious(text: str) -> bool:
    return bool(scan(*text_buffers(pa.array([text], pa.large_string())), signals(), 8)[0] & MOJIBAKE)


@given(st.lists(st.tuples(WORDS, st.one_of(st.none(), CODECS)), min_size=1, max_size=5))
@settings(max_examples=300, deadline=None)
def test_what_ftfy_mends_is_suspicious(words: list[tuple[str, str | None]]) -> None:
    """A line that ftfy would change has the bit."""
    line = " ".join(word.encode().decode(codec, "replace") if codec else word for word, codec in words)
    assert suspicious(line) or ftfy.fix_encoding(line) == line


def test_ordinary_text_is_not_suspicious() -> None:
    """Prose of many languages costs no closer look."""
    lines = (
        "水车转动，渠水不断；“磨坊”就在河边……",
        "水車轉動，渠水不斷；「磨坊」就在河邊。",
        "L’été, l’eau du bief amène tout à la roue — déjà.",
        "Die Mühle läuft; „groß heißt hier: über 3 m“.",
        "Мельничное колесо вращается, «и вода» не иссякает.",
        "水車は回り、水路は決して涸れない。",
        "물레방아는 돌고, 물길은 마르지 않는다.",
    )
    assert [line for line in lines if suspicious(line)] == []
