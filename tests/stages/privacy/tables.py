"""Cases: texts in which what has to be found stands in brackets, `⟦...⟧` or, of another kind, `⟦kind|...⟧`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from headrace.stages.privacy.kinds import NAMES

FOLDER = Path(__file__).parent / "cases"
_MARK = re.compile(f"⟦(?:({'|'.join(NAMES)})\\|)?([^⟦⟧]*)⟧")
_ESCAPE = re.compile(r"\\(?:u([0-9a-f]{4})|([ntrv]))")
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "v": "\v"}


@dataclass(frozen=True)
class Case:
    """A text, the same text masked, and what is found in it: kind and characters."""

    text: str
    masked: str
    found: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return self.text


def case(marked: str, kind: str) -> Case:
    """Read a case."""
    found = tuple((match[1] or kind, match[2]) for match in _MARK.finditer(marked))
    masked = _MARK.sub(lambda match: f"<{(match[1] or kind).upper()}>", marked)
    return Case(_MARK.sub(lambda match: match[2], marked), masked, found)


def written(kind: str) -> list[Case]:
    """Give the cases of a kind that are written down."""
    lines = (FOLDER / f"{kind}.txt").read_text(encoding="utf-8").splitlines()
    return [case(_ESCAPE.sub(_unescaped, line), kind) for line in lines if line and not line.startswith("# ")]


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else _CONTROL[match[2]]
