"""The texts of documents of a run: as the run has stored them, else read again from its input as it was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from headrace.pipeline.committed import PLAN, Committed, open_committed
from headrace.pipeline.dups.members import Named
from headrace.pipeline.dups.places import places_of
from headrace.pipeline.dups.read_again import read_again
from headrace.pipeline.what_if.units import texts_of
from headrace.schemas.errors import HeadraceError
from headrace.schemas.tombstones import Tombstones, read_tombstones

_FORGOTTEN = "it is forgotten on request"
_NOT_STORED = "the run stores no texts of dropped documents (`record: full` of the write stage does that)"


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a document, or why there is none."""

    text: str | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A document whose text is asked for; `stage` is the one that dropped it, None for a kept one."""

    named: Named
    stage: str | None = None


class Elsewhere(NamedTuple):
    """A document of an earlier run, by the name that verdicts give that run."""

    run: str
    doc_id: str


def stored_texts(committed: Committed, wanted: Sequence[Wanted]) -> dict[str, Text]:
    """Give the texts that the run itself has, by doc_id; of forgotten documents there is none."""
    tombstones = read_tombstones(committed.run) or Tombstones()
    found = {a.named.doc_id: Text(None, _NOT_STORED) for a in wanted}
    known = [a.named for a in wanted if a.named.place is not None]
    stored = texts_of(committed, ((*named.place, named.doc_id) for named in known if named.place is not None))
    found |= {doc_id: Text(text) for doc_id, text in stored.items()}
    forgotten = [n.doc_id for n in known if tombstones.request_for(n.doc_id, n.url)] if tombstones.requests else []
    return found | dict.fromkeys(forgotten, Text(None, _FORGOTTEN))


def texts_elsewhere(committed: Committed, wanted: Iterable[Elsewhere]) -> dict[Elsewhere, Text]:
    """Give the texts of documents of earlier runs that this one was compared with; each run is searched once."""
    by_run: dict[str, list[str]] = {}
    for each in wanted:
        by_run.setdefault(each.run, []).append(each.doc_id)
    found: dict[Elsewhere, Text] = {}
    for run, doc_ids in by_run.items():
        texts = _of_run(committed, run, list(dict.fromkeys(doc_ids)))
        found |= {Elsewhere(run, doc_id): text for doc_id, text in texts.items()}
    return found


def _of_run(committed: Committed, run: str, doc_ids: Sequence[str]) -> dict[str, Text]:
    folder = Path(committed.plan.get("places", {}).get("earlier", {}).get(run, run))
    if not (folder / PLAN).is_file():
        return dict.fromkeys(doc_ids, Text(None, f"{run} is not there; was it moved?"))
    try:
        earlier = open_committed(folder)
        places = places_of(earlier, doc_ids)
    except HeadraceError as error:
        return dict.fromkeys(doc_ids, Text(None, f"{run} cannot be read: {error.what}"))
    gone = dict.fromkeys(doc_ids, Text(None, f"{run} does not have it any more"))
    return gone | _readable(earlier, run, [Wanted(Named(doc_id, place)) for doc_id, place in places.items()])


def _readable(earlier: Committed, run: str, wanted: Sequence[Wanted]) -> dict[str, Text]:
    """Give what is stored; a damaged file costs only the texts in it, which are found by halving."""
    try:
        return stored_texts(earlier, wanted)
    except HeadraceError as error:
        if len(wanted) == 1:
            return {wanted[0].named.doc_id: Text(None, f"{run} cannot be read: {error.what}")}
        half = len(wanted) // 2
        return _readable(earlier, run, wanted[:half]) | _readable(earlier, run, wanted[half:])


def all_texts(committed: Committed, wanted: Sequence[Wanted]) -> dict[str, Text]:
    """Give the texts that the run has, and read the others again from its input."""
    found = stored_texts(committed, wanted)
    missing = [a for a in wanted if found[a.named.doc_id].why == _NOT_STORED and a.stage is not None]
    for stage in dict.fromkeys(a.stage for a in missing):
        names = [a.named for a in missing if a.stage == stage]
        again = read_again(committed, str(stage), names)
        found |= {doc_id: _told(text) for doc_id, text in again.items()}
    return found


def _told(text: str | HeadraceError) -> Text:
    if isinstance(text, str):
        return Text(text)
    place = f" ({text.where})" if text.where else ""
    why = f": {text.why}" if text.why else ""
    return Text(None, f"{_NOT_STORED}, and it cannot be read again: {text.what}{place}{why}")
