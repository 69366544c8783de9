"""Forget takes out what earlier runs have forgotten, whatever its doc_id is by now."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pydantic import ValidationError

from headrace.schemas.errors import ConfigError, HeadraceError
from headrace.schemas.forgetting import Request
from headrace.schemas.tombstones import TOMBSTONES, Forgotten, Tombstones
from headrace.stages.forget import Forget, fingerprints

TEXT = "The wheel sets the pace, and the channel never runs dry. 水渠"
LIST = Tombstones(
    revision=2,
    requests=(Request("doc", "old:a.txt#0", 1), Request("domain", "gone.example", 2), Request("url", "**/secret/*", 2)),
    documents=(
        Forgotten("old:a.txt#0", 3, 4, 1, "https://kept.example/page", fingerprints(pa.array([TEXT]))[0]),
        Forgotten("old:b.txt#7", 3, 5, 2, None, None),
    ),
    lines=9,
    manifest_sha256="0" * 64,
)
ROWS = [
    ("old:a.txt#0", None, "another text by now", "same id"),
    ("old:b.txt#7", None, "the id of a document that a domain meant", "same id"),
    ("new:x#1", "http://kept.example/page/", "fetched again", "same url"),
    ("new:x#2", "https://www.gone.example/", "of the domain", "domain"),
    ("new:x#3", "https://any.example/secret/1", "of the pattern", "pattern"),
    ("new:x#4", None, f"  {TEXT.upper()}\n", "same text"),
    ("new:x#5", "https://kept.example/page2", "stays", ""),
    ("new:x#6", None, "", ""),
    ("new:x#7", None, None, ""),
]


def table() -> pa.Table:
    ids, urls, texts, _ = zip(*ROWS, strict=True)
    return pa.table({"doc_id": ids, "text": pa.array(texts, pa.large_string()), "url": pa.array(urls, pa.string())})


def stage(folder: Path, **options: object) -> Forget:
    """Give the stage as a worker has it: packed by the driver, unpacked from the run."""
    (folder / "old").mkdir(exist_ok=True)
    (folder / "old" / TOMBSTONES).write_bytes(LIST.encode())
    packed = Forget.model_validate({"lists": ["old"], **options})
    (folder / "pack.bin").write_bytes(packed.packed(folder))
    return packed.unpacked(folder / "pack.bin")


def test_it_drops_by_id_url_domain_pattern_and_text(tmp_path: Path) -> None:
    """Every way in which a forgotten document may come again, and nothing else."""
    after = stage(tmp_path).process(table())
    assert after["verdict"].to_pylist() == ["dropped" if why else None for *_, why in ROWS]
    assert set(after["reason"].to_pylist()) == {"forgotten", None}
    assert after.select(["doc_id", "text", "url"]).equals(table())


def test_texts_can_be_left_out(tmp_path: Path) -> None:
    """texts: false keeps a copy under another name."""
    after = stage(tmp_path, texts=False).process(table())
    assert after["verdict"].to_pylist() == ["dropped" if why and why != "same text" else None for *_, why in ROWS]


def test_an_empty_unit_passes(tmp_path: Path) -> None:
    """No rows in, no rows out."""
    assert stage(tmp_path).process(table().slice(0, 0)).num_rows == 0


def test_the_pack_is_the_same_for_the_same_lists(tmp_path: Path) -> None:
    """Neither their order, nor a list named twice, nor where documents stood in their run changes a run's identity."""
    stage(tmp_path)
    moved = Tombstones(
        7, LIST.requests[::-1], tuple(Forgotten(d.doc_id, 1, 2, 7, d.url, d.text) for d in LIST.documents)
    )
    (tmp_path / "copy.json").write_bytes(moved.encode())
    packs = {Forget(lists=names).packed(tmp_path) for names in (("old",), ("copy.json",), ("copy.json", "old", "old"))}
    assert len(packs) == 1
    (tmp_path / "other.json").write_bytes(Tombstones(1, LIST.requests[:1]).encode())
    assert Forget(lists=("other.json",)).packed(tmp_path) not in packs
    assert Forget(lists=("other.json", "old")).packed(tmp_path) in packs


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [("", None, "No such file"), ("list.json", None, "No such file"), ("list.json", b"[]", "not a file of tombstones")],
)
def test_a_list_that_cannot_be_used_is_a_mistake_of_the_configuration(
    tmp_path: Path, name: str, data: bytes | None, message: str
) -> None:
    """A run in which nothing was forgotten, a missing file, another kind of file."""
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(ConfigError, match=message):
        Forget(lists=(name,)).packed(tmp_path)


def test_without_its_lists_it_refuses_to_run() -> None:
    """It would let everything pass."""
    with pytest.raises(HeadraceError, match="lists were not read"):
        Forget(lists=("x",)).process(table())
    with pytest.raises(ValidationError):
        Forget(lists=())


def test_fingerprints_tell_texts_apart_and_spellings_not() -> None:
    """Case, width and white space make no difference; short texts have none."""
    a, b, c, short, none = fingerprints(pa.array([TEXT, f"Ｔ{TEXT[1:]} ", f"{TEXT}!", "OK, thanks", None]))
    assert a == b != c
    assert (short, none) == (None, None)
    assert a is not None
    assert len(a) == 32
