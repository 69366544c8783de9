"""Which clusters of a run are looked at: by stage, document, reason, similarity and size."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from headrace.pipeline.committed import Committed, open_committed, read_columns
from headrace.pipeline.config_errors import suggestion
from headrace.pipeline.dups.clusters import clusters_of, find_survivors
from headrace.pipeline.dups.members import Reader
from headrace.pipeline.dups.repetitions import NEAR, Repetitions, hashed, keys_of, read_repetitions
from headrace.pipeline.explain import find, unknown
from headrace.schemas.arrays import Flags, Hashes
from headrace.schemas.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Asked:
    """What of the repetitions is shown; None = all.

    `similarity` is a range, both ends within it. Members that do not fit are left out before clusters are counted.
    """

    stage: str | None = None
    document: str | None = None
    near_only: bool = False
    similarity: tuple[float, float] | None = None
    least: int = 2  # documents of a cluster, the one that stays among them
    limit: int | None = None

    def words(self) -> str:
        """Write what narrows the choice as the command line does."""
        low, high = self.similarity or (0.0, 1.0)
        parts = (
            f"--stage {self.stage}" if self.stage is not None else "",
            f"--of {self.document}" if self.document is not None else "",
            "--near-only" if self.near_only else "",
            f"--similarity {low:g} {high:g}" if self.similarity is not None else "",
            f"--least {self.least}" if self.least > 2 else "",  # every cluster has two documents
        )
        return " ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Answer:
    """The clusters that were asked for, how many there are of them, and all repetitions that fit, of `total`."""

    reader: Reader
    repetitions: Repetitions
    clusters: int
    total: int = 0
    asked: str = ""  # `Asked.words`


def look(run: Path, asked: Asked) -> Answer:
    """Find the clusters of a run, finished or not; ConfigError for a stage or a document that it does not have.

    So it is for a range of similarities whose ends are reversed.
    """
    _check_range(asked.similarity)
    committed = open_committed(run)
    found = read_repetitions(committed)
    _check_stage(committed, found, asked.stage)
    fitting = found.only(_fitting(committed, found, asked))
    if asked.document is not None and not len(fitting) and find(committed, asked.document) is None:
        raise unknown(committed, asked.document)
    clusters = clusters_of(fitting)
    large = np.flatnonzero(clusters.sizes >= asked.least)
    shown = clusters.take(large[: asked.limit])
    reader = Reader(committed, shown, find_survivors(committed, shown.keys))
    return Answer(reader, fitting, len(large), len(found), asked.words())


def _fitting(committed: Committed, found: Repetitions, asked: Asked) -> Flags:
    fits = np.ones(len(found), np.bool_)
    if asked.stage is not None:
        fits &= np.isin(found.stages, [n for n, name in enumerate(found.stage_names) if name == asked.stage])
    if asked.near_only:
        fits &= np.isin(found.reasons, [n for n, name in enumerate(found.reason_names) if name == NEAR])
    if asked.similarity is not None:
        low, high = asked.similarity
        fits &= (found.values >= np.float32(low)) & (found.values <= np.float32(high))  # as they are stored here
    if asked.document is not None:
        fits &= np.isin(found.keys, _around(committed, asked.document))
    return fits


def _around(committed: Committed, doc_id: str) -> Hashes:
    """Give what a document repeats, and itself, which others may repeat, in this run or in an earlier one."""
    place, own = find(committed, doc_id), hashed(pa.array([doc_id]))
    if place is None:
        earlier = pa.array(list(committed.plan.get("places", {}).get("earlier", {})), pa.string())
        return own ^ hashed(earlier)
    row = read_columns(committed.run / place.file, ["doc_id", "survivor", "detail"]).slice(place.row, 1)
    return np.concatenate([own, keys_of(row)]) if row["survivor"][0].is_valid else own


def _check_stage(committed: Committed, found: Repetitions, stage: str | None) -> None:
    known = [*found.stage_names, *committed.plan.get("versions", {})]
    if stage is not None and stage not in known:
        remedy = suggestion(stage, known).removeprefix("; ") or f"those that dropped repetitions: {_names(found)}"
        raise ConfigError(f"there is no stage '{stage}'", where="--stage", remedy=remedy)


def _check_range(similarity: tuple[float, float] | None) -> None:
    if similarity is not None and similarity[0] > similarity[1]:
        why = "LOW {:g} is above HIGH {:g}".format(*similarity)
        raise ConfigError("a range is empty", where="--similarity", why=why, remedy="give the lower one first")


def _names(found: Repetitions) -> str:
    return ", ".join(found.stage_names) or "none"
