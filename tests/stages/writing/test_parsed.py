"""What documents were: whatever stages do to them, the rows say how `parse` gave them, and little more."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from headrace.schemas.arrays import with_column
from headrace.schemas.document import DOCUMENT_SCHEMA
from headrace.schemas.errors import HeadraceError
from headrace.schemas.unit import UnitBatch
from headrace.stages.base import conform
from headrace.stages.writing import parsed
from headrace.stages.writing.documents import documents_table

TEXTS = ("磨坊 水渠", "the old mill\nby the river", "", "石头" * 200, "𠀀 e\u0301", "\n")


def given(texts: tuple[str | None, ...] = TEXTS) -> pa.Table:
    """Give what `parse` gave."""
    rows = len(texts)
    columns = {
        "doc_id": [f"s:a#{row}" for row in range(rows)],
        "text": pa.array(texts, pa.large_string()),
        "offset": pa.array(range(rows), pa.int64()),
        "url": pa.array([f"http://a.example/{row}" for row in range(rows)], pa.string()),
        "damage": pa.array([0.1 * row for row in range(rows)], pa.float32()),
        "authority": pa.nulls(rows, pa.float32()),
    }
    return conform(pa.table(columns))


def changed(table: pa.Table, name: str, values: list[object]) -> pa.Table:
    return with_column(table, name, pa.array(values, DOCUMENT_SCHEMA.field(name).type))


def test_rows_that_stay_as_they_are_cost_a_number() -> None:
    """No patch, no fields."""
    table = parsed.numbered(given())
    after = parsed.carried(table, table)
    assert after[parsed.ROW].to_pylist() == list(range(len(TEXTS)))
    assert after[parsed.TEXT].null_count == after[parsed.FIELDS].null_count == len(TEXTS)
    assert parsed.as_parsed(after).equals(given())


def test_group_after_group_the_first_state_comes_back() -> None:
    """Texts and fields change, rows leave, a text comes back to what it was: then nothing is said of it."""
    first = parsed.numbered(given())
    second = changed(first, "text", ["磨坊", "the old mill", "x", "石头" * 150, "", "\n"])
    second = changed(second, "damage", [None, 0.5, 0.5, 0.5, 0.5, 0.5])
    second = parsed.carried(first, changed(second, "language", ["zh"] * 6).filter(pa.array([True] * 4 + [False, True])))
    assert parsed.as_parsed(second).equals(given().take([0, 1, 2, 3, 5]))
    third = changed(second, "text", ["磨坊 水渠", "mill", "x", "石头" * 150, "y"])
    third = parsed.carried(second, changed(third, "url", [None, "u", "u", "u", "u"]))
    assert parsed.as_parsed(third).equals(given().take([0, 1, 2, 3, 5]))
    assert third[parsed.TEXT].is_null().to_pylist() == [True, False, False, False, False]
    assert third[parsed.FIELDS][0].as_py() == '{"damage":0.0,"url":"http://a.example/0"}'


def test_what_later_stages_fill_is_null_unless_parse_knew_it() -> None:
    """A language that the rule fills says nothing; one that was there before comes back."""
    table = changed(given(), "script", [None, "Hant", None, None, None, None])
    first = parsed.numbered(table)
    after = parsed.carried(first, changed(changed(first, "language", ["zh"] * 6), "script", ["Hans"] * 6))
    assert after[parsed.FIELDS].to_pylist() == [None, '{"script":"Hant"}', None, None, None, None]
    assert parsed.as_parsed(after).equals(table)


def test_any_changes_come_back() -> None:
    """Random texts, changed at random, five times over."""
    rng = random.Random(7)
    texts = tuple("".join(rng.choices("水车ab \n", k=rng.randint(0, 400))) for _ in range(40))
    table = start = parsed.numbered(given(texts))
    for _ in range(5):
        now = [t[: rng.randint(0, 300)] + rng.choice(["", "x", "頁"]) for t in map(str, table["text"].to_pylist())]
        keep = pa.array([rng.random() < 0.9 for _ in now])
        table = parsed.carried(table, changed(table, "text", list(now)).filter(keep))
        assert parsed.as_parsed(table).equals(given(texts).take(table[parsed.ROW]))
    assert table.num_rows < start.num_rows


@pytest.mark.parametrize("size", [10, 200_000, 5_000_000])
def test_a_patch_is_as_small_as_the_change(size: int) -> None:
    """A few bytes and no share of the text, also where the text is longer than the window of the compression level."""
    text = random.Random(1).randbytes(size)
    now = text[: size // 2] + b"-" + text[size // 2 + 1 :]
    patch = parsed.patch_of(text, now)
    assert parsed.patched(patch, now) == text
    assert len(patch) < max(40, size // 500)


@pytest.mark.parametrize(("text", "now"), [(b"", b"abc"), (b"abc", b""), (b"", b"")])
def test_nothing_can_be_patched(text: bytes, now: bytes) -> None:
    """Neither side needs to hold anything."""
    assert parsed.patched(parsed.patch_of(text, now), now) == text


def test_stages_do_not_see_what_is_carried() -> None:
    """Columns set aside come back behind those of the stage."""
    seen, aside = parsed.set_aside(parsed.numbered(given()))
    assert seen.column_names == DOCUMENT_SCHEMA.names
    assert parsed.put_back(seen, aside).equals(parsed.numbered(given()))


def test_documents_say_what_they_were_under_full_alone() -> None:
    """A text that is not stored (it is in a shard) is stored as it was; other records have no such columns."""
    table = parsed.numbered(given(("a b", "c")))
    batch = UnitBatch(0, parsed.carried(table, changed(table, "text", ["a", "c"])))
    full = documents_table(batch, "full", with_text=True)
    assert parsed.as_parsed(full, *parsed.STORED[1:]).equals(given(("a b", "c")))
    shard = documents_table(batch, "full", with_text=False)
    assert shard["text"].null_count == len(shard)
    assert shard["parsed.text"].to_pylist() == [b"a b", b"c"]
    assert parsed.as_parsed(shard, *parsed.STORED[1:]).equals(given(("a b", "c")))
    assert not {*parsed.STORED} & {*documents_table(batch, "values", with_text=True).column_names}


def test_an_ordered_stage_that_loses_the_columns_is_named() -> None:
    """What `record: full` promises could not be kept."""
    with pytest.raises(HeadraceError, match="nothing says what the documents were"):
        parsed.check_carried(UnitBatch(0, given()))
