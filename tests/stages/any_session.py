"""Sessions of an ordered stage in which anything happens: units come again, state is flushed, lost and opened again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from hypothesis import strategies as st

from headrace.pipeline.host import Closes
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

    def settle(units: Iterable[int]) -> None:
        for unit in units:
            assert accept(state, batches[unit]).items() <= expected.items()

    for unit in range(len(batches)):
        settle([unit])
        settle(data.draw(some_of(border, unit), "units that come again"))
        if data.draw(st.booleans(), "flush"):
            flushed = data.draw(st.integers(flushed, unit), "through")
            committed = (*committed, *state.flush(flushed))
            if data.draw(st.booleans(), "the process dies"):
                close(state)
                border = flushed + 1
                state = opened(committed, border)
                settle(range(border, unit + 1))
            settle(data.draw(some_of(border, unit), "units that come again after a flush"))
    close(state)


def some_of(border: int, unit: int) -> st.SearchStrategy[list[int]]:
    """Draw units that this session has seen, which is none when all of them were committed before it."""
    return st.lists(st.integers(border, unit), max_size=3) if border <= unit else st.just([])


def close(state: OrderedState) -> None:
    """Let go of a state, as its host does."""
    assert isinstance(state, Closes)
    state.close()
