"""What the documents files say, counted file by file: memory holds numbers and examples, never the texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headrace.pipeline.committed import Committed, read_columns, reading, where
from headrace.pipeline.dups.repetitions import Collector
from headrace.schemas.document import DROPPED, KEPT, QUARANTINED

MEASURED = ("values.", "scores.")
BINS = 40
EXAMPLES_EACH = 3  # of every reason
_SPREAD = 1000  # a measure that reaches further than this is drawn on a logarithmic axis
_BEFORE_TEXT = ("read", "decode", "parse")  # what these stages take out never became text
_TAKEN = {"values.seen_lines": "lines", "values.seen_paragraphs": "paragraphs"}
_FIXED = ["doc_id", "source", "path", "encoding", "encoding_method", "damage", "language", "grade"]
_SETTLED = ["verdict", "stage", "reason", "value", "threshold", "survivor", "detail"]

Row: TypeAlias = dict[str, Any]


@dataclass(slots=True)
class Histogram:
    """How a measure is spread over kept documents and over those that left."""

    name: str
    edges: np.ndarray[Any, np.dtype[np.float64]]
    log: bool
    kept: np.ndarray[Any, np.dtype[np.int64]]
    gone: np.ndarray[Any, np.dtype[np.int64]]

    def add(self, values: np.ndarray[Any, Any], kept: np.ndarray[Any, Any]) -> None:
        """Count the values of one unit."""
        self.kept += np.histogram(values[kept], self.edges)[0]
        self.gone += np.histogram(values[~kept], self.edges)[0]

    def to_json(self) -> Row:
        """Give the JSON form."""
        edges = [float(f"{edge:.6g}") for edge in self.edges]
        return {
            "name": self.name,
            "log": self.log,
            "edges": edges,
            "kept": self.kept.tolist(),
            "gone": self.gone.tolist(),
        }


@dataclass(slots=True)
class DocumentFacts:
    """Everything the report takes from the documents files."""

    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)  # source, verdict
    charsets: Counter[tuple[str, str]] = field(default_factory=Counter)  # encoding, method
    damaged: Counter[tuple[str, str]] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    grades: Counter[str] = field(default_factory=Counter)
    with_text: set[str] = field(default_factory=set)  # source:path
    faults: dict[tuple[str, str, str], Row] = field(default_factory=dict)  # file, stage, reason
    excluded: dict[str, str] = field(default_factory=dict)  # file -> why its first document was taken out
    examples: dict[tuple[str, str], list[Row]] = field(default_factory=dict)  # stage, reason
    of_sources: dict[tuple[str, str, str], list[Row]] = field(default_factory=dict)  # source, stage, reason
    histograms: dict[str, Histogram] = field(default_factory=dict)
    repetitions: Collector = field(default_factory=Collector)
    taken: Counter[str] = field(default_factory=Counter)  # lines or paragraphs that came before
    shortened: Counter[str] = field(default_factory=Counter)  # documents that lost some of them


def read_facts(committed: Committed) -> DocumentFacts:
    """Go through the documents files once for the ranges of the measures and once for everything else."""
    facts = DocumentFacts()
    paths = [path for _, path in committed.documents()]
    facts.histograms = {name: histogram(name, *bounds) for name, bounds in sorted(_ranges(paths).items())}
    for number, path in enumerate(paths):
        table = read_columns(path, [*_FIXED, *_SETTLED, *facts.histograms])
        with reading(path):  # a damaged file may lack columns
            _count(facts, table)
            _measure(facts, table)
            _shorten(facts, table)
            _settled(facts, table)
            facts.repetitions.add(number, table)
    return facts


def histogram(name: str, low: float, high: float) -> Histogram:
    """Give an empty histogram; measures that span several powers of ten get logarithmic bins."""
    log = low >= 0 and high > _SPREAD
    if log:
        edges = np.geomspace(1.0, high + 2.0, BINS + 1) - 1.0
    else:
        edges = np.linspace(low, high if high > low else low + 1.0, BINS + 1)
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    return Histogram(name, edges, log, np.zeros(BINS, np.int64), np.zeros(BINS, np.int64))


def _ranges(paths: list[Path]) -> dict[str, tuple[float, float]]:
    """Read the least and greatest value of every measure from the files' own statistics."""
    ranges: dict[str, tuple[float, float]] = {}
    for path in paths:
        with reading(path):
            metadata = pq.read_metadata(path)
        for group in range(metadata.num_row_groups):
            for name, low, high in _group_ranges(metadata.row_group(group)):
                known = ranges.get(name, (low, high))
                ranges[name] = (min(known[0], low), max(known[1], high))
    return ranges


def _group_ranges(group: pq.RowGroupMetaData) -> Iterator[tuple[str, float, float]]:
    for index in range(group.num_columns):
        column = group.column(index)
        statistics = column.statistics
        if column.path_in_schema.startswith(MEASURED) and statistics is not None and statistics.has_min_max:
            low, high = float(str(statistics.min)), float(str(statistics.max))
            if np.isfinite(low) and np.isfinite(high):
                yield column.path_in_schema, low, high


def _count(facts: DocumentFacts, table: pa.Table) -> None:
    facts.verdicts.update(_tally(table, "source", "verdict"))
    facts.charsets.update(_tally(table, "encoding", "encoding_method"))
    facts.damaged.update(
        _tally(table.filter(pc.greater(table["damage"], pa.scalar(0.0, pa.float32()))), "encoding", "encoding_method")
    )
    kept = where(table, "verdict", KEPT)
    facts.languages.update({language: n for (language,), n in _tally(kept, "language").items()})
    facts.grades.update({grade: n for (grade,), n in _tally(kept, "grade").items()})
    for source, path, verdict, stage in _tally(table, "source", "path", "verdict", "stage"):
        if verdict == KEPT or (verdict == DROPPED and stage not in _BEFORE_TEXT):
            facts.with_text.add(f"{source}:{path}")


def _tally(table: pa.Table, *names: str) -> dict[Any, int]:
    """Count the combinations of some columns; rows whose first column is null are left out."""
    counted = table.filter(pc.is_valid(table[names[0]])).group_by(list(names)).aggregate([([], "count_all")])
    keys = zip(*(counted[name].to_pylist() for name in names), strict=True)
    return dict(zip(keys, counted["count_all"].to_pylist(), strict=True))


def _measure(facts: DocumentFacts, table: pa.Table) -> None:
    kept = np.array(table["verdict"].to_pylist()) == KEPT
    for name, spread in facts.histograms.items():
        if name in table.column_names:
            values = table[name].cast(pa.float64()).to_numpy()
            finite = np.isfinite(values)
            spread.add(values[finite], kept[finite])


def _shorten(facts: DocumentFacts, table: pa.Table) -> None:
    """Sum up what `dedup_lines` took out of texts; a document that it dropped itself lost nothing."""
    whole = np.array([(stage or "").partition(".")[0] == "dedup_lines" for stage in table["stage"].to_pylist()], bool)
    for column, unit in _TAKEN.items():
        if column in table.column_names:
            lost = np.nan_to_num(table[column].cast(pa.float64()).to_numpy())[~whole]
            facts.taken[unit] += int(lost.sum())
            facts.shortened[unit] += int(np.count_nonzero(lost))


def _settled(facts: DocumentFacts, table: pa.Table) -> None:
    """Keep an example or two of every reason, and every fault with its file."""
    gone = table.filter(pc.not_equal(table["verdict"], pa.scalar(KEPT))).select([*_FIXED[:3], *_SETTLED])
    for row in _examples(gone):
        rule, of_source = (row["stage"], row["reason"]), (row["source"], row["stage"], row["reason"])
        for shown in (facts.examples.setdefault(rule, []), facts.of_sources.setdefault(of_source, [])):
            if len(shown) < EXAMPLES_EACH:
                shown.append(row)
    for row in where(gone, "verdict", QUARANTINED).to_pylist():
        key = (f"{row['source']}:{row['path']}", row["stage"], row["reason"])
        fault = facts.faults.setdefault(key, {"documents": 0, "doc_id": row["doc_id"], "detail": row["detail"]})
        fault["documents"] += 1
    early = gone.filter(pc.is_in(gone["stage"], pa.array(_BEFORE_TEXT)))
    for source, path, reason in zip(*(early[n].to_pylist() for n in ("source", "path", "reason")), strict=True):
        facts.excluded.setdefault(f"{source}:{path}", reason)


def _examples(gone: pa.Table) -> Iterator[Row]:
    """Give the first few rows of every stage and reason of one unit."""
    reasons = gone.append_column("row", pa.array(range(gone.num_rows), pa.int64()))
    counted = reasons.group_by(["stage", "reason"], use_threads=False).aggregate([("row", "list")])
    for group in counted.to_pylist():
        yield from gone.take(pa.array(group["row_list"][:EXAMPLES_EACH], pa.int64())).to_pylist()
