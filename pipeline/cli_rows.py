"""How `headrace read` prints documents and faults: as text with notes beside it, or as JSON lines."""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import TYPE_CHECKING, Protocol

import click

from headrace.pipeline.json_numbers import finite
from headrace.pipeline.wording import cell

if TYPE_CHECKING:
    from headrace.pipeline.read_files import Row

_REPAIRED = "values.repaired_"
_QUARANTINED = "quarantined"


class Rows(Protocol):
    """Prints rows one after the other, and counts them."""

    documents: int
    faults: int

    def print(self, row: Row) -> None:
        """Print a document, or what became of it."""
        ...

    def end(self) -> None:
        """Print what is left to say."""
        ...


class _Output:
    """Standard output as UTF-8 whatever the locale is, save on a terminal that shows something else."""

    def __init__(self) -> None:
        self._bytes = sys.stdout.buffer
        self._terminal = sys.stdout.isatty()
        self.encoding = sys.stdout.encoding if self._terminal else "utf-8"

    def write(self, text: str) -> None:
        """Write text; a terminal shows it at once."""
        self._bytes.write(text.encode(self.encoding, "backslashreplace"))
        if self._terminal:
            self._bytes.flush()

    def note(self, text: str) -> None:
        """Say something on standard error, behind the text that it is about."""
        self._bytes.flush()
        click.echo(text, err=True)

    def end(self) -> None:
        """Write what is buffered; a reader that has left is noticed here."""
        self._bytes.flush()


class RowsAsJson:
    """One JSON line for each document, each fault and each record that is no document."""

    def __init__(self) -> None:
        self._output = _Output()
        self.documents = self.faults = 0

    def print(self, row: Row) -> None:
        """Print a row."""
        verdict = row.get("verdict")
        self.documents += verdict is None
        self.faults += verdict == _QUARANTINED
        value = as_json(row)
        ascii_only = not self._output.encoding.lower().startswith("utf")
        self._output.write(json.dumps(value, allow_nan=False, ensure_ascii=ascii_only) + "\n")

    def end(self) -> None:
        """Write what is buffered."""
        self._output.end()


def as_json(row: Row) -> dict[str, object]:
    """Give a row for programs: a document, or under `error` or `dropped` why it is none."""
    place = {name: row.get(name) for name in ("path", "member", "offset")}
    verdict = row.get("verdict")
    if verdict is not None:
        why = {name: row.get(name) for name in ("reason", "detail", "value", "threshold")}
        return {**place, "error" if verdict == _QUARANTINED else verdict: finite(_shortened(why))}
    known = {
        "encoding": row.get("encoding"),
        "method": row.get("encoding_method"),
        "confidence": row.get("encoding_confidence"),
        "damage": row.get("damage"),
        "detail": row.get("encoding_detail"),
        "url": row.get("url"),
    }
    metadata = row.get("metadata")
    more = {"metadata": metadata and json.loads(metadata), "repairs": repairs(row), "private_use": _private_use(row)}
    return {**place, "text": row["text"], **finite(_shortened(known)), **more}


def repairs(row: Row) -> dict[str, int]:
    """Give the repairs that found something to do, and in how many places."""
    counts = {name.removeprefix(_REPAIRED): n for name, n in row.items() if name.startswith(_REPAIRED)}
    return {name: int(n) for name, n in counts.items() if n}


def _private_use(row: Row) -> int | None:
    """Give how many private-use characters stay in the text; None where nobody looked for them."""
    count = row.get("values.private_use")
    return None if count is None else int(count)


def _shortened(values: dict[str, object]) -> dict[str, object]:
    """Write shares without the digits that float32 makes up."""
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in values.items()}


class RowsAsText:
    """The text alone on standard output; on standard error what it was, what was repaired, and what is wrong."""

    def __init__(self, *, verbatim: bool, quiet: bool) -> None:
        self._output = _Output()
        self._verbatim, self._quiet = verbatim, quiet
        self._about: tuple[object, ...] = ()
        self._repairs: Counter[str] = Counter()
        self.documents = self.faults = 0

    def print(self, row: Row) -> None:
        """Print a document, or say why it is none."""
        verdict = row.get("verdict")
        if verdict is not None:
            self.faults += verdict == _QUARANTINED
            if verdict == _QUARANTINED or not self._quiet:
                self._output.note(f"headrace: {_place(row)}: {_why(row)}")
            return
        self.documents += 1
        self._introduce(row)
        self._say_what_is_odd(row)
        self._repairs.update(repairs(row))
        text: str = row["text"] or ""
        self._output.write(text if self._verbatim or text.endswith("\n") else f"{text}\n")

    def end(self) -> None:
        """Say what was repaired in the last file, and write what is buffered."""
        self._conclude()
        self._output.end()

    def _introduce(self, row: Row) -> None:
        """Name a file, or a member of an archive, and its charset, before its first document."""
        about = tuple(row.get(name) for name in ("path", "member", "encoding", "encoding_method"))
        if about == self._about:
            return
        self._conclude()
        self._about = about
        if not self._quiet:
            sure = row.get("encoding_confidence")
            confidence = f", confidence {sure:.2f}" if sure is not None and sure < 1 else ""
            content = _place({**row, "offset": 0})
            self._output.note(f"== {content}: {row.get('encoding')} ({row.get('encoding_method')}{confidence})")

    def _say_what_is_odd(self, row: Row) -> None:
        """Name what is lost of a document, and lines in other charsets than their file's."""
        detail = row.get("encoding_detail") or ""
        if row.get("damage"):
            self._output.note(f"headrace: {_place(row)}: {row['damage']:.2%} lost" + (detail and f": {detail}"))
        elif detail and not self._quiet:
            self._output.note(f"   {detail}")

    def _conclude(self) -> None:
        if self._repairs and not self._quiet:
            counts = ", ".join(f"{name} {n:,}" for name, n in sorted(self._repairs.items()))
            self._output.note(f"   repaired: {counts}")
        self._repairs.clear()


def _place(row: Row) -> str:
    member = f"!{row['member']}" if row.get("member") else ""
    return f"{row['path']}{member}" + (f"#{row['offset']}" if row.get("offset") else "")


def _why(row: Row) -> str:
    measured = ""
    if row.get("value") is not None:
        measured = f" (measured {cell(row['value'])}"
        measured += ")" if row.get("threshold") is None else f", threshold {cell(row['threshold'])})"
    return f"{row['reason']}{measured}" + (f": {row['detail']}" if row.get("detail") else "")
