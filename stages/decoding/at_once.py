"""Most long texts: legal UTF-8, or of a charset that a quick look tells, with nothing odd in them."""

from __future__ import annotations

import codecs
from typing import NamedTuple

import numpy as np

from headrace.stages.decoding.charset import sureness
from headrace.stages.decoding.charsets import NUMBERED, UTF_8
from headrace.stages.kernels.charset_at_once import UNTOLD, read_at_once
from headrace.stages.kernels.charset_model import UTF_8 as PROVEN
from headrace.stages.kernels.charset_model import Model
from headrace.stages.kernels.charset_race import MANY_HIGH

_MOST = 1 << 20  # bytes: four times as many are taken for the code points


class Told(NamedTuple):
    """A text, its charset, how that was found, and how sure it is, 0 to 1."""

    text: str
    codec: str
    method: str
    confidence: float


def told_at_once(data: bytes, model: Model) -> Told | None:
    """Give a text in a single call; None where there is more to look at, which says nothing about the bytes."""
    if not MANY_HIGH <= len(data) <= _MOST:
        return None
    out = np.empty(len(data), np.uint32)
    codec, score, lead, sampled, size = read_at_once(np.frombuffer(data, np.uint8), model.codes, model.longer, out)
    if codec == UNTOLD:
        return None
    if codec == PROVEN:
        return Told(data.decode(), UTF_8, "utf-8", 1.0)
    text, _ = codecs.utf_32_le_decode(out[:size].data, "strict", True)
    return Told(text, NUMBERED[codec], "detected", sureness(score, lead, sampled))
