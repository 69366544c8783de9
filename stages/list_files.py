"""Files of lists that users give: one entry a line, # begins a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from headrace.schemas.errors import ConfigError

_COMMENT = re.compile(r"(?:^|[ \t])#.*")
_PACKED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_UTF16 = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def list_lines(path: Path, what: str = "list") -> Iterator[tuple[int, str]]:
    """Give a list's lines that say something, without comments, each with its number.

    Lines may end as on any system, and a byte order mark is passed over. ConfigError for a file that cannot be read,
    is packed, or is not UTF-8.
    """
    for number, line in enumerate(_text(path, what).replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        said = _COMMENT.sub("", line).strip() if "#" in line else line.strip()
        if said:
            yield number, said


def _text(path: Path, what: str) -> str:
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # the second for a name with a zero byte
        why = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"the {what} cannot be read", where=str(path), why=why, remedy="check the option") from error
    packing = next((name for magic, name in _PACKED.items() if data.startswith(magic)), None)
    if packing:
        remedy = "unpack it, and name the file that comes out"
        raise ConfigError(f"the {what} is packed", where=str(path), why=f"it begins as {packing} does", remedy=remedy)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        charset = _UTF16.get(data[:2], "gb18030")
        why = f"byte {error.start} is not UTF-8"
        remedy = f"write it anew in UTF-8, by `iconv -f {charset} -t utf-8 {path.name}` for example"
        raise ConfigError(f"the {what} is in another encoding", where=str(path), why=why, remedy=remedy) from error
