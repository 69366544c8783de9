"""Detectors of charsets side by side, each as a function from bytes to text.

A peer names a charset, and its text is what the widest code page of that family gives, so that no peer is failed for
a narrow name (GB2312 for a text with a character of GBK). Peers that are not installed are looked for where
`make bench-env` puts them; one that is nowhere is reported as absent.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import ModuleType

from headrace.stages.decoding.charsets import codec_of
from headrace.stages.decoding.decoder import decode

Reader = Callable[[bytes], str | None]
OURS, CHARDET, CHARSET_NORMALIZER, CCHARDET = "headrace", "chardet", "charset-normalizer", "faust-cchardet"
PEERS = (CHARDET, CHARSET_NORMALIZER, CCHARDET)
_MODULES = {CHARDET: "chardet", CHARSET_NORMALIZER: "charset_normalizer", CCHARDET: "cchardet"}
_ENVIRONMENTS = Path(__file__).parents[1] / ".bench-env"


def readers() -> dict[str, Reader]:
    """Give what is there, ours first."""
    found: dict[str, Reader] = {OURS: lambda data: decode(data).text}
    for name in _MODULES:
        module = _module(name)
        if module is not None:
            found[name] = _reader(name, module)
    return found


def releases() -> dict[str, str]:
    """Give the versions of the peers that are there; call `readers` before."""
    return {name: metadata.version(name) for name, module in _MODULES.items() if module in sys.modules}


def _module(name: str) -> ModuleType | None:
    """Import a peer, from here or from its environment of the same Python."""
    try:
        return importlib.import_module(_MODULES[name])
    except ImportError:
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        for folder in sorted(_ENVIRONMENTS.glob(f"*/lib/{version}/site-packages/{_MODULES[name]}")):
            sys.path.append(str(folder.parent))  # behind everything of our own
            return importlib.import_module(_MODULES[name])
    return None


def _reader(name: str, module: ModuleType) -> Reader:
    if name == CHARSET_NORMALIZER:

        def read(data: bytes) -> str | None:
            best = module.from_bytes(data).best()
            return read_as(data, best.encoding) if best else None

    else:

        def read(data: bytes) -> str | None:
            return read_as(data, module.detect(data)["encoding"])

    return read


def read_as(data: bytes, encoding: str | None) -> str | None:
    """Decode by the widest charset of the family that a peer named; None if there is no such charset."""
    codec = codec_of(encoding)
    if codec is None:
        return None
    try:
        return data.decode(codec).removeprefix("\ufeff")
    except (LookupError, UnicodeError):  # no codec of Python, or more than it holds
        return decode(data, encoding=codec).text
