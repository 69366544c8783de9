"""Urls: one spelling for each address, lists of domains and pages to leave out, and each address once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import pyarrow as pa
from pydantic import Field, PrivateAttr, model_validator

from headrace.stages.addresses.parameters import SESSIONS, TRACKING, Unwanted
from headrace.stages.base import OrderedStage, OrderedState, RunContext

if TYPE_CHECKING:
    from headrace.stages.addresses.judging import Policy


class Urls(OrderedStage):
    """Drop documents by where they come from: what a block list names, what no allow list names, what came before.

    A document leaves as `domain_blocked` or `url_blocked` with the list and the entry, as `url_not_allowed`, as
    `no_url`, or as `url_repeated` with the survivor's doc_id: the first in unit order whose canonical address is
    the same, http or https, with `www.` or without. A survivor in a run of `against` has that run as `detail`.
    """

    version: ClassVar[int] = 1

    kind: Literal["urls"] = "urls"
    canonicalize: bool = Field(False, description="Put the canonical address into the column `url`.")
    once: bool = Field(True, description="Drop documents whose canonical address an earlier one had.")
    block: dict[str, str] = Field(
        default={},
        description="Lists by name: files of domains, URLs or beginnings of these, hosts files, folders in the layout "
        "of UT1. What they name is dropped, subdomains and pages below included.",
    )
    exempt: dict[str, str] = Field(default={}, description="Lists of what is never blocked, by name.")
    allow: dict[str, str] = Field(
        default={}, description="Lists by name; if there are any, only what they name goes on."
    )
    without_url: Literal["keep", "drop"] = Field("keep", description="What becomes of documents without an address.")
    against: tuple[str, ...] = Field(
        (),
        description="Folders of earlier runs, oldest first, relative to the configuration: documents whose address one "
        "of those had are dropped, too. Their stage must have `once`, and the same parameters that do not count.",
    )
    drop_parameters: tuple[str, ...] = Field(
        (), description="More parameters that do not change the page; `*` at the end of a name stands for anything."
    )
    keep_parameters: tuple[str, ...] = Field(
        (), description="Parameters that do, of those that Headrace leaves out otherwise."
    )
    _file: Path | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _addresses_to_compare(self) -> Urls:
        if self.against and not self.once:
            raise ValueError("against compares addresses, and once: false lets them repeat: leave one of the two out")
        return self

    @property
    def earlier_runs(self) -> tuple[str, ...]:
        """The runs of `against`."""
        return self.against

    @property
    def index_parameters(self) -> dict[str, object]:
        """What decides which addresses are the same; lists decide only which documents are asked for."""
        names = {"kind", "once", "drop_parameters", "keep_parameters"}
        return {"stage": self.model_dump(mode="json", include=names), "version": self.version}

    def packed(self, base: Path) -> bytes | None:
        """Give the lists as sorted hashes; ConfigError for one that cannot be used."""
        from headrace.stages.addresses.lists import packed_lists

        roles = {"block": self.block, "exempt": self.exempt, "allow": self.allow}
        given = {role: files for role, files in roles.items() if files}
        return packed_lists(given, base) if given else None

    def unpacked(self, file: Path) -> Urls:
        """Give a copy that looks up in packed lists."""
        stage = self.model_copy()
        stage._file = file
        return stage

    def prepare(self, table: pa.Table) -> pa.Table:
        """Add `values.url_valid`, `_blocked`, `_allowed`, and what the ordered half decides by."""
        from headrace.stages.addresses.judging import with_verdicts

        return with_verdicts(table, _policy(self.model_dump_json(), self._file))

    def open(self, context: RunContext) -> OrderedState:
        """Give the state of the committed units, from their index runs."""
        from headrace.stages.addresses.state import UrlState

        return UrlState(context, self.index_parameters)


@cache
def _policy(options: str, file: Path | None) -> Policy:
    """Open a stage's lists, once in each process; without a packed file they are read where the process is."""
    from headrace.stages.addresses.judging import Policy
    from headrace.stages.addresses.lists import open_lists

    stage = Urls.model_validate_json(options)
    packed = file or stage.packed(Path())
    return Policy(
        Unwanted((*TRACKING, *SESSIONS, *stage.drop_parameters), stage.keep_parameters),
        open_lists(packed) if packed else {},
        stage.once,
        stage.canonicalize,
        stage.without_url == "drop",
    )
