"""A part of which only some records are taken: what a replay reads again."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import Column
from headrace.stages.reading.part import Part


def taken(part: Part, only: frozenset[str]) -> Part:
    """Give the part with the records whose doc_id is wanted; its faults stay, for they are found again.

    A record is the least that can be taken. A JSON file is one, however many documents its array holds: it is taken if
    one of them is wanted.
    """
    documents = part.documents
    wanted = pc.is_in(documents["doc_id"], value_set=pa.array(sorted(only), pa.string()))
    contents = pa.array(sorted({doc_id.rpartition("#")[0] for doc_id in only}), pa.string())
    whole = pc.and_(
        pc.equal(documents["format"], pa.scalar("json")), pc.is_in(content_of(documents["doc_id"]), contents)
    )
    documents = documents.filter(pc.or_(wanted, whole))
    records = Counter(zip(documents["source"].to_pylist(), documents["path"].to_pylist(), strict=True))
    by_path = {f"{source}:{path}": count for (source, path), count in records.items()}
    return replace(
        part, documents=documents, files=tuple(replace(f, records=by_path.get(f.path, 0)) for f in part.files)
    )


def content_of(doc_ids: Column) -> Column:
    """Give the doc_ids without their offsets: the file, or the member of an archive, that these count in."""
    contents: Column = pc.replace_substring_regex(doc_ids, "#[0-9]+$", "")
    return contents
