"""Texts of documents as a stage had them, read again from the run's input and put through the stages before it.

The files are read in the run's own units, which charsets are judged by; a text is then what it was in the run, as long
as the files, the plug-ins and the lists are those of the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, takewhile
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import yaml
from pydantic import ValidationError

from headrace.pipeline.committed import Committed
from headrace.pipeline.config import PipelineConfig
from headrace.pipeline.dups.members import Named
from headrace.pipeline.dups.places import by_file_name
from headrace.pipeline.host import HostSetup, read_batch
from headrace.pipeline.packs import pack_names, stage_names
from headrace.pipeline.plan import PARSE
from headrace.pipeline.plugins import load_builtins
from headrace.pipeline.replay import unchanged_plugin
from headrace.pipeline.run_folder import RESOLVED
from headrace.schemas.errors import ConfigError, HeadraceError
from headrace.schemas.source import Cursor, InputFile, Split
from headrace.stages.apply import apply
from headrace.stages.base import OrderedStage, Stage
from headrace.stages.read import Part, Reader
from headrace.stages.reading.taken import taken

_CHANGED = "it is not in the input any more"
_RERUN = "the run began with what another run had stored, whose documents are not read again"


def read_again(committed: Committed, stage: str, wanted: Sequence[Named]) -> dict[str, str | HeadraceError]:
    """Give the texts of documents as they came to a stage, or why there is none, by doc_id.

    Each split that has one of them is read up to the last one that it has.
    """
    if committed.plan["recipe"].get("rerun") or "places" not in committed.plan:
        return {n.doc_id: HeadraceError(_RERUN) for n in wanted}
    found: dict[str, str | HeadraceError] = {n.doc_id: HeadraceError(_CHANGED) for n in wanted}
    try:
        run = _Configured.of(committed, stage)
    except HeadraceError as error:
        return dict.fromkeys(found, error)
    for split, doc_ids in _splits(committed, [n.doc_id for n in wanted]):
        try:
            found |= run.texts(split, doc_ids)
        except HeadraceError as error:
            found |= dict.fromkeys(doc_ids, error)
    return found


@dataclass(frozen=True, slots=True)
class _Configured:
    """A run's configuration as it was, and the stages that a document went through before one that compares."""

    config: PipelineConfig
    stages: tuple[tuple[str, Stage], ...]

    @classmethod
    def of(cls, committed: Committed, stage: str) -> _Configured:
        """Read the configuration of a run; ConfigError if it, a plug-in or a list is not what it was."""
        load_builtins()
        path, base = committed.run / RESOLVED, Path(committed.plan["places"]["base"])
        try:
            value = yaml.safe_load(path.read_bytes())
            plugins = tuple(unchanged_plugin(base / name, committed) for name in value["plugins"])
            text = PipelineConfig.model_validate(value).model_dump_json()
        except (OSError, yaml.YAMLError, TypeError, KeyError, ValidationError) as error:
            why = " ".join(str(error).split())
            raise ConfigError("the run's configuration cannot be read", where=str(path), why=why) from error
        packs = pack_names(committed.plan["recipe"].get("lists", {}))
        config = HostSetup(text, plugins, str(committed.run), packs).load()
        named = list(zip(stage_names(config.stages), config.stages, strict=True))
        before = takewhile(lambda each: each[0] != stage, named)
        return cls(config, tuple(each for each in before if not isinstance(each[1], OrderedStage)))

    def texts(self, split: Split, doc_ids: frozenset[str]) -> dict[str, str]:
        """Read a split until all of its wanted documents were there."""
        source = next(s for s in self.config.sources if s.name == split.source)
        found: dict[str, str] = {}
        reader, cursor = Reader(), Cursor(split.index)
        try:
            while len(found) < len(doc_ids):
                part = reader.read_part(split, source, cursor, self.config.engine.unit_bytes)
                if taken(part, doc_ids).documents.num_rows:
                    found |= self._through(part, doc_ids)
                if part.next is None:
                    break
                cursor = part.next
        finally:
            reader.close()
        return found

    def _through(self, part: Part, doc_ids: frozenset[str]) -> dict[str, str]:
        batch = read_batch(0, part)
        for name, stage in self.stages:
            batch = apply(name, stage, batch)
            if name == PARSE:
                wanted = pc.is_in(batch.documents["doc_id"], pa.array(sorted(doc_ids), pa.string()))
                batch = batch.but(documents=batch.documents.filter(wanted))
        table = batch.documents
        return dict(zip(map(str, table["doc_id"].to_pylist()), map(str, table["text"].to_pylist()), strict=True))


def _splits(committed: Committed, doc_ids: Sequence[str]) -> Iterator[tuple[Split, frozenset[str]]]:
    """Give the splits of a run that have one of these documents, with those that may be in each."""
    names, roots = by_file_name(doc_ids), committed.plan["places"]["roots"]
    states = {(source, path): state for source, path, *state in committed.plan["inputs"]}
    for index, (source, paths, begin, end, *_) in enumerate(committed.plan["splits"]):
        of_files = chain.from_iterable(names.get(f"{source}:{path}", ()) for path in paths)
        inside = frozenset(doc_id for doc_id in of_files if _may_be_in(doc_id, begin, end))
        if inside:
            files = tuple(InputFile(path, *states[source, path]) for path in paths)
            yield Split(index, source, roots.get(source, ""), files, begin, end), inside


def _may_be_in(doc_id: str, begin: int, end: int | None) -> bool:
    """Whether a document of a file may be in a part of it."""
    offset = doc_id.rpartition("#")[2]
    return not (begin or end is not None) or begin <= int(offset) < (int(offset) + 1 if end is None else end)
