"""Sessions of an ordered stage in which anything happens: units come again, state is flushed, lost and opened again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hypothesis import strategies as st

from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.base import OrderedState

Verdicts = Mapping[str, object]


def check_any_session(
    data: st.DataObject,
    batches: Sequence[UnitBatch],
    expected: Verdicts,
    accept: Callable[[OrderedState, UnitBatch], Verdicts],
    opened: Callable[[tuple[FileRef, ...], int], OrderedState],
) -> None:
    """Settle all units, some of them again, through flushes and restarts that are drawn; each time as expected."""
    committed: tuple[FileRef, ...] = ()
    border, flushed = 0, -1
    state = opened(committed, border)
    for unit in range(len(batches)):
        assert accept(state, batches[unit]).items() <= expected.items()
        for again in data.draw(st.lists(st.integers(border, unit), max_size=3), "units that come again"):
            assert accept(state, batches[again]).items() <= expected.items()
        if data.draw(st.booleans(), "flush"):
            flushed = data.draw(st.integers(flushed, unit), "through")
            committed = (*committed, *state.flush(flushed))
            if data.draw(st.booleans(), "the process dies"):
                border = flushed + 1
                state = opened(committed, border)
                for lost in range(border, unit + 1):
                    assert accept(state, batches[lost]).items() <= expected.items()
