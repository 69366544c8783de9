"""What is found in the sample of one source: by what stages measured, and by searching the stored texts again."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.pipeline.policy.rates import EXAMPLES, Rate, rate_of
from headrace.schemas.arrays import Column, Counts, text_buffers
from headrace.stages.privacy.find import found
from headrace.stages.privacy.kinds import KINDS

MEASURED, WORDS, PII, LEFT, LISTS = "values.", "words_", "pii_", "left_", "list:"
RIGHTS = ("noindex", "noarchive", "noai", "tdm_reserved")
ANY_UNSAFE, ANY_PII, ANY_LEFT = "unsafe", "personal data before masking", "personal data left"
_NO_COUNTS = ("_per_thousand", "_distinct")
_AROUND = 24  # characters of context on each side
_DIGIT, _SPACE = re.compile(r"\d"), re.compile(r"\s+")

Counted: TypeAlias = Callable[[Column], Mapping[str, Counts]]  # matches of each word list in each text


@dataclass(slots=True)
class Sample:
    """The findings in the sample of one source: by name, in how many documents it was looked for, and where it is."""

    size: int = 0
    with_text: int = 0
    characters: int = 0
    looked: Counter[str] = field(default_factory=Counter)
    hits: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    contexts: defaultdict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, rows: pa.Table, words: Counted) -> None:
        """Look at some documents of the source."""
        self.size += rows.num_rows
        self._add_values(rows)
        texts = rows.filter(pc.is_valid(rows["text"]))
        self.with_text += texts.num_rows
        self.characters += int(pc.sum(pc.utf8_length(texts["text"])).as_py() or 0)
        doc_ids = list(map(str, texts["doc_id"].to_pylist()))
        for name, counts in words(texts["text"]).items():
            self._note(f"{LISTS}{name}", doc_ids, counts, ANY_UNSAFE)
        self._search(doc_ids, texts["text"])

    def rate(self, name: str, documents: int) -> Rate:
        """Give the rate of a finding in a source that has so many documents."""
        return rate_of(name, sorted(self.hits[name]), self.looked[name], documents)

    def names(self, prefix: str) -> list[str]:
        """Give what was looked for, by the beginning of its name."""
        return sorted(name for name in self.looked if name.startswith(prefix))

    def shown(self, name: str) -> list[dict[str, str]]:
        """Give a few places of a finding: doc_id and what stands around it, personal data masked."""
        return [{"doc_id": doc_id, "context": context} for doc_id, context in sorted(self.contexts[name])[:EXAMPLES]]

    def _add_values(self, rows: pa.Table) -> None:
        for column in rows.column_names:
            name = column.removeprefix(MEASURED)
            if name.startswith(WORDS) and name.endswith(_NO_COUNTS):
                continue  # the same matches, in other words
            group = ANY_UNSAFE if name.startswith(WORDS) else ANY_PII if name.startswith(PII) else None
            if column.startswith(MEASURED) and (group or name in RIGHTS):
                known = rows.filter(pc.is_valid(rows[column]))
                self._note(name, list(map(str, known["doc_id"].to_pylist())), known[column].to_numpy(), group)

    def _note(self, name: str, doc_ids: Sequence[str], counts: np.ndarray, group: str | None = None) -> None:
        """Note which documents have something; the group is the rate over all of its kind."""
        with_some = {doc_ids[row] for row in np.flatnonzero(counts > 0).tolist()}
        for key in (name, group) if group else (name,):
            self.hits[key] |= with_some
        self.looked[name] += len(doc_ids)
        if group:
            self.looked[group] = max(self.looked[group], self.looked[name])

    def _search(self, doc_ids: Sequence[str], texts: Column) -> None:
        findings = found(texts)
        counts = findings.counts()
        for kind in KINDS:
            self._note(f"{LEFT}{kind.name}", doc_ids, counts[:, kind.rank], ANY_LEFT)
        for row, kind_name, context in contexts(texts, findings.spans):
            self.contexts[f"{LEFT}{kind_name}"].append((doc_ids[row], context))


def contexts(texts: Column, spans: Counts) -> Iterator[tuple[int, str, str]]:
    """Give row, kind and surroundings of the first finding of each kind in each text.

    Whatever was found is its placeholder there, and digits that belong to nothing are `#`: a report is passed on.
    """
    data, offsets = text_buffers(texts)
    for row in np.unique(spans[:, 0]).tolist():
        inside = spans[spans[:, 0] == row]
        pieces = _pieces(data[offsets[row] : offsets[row + 1]].tobytes(), inside[:, 1:3] - offsets[row])
        for kind in np.unique(inside[:, 3]).tolist():
            place = int(np.flatnonzero(inside[:, 3] == kind)[0])
            names = [KINDS[rank].placeholder for rank in inside[:, 3].tolist()]
            yield row, KINDS[kind].name, _context(pieces, names, place)


def _pieces(text: bytes, spans: Counts) -> list[str]:
    """Give what stands before, between and behind the spans."""
    bounds = [0, *spans.ravel().tolist(), len(text)]
    return [text[begin:end].decode() for begin, end in zip(bounds[::2], bounds[1::2], strict=True)]


def _context(pieces: list[str], names: list[str], place: int) -> str:
    before = "".join(_alternating(pieces[: place + 1], names[:place]))
    after = "".join(_alternating(pieces[place + 1 :], names[place + 1 :]))
    parts = (_DIGIT.sub("#", _SPACE.sub(" ", part)) for part in (before[-_AROUND:], after[:_AROUND]))
    return names[place].join(parts)


def _alternating(pieces: list[str], names: list[str]) -> Iterator[str]:
    for piece, name in zip(pieces, [*names, ""], strict=True):
        yield from (piece, name)
