"""Pii: mask personal data, or drop what holds it, kind by kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa
from pydantic import BeforeValidator, Field

from headrace.schemas.arrays import Array, Floats, floats, with_column
from headrace.schemas.document import DROPPED
from headrace.stages.base import BatchStage, judged, stricter
from headrace.stages.privacy.find import found, masked
from headrace.stages.privacy.kinds import NAMES


def _read_off(value: object) -> object:
    """Give `off` for what YAML 1.1 makes of a bare off."""
    return "off" if value is False else value


Mode = Annotated[Literal["mask", "drop", "report", "off"], BeforeValidator(_read_off)]


class Pii(BatchStage):
    """Find personal data, and mask it by a placeholder of its kind such as <EMAIL>; the text around stays as it is.

    For each kind: mask replaces it, drop takes out the document, report counts it, off passes over it. All but off
    count in `values.pii_<kind>`; a kind that is off is still told apart from the others. Where two overlap, the kind
    that is listed first wins. Full-width forms are found, and so are numbers with spaces, dashes and characters without
    width between their digits. Running it twice changes nothing.
    """

    version: ClassVar[int] = 1

    kind: Literal["pii"] = "pii"
    email: Mode = Field("mask", description="E-mail addresses.")
    ipv6: Mode = Field("mask", description="Public IPv6 addresses; not those for documents and tests.")
    ipv4: Mode = Field(
        "mask",
        description="Public IPv4 addresses; not private and loopback ones, not those for documents and tests. With "
        "four numbers below 64 a word such as IP or server has to say that it is no version.",
    )
    resident_id: Mode = Field(
        "mask", description="Chinese resident ids: 18 characters with region, date and check; 15 digits after a word."
    )
    credit_code: Mode = Field("report", description="Unified social credit codes, which name companies, not people.")
    bank_card: Mode = Field(
        "mask", description="Bank and credit cards: issuer, length and check digit; others after a word."
    )
    mobile: Mode = Field("mask", description="Mobile numbers of mainland China, with or without +86.")
    hotline: Mode = Field("mask", description="Chinese 400 and 800 numbers.")
    landline: Mode = Field(
        "mask", description="Chinese landlines with area code; without one after a word such as 电话."
    )
    phone: Mode = Field(
        "mask", description="Numbers with + or 00 and a calling code, and those of North America with area code."
    )
    passport: Mode = Field("mask", description="Passports, after a word such as 护照.")
    permit: Mode = Field("mask", description="Permits of Hong Kong, Macau and Taiwan travellers, after their name.")
    plate: Mode = Field("mask", description="Chinese vehicle plates, those of electric cars included.")
    qq: Mode = Field("mask", description="QQ numbers and groups, after a word such as QQ.")
    wechat: Mode = Field("mask", description="WeChat names, after a word such as 微信号.")
    max_pii_found: int | None = Field(
        None, ge=0, description="More findings than this, of all kinds that are not off: the document is dropped."
    )

    def process(self, table: pa.Table) -> pa.Table:
        """Give the table with masked texts, the counts, and verdicts by `pii_<kind>` and `max_pii_found`."""
        mask = np.array([self.mode(name) == "mask" for name in NAMES])
        findings = found(table["text"], mask)
        counts = findings.counts().astype(np.float64)
        table = with_column(table, "text", masked(table["text"], findings, mask))
        seen = [rank for rank, name in enumerate(NAMES) if self.mode(name) != "off"]
        for rank in seen:
            table = with_column(table, f"values.pii_{NAMES[rank]}", pa.array(counts[:, rank]))
        total = counts[:, seen].sum(axis=1)
        table = with_column(table, "values.pii_found", pa.array(total))
        return self.decided(table)

    def decided(self, table: pa.Table) -> pa.Table:
        """Give the table with verdicts by its counts."""
        counts = np.stack([floats(table, f"values.pii_{name}") for name in NAMES], axis=1)
        return judged(table, *self.verdicts(counts, floats(table, "values.pii_found")))

    def unanswerable(self, before: Pii) -> list[str]:
        """Name the kinds that are masked or off now, or were: what is masked decides what is found beside it."""
        counted = ("report", "drop")
        return [n for n in NAMES if self.mode(n) != before.mode(n) and {self.mode(n), before.mode(n)} != {*counted}]

    def reads(self, before: Pii | None = None) -> tuple[str, ...]:
        """Name the counts that may drop a document, or those that did not before."""
        changed = ("max_pii_found", *NAMES) if before is None else stricter(self, before)
        columns = {**{name: f"values.pii_{name}" for name in NAMES}, "max_pii_found": "values.pii_found"}
        return tuple(columns[name] for name in changed if name not in NAMES or self.mode(name) == "drop")

    def loosened(self, reason: str, row: Mapping[str, object]) -> tuple[str, object] | None:
        """Report the kind instead."""
        kind = reason.removeprefix("pii_")
        return (kind, "report") if kind in NAMES else None

    def mode(self, name: str) -> Mode:
        """Give what happens to a kind."""
        mode: Mode = getattr(self, name)
        return mode

    def verdicts(self, counts: Floats, total: Floats) -> tuple[Array, ...]:
        """Give verdict, reason, value and threshold by the first rule that each document fails."""
        bars = {f"pii_{name}": 0 for name in NAMES if self.mode(name) == "drop"}
        values = {f"pii_{name}": counts[:, rank] for rank, name in enumerate(NAMES)} | {"max_pii_found": total}
        if self.max_pii_found is not None:
            bars["max_pii_found"] = self.max_pii_found
        reason = np.full(len(total), "", np.dtype("U32"))
        value, threshold = np.zeros(len(total)), np.zeros(len(total))
        for name, bar in bars.items():
            failed = (values[name] > bar) & (reason == "")
            reason[failed], threshold[failed] = name, bar
            value[failed] = values[name][failed]
        passed = reason == ""
        verdict = pa.array(np.full(len(total), DROPPED), pa.string(), mask=passed)
        reasons = pa.array(reason, pa.string(), mask=passed)
        return verdict, reasons, pa.array(value, mask=passed), pa.array(threshold, mask=passed)
