"""Decide how a file is read: by what its first bytes are, then by its ending, unless the configuration says."""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath

import numpy as np

from headrace.schemas.source import Source

HEAD_BYTES = 4096

_PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_TABLES = {b"PAR1": "parquet", b"ARROW1": "arrow"}
_FOREIGN = (  # what this version recognises but does not read
    (b"WARC/", "WARC"),
    (b"filedesc://", "ARC"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"%PDF-", "PDF"),
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF87a", "GIF image"),
    (b"GIF89a", "GIF image"),
    (b"II*\0", "TIFF image"),
    (b"MM\0*", "TIFF image"),
    (b"\x7fELF", "ELF program"),
    (b"SQLite format 3\0", "SQLite"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "OLE document"),
)
TAB_ENDINGS = (".tsv", ".tab")
_ENDINGS = {
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    **dict.fromkeys((".csv", *TAB_ENDINGS), "csv"),
    **dict.fromkeys((".html", ".htm", ".xhtml", ".xml", ".rss", ".atom"), "html"),
    **dict.fromkeys((".txt", ".md", ".rst", ".text"), "text"),
    ".json": "json",
}
_TABLE_ENDINGS = {".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow"}
_BINARY_ENDINGS = frozenset(
    (
        *(".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".bmp", ".webp", ".ico"),
        *(".zip", ".tar", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".whl", ".egg", ".warc", ".arc"),
        *(".exe", ".dll", ".so", ".o", ".a", ".pyc", ".pyd"),
        *(".mp3", ".mp4", ".avi", ".wav", ".ogg", ".ttf", ".woff", ".woff2"),
        *(".pdf", ".npy", ".npz", ".pt", ".pkl", ".db", ".sqlite", ".mdb"),
    )
)
_PACKED_ENDINGS = frozenset((".gz", ".zst", ".zstd", ".gzip"))
_HTML = re.compile(rb"\s*(<\?xml[^>]*>\s*)?(?><!--.*?-->\s*)*+<(!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_MAX_CONTROL_SHARE = 0.1


def packing(head: bytes) -> str | None:
    """Name the compression a content begins with: gzip, zstd, or None."""
    if len(head) >= 4 and 0x50 <= head[0] <= 0x5F and head[1:4] == b"\x2a\x4d\x18":
        return "zstd"  # a skippable frame
    return next((name for magic, name in _PACKED.items() if head.startswith(magic)), None)


def ending(path: str) -> str:
    """Give the ending that tells the format, in lower case and without .gz or .zst behind it."""
    suffixes = [suffix.lower() for suffix in PurePosixPath(path).suffixes]
    while suffixes and suffixes[-1] in _PACKED_ENDINGS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def is_table(path: str) -> bool:
    """Say whether a name promises a table file, which no byte reader can open."""
    return ending(path) in _TABLE_ENDINGS


def format_of(head: bytes, path: str, source: Source, wide: str | None) -> str:
    """Name the format: text, json, jsonl, csv, html, parquet, arrow, or `unsupported:` and what it seems to be."""
    foreign = _foreign(head)
    if foreign:
        return f"unsupported:{foreign}"
    table = next((name for magic, name in _TABLES.items() if head.startswith(magic)), None)
    if table:
        return table
    if source.format != "auto":
        return source.format
    suffix = ending(path)
    if suffix in _TABLE_ENDINGS:
        return _TABLE_ENDINGS[suffix]
    if suffix in _BINARY_ENDINGS:
        return f"unsupported:not what its ending {suffix} says"
    if _HTML.match(head):
        return "html"
    if suffix in _ENDINGS:
        return "jsonl" if suffix == ".json" and _is_lines(head) else _ENDINGS[suffix]
    return "text" if wide or _texty(head) else "unsupported:binary"


def cuttable(file_format: str, source: Source) -> bool:
    """Say whether records are found from any place of the file: it may be cut into ranges."""
    return file_format == "jsonl" or (file_format == "text" and source.records != "file")


def _foreign(head: bytes) -> str | None:
    if head[257:262] == b"ustar":
        return "tar"
    if head[:4] == b"RIFF" and head[8:12] in (b"WEBP", b"WAVE", b"AVI "):
        return head[8:12].decode().strip()
    return next((name for magic, name in _FOREIGN if head.startswith(magic)), None)


def _is_lines(head: bytes) -> bool:
    """Say whether a file called .json holds one JSON object a line."""
    first, _, rest = head.lstrip().partition(b"\n")
    if not rest.lstrip().startswith(b"{"):
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _texty(head: bytes) -> bool:
    """Say whether the first bytes are text in some encoding: hardly any control bytes."""
    code = np.frombuffer(head, np.uint8)
    control = (code < 32) & (code != 9) & (code != 10) & (code != 12) & (code != 13) & (code != 27)
    return bool(control.sum() <= _MAX_CONTROL_SHARE * len(code))
