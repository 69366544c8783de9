"""What dedup_lines gives, line after line and document after document, in plain Python."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

from headrace.stages.dedup_lines import DedupLines
from headrace.stages.kernels.characters import DIGIT, HAN, UNSPACED, classes
from headrace.stages.view import view


@dataclass(frozen=True)
class Outcome:
    """What became of a document: its text, reason and survivor if it left, lines taken and share of letters."""

    text: str
    reason: str | None
    survivor: str | None
    taken: int
    share: float


@dataclass
class Loop:
    """Who had which line so far, in order: every document, and with copies every copy."""

    stage: DedupLines
    had: dict[str, list[str]] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)

    def outcome(self, name: str, text: str) -> Outcome:
        """Decide about the next document."""
        pieces, spared = cut(text, self.stage)
        forms = [view(piece) for piece in pieces]
        letters = [letters_of(form) for form in forms]
        asked = [count > 0 and not spare for count, spare in zip(letters, spared, strict=True)]
        holders = self._holders(name, [form for form, ask in zip(forms, asked, strict=True) if ask])
        first = iter(holders)
        found = [next(first) if ask else None for ask in asked]
        taken = runs(found, letters, self.stage)
        share = sum(letters[i] for i in taken) / max(1, sum(letters))
        reason = None
        if taken and self.stage.max_seen_share is not None and share > self.stage.max_seen_share:
            reason = "max_seen_share"
        elif taken and sum(letters[i] for i in taken) == sum(letters):
            reason = "emptied"
        if reason:
            self.left.add(name)
        out = text if reason else "".join(piece for i, piece in enumerate(pieces) if i not in taken)
        return Outcome(out, reason, self._survivor(name, found, letters, taken) if reason else None, len(taken), share)

    def _holders(self, name: str, forms: list[str]) -> list[str]:
        """Give who keeps each line ("" if it has to stay), and note that this document has it, too."""
        answers: dict[str, str] = {}
        found = []
        for form in forms:
            if "own" not in self.stage.spare or form not in answers:
                had = self.had.setdefault(form, [])
                standing = [other for other in had if other not in self.left]
                answers[form] = standing[0] if len(standing) >= self.stage.occurrences else ""
                had.append(name)
            found.append(answers[form])
        return found

    def _survivor(self, name: str, found: list[str | None], letters: list[int], taken: set[int]) -> str | None:
        sums: dict[str, int] = {}
        for i in taken:
            if (holder := found[i]) and holder != name:
                sums[holder] = sums.get(holder, 0) + letters[i]
        order = list(dict.fromkeys(other for had in self.had.values() for other in had))
        order.sort(key=lambda other: [int(part) for part in re.findall(r"\d+", other)])
        return max(sums, key=lambda other: (sums[other], -order.index(other)), default=None)


def runs(found: Iterable[str | None], letters: list[int], stage: DedupLines) -> set[int]:
    """Give the lines that are taken: repeated ones with enough letters, alone or in a row; None parts no row."""
    rows = [(i, holder) for i, holder in enumerate(found) if holder is not None]
    taken: set[int] = set()
    for repeated, group in groupby(rows, key=lambda row: bool(row[1])):
        places = [i for i, _ in group] if repeated else []
        together = sum(letters[i] for i in places) >= stage.min_run_letters
        taken.update(i for i in places if together or letters[i] >= stage.min_letters)
    return taken


def letters_of(form: str) -> int:
    """Count letters and digits; those of scripts without spaces are three."""
    kinds = [int(classes()[ord(character)]) for character in form]
    return sum(3 if kind <= UNSPACED else 1 for kind in kinds if HAN <= kind <= DIGIT)


def cut(text: str, stage: DedupLines) -> tuple[list[str], list[bool]]:
    """Give the pieces of a text, and which of them are spared."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    spared = list(spared_lines(lines, stage))
    if stage.unit == "line":
        return lines, spared
    pieces: list[str] = []
    held: list[bool] = []
    blank = True
    for line, spare in zip(lines, spared, strict=True):
        if not pieces or (blank and line.strip()):
            pieces.append("")
            held.append(False)
        pieces[-1] += line
        held[-1] |= spare
        blank = not line.strip()
    return pieces, held


def spared_lines(lines: list[str], stage: DedupLines) -> Iterable[bool]:
    """Tell which lines are rows of tables or fenced code."""
    fence = ""
    for line in lines:
        mark = re.match(r"[ \t]*(`{3,}|~{3,})", line) if "code" in stage.spare else None
        closes = mark and fence and mark[1].startswith(fence) and not line[mark.end() :].strip(" \t\r\n")
        yield bool(fence or mark or ("tables" in stage.spare and line.lstrip(" \t").startswith("|")))
        if mark and not fence:
            fence = mark[1]
        elif closes:
            fence = ""
