"""Decide how a file is read: by what its first bytes are, then by its ending, unless the configuration says."""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath

import numpy as np

from headrace.schemas.source import Source

HEAD_BYTES = 4096

_PACKED = (
    (re.compile(rb"\x1f\x8b\x08"), "gzip"),
    (re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), "zstd"),  # a frame, or one to skip
    (re.compile(rb"BZh[1-9](1AY&SY|\x17\x72\x45\x38\x50\x90)"), "bzip2"),
    (re.compile(rb"\xfd7zXZ\0"), "xz"),
    (re.compile(rb"\x04\x22\x4d\x18"), "lz4"),
    # .lzma has no magic: the usual properties, a dictionary size that writers choose, an unknown or a sane length
    (re.compile(rb"\x5d\0\0(?!\0\0).[\0-\x08](\xff{8}|.{5}\0{3})\0", re.DOTALL), "lzma"),
)
_TABLES = {b"PAR1": "parquet", b"ARROW1": "arrow"}
_CONTAINERS = {
    b"WARC/": "warc",
    b"filedesc://": "arc",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",  # without members
    b"PK\x07\x08PK\x03\x04": "zip",  # the last volume of one that was to be split
}
_FOREIGN = (  # what this version recognises but does not read
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
    (b"FEA1", "Feather of the first version"),
    (b"\0\x05\x16\x07", "AppleDouble file"),  # what macOS adds to an archive for each file
    (b"\0\0\0\x01Bud1", ".DS_Store file"),
)
_NO_TEXT = frozenset(
    (
        *("PNG image", "JPEG image", "GIF image", "TIFF image", "WEBP", "WAVE", "AVI", "ELF program"),
        *("AppleDouble file", ".DS_Store file"),
    )
)
TAB_ENDINGS = (".tsv", ".tab")
_ENDINGS = {
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    **dict.fromkeys((".csv", *TAB_ENDINGS), "csv"),
    **dict.fromkeys((".html", ".htm", ".xhtml", ".xml", ".rss", ".atom"), "html"),
    **dict.fromkeys((".txt", ".md", ".rst", ".text"), "text"),
    ".json": "json",
}
_CONTAINER_ENDINGS = {".warc": "warc", ".wet": "warc", ".wat": "warc", ".arc": "arc"}
_TAR_ENDINGS = (".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".tzst")
_TABLE_ENDINGS = {".parquet": "parquet", **dict.fromkeys((".arrow", ".feather", ".ipc", ".arrows"), "arrow")}
_OFFICE_ENDINGS = frozenset((".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".jar", ".apk", ".whl", ".egg", ".npz"))
_BINARY_ENDINGS = frozenset(
    (
        *(".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".bmp", ".webp", ".ico"),
        *(".zip", *_TAR_ENDINGS, ".7z", ".rar", *_OFFICE_ENDINGS),
        *(".exe", ".dll", ".so", ".o", ".a", ".pyc", ".pyd"),
        *(".mp3", ".mp4", ".avi", ".wav", ".ogg", ".ttf", ".woff", ".woff2"),
        *(".pdf", ".npy", ".pt", ".pkl", ".db", ".sqlite", ".mdb"),
    )
)
_PACKED_ENDINGS = frozenset((".gz", ".gzip", ".zst", ".zstd", ".bz2", ".xz", ".lzma", ".lz4"))
_HTML = re.compile(rb"\s*(<\?xml[^>]*>\s*)?(?><!--.*?-->\s*)*+<(!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_CONTROL = bytes(byte for byte in range(32) if byte not in b"\t\n\f\r\x1b")
_MAX_CONTROL_SHARE = 0.1
_ARROW_STREAM = re.compile(rb"(\xff{4})?..[\0-\x0f]\0[\x08-\x20]\0\0\0", re.DOTALL)  # length of the schema, its table
_OCTAL = re.compile(rb" *[0-7]{1,7}[ \0]+")
TAR_BLOCK = 512
ARCHIVES, WARCS, TABLES = ("tar", "zip"), ("warc", "arc"), ("parquet", "arrow")


def packing(head: bytes) -> str | None:
    """Name the compression a content begins with: gzip, zstd, bzip2, xz, lzma, lz4, or None."""
    return next((name for magic, name in _PACKED if magic.match(head)), None)


def ending(path: str) -> str:
    """Give the ending that tells the format, in lower case and without .gz or the like behind it."""
    name = path.rpartition("/")[2].lstrip(".")  # PurePosixPath takes ten times as long, once for each member
    suffixes = [f".{suffix}" for suffix in name.lower().split(".")[1:]]
    while suffixes and suffixes[-1] in _PACKED_ENDINGS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def is_table(path: str) -> bool:
    """Say whether a name promises a table file, which no byte reader can open."""
    return ending(path) in _TABLE_ENDINGS


def format_of(head: bytes, path: str, source: Source, wide: str | None) -> str:
    """Name the format: text, json, jsonl, csv, html, parquet, arrow, a container, or `unsupported:` and what it is."""
    other = foreign(head)
    if other:
        return f"unsupported:{other}"
    suffix = ending(path)
    known = _by_magic(head, suffix)
    if known:
        return known
    if source.format != "auto":
        return source.format
    if suffix in _TABLE_ENDINGS | _CONTAINER_ENDINGS:  # of a container the beginning may be damaged, and only that
        return (_TABLE_ENDINGS | _CONTAINER_ENDINGS)[suffix]
    if suffix in _BINARY_ENDINGS:
        return f"unsupported:not what its ending {suffix} says"
    if is_html(head):
        return "html"
    if not (wide or is_text(head)) and (suffix not in _ENDINGS or _promises_packing(path)):
        return "unsupported:binary"
    if suffix in _ENDINGS:
        return "jsonl" if suffix == ".json" and _is_lines(head) else _ENDINGS[suffix]
    return "text"


def _by_magic(head: bytes, suffix: str) -> str | None:
    known = next((name for magic, name in (_TABLES | _CONTAINERS).items() if head.startswith(magic)), None)
    if known == "zip" and suffix in _OFFICE_ENDINGS:
        return f"unsupported:a {suffix} file, which is a zip of another kind"
    if known:
        return known
    if (
        head[257:262] == b"ustar"
        or holds_tar_header(head)
        or (suffix in _TAR_ENDINGS and len(head) >= TAR_BLOCK and not head.strip(b"\0"))
    ):
        return "tar"
    return "arrow" if _ARROW_STREAM.match(head) and suffix in _TABLE_ENDINGS else None


def _promises_packing(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() in _PACKED_ENDINGS


def holds_no_text(file_format: str) -> bool:
    """Say whether a format is known to hold no text: what is left out then is no loss."""
    return file_format.partition(":")[2] in _NO_TEXT


def holds_tar_header(block: bytes) -> bool:
    """Say whether bytes begin with the header of a tar member: its checksum is right.

    The checksum is the sum of the header's 512 bytes, those of the checksum itself taken for spaces (POSIX.1, ustar).
    """
    if len(block) < TAR_BLOCK or not block[0] or not _OCTAL.fullmatch(block[148:156]):
        return False
    code = np.frombuffer(block, np.uint8, TAR_BLOCK).astype(np.int64)
    rest = int(code.sum() - code[148:156].sum()) + 8 * 32
    signed = rest - 256 * int(np.count_nonzero(np.delete(code, slice(148, 156)) > 127))
    return int(block[148:156].strip(b" \0"), 8) in (rest, signed)


def cuttable(file_format: str, source: Source) -> bool:
    """Say whether records are found from any place of the file: it may be cut into ranges."""
    return file_format == "jsonl" or (file_format == "text" and source.records != "file")


def foreign(head: bytes) -> str | None:
    """Name what is recognised and not read: images, programs, archives of other kinds."""
    if head[:4] == b"RIFF" and head[8:12] in (b"WEBP", b"WAVE", b"AVI "):
        return head[8:12].decode().strip()
    return next((name for magic, name in _FOREIGN if head.startswith(magic)), None)


def is_html(head: bytes) -> bool:
    """Say whether bytes begin as a web page does."""
    return _HTML.match(head) is not None


def _is_lines(head: bytes) -> bool:
    """Say whether a file called .json holds one JSON object a line."""
    first, _, rest = head.lstrip().partition(b"\n")
    if not rest.lstrip().startswith(b"{"):
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def is_text(head: bytes) -> bool:
    """Say whether the first bytes are text in some encoding: hardly any control bytes."""
    control = len(head) - len(head.translate(None, _CONTROL))
    return control <= _MAX_CONTROL_SHARE * len(head)
