"""The global order of units: round-robin over the lanes, so that order is part of the plan and not of the machine."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Sequence

from headrace.schemas.source import Cursor, LanePosition
from headrace.schemas.unit import UnitRequest


class Lanes:
    """Hands out units strictly in global order; a lane's next unit is known once its last one was read."""

    def __init__(
        self, lanes: Sequence[Sequence[int]], positions: Sequence[LanePosition] = (), turn: int = 0, first_unit: int = 0
    ) -> None:
        self._splits = lanes
        self._turn = turn
        self._unit = first_unit
        self._at: list[Cursor | None] = [Cursor(lane[0]) if lane else None for lane in lanes]
        for position in positions:
            self._at[position.lane] = position.cursor
        self._reading: dict[int, int] = {}  # lane -> unit whose read has not come back
        self._committed = list(self._at)
        self._after: list[deque[tuple[int, Cursor | None]]] = [deque() for _ in lanes]
        self._lane_of: dict[int, int] = {}

    @property
    def ended(self) -> bool:
        """Every unit there is was handed out and read."""
        return not self._reading and all(at is None for at in self._at)

    @property
    def handed_out(self) -> int:
        """Units so far, those of earlier sessions included."""
        return self._unit

    def next(self) -> UnitRequest | None:
        """Hand out the next unit, or None while the lane whose turn it is still reads (or when all have ended)."""
        for step in range(len(self._at)):
            lane = (self._turn + step) % len(self._at)
            if lane in self._reading:
                return None
            cursor = self._at[lane]
            if cursor is not None:
                request = UnitRequest(self._unit, lane, cursor)
                self._reading[lane] = self._unit
                self._lane_of[self._unit] = lane
                self._unit += 1
                self._turn = (lane + 1) % len(self._at)
                return request
        return None

    def read(self, unit: int, following: Cursor | None) -> None:
        """Note where the split goes on behind a unit, None at the split's end; a replay changes nothing."""
        lane = self._lane_of[unit]
        if self._reading.get(lane) != unit:
            return
        del self._reading[lane]
        split = self._at[lane].split  # type: ignore[union-attr]  # a lane that is read has a cursor
        at = following or self._following_split(lane, split)
        self._at[lane] = at
        self._after[lane].append((unit, at))

    def _following_split(self, lane: int, split: int) -> Cursor | None:
        splits = self._splits[lane]
        place = bisect_right(splits, split)
        return Cursor(splits[place]) if place < len(splits) else None

    def commit(self, last: int) -> tuple[tuple[LanePosition, ...], int]:
        """Give where every lane stands after unit `last`, and whose turn it is; forgets what lies before."""
        for lane, history in enumerate(self._after):
            while history and history[0][0] <= last:
                self._committed[lane] = history.popleft()[1]
        turn = (self._lane_of[last] + 1) % len(self._at) if last in self._lane_of else self._turn
        for unit in [u for u in self._lane_of if u < last]:
            del self._lane_of[unit]
        return tuple(LanePosition(lane, at) for lane, at in enumerate(self._committed)), turn
