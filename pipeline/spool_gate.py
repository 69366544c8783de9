"""Where units wait until there is a tokenizer: spooled to disk, released from the window, and taken up again first."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from headrace.pipeline.executor import Call
from headrace.pipeline.plan import Group
from headrace.schemas.unit import FileRef, UnitRequest
from headrace.stages.tokenizing.spool import Spooled


class SpoolGate:
    """Closed until the tokenizer is trained; a chain that needs none has it open from the start."""

    def __init__(self, groups: Sequence[Group], tokenizer: FileRef | None) -> None:
        self.tokenizer = tokenizer
        self.group = next((n for n, group in enumerate(groups) if group.kind == "spool"), -1)
        self.training: Call | None = None
        self._units: deque[tuple[UnitRequest, str]] = deque()
        self._full = False

    @property
    def open(self) -> bool:
        """Units may pass."""
        return self.group >= 0 and self.tokenizer is not None

    @property
    def holds_units(self) -> bool:
        """Units wait here, or the tokenizer is being trained."""
        return bool(self._units) or self.training is not None

    def keep(self, request: UnitRequest, report: Spooled | None) -> bool:
        """Whether a unit was spooled; without a report the model is there already, made by a spool that was lost."""
        if report is not None:
            self._units.append((request, str(report.path)))
        self._full = self._full or report is None or report.full
        return report is not None

    def wants_training(self, in_flight: int, *, all_read: bool) -> bool:
        """The sample is full, or nothing more will come."""
        if self.group < 0 or self.training is not None or self.tokenizer is not None:
            return False
        return self._full or (all_read and in_flight == 0 and bool(self._units))

    def trained(self, tokenizer: FileRef) -> None:
        """The tokenizer is there: open the gate."""
        self.tokenizer, self.training = tokenizer, None

    def take(self, slots: int) -> list[tuple[UnitRequest, str]]:
        """Give the next spooled units, in order."""
        return [self._units.popleft() for _ in range(min(max(slots, 0), len(self._units)))]
