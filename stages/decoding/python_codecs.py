"""Charsets that the kernels leave to Python: UTF-16, UTF-32, escapes, and rare ones that are declared or forced."""

from __future__ import annotations

import codecs

from headrace.stages.decoding.charsets import ESCAPING
from headrace.stages.decoding.escapes import decode_escapes
from headrace.stages.kernels.charset_model import Model

_BOM, _LOST = "\ufeff", "\ufffd"


def python_text(data: bytes, codec: str, model: Model) -> tuple[str, int]:
    """Give the text without marks at its beginning, and the number of lost codes; a cut last one is left out."""
    if codec in ESCAPING:
        return decode_escapes(data, codec, model)
    decoder = codecs.getincrementaldecoder(codec)
    reading = decoder()
    try:
        text, lost = reading.decode(data), 0
    except UnicodeDecodeError:
        reading = decoder("replace")
        text = reading.decode(data)
        lost = text.count(_LOST) - decoder("ignore").decode(data).count(_LOST)
    text = text.encode("utf-8", "replace").decode()  # UTF-16 that Python lets pass may hold halves of pairs
    return text.lstrip(_BOM), lost + bool(reading.getstate()[0])
