"""Charsets that are pure ASCII and switch by escapes: HZ, ISO-2022-JP, -KR and -CN. All of them pass as UTF-8."""

from __future__ import annotations

import codecs
import re

import numpy as np

from headrace.stages.decoding.charsets import ISO_2022_CN
from headrace.stages.kernels.charset_iso2022 import from_iso2022_cn
from headrace.stages.kernels.charset_model import ANY, BEYOND, Model
from headrace.stages.kernels.charset_transcode import MOST_BYTES

# What gives a charset away, and the codecs that may read it: of several, the first that reads all.
_SIGNS = (
    (re.compile(rb"\x1b\$\)C"), ("iso2022_kr",)),
    (re.compile(rb"\x1b\$(?:\)[AEG]|\*H)"), (ISO_2022_CN,)),
    (
        re.compile(rb"\x1b(?:\$[@B(]|\([IJ])"),
        ("iso2022_jp_2004", "iso2022_jp_ext", "iso2022_jp_2", "iso2022_jp_3"),
    ),
    (re.compile(rb"~\{[\x21-\x77][\x21-\x7e]"), ("hz",)),
)
_LEAST_LIKELY = -1150  # centinats a character: the mean of a text is about -750
_MOST_LOST = 50  # one character in so many


def escaped(data: bytes, model: Model) -> tuple[str, str, int] | None:
    """Give text, charset and the number of lost characters of bytes that are ASCII; None if no escape gives a text."""
    for sign, names in _SIGNS:
        if sign.search(data):
            tried = [(*decode_escapes(data, name, model), name) for name in names[:1]]
            if tried[0][1]:
                tried += [(*decode_escapes(data, name, model), name) for name in names[1:]]
            text, lost, name = min(tried, key=lambda found: found[1])
            if lost <= max(1, len(text) // _MOST_LOST) and _is_text(text, model):
                return text, name, lost
    return None


def decode_escapes(data: bytes, codec: str, model: Model) -> tuple[str, int]:
    """Give the text in one of these charsets and the number of lost characters; a cut last one is left out."""
    if codec == ISO_2022_CN:
        out = np.empty(MOST_BYTES * len(data), np.uint8)
        size, lost = from_iso2022_cn(np.frombuffer(data, np.uint8), model, out)
        return out[:size].tobytes().decode(), int(lost)
    decoder = codecs.getincrementaldecoder(codec)("replace")
    text = decoder.decode(data)
    rest = bool(decoder.getstate()[0])
    return text, text.count("\ufffd") + rest


def _is_text(text: str, model: Model) -> bool:
    """Say whether the characters beyond ASCII are those of running text."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    points = points[points >= 0x80]
    logs = model.character_logs[ANY][np.minimum(points, BEYOND)]
    return bool(len(points)) and int(logs.sum(dtype=np.int64)) >= _LEAST_LIKELY * len(points)
