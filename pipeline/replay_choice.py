"""Which records of a finished run a replay takes up: those it quarantined, or all of named files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

import pyarrow as pa

from headrace.pipeline.committed import Committed, read_columns
from headrace.pipeline.globs import expression
from headrace.schemas.document import KEPT
from headrace.schemas.errors import ConfigError
from headrace.schemas.forgetting import NEVER
from headrace.schemas.tombstones import Tombstones, read_tombstones
from headrace.schemas.unit import FileRef
from headrace.stages.reading.part import STAGE as READ

NAMED = 3  # files or reasons in a message

Chosen = Mapping[tuple[str, str], frozenset[str]]  # (source, path) -> doc_ids


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which records are taken up, and what they are taken for; None = whatever it is.

    `kept`: also those that were kept or dropped, of the files that `path` names.
    """

    encoding: str
    path: str | None = None  # glob over paths inside their source
    reason: str | None = None
    kept: bool = False

    def check(self) -> None:
        """Raise ConfigError where it does not say of which files all is taken."""
        if self.kept and self.path is None:
            why = "every document of the run would be decoded as one charset"
            raise ConfigError("--kept needs --path", why=why, remedy="name the files, as in --path 'old/**'")
        if self.kept and self.reason is not None:
            why = "what was kept has no reason"
            raise ConfigError("--kept and --reason exclude each other", why=why, remedy="leave out one of them")


def chosen_records(parent: Committed, wanted: Wanted) -> Chosen:
    """Give the records that are wanted; what reading could not deliver stays as it is in any charset."""
    inside = expression(wanted.path) if wanted.path else None
    chosen: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    others: Counter[str] = Counter()
    for doc_id, source, path, verdict, stage, reason in _rows(parent, every=wanted.kept):
        fits = inside is None or inside.fullmatch(path)
        if fits and stage != READ and wanted.reason in (None, reason):
            chosen[source, path].add(doc_id)
        else:
            others[verdict if verdict == KEPT else f"{stage}: {reason}"] += 1
    if not chosen:
        raise _nothing(parent, wanted, others)
    return {key: frozenset(doc_ids) for key, doc_ids in sorted(chosen.items())}


def _rows(parent: Committed, *, every: bool) -> Iterator[tuple[str, ...]]:
    """Give doc_id, source, path, verdict, stage and reason of all rows, or of all that were quarantined.

    What is forgotten on request is not among them.
    """
    names = ["doc_id", "source", "path", "verdict", "stage", "reason"]
    forgotten = (read_tombstones(parent.run) or Tombstones()).matcher
    refs: Iterator[FileRef] = chain.from_iterable(line.documents if every else line.quarantine for line in parent.lines)
    for ref in refs:
        table = read_columns(parent.run / ref.name, [*names, "url"])
        table = table.filter(pa.array(forgotten.revisions(table) == NEVER))
        yield from zip(*(table[name].to_pylist() for name in names), strict=True)


def _nothing(parent: Committed, wanted: Wanted, others: Counter[str]) -> ConfigError:
    where = str(parent.run)
    if wanted.kept:
        why = f"no record of a file like {wanted.path} is in the run"
        return ConfigError("nothing can be taken up", where=where, why=why, remedy="paths are those of doc_ids")
    what = "nothing that is quarantined can be taken up"
    if not others:
        remedy = "--kept with --path takes up what was kept or dropped"
        return ConfigError(what, where=where, why="the run quarantined nothing", remedy=remedy)
    counts = ", ".join(f"{reason} {count:,}" for reason, count in others.most_common(NAMED))
    why = f"no record matches; quarantined are {counts}" + (" and more" if len(others) > NAMED else "")
    remedy = "change --path or --reason; what `read` could not deliver is not changed by a charset"
    return ConfigError(what, where=where, why=why, remedy=remedy)
