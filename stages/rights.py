"""Rights: collect what says under which licence a document is, and what its page asks of robots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from headrace.schemas.arrays import floats, with_column
from headrace.schemas.document import DROPPED
from headrace.stages.base import BatchStage, differing, judged

if TYPE_CHECKING:
    from headrace.stages.licensing.judging import Finding

Hint = Literal["report", "drop"]
_LICENCE = "licence_not_allowed"
FillKind = Literal["field", "header", "html_link", "json_ld", "html_meta", "spdx", "phrase", "cc_link"]


class Rights(BatchStage):
    """Collect the evidence for each document's licence as SPDX ids, and the robots hints of its page.

    Evidence goes into `metadata` as `licence_evidence`, a list of {licence, kind, where}, the weightiest first. Kinds:
    `source` (the source's option), `field` (a field `license`, `rights` ... of the record), `header` (HTTP
    `Link: rel=license`), `html_link` (rel=license), `json_ld`, `html_meta` (dc.rights ...), `spdx`
    (SPDX-License-Identifier), `phrase` ("licensed under ...", 采用...许可), `cc_link` (a link to Creative Commons),
    `reserved` ("all rights reserved"). The column `licence` is filled where it is null. Evidence is what is said, not
    what holds. Values: `licences` (different ones that are said), `noindex`, `noarchive`, `noai`, `tdm_reserved`.
    """

    version: ClassVar[int] = 1

    kind: Literal["rights"] = "rights"
    fill: tuple[FillKind, ...] = Field(
        ("field", "header", "html_link", "json_ld", "html_meta", "spdx", "phrase"),
        description="Kinds of evidence that fill the column `licence` where the source states none.",
    )
    keep_licences: tuple[str, ...] = Field(
        (),
        description="Only documents whose column `licence` is one of these SPDX ids go on, if there are any; `*` at "
        "the end stands for anything, as in `CC-BY-*`.",
    )
    noindex: Hint = Field("report", description="Pages that ask not to be in an index.")
    noarchive: Hint = Field("report", description="Pages that ask not to be kept.")
    noai: Hint = Field("report", description="Pages that ask not to be used for machine learning (noai, noimageai).")
    tdm_reserved: Hint = Field("report", description="Pages that reserve text and data mining (TDM-Reservation: 1).")
    agents: tuple[str, ...] = Field(
        (), description="Robots whose own rules count as well, such as gptbot or ccbot; those for all always do."
    )

    def process(self, table: pa.Table) -> pa.Table:
        """Give the table with evidence, licences, values, and verdicts by hint and `licence_not_allowed`."""
        from headrace.stages.licensing.judging import findings
        from headrace.stages.licensing.robots import HINTS

        found = findings(table, frozenset(self.fill), frozenset(agent.lower() for agent in self.agents))
        for name in ("licence", "metadata"):
            table = with_column(table, name, pa.array([getattr(each, name) for each in found], pa.string()))
        for hint in HINTS:
            values = [float(hint in each.asked) for each in found]
            table = with_column(table, f"values.{hint}", pa.array(values, pa.float64()))
        counts = pa.array([float(each.licences) for each in found], pa.float64())
        table = with_column(table, "values.licences", counts)
        return _told(self.decided(table), found)

    def decided(self, table: pa.Table) -> pa.Table:
        """Give the table with verdicts by its hints and its column `licence`."""
        rows = table.num_rows
        reason, value = np.full(rows, "", np.dtype("U24")), np.zeros(rows)
        for hint in self._dropping():
            asked = (floats(table, f"values.{hint}") == 1) & (reason == "")
            reason[asked], value[asked] = hint, 1.0
        if self.keep_licences:
            licences = table["licence"].to_pylist() if "licence" in table.column_names else [None] * rows
            reason[~np.array([_fits(one, self.keep_licences) for one in licences], np.bool_) & (reason == "")] = (
                _LICENCE
            )
        passed = reason == ""
        verdict = pa.array(np.full(rows, DROPPED), pa.string(), mask=passed)
        columns = (pa.array(each, mask=passed) for each in (reason, value, 1 - value))
        return judged(table, verdict, *columns)

    def unanswerable(self, before: Rights) -> list[str]:
        """Name the changed options by which evidence and hints are found."""
        return [name for name in differing(self, before) if name in ("fill", "agents")]

    def reads(self, before: Rights | None = None) -> tuple[str, ...]:  # no other stage fills them
        """Name the hints that drop a document, and the licence."""
        return (*(f"values.{hint}" for hint in self._dropping()), "licence")

    def loosened(self, reason: str, row: Mapping[str, object]) -> tuple[str, object]:
        """Report the hint instead, or keep the licence, too; any, where none is known."""
        if reason != _LICENCE:
            return reason, "report"
        return "keep_licences", [] if row["licence"] is None else [*self.keep_licences, row["licence"]]

    def _dropping(self) -> list[str]:
        """Give the hints that take a document out, in the order in which they are asked."""
        modes = {
            "noindex": self.noindex,
            "noarchive": self.noarchive,
            "noai": self.noai,
            "tdm_reserved": self.tdm_reserved,
        }
        return [hint for hint, mode in modes.items() if mode == "drop"]


def _told(table: pa.Table, found: Sequence[Finding]) -> pa.Table:
    """Say of the documents that leave where the hint is, or which licence they have."""
    details: list[str | None] = [None] * table.num_rows
    for row, reason in enumerate(table["reason"].to_pylist()):
        if reason is not None:
            licence = found[row].licence or "no licence is known"
            details[row] = licence if reason == _LICENCE else found[row].asked[reason]
    return with_column(table, "detail", pa.array(details, pa.string()))


def _fits(licence: str | None, allowed: tuple[str, ...]) -> bool:
    if licence is None:
        return False
    return any(licence == one or (one.endswith("*") and licence.startswith(one[:-1])) for one in allowed)
