"""Where text comes from: the sources of a configuration, and the splits a plan cuts them into."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

Format = Literal["auto", "text", "json", "jsonl", "csv", "parquet", "html", "warc"]
WarcRecords = Literal["response", "resource", "conversion", "metadata"]
Records = Literal["file", "lines", "paragraphs"]
# Charsets and names that decoding knows and Python does not.
_MORE = """
    euc-tw euc_tw x-euc-tw cns11643 iso-2022-cn iso2022_cn iso-2022-cn-ext iso-8859-8-i unicode-1-1-utf-8 windows-31j
    windows-874 windows-949 x-euc-jp x-gb18030 x-gbk x-mac-cyrillic x-sjis x-windows-949 x-x-big5
"""
_MORE_CHARSETS = frozenset(_MORE.split())
_NO_CHARSETS = frozenset(("idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "utf-7"))


class Source(BaseModel):
    """One input location with its format, authority and licence."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str = Field(pattern=r"^[A-Za-z0-9_.-]+$", description="Prefix of every doc_id of this source.")
    paths: tuple[str, ...] = Field(
        min_length=1,
        description="Files, folders or globs (** crosses folders), also as URIs: s3://, gs://, abfs://, hdfs://; "
        "{stdlib} and {purelib} are the Python folders.",
    )
    exclude: tuple[str, ...] = Field(
        default=(), description="Globs, relative to the source's folder, that are left out."
    )
    format: Format = Field(default="auto", description="auto goes by content first, then by the ending.")
    records: Records = Field("file", description="What one document is in plain text: file, line, paragraph.")
    text_field: str = Field(
        default="text", description="Field or column that holds the text in json, jsonl, csv and parquet."
    )
    encoding: str | None = Field(
        default=None, description="Declared charset: a prior beside the detector, not an order."
    )
    authority: float = Field(
        default=0.5, ge=0, le=1, description="How much this source is trusted, 0 to 1; grading uses it."
    )
    licence: str | None = Field(default=None, description="Licence of the texts, kept with every document.")
    max_record_bytes: int = Field(default=64_000_000, ge=1, description="A longer record is quarantined, never cut.")
    max_member_bytes: int = Field(
        default=64_000_000_000,
        ge=1,
        description="Of a larger member of an archive the records up to here are read, and the rest is quarantined.",
    )
    max_members: int = Field(
        default=1_000_000, ge=1, description="Members of one archive beyond this many are not read; one row says so."
    )
    max_expansion: int = Field(
        default=250,
        ge=1,
        description="Data that unpacks to over 100 MB and this many times its size is read up to there, and reported.",
    )
    max_group_bytes: int = Field(
        default=16_000_000_000,
        ge=1,
        description="A Parquet row group that unpacks to more is left out; one quarantined row names its rows.",
    )
    max_page_bytes: int = Field(
        default=1_000_000_000,
        ge=1,
        description="A Parquet page or an Arrow batch, held in memory as a whole, is left out if it unpacks to more.",
    )

    http_status: str = Field(
        default="200-299",
        pattern=r"^[1-9]\d\d(-[1-9]\d\d)?(,[1-9]\d\d(-[1-9]\d\d)?)*$",
        description="Status codes of the WARC responses that are read, as in 200-299,404; others are dropped.",
    )
    warc_records: tuple[WarcRecords, ...] = Field(
        default=("response", "resource", "conversion"),
        description="Types of WARC records that are documents; metadata adds the JSON of WAT files.",
    )
    check_digests: bool = Field(
        default=True, description="Compare WARC records with their digests; a wrong one is noted in the metadata."
    )

    def reads_status(self, status: int) -> bool:
        """Say whether responses with an HTTP status are read."""
        bounds = (span.partition("-") for span in self.http_status.split(","))
        return any(int(first) <= status <= int(last or first) for first, _, last in bounds)

    @field_validator("encoding")
    @classmethod
    def _known(cls, encoding: str | None) -> str | None:
        if encoding is not None and not _is_charset(encoding.strip().lower()):
            raise ValueError(f"there is no charset {encoding!r}; gb18030, big5, euc-tw and utf-8 are some")
        return encoding


def _is_charset(name: str) -> bool:
    """Say whether decoding knows a name; a test compares this with `charsets.codec_of`."""
    if name in _MORE_CHARSETS:
        return True
    try:
        known = codecs.lookup(name)
    except (LookupError, ValueError):  # a name with a NUL is a ValueError
        return False
    return known._is_text_encoding and known.name not in _NO_CHARSETS


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file of the input listing: path relative to its source's root, size in bytes, modification time in ns."""

    path: str
    bytes: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Split:
    """One file, a byte range [begin, end) of a seekable file, or a group of small files; the plan lists splits.

    `root` is the absolute folder the paths are relative to. `end` is None for whole files. A record belongs to the
    range its first byte lies in. Of a replay's split only the records with the doc_ids in `only` are taken. A rerun's
    split is one unit of a finished run: `files` are its ledger, documents and, if it has one, quarantine file.
    """

    index: int
    source: str
    root: str
    files: tuple[InputFile, ...]
    begin: int = 0
    end: int | None = None
    only: frozenset[str] | None = None  # None: all
    hashes: tuple[str, ...] = ()  # of a rerun's split: SHA-256 of each file, in hex


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a part of a split begins: enough to read it again without its predecessors' output.

    `file` indexes `Split.files`; `member` says where a container is entered (ordinal of an archive's member, compressed
    offset of the gzip member of a .warc.gz); `offset` counts bytes of the decompressed content of that (rows for
    parquet). `line` counts the line feeds before `offset`, None where nobody counted.
    """

    split: int
    part: int = 0
    file: int = 0
    offset: int = 0
    member: int = 0
    line: int | None = None


@dataclass(frozen=True, slots=True)
class LanePosition:
    """What a lane reads next; `cursor` is None once the lane has ended."""

    lane: int
    cursor: Cursor | None
