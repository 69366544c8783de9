"""Tables in the document schema, for tests of stages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest

from headrace.schemas.document import DOCUMENT_SCHEMA


def documents(texts: Sequence[str], **columns: Any) -> pa.Table:
    """Give a table of documents with these texts; other columns are null unless they are given."""
    ids = [f"test:a.txt#{i}" for i in range(len(texts))]
    filled = {"doc_id": ids, "text": list(texts), "source": ["test"] * len(texts), "path": ["a.txt"] * len(texts)}
    arrays = [pa.array({**filled, **columns}.get(f.name, [None] * len(texts)), f.type) for f in DOCUMENT_SCHEMA]
    return pa.table(arrays, schema=DOCUMENT_SCHEMA)


@pytest.fixture(scope="session")
def table_of() -> Callable[..., pa.Table]:
    """Make a table of documents from texts."""
    return documents
