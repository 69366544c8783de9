"""Partitions of a dedup index as Ray actors, spread over the nodes; they belong to the ordered stage's process.

Ray ends an actor with the process that started it, so a partition never outlives the state that asks it. The death of
one is the death of that state: a rollback opens all of them again, anywhere, from the committed files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import ray
from ray import ObjectRef, exceptions
from ray.actor import ActorHandle

from headrace.pipeline.executor import HostDiedError
from headrace.schemas.arrays import Array, Counts
from headrace.schemas.errors import HeadraceError
from headrace.schemas.index import IndexOptions
from headrace.stages.deduplication.fates import Fates
from headrace.stages.deduplication.index_file import IndexFile
from headrace.stages.deduplication.partitions import folders
from headrace.stages.deduplication.rules import Rules
from headrace.stages.deduplication.sorted_runs import SortedRuns
from headrace.stages.kernels.entries import Entries

T = TypeVar("T")
_CLOSE_S = 30.0


class RayPartitions:
    """One actor a partition. None needs a CPU of its own: they work when the state asks, and it waits meanwhile."""

    def __init__(self, rules: Rules, parameters: Mapping[str, object], options: IndexOptions, folder: Path) -> None:
        places = folders(folder, options.partitions)
        self._actors = [_start(rules, dict(parameters), options, place) for place in places]

    def adopt(self, files: Sequence[Sequence[IndexFile]]) -> None:
        """Give each partition its files."""
        pairs = zip(self._actors, files, strict=True)
        answers([_asked(actor, "adopt", its) for actor, its in pairs if its])

    def ask(self, batch: Entries, below: int) -> list[Fates]:
        """Give the answer of each; the unit's entries are put into the object store once."""
        entries = ray.put(batch)
        return answers([_asked(actor, "ask", entries, below) for actor in self._actors])

    def ids(self, numbers: Sequence[Counts]) -> list[Array]:
        """Give the doc_ids of documents of each."""
        pairs = zip(self._actors, numbers, strict=True)
        return answers([_asked(actor, "ids", its) for actor, its in pairs if len(its)])

    def close(self) -> None:
        """End the actors, once they have ended what they write."""
        closing: list[ObjectRef[None]] = [_asked(actor, "close") for actor in self._actors]
        ray.wait(closing, num_returns=len(closing), timeout=_CLOSE_S)
        for actor in self._actors:
            ray.kill(actor, no_restart=True)


def _start(*arguments: object) -> ActorHandle[SortedRuns]:
    made = ray.remote(SortedRuns).options(num_cpus=0, scheduling_strategy="SPREAD", max_restarts=0, max_task_retries=0)
    actor = made.remote(*arguments)
    if not isinstance(actor, ActorHandle):
        raise TypeError(f"Ray gave {type(actor).__name__} for an actor")
    return actor


def _asked(actor: ActorHandle[SortedRuns], method: str, *arguments: object) -> ObjectRef[T]:
    reference: ObjectRef[T] = getattr(actor, method).remote(*arguments)
    return reference


def answers(references: list[ObjectRef[T]]) -> list[T]:
    """Wait for all; the error of a partition is raised as it is, and HostDiedError where one is gone."""
    try:
        return ray.get(references)
    except exceptions.RayTaskError as error:
        if isinstance(error.cause, HeadraceError):
            raise error.cause from None
        raise
    except exceptions.RayError as error:
        first = (str(error).splitlines() or ["no word of it"])[0]
        raise HostDiedError(f"a partition of the index is gone: {first}") from None
