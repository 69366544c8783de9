r"""Names of files whose bytes are not UTF-8, as text that a person can type, and back.

A byte that is no part of UTF-8 is written `\xHH`. A backslash that the name has itself, where it would read as such an
escape, is written `\x5c`: so two files never share a name, and every name leads back to its file.
"""

from __future__ import annotations

import os
import re

_ESCAPE = re.compile(rb"\\x([0-9a-f]{2})")
_LOOKS_LIKE_ONE = re.compile(rb"\\(?=x[0-9a-f]{2})")


def typeable(path: str) -> str:
    r"""Give a path of the file system as the text that names it in doc_ids, plans and reports.

    >>> typeable("caf\udce9.txt"), typeable("咖啡.txt"), typeable(r"C\x41")
    ('caf\\xe9.txt', '咖啡.txt', 'C\\x5cx41')
    """
    return _LOOKS_LIKE_ONE.sub(rb"\\x5c", os.fsencode(path)).decode("utf-8", "backslashreplace")


def on_disk(name: str) -> str:
    r"""Give the path of the file system that a text names.

    >>> on_disk(r"caf\xe9.txt") == "caf\udce9.txt", on_disk(r"C\x5cx41")
    (True, 'C\\x41')
    """
    return os.fsdecode(_ESCAPE.sub(lambda escape: bytes.fromhex(escape[1].decode()), os.fsencode(name)))


def typed(path: str) -> str:
    """Give the path of the file system that a person means: as it is if something is there, else by its escapes."""
    return path if os.path.lexists(path) else on_disk(path)
