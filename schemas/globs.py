"""Globs over relative paths: `*` and `?` stay inside a folder, `**` crosses folders, `[a-z]` and `[!a-z]` are sets."""

from __future__ import annotations

import re

WILD = re.compile(r"[*?[]")
_GLOB = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def expression(pattern: str, *, deep: bool = True) -> re.Pattern[str]:
    """Turn a glob into an expression for relative paths; if `deep` a folder's name stands for all that is below it.

    >>> bool(expression("**/*.md").fullmatch("x/y/a.md")), bool(expression("x").fullmatch("x/a.md"))
    (True, True)
    """
    pieces = re.split(r"(\*\*/|\*\*|\*|\?|\[[^]]+\])", pattern.rstrip("/"))
    return re.compile("".join(_GLOB.get(p) or _set(p) or re.escape(p) for p in pieces) + "(/.*)?" * deep, re.DOTALL)


def _set(piece: str) -> str | None:
    """Turn [a-z] and [!a-z] into their expression; None for what is no set, such as [z-a]: it stands for itself."""
    if len(piece) < 3 or not (piece.startswith("[") and piece.endswith("]")):
        return None
    inner = re.sub(r"[\\\[^&~|]", r"\\\g<0>", piece[1:-1].removeprefix("!"))
    found = f"[{'^' * piece.startswith('[!')}{inner}]"
    try:
        re.compile(found)
    except re.error:
        return None
    return found
