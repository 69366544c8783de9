"""Dedup gives the verdicts of a plain sequential loop, whatever comes again and wherever the run was cut."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from tests.stages.any_session import check_any_session
from tests.stages.deduplication.sequential_loop import Verdict, sequential

from headrace.schemas.errors import HeadraceError
from headrace.schemas.unit import FileRef, UnitBatch
from headrace.stages.apply import apply
from headrace.stages.base import OrderedState, ReplayDiffersError, RunContext
from headrace.stages.dedup import Dedup
from headrace.stages.deduplication.options import MinHash, SimHash
from headrace.stages.deduplication.schemes import SCHEMES

CORPUS = Path(os.environ.get("HEADRACE_CORPUS", Path(__file__).parents[2].parent / "shared/corpus"))
LOOSE = Dedup(minhash=MinHash(bands=8, rows=2, threshold=0.5, shingle_size=2))
STAGES = {
    "default": Dedup(),
    "loose": LOOSE,
    "verified exactly": LOOSE.model_copy(update={"verify": "exact"}),
    "near alone": LOOSE.model_copy(update={"exact": False}),
    "exact alone": Dedup(minhash=None),
    "datasketch 1": Dedup(minhash=MinHash(scheme="datasketch_legacy", bands=8, rows=2, threshold=0.5, shingle_size=2)),
    "datatrove": Dedup(minhash=MinHash(scheme="datatrove", bands=8, rows=2, threshold=0.5, shingle_size=2)),
    "nemo": Dedup(minhash=MinHash(scheme="nemo", threshold=0.5, shingle_size=6)),
    "fss": Dedup(minhash=MinHash(scheme="fss", bands=8, rows=2, threshold=0.5, shingle_size=2)),
    "optimizer": Dedup(minhash=MinHash(slots=32, threshold=0.5, shingles="characters", shingle_size=3)),
    "fingerprints": Dedup(simhash=SimHash(bits=6, shingle_size=1)),
    "fingerprints of jieba's words": Dedup(simhash=SimHash(bits=6, shingles="chinese_words", shingle_size=1)),
    "fingerprints verified exactly": Dedup(
        exact=False, verify="exact", simhash=SimHash(bits=5, threshold=0.7, shingles="characters", shingle_size=2)
    ),
    "fingerprints verified by sketch": Dedup(
        verify="sketch", simhash=SimHash(bits=5, threshold=0.7, shingles="characters", shingle_size=2)
    ),
}
STAGES |= {
    f"{name}, by signature": STAGES[name].model_copy(update={"verify": "signature"})
    for name in ("default", "loose", "datasketch 1", "datatrove", "nemo", "fss", "optimizer")
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
    assert len({verdict[0] for verdict in found.values()}) == 1 + STAGES[name].exact + bool(
        STAGES[name].minhash or STAGES[name].simhash
    )


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
    check_any_session(
        data, batches, sequential(stage, batches), partial(accept, stage), lambda *where: opened(stage, run, *where)
    )


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


SHORT: dict[str, tuple[list[str], list[str | None]]] = {
    "two identical short Chinese texts": (["很好", "很好", "很差"], [None, "same", None]),
    "two identical texts of two words": (["too small", "too small", "too large"], [None, "same", None]),
    "empty texts": (["", " ", "\u200b"], [None, "empty", "empty"]),
    "one repeated word": (["好好好好好好", "好好好好好好好", "坏坏坏坏坏坏"], [None, "near", None]),
    "one repeated English word": (["la " * 9, "la " * 30, "lo " * 9], [None, "near", None]),
    "unrelated Chinese texts": (["床前明月光，疑是地上霜。", "水轮定步调，渠道不干涸。", "今天天气很好。"], [None] * 3),
    "emoji": (["👍👍👍", "👍👍👍", "👎👎👎"], [None, "same", None]),
    "signs": (["-----", "=====", "*****"], [None] * 3),
    "case and space": (["too small", "TOO  small", "Too small!"], [None, "same", None]),
    "traditional": (["开放中文转换", "開放中文轉換"], [None, "same"]),
    "width": (["ＡＢＣ　def ghi", "abc DEF ghi"], [None, "same"]),
}


@pytest.mark.parametrize("keys", ["with keys", "near alone"])
@pytest.mark.parametrize("near", [*SCHEMES, "simhash"])
@pytest.mark.parametrize("case", SHORT)
def test_short_and_odd_texts_get_the_right_verdict(case: str, near: str, keys: str, tmp_path: Path) -> None:
    """Short texts are compared whole, in any script and width; unrelated ones stay apart; empty ones are equal only."""
    options: dict[str, Any] = {"simhash": {}} if near == "simhash" else {"minhash": {"scheme": near}}
    exact, (texts, reasons) = keys == "with keys", SHORT[case]
    stage = Dedup.model_validate({"exact": exact, **options})
    meaning = {
        "same": "exact_duplicate" if exact else "near_duplicate",
        "empty": "exact_duplicate" if exact else None,
        "near": "near_duplicate",
    }
    verdicts = accept(stage, opened(stage, tmp_path), unit_of(0, texts))
    if near != "nemo" or "near" not in reasons:  # its shingles of 24 characters take these whole, and so as unlike
        assert [verdict[0] for verdict in verdicts.values()] == [meaning.get(reason or "") for reason in reasons]
    assert verdicts == sequential(stage, [unit_of(0, texts)])


def test_a_longer_copy_is_near_and_a_reversed_one_is_not(tmp_path: Path) -> None:
    """The same characters in another order share no shingles."""
    verdicts = accept(Dedup(), opened(Dedup(), tmp_path), unit_of(0, [LONG_ZH, LONG_ZH + "完。", LONG_ZH[::-1]]))
    assert [verdict[0] for verdict in verdicts.values()] == [None, "near_duplicate", None]


@pytest.mark.parametrize("verify", ["sketch", "signature", "exact"])
def test_a_false_positive_does_not_hide_a_repeat(verify: str, tmp_path: Path) -> None:
    """Unlike documents that stand before the right one in a band's postings are passed over; the right one is named."""
    words = [f"word{i}" for i in range(120)]
    common = words[:30]
    unlike = [" ".join([*common, *(f"other{n}x{i}" for i in range(40))]) for n in range(40)]
    stage = Dedup.model_validate(
        {"verify": verify, "minhash": {"bands": 56, "rows": 2, "threshold": 0.9, "shingle_size": 1}}
    )
    right, repeat = " ".join(words), " ".join([*words, "end"])
    verdicts = list(accept(stage, opened(stage, tmp_path), unit_of(0, [*unlike, right, repeat])).values())
    assert {verdict[0] for verdict in verdicts[:-1]} == {None}
    assert verdicts[-1][0] == "near_duplicate"
    assert verdicts[-1][2] == "d0.40"
    assert verdicts == list(sequential(stage, [unit_of(0, [*unlike, right, repeat])]).values())


def test_exact_verification_says_the_jaccard_similarity(tmp_path: Path) -> None:
    """The value of the verdict is shared shingles by all shingles, for MinHash and for fingerprints."""
    words = [f"word{i}" for i in range(400)]
    for options in ({"minhash": {"shingle_size": 1}}, {"simhash": {"bits": 6, "shingle_size": 1}}):
        stage = Dedup.model_validate({"verify": "exact", **options})
        texts = [" ".join(words), " ".join([*words, "end"])]
        _, verdict = accept(stage, opened(stage, tmp_path), unit_of(0, texts)).values()
        assert verdict == ("near_duplicate", 400 / 401, "d0.0")


def test_an_empty_view_is_never_a_near_duplicate(tmp_path: Path) -> None:
    """Without exact keys, empty documents all stay."""
    stage = STAGES["near alone"]
    verdicts = accept(stage, opened(stage, tmp_path), unit_of(0, ["", " ", "\u200b\n", "a"]))
    assert {verdict[0] for verdict in verdicts.values()} == {None}


def test_the_survivor_is_the_most_similar_kept_document(tmp_path: Path) -> None:
    """A dropped document is nobody's survivor, and a less similar candidate before the right one does not hide it."""
    words = [f"word{i}" for i in range(200)]
    near, nearer = " ".join([*words[:180], *"abcdefghijklmnopqrst"]), " ".join(words)
    stage = Dedup(minhash=MinHash(threshold=0.85, bands=14, rows=8))
    verdicts = accept(stage, opened(stage, tmp_path), unit_of(0, [near, nearer, nearer + " end", nearer + " end end2"]))
    assert [verdict[0] for verdict in verdicts.values()] == [None, None, "near_duplicate", "near_duplicate"]
    assert {verdict[2] for verdict in list(verdicts.values())[2:]} == {"d0.1"}


def test_private_columns_do_not_leave_the_stage(tmp_path: Path) -> None:
    """Neither live nor settled documents carry keys and signatures on; other columns stay."""
    stage = STAGES["verified exactly"]
    table = unit_of(0, ["a b c", "a b c", "d"]).documents.append_column("values.x", pa.array([1.0, 2.0, 3.0]))
    prepared = stage.prepare(table)
    assert prepared.column_names == ["doc_id", "text", "values.x", "_exact", "_signed", "_signature", "_sets"]
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


def test_simhash_takes_the_place_of_the_default() -> None:
    """Who asks for fingerprints need not switch MinHash off, and the resolved options say that it is."""
    stage = Dedup.model_validate({"simhash": {"bits": 4}})
    assert stage.minhash is None
    assert Dedup.model_validate(stage.model_dump(mode="json")) == stage


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"exact": False, "minhash": None}, "nothing to find"),
        ({"verify": "exact", "minhash": None}, "verify is about near duplicates"),
        ({"minhash": {"threshold": 0}}, "greater than 0"),
        ({"minhash": {"bands": 0}}, "greater than or equal to 1"),
        ({"minhash": {"shingle": "words"}}, "Extra inputs are not permitted"),
        ({"minhash": {"bands": 9}}, "bands and rows belong together"),
        ({"minhash": {"slots": 128, "bands": 9, "rows": 13}}, "give slots, or bands and rows"),
        ({"minhash": {"scheme": "rensa"}}, "'datasketch', 'datasketch_legacy'"),
        ({"minhash": {}, "simhash": {}}, "give one, or the stage twice"),
        ({"simhash": {"bits": 7}}, "less than or equal to 6"),
        ({"exact": False, "simhash": None, "minhash": None}, "nothing to find"),
        ({"minhash": {"bands": 64, "rows": 33}}, "64 bands of 33 rows are 2112 values"),
        ({"minhash": {"slots": 4096}}, "less than or equal to 2048"),
        ({"simhash": {"threshold": 0.7}}, "fingerprints are compared by their bits"),
        ({"simhash": {"threshold": 0.7}, "verify": "signature"}, "set verify: sketch, or leave it out"),
        ({"verify": "guess"}, "'sketch', 'signature' or 'exact'"),
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
