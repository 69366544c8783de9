"""Rights: collect what says under which licence a document is, and what its page asks of robots."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import pyarrow as pa
from pydantic import Field

from headrace.schemas.document import DROPPED
from headrace.stages.base import BatchStage, judged
from headrace.stages.kernels.arrays import with_column

if TYPE_CHECKING:
    from headrace.stages.licensing.judging import Finding

Hint = Literal["report", "drop"]
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
        reasons = [self._reason(each) for each in found]
        verdict = [DROPPED if reason else None for reason, _, _ in reasons]
        value, reason = [v for _, v, _ in reasons], [r for r, _, _ in reasons]
        bound = [None if v is None else 1 - v for v in value]
        return judged(table, verdict, reason, value, bound, detail=[detail for _, _, detail in reasons])

    def _reason(self, found: Finding) -> tuple[str | None, float | None, str | None]:
        """Give reason, value and detail of a document that goes."""
        modes = {
            "noindex": self.noindex,
            "noarchive": self.noarchive,
            "noai": self.noai,
            "tdm_reserved": self.tdm_reserved,
        }
        for hint, mode in modes.items():
            if mode == "drop" and hint in found.asked:
                return hint, 1.0, found.asked[hint]
        if self.keep_licences and not _fits(found.licence, self.keep_licences):
            return "licence_not_allowed", 0.0, found.licence or "no licence is known"
        return None, None, None


def _fits(licence: str | None, allowed: tuple[str, ...]) -> bool:
    if licence is None:
        return False
    return any(licence == one or (one.endswith("*") and licence.startswith(one[:-1])) for one in allowed)
