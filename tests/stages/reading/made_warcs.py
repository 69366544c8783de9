"""Write WARC and ARC files, right ones and wrong ones, and read them the way a run does."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import zstandard
from tests.stages.parts import UNIT, a_source, a_split, faults_of, parts_of

from headrace.schemas.source import Cursor
from headrace.stages.read import Part, read_part

SENTENCE = "水渠引水至轮，水量由轮定。The wheel sets the pace. "


def page(text: str = SENTENCE) -> bytes:
    """Give a web page."""
    return f"<html><head><title>t</title></head><body><p>{text}</p></body></html>".encode()


def noise(size: int, seed: int = 0) -> str:
    """Give a text that does not repeat itself, so that packing does not make it much shorter."""
    return "".join(hashlib.sha256(f"{seed} {n}".encode()).hexdigest() + " " for n in range(size // 65))


def http(body: bytes, kind: str = "text/html; charset=utf-8", status: str = "200 OK", **fields: str) -> bytes:
    """Give an HTTP response."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", *(f"{k.replace('_', '-')}: {v}" for k, v in fields.items())]
    return "\r\n".join((*lines, "", "")).encode() + body


def record(block: bytes, number: int = 0, kind: str = "response", **fields: str | None) -> bytes:
    """Give a WARC record with its blank lines; a field of None is left out."""
    named: dict[str, str | None] = {
        "WARC-Type": kind,
        "WARC-Target-URI": f"http://example.org/{number}",
        "WARC-Date": "2024-03-01T00:00:00Z",
        "WARC-Record-ID": record_id(number),
        "Content-Type": "application/http; msgtype=response" if kind == "response" else "text/plain",
        "Content-Length": str(len(block)),
        **{name.replace("_", "-"): value for name, value in fields.items()},
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items() if value is not None)
    return b"WARC/1.0\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n"


def record_id(number: int) -> str:
    """Give the identifier that `record` gives."""
    return f"<urn:uuid:00000000-0000-4000-8000-{number:012d}>"


def responses(count: int) -> list[bytes]:
    """Give records with a page each, all different."""
    return [record(http(page(f"{SENTENCE * (1 + n % 3)}{n}")), n) for n in range(count)]


def arc_description(version: int, fields: str, rest: str = "") -> bytes:
    """Give the first record of an ARC file, which names the fields of the others."""
    block = f"{version} 0 Someone\n{fields}\n\n".encode()
    return f"filedesc://a.arc 0.0.0.0 20240301000000 text/plain{rest} {len(block)}\n".encode() + block + b"\n"


ARC1 = arc_description(1, "URL IP-address Archive-date Content-type Archive-length")
ARC2 = arc_description(
    2,
    "URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length",
    " 200 - - 0 a.arc",
)


def members(records: Iterable[bytes]) -> bytes:
    """Pack each record into a gzip member of its own."""
    return b"".join(gzip.compress(r, mtime=0) for r in records)


def frames(records: Iterable[bytes]) -> bytes:
    """Pack each record into a zstd frame of its own."""
    return b"".join(zstandard.compress(r) for r in records)


def blocks(records: Iterable[bytes], size: int) -> bytes:
    """Pack all records into gzip members of a size, as bgzip does: records do not begin where members begin."""
    data = b"".join(records)
    return members(data[at : at + size] for at in range(0, len(data), size))


class Outcome:
    """What became of one file."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts
        self.rows: list[dict[str, Any]] = [row for part in parts for row in part.documents.to_pylist()]
        self.faults = faults_of(parts)
        self.counts: dict[str, int] = {}
        for count in (c for part in parts for f in part.files for c in f.counts.items()):
            self.counts[count[0]] = self.counts.get(count[0], 0) + count[1]

    @property
    def bodies(self) -> list[bytes]:
        """Give the documents' bytes."""
        return [row["data"] for row in self.rows]

    @property
    def offsets(self) -> list[int]:
        """Give where the documents begin."""
        return [row["offset"] for row in self.rows]

    @property
    def reasons(self) -> list[tuple[str, str, int]]:
        """Give verdict, reason and offset of all that is no document."""
        return [(row["verdict"], row["reason"], row["offset"]) for row in self.faults]

    @property
    def mended(self) -> list[list[str]]:
        """Give what was mended in each document."""
        return [about(row).get("faults", []) for row in self.rows]


def about(row: dict[str, Any]) -> dict[str, Any]:
    """Give what the metadata say about a document's record."""
    found: dict[str, Any] = json.loads(row["metadata"])["warc"]
    return found


def read(folder: Path, data: bytes, name: str = "a.warc", unit: int = UNIT, **options: Any) -> Outcome:
    """Write a file and read it with one reader."""
    (folder / name).write_bytes(data)
    return read_file(folder / name, unit, **options)


def read_file(path: Path, unit: int = UNIT, **options: Any) -> Outcome:
    """Read a file with one reader."""
    return Outcome(parts_of(a_split(path.parent, path.name), a_source(**options), unit))


def read_afresh(path: Path, unit: int, **options: Any) -> Outcome:
    """Read each part of a file with a reader of its own, which knows nothing but the cursor."""
    split, source = a_split(path.parent, path.name), a_source(**options)
    parts: list[Part] = []
    cursor: Cursor | None = Cursor(0)
    while cursor is not None:
        parts.append(read_part(split, source, cursor, unit))
        cursor = parts[-1].next
    return Outcome(parts)


def chunked(body: bytes, size: int = 40) -> bytes:
    """Cut a body into chunks."""
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"


def deflated(body: bytes, wbits: int) -> bytes:
    """Pack a body in one of zlib's formats."""
    packer = zlib.compressobj(wbits=wbits)
    return packer.compress(body) + packer.flush()
