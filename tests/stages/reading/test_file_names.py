"""Names of any bytes become text, each another one, and lead back to their bytes."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from headrace.stages.reading.file_names import on_disk, typeable

_PIECES = st.sampled_from([b"\\", b"x", b"e9", b"5c", b"E9", b"\xe9", b"\xff", "é".encode(), "中".encode(), b"a/b"])
NAMES = st.one_of(st.binary(min_size=1), st.lists(_PIECES, min_size=1).map(b"".join)).map(os.fsdecode)


@given(NAMES)
def test_every_name_is_text_and_leads_back(path: str) -> None:
    """Valid UTF-8 that stands for one path alone, since the path can be had from it."""
    name = typeable(path)
    name.encode()
    assert on_disk(name) == path


@given(NAMES, NAMES)
def test_a_path_is_named_piece_by_piece(folder: str, path: str) -> None:
    """The name of a file in a folder is the folder's and the file's."""
    assert typeable(f"{folder}/{path}") == f"{typeable(folder)}/{typeable(path)}"


@given(st.text(st.characters(codec="utf-8", exclude_characters="\\"), min_size=1))
def test_names_of_today_stay(path: str) -> None:
    """What is UTF-8 and has no backslash is its own name."""
    assert typeable(path) == path == on_disk(path)
