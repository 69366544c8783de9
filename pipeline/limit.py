"""`limit`: the run ends with the unit in which so many documents were read, counted in global order."""

from __future__ import annotations


class ReadLimit:
    """Counts records unit by unit, in order, whatever order they come back in."""

    def __init__(self, limit: int | None, first_unit: int, records: int) -> None:
        self._limit, self._next, self._records = limit, first_unit, records
        self._read: dict[int, int] = {}
        self.last_unit = first_unit - 1 if limit is not None and records >= limit else None

    def read(self, unit: int, records: int) -> None:
        """Unit `unit` was read and held so many records; a replay changes nothing."""
        if self._limit is None or self.last_unit is not None:
            return
        self._read[unit] = records
        while self._next in self._read:
            self._records += self._read.pop(self._next)
            if self._records >= self._limit:
                self.last_unit = self._next
                return
            self._next += 1

    def beyond(self, unit: int) -> bool:
        """Whether the unit lies behind the end."""
        return self.last_unit is not None and unit > self.last_unit
