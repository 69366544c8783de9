"""Dedup gives the verdicts of a plain sequential loop, whatever comes again and wherever the run was cut."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from datasketch import MinHash as Reference
from datasketch import MinHashLSH
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from headrace.schemas.errors import HeadraceError
from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.apply import apply
from headrace.stages.base import OrderedState, ReplayDiffersError, RunContext
from headrace.stages.dedup import Dedup
from headrace.stages.deduplication.options import MinHash
from headrace.stages.kernels.plain_minhash import shingle_hashes
from headrace.stages.view import view

CORPUS = Path(os.environ.get("HEADRACE_CORPUS", Path(__file__).parents[2].parent / "shared/corpus"))
Verdict = tuple[str | None, float | None, str | None]  # reason, similarity, survivor
LOOSE = Dedup(minhash=MinHash(bands=8, rows=2, threshold=0.5, shingle_size=2))
STAGES = {
    "default": Dedup(),
    "loose": LOOSE,
    "verified exactly": LOOSE.model_copy(update={"verify": "exact"}),
    "near alone": LOOSE.model_copy(update={"exact": False}),
    "exact alone": Dedup(minhash=None),
}
SENTENCES = ("the wheel turns", "水轮转了", "it never runs dry", "渠道不干", "oak and iron", "he said so", "。。。")


def unit_of(number: int, texts: Sequence[str], *, prefix: str = "d") -> UnitBatch:
    ids = [f"{prefix}{number}.{i}" for i in range(len(texts))]
    return UnitBatch(
        number, pa.table({"doc_id": pa.array(ids, pa.string()), "text": pa.array(texts, pa.large_string())})
    )


def opened(stage: Dedup, run: Path, committed: tuple[FileRef, ...] = (), first_unit: int = 0) -> OrderedState:
    return stage.open(RunContext(run, "dedup", committed, first_unit))


def accept(stage: Dedup, state: OrderedState, unit: UnitBatch) -> dict[str, Verdict]:
    """Settle a unit and give each document's verdict by its id."""
    batch, report = state.accept(apply("dedup", stage, unit))
    assert report is None
    assert batch.documents.column_names == unit.documents.column_names
    verdicts: dict[str, Verdict] = {str(name): (None, None, None) for name in batch.documents["doc_id"].to_pylist()}
    for table in batch.settled:
        for row in table.to_pylist():
            assert (row["verdict"], row["stage"]) == ("dropped", "dedup")
            assert row["threshold"] <= row["value"] <= 1
            verdicts[row["doc_id"]] = (row["reason"], row["value"], row["survivor"])
    assert batch.counts[-1].balance == 0
    assert len(verdicts) == unit.documents.num_rows
    return {name: verdicts[name] for name in unit.documents["doc_id"].to_pylist()}


class SequentialLoop:
    """Query, verify, insert: datasketch's index holds the kept documents, datasketch's estimate verifies."""

    def __init__(self, stage: Dedup) -> None:
        self._stage = stage
        self._views: dict[str, str] = {}
        self._kept: dict[str, tuple[Any, set[int]]] = {}
        near = stage.minhash
        if near:
            self._index = MinHashLSH(num_perm=near.bands * near.rows, params=(near.bands, near.rows))

    def judge(self, name: str, text: str) -> Verdict:
        form = view(text)
        if self._stage.exact and form in self._views:
            return "exact_duplicate", 1.0, self._views[form]
        near = self._stage.minhash
        hashes = shingle_hashes(form, near.shingle, near.shingle_size) if near else []
        if near and hashes:
            signed = self._sign(near, hashes)
            found = [(self._likeness(signed, set(hashes), other), other) for other in self._index.query(signed)]
            order = list(self._kept)
            best = max(found, key=lambda pair: (pair[0], -order.index(pair[1])), default=(0.0, ""))
            if best[0] >= near.threshold:
                return "near_duplicate", best[0], best[1]
            self._index.insert(name, signed)
            self._kept[name] = (signed, set(hashes))
        self._views.setdefault(form, name)
        return None, None, None

    def _sign(self, near: MinHash, hashes: list[int]) -> Any:
        signed = Reference(num_perm=near.bands * near.rows, seed=near.seed, hashfunc=lambda value: value)
        signed.update_batch(hashes)
        return signed

    def _likeness(self, signed: Any, hashes: set[int], other: str) -> float:
        known, others = self._kept[other]
        if self._stage.verify == "signature":
            return float(known.jaccard(signed))
        return len(hashes & others) / len(hashes | others)


def sequential(stage: Dedup, units: Sequence[UnitBatch]) -> dict[str, Verdict]:
    loop = SequentialLoop(stage)
    return {
        row["doc_id"]: loop.judge(row["doc_id"], row["text"]) for unit in units for row in unit.documents.to_pylist()
    }


def random_units(seed: int, units: int, size: int) -> list[UnitBatch]:
    """Documents of a few sentences each, many of them copies of earlier ones with a change."""
    chance = random.Random(seed)
    made: list[str] = []
    for _ in range(units * size):
        text = " ".join(chance.choices(SENTENCES, k=chance.randrange(6)))
        if made and chance.random() < 0.6:
            text = chance.choice(made).replace(chance.choice("hew水了"), chance.choice("xyz "), 1).upper()
        made.append(text)
    return [unit_of(i, made[i * size : (i + 1) * size]) for i in range(units)]


@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize("seed", range(3))
def test_verdicts_are_those_of_the_sequential_loop(name: str, seed: int, tmp_path: Path) -> None:
    """Fate, similarity and survivor of every document are what query, verify and insert give, one by one."""
    units = random_units(seed, 12, 30)
    state = opened(STAGES[name], tmp_path)
    found = {k: v for unit in units for k, v in accept(STAGES[name], state, unit).items()}
    expected = sequential(STAGES[name], units)
    assert found == expected
    assert len({verdict[0] for verdict in found.values()}) == 1 + STAGES[name].exact + bool(STAGES[name].minhash)


texts = st.lists(st.sampled_from([*"ab的是 ", "ab", "好", "the ", "。"]), max_size=10).map("".join)


@given(
    name=st.sampled_from(sorted(STAGES)),
    units=st.lists(st.lists(texts, max_size=6), min_size=1, max_size=6),
    data=st.data(),
)
@settings(max_examples=120, deadline=None)
def test_replays_flushes_and_restarts_change_no_verdict(
    name: str, units: list[list[str]], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Units come again, state is flushed and opened again anywhere: the verdicts stay those of the sequential loop."""
    stage, run = STAGES[name], tmp_path_factory.mktemp("run")
    batches = [unit_of(i, unit) for i, unit in enumerate(units)]
    expected = sequential(stage, batches)
    state, committed, border, flushed = opened(stage, run), (), 0, -1
    for unit in range(len(units)):
        assert accept(stage, state, batches[unit]).items() <= expected.items()
        for again in data.draw(st.lists(st.integers(border, unit), max_size=3), "units that come again"):
            assert accept(stage, state, batches[again]).items() <= expected.items()
        if data.draw(st.booleans(), "flush"):
            flushed = data.draw(st.integers(flushed, unit), "through")
            committed = (*committed, *state.flush(flushed))
            if data.draw(st.booleans(), "the process dies"):
                border = flushed + 1
                state = opened(stage, run, committed, border)
                for lost in range(border, unit + 1):
                    assert accept(stage, state, batches[lost]).items() <= expected.items()


def test_a_replay_that_would_keep_others_is_refused(tmp_path: Path) -> None:
    """If a unit comes again with another kept document, missing, new or changed, ReplayDiffersError is raised."""
    first, second = ["the wheel turns and turns", "渠道从来不干涸"], ["oak and iron and water", "渠道从来不干涸"]
    for other in (second[1:], [*second, "a new one"], ["oak and iron and fire", second[1]], second[::-1]):
        state = opened(Dedup(), tmp_path)
        accept(Dedup(), state, unit_of(0, first))
        accept(Dedup(), state, unit_of(1, second))
        with pytest.raises(ReplayDiffersError, match="unit 1 came again"):
            accept(Dedup(), state, unit_of(1, other))
    with pytest.raises(ReplayDiffersError):
        accept(Dedup(), state, unit_of(1, second, prefix="other"))


def test_a_replay_without_a_dropped_document_is_the_same(tmp_path: Path) -> None:
    """A repeat that is missing the second time, say because it was quarantined, changes nothing."""
    state = opened(Dedup(), tmp_path)
    accept(Dedup(), state, unit_of(0, ["the wheel turns", "渠道不干", "the wheel turns"]))
    again = accept(Dedup(), state, unit_of(0, ["the wheel turns", "渠道不干"]))
    assert set(again.values()) == {(None, None, None)}


def test_units_out_of_order_are_refused(tmp_path: Path) -> None:
    """A unit ahead of its turn, or one that is committed already, is a bug of the caller and says so."""
    state = opened(Dedup(), tmp_path, first_unit=3)
    for number in (2, 4):
        with pytest.raises(HeadraceError, match=f"unit {number} is out of order"):
            accept(Dedup(), state, unit_of(number, ["a"]))
    with pytest.raises(HeadraceError, match="cannot be flushed"):
        state.flush(3)


def test_what_is_not_committed_does_not_exist(tmp_path: Path) -> None:
    """A state knows the runs it is given and no others, even if more lie in the folder."""
    state = opened(Dedup(), tmp_path)
    accept(Dedup(), state, unit_of(0, ["the wheel turns"]))
    kept = state.flush(0)
    accept(Dedup(), state, unit_of(1, ["渠道不干"]))
    lost = state.flush(1)
    assert len({*kept, *lost}) == 2
    after = accept(Dedup(), opened(Dedup(), tmp_path, kept, 1), unit_of(1, ["The Wheel  turns", "渠道不干"]))
    assert list(after.values()) == [("exact_duplicate", 1.0, "d0.0"), (None, None, None)]


LONG_ZH = "水轮定步调，渠道不会干涸，也不会漫溢。磨坊里的人每天清早打开闸门，让水慢慢流过木轮。"


@pytest.mark.parametrize(
    ("texts", "reasons"),
    [
        (["很好", "很好", "很差"], [None, "exact_duplicate", None]),
        (["too small", "TOO  small", "Too small!"], [None, "exact_duplicate", "near_duplicate"]),
        (["好好好好好好", "好好好好好好好"], [None, "near_duplicate"]),
        (["开放中文转换", "開放中文轉換"], [None, "exact_duplicate"]),
        (["ＡＢＣ　def ghi", "abc DEF ghi"], [None, "exact_duplicate"]),
        (["👍👍👍", "👍👍👍", "👎👎👎"], [None, "exact_duplicate", None]),
        (["-----", "=====", "*****"], [None, None, None]),
        ([LONG_ZH, LONG_ZH + "完。", LONG_ZH[::-1]], [None, "near_duplicate", None]),
        (["", " ", "\u200b"], [None, "exact_duplicate", "exact_duplicate"]),
    ],
)
def test_short_and_odd_texts_get_the_right_verdict(texts: list[str], reasons: list[str | None], tmp_path: Path) -> None:
    """Short texts are compared whole, in any script and width; unrelated ones stay apart."""
    verdicts = accept(Dedup(), opened(Dedup(), tmp_path), unit_of(0, texts))
    assert [verdict[0] for verdict in verdicts.values()] == reasons


def test_an_empty_view_is_never_a_near_duplicate(tmp_path: Path) -> None:
    """Without exact keys, empty documents all stay."""
    stage = STAGES["near alone"]
    verdicts = accept(stage, opened(stage, tmp_path), unit_of(0, ["", " ", "\u200b\n", "a"]))
    assert {verdict[0] for verdict in verdicts.values()} == {None}


def test_the_survivor_is_the_most_similar_kept_document(tmp_path: Path) -> None:
    """A dropped document is nobody's survivor, and a less similar candidate before the right one does not hide it."""
    words = [f"word{i}" for i in range(200)]
    near, nearer = " ".join([*words[:180], *"abcdefghijklmnopqrst"]), " ".join(words)
    stage = Dedup(minhash=MinHash(threshold=0.85))
    verdicts = accept(stage, opened(stage, tmp_path), unit_of(0, [near, nearer, nearer + " end", nearer + " end end2"]))
    assert [verdict[0] for verdict in verdicts.values()] == [None, None, "near_duplicate", "near_duplicate"]
    assert {verdict[2] for verdict in list(verdicts.values())[2:]} == {"d0.1"}


def test_private_columns_do_not_leave_the_stage(tmp_path: Path) -> None:
    """Neither live nor settled documents carry keys and signatures on; other columns stay."""
    stage = STAGES["verified exactly"]
    table = unit_of(0, ["a b c", "a b c", "d"]).documents.append_column("values.x", pa.array([1.0, 2.0, 3.0]))
    prepared = stage.prepare(table)
    assert prepared.column_names == ["doc_id", "text", "values.x", "_exact", "_minhash", "_shingles"]
    batch, _ = opened(stage, tmp_path).accept(UnitBatch(0, prepared))
    assert batch.documents.column_names == ["doc_id", "text", "values.x"]
    assert batch.settled[0]["values.x"].to_pylist() == [2.0]
    assert not [name for name in batch.settled[0].column_names if name.startswith("_")]


def test_units_without_documents_and_chunked_units_are_no_special_case(tmp_path: Path) -> None:
    """Empty units count; a unit in slices and chunks is judged like one piece."""
    (whole,) = random_units(9, 1, 40)
    prepared = LOOSE.prepare(whole.documents)
    chunked = pa.concat_tables([prepared.slice(0, 7), prepared.slice(7, 0), prepared.slice(7)])
    expected, _ = opened(LOOSE, tmp_path).accept(UnitBatch(0, prepared))
    state = opened(LOOSE, tmp_path)
    assert accept(LOOSE, state, unit_of(0, [])) == {}
    found, _ = state.accept(UnitBatch(1, chunked))
    assert found.documents.equals(expected.documents)
    assert found.settled[0].equals(expected.settled[0])
    assert len(state.flush(1)) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"exact": False, "minhash": None}, "nothing to find"),
        ({"minhash": {"threshold": 0}}, "greater than 0"),
        ({"minhash": {"bands": 0}}, "greater than or equal to 1"),
        ({"minhash": {"shingles": 5}}, "Extra inputs are not permitted"),
        ({"verify": "guess"}, "'signature' or 'exact'"),
    ],
)
def test_options_that_cannot_work_are_refused(options: dict[str, object], message: str) -> None:
    """Impossible options are refused when the stage is made, with the reason."""
    with pytest.raises(ValidationError, match=message):
        Dedup.model_validate(options)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus folder is not there; set HEADRACE_CORPUS")
def test_cases_from_the_wild(tmp_path: Path) -> None:
    """Unrelated Chinese texts stay apart, and a pair far below the threshold is not removed."""
    for name in ("035-unrelated-zh.jsonl", "037-lsh-false-positive.jsonl"):
        lines = (CORPUS / "bugs" / name).read_text(encoding="utf-8").splitlines()
        texts = [json.loads(line)["text"] for line in lines]
        verdicts = accept(Dedup(), opened(Dedup(), tmp_path), unit_of(0, texts))
        assert verdicts == sequential(Dedup(), [unit_of(0, texts)])


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus folder is not there; set HEADRACE_CORPUS")
@pytest.mark.parametrize("name", ["default", "verified exactly"])
def test_real_revisions_get_the_verdicts_of_the_sequential_loop(name: str, tmp_path: Path) -> None:
    """On revisions of Chinese and English documents, verdicts, similarities and survivors are equal."""
    folders: list[Callable[[], list[Path]]] = [
        lambda: sorted((CORPUS / "dup/docs-cn-revisions").rglob("*.md"))[:40],
        lambda: sorted((CORPUS / "dup/debian-copyright").rglob("*.txt"))[:60],
    ]
    texts = [path.read_text(encoding="utf-8")[:6000] for folder in folders for path in folder()]
    units = [unit_of(i, texts[i * 20 : (i + 1) * 20]) for i in range(len(texts) // 20)]
    state = opened(STAGES[name], tmp_path)
    found = {k: v for unit in units for k, v in accept(STAGES[name], state, unit).items()}
    assert found == sequential(STAGES[name], units)
