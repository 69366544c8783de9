from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.stages.token_units import unit
from tests.tokenizers.samples import CHINESE, ENGLISH, column

from headrace.schemas.errors import FormatError, HeadraceError
from headrace.schemas.unit import UnitBatch
from headrace.stages.base import RunContext
from headrace.stages.tokenize_text import TokenizeStage
from headrace.stages.tokenizing.spool import TokenizerSpool, load_batch, open_spool
from headrace.tokenizers.options import TrainOptions
from headrace.tokenizers.train import train

OPTIONS = TrainOptions(vocab_size=400, sample_bytes=1700)
TEXTS = [[ENGLISH + f"unit {n} document {i}\n" + CHINESE for i in range(3)] for n in range(6)]


def batches() -> list[UnitBatch]:
    return [unit(n, texts, ["dropped"], broken=True) for n, texts in enumerate(TEXTS)]


def spool(run: Path, options: TrainOptions = OPTIONS, **context: object) -> TokenizerSpool:
    return open_spool(RunContext(run, "tokenize", **context), TokenizeStage(train=options))  # type: ignore[arg-type]


def test_units_wait_whole_and_in_order(tmp_path: Path) -> None:
    """Each unit is a file from which it comes back, settled rows and counts included; the batch given back is light."""
    state = spool(tmp_path)
    for batch in batches():
        light, spooled = state.accept(batch)
        assert spooled is not None
        back = load_batch(spooled.path)
        assert (spooled.unit, back.unit, back.counts) == (batch.unit, batch.unit, batch.counts)
        assert back.documents.equals(batch.documents)
        assert [table.equals(other) for table, other in zip(back.settled, batch.settled, strict=True)] == [True, True]
        assert (light.documents.num_rows, light.settled) == (0, ())


def test_the_sample_is_full_when_its_size_is_reached(tmp_path: Path) -> None:
    """`full` is said with the unit that reaches `sample_bytes`, and with every later one."""
    state = spool(tmp_path)
    unit_bytes = sum(len(text.encode()) for text in TEXTS[0])
    reports = [state.accept(batch)[1] for batch in batches()]
    first = -(-OPTIONS.sample_bytes // unit_bytes) - 1
    assert [report is not None and report.full for report in reports] == [n >= first for n in range(len(TEXTS))]
    assert 0 < first < len(TEXTS) - 1


def test_the_model_is_trained_on_exactly_the_sample(tmp_path: Path) -> None:
    """Kept texts in unit order, up to and including the document with which the size is reached; drops take no part."""
    state = spool(tmp_path)
    for batch in batches():
        state.accept(batch)
    ref = state.finish()
    texts = [text for unit_texts in TEXTS for text in unit_texts]
    size, wanted = 0, 0
    while size < OPTIONS.sample_bytes:
        size += len(texts[wanted].encode())
        wanted += 1
    assert wanted % 3 != 0  # it ends inside a unit
    assert (tmp_path / ref.name).read_bytes() == train([column(texts[:wanted])], OPTIONS).model
    assert state.finish() == ref


def test_units_that_arrive_late_change_nothing(tmp_path: Path) -> None:
    """However far the window runs ahead of the training, the model is the same."""
    refs = []
    for name, count in (("exact", 3), ("late", 6)):
        state = spool(tmp_path / name)
        for batch in batches()[:count]:
            report = state.accept(batch)[1]
        assert report is not None
        assert report.full
        refs.append(state.finish())
    assert refs[0] == refs[1]


def test_an_input_that_ends_early_is_the_whole_sample(tmp_path: Path) -> None:
    """When the input is smaller than the sample, the model is trained on all of it."""
    state = spool(tmp_path)
    report = state.accept(batches()[0])[1]
    assert report is not None
    assert not report.full
    assert (tmp_path / state.finish().name).read_bytes() == train([column(TEXTS[0])], OPTIONS).model


def test_no_kept_text_is_an_error(tmp_path: Path) -> None:
    """A run whose documents were all dropped has nothing to train on, and says so."""
    state = spool(tmp_path)
    state.accept(unit(0, [], ["dropped"]))
    with pytest.raises(HeadraceError, match="there is no text to train a tokenizer on"):
        state.finish()


def test_a_restart_begins_an_empty_spool(tmp_path: Path) -> None:
    """What waited before a crash is read from the source again, and is not part of the sample twice."""
    spool(tmp_path / "once").accept(batches()[0])
    before = spool(tmp_path)
    before.accept(batches()[0])
    state, once = spool(tmp_path), spool(tmp_path / "once")
    for batch in batches():
        assert state.accept(batch)[1] is not None
        once.accept(batch)
    assert state.finish() == once.finish()


def test_a_spool_of_a_dead_session_touches_nothing(tmp_path: Path) -> None:
    """`spool_names`: what a zombie spools late, with other documents kept, and its late start change nothing."""
    zombie, state = spool(tmp_path), spool(tmp_path)
    report = state.accept(batches()[0])[1]
    assert report is not None
    before = load_batch(report.path)
    zombie.accept(unit(0, ["another text"], ["dropped"]))
    spool(tmp_path)
    assert load_batch(report.path).documents.equals(before.documents)


def test_after_the_training_a_restart_spools_nothing(tmp_path: Path) -> None:
    """The published model is used again, and units pass straight on."""
    state = spool(tmp_path)
    state.accept(batches()[0])
    ref = state.finish()
    before = sorted((tmp_path / "spool").iterdir())
    again = spool(tmp_path)
    assert again.model == again.finish() == ref
    batch = batches()[1]
    assert again.accept(batch) == (batch, None)
    assert sorted((tmp_path / "spool").iterdir()) == before


def test_a_committed_model_that_was_altered_is_an_error(tmp_path: Path) -> None:
    """Once the manifest names a model, another one must not take its place."""
    state = spool(tmp_path)
    state.accept(batches()[0])
    ref = state.finish()
    assert spool(tmp_path, tokenizer=ref).model == ref
    (tmp_path / ref.name).write_bytes(b"another")
    with pytest.raises(FormatError, match="was altered"):
        spool(tmp_path, tokenizer=ref)


def test_a_unit_out_of_order_is_refused(tmp_path: Path) -> None:
    """The sample's order is the units' order."""
    state = spool(tmp_path)
    with pytest.raises(HeadraceError, match="unit 2 came to the spool, unit 0 was due"):
        state.accept(batches()[2])


def test_report_and_record_name_no_machine_and_no_time(tmp_path: Path) -> None:
    """They hold figures and options alone: coverage, bytes, characters a token in both languages."""
    state = spool(tmp_path)
    state.accept(batches()[0])
    state.finish()
    report = json.loads((tmp_path / "tokenizer/report.json").read_bytes())
    names = {"documents", "characters_per_token", "byte_share", "lossy_documents", "character_coverage"}
    assert {*report} == names
    assert report["lossy_documents"] == 0
    record = json.loads((tmp_path / "tokenizer/tokenizer.json").read_bytes())
    assert record["options"]["train"] == OPTIONS.model_dump()
    assert re.fullmatch(r"[0-9.]+", record["options"]["sentencepiece"])


def test_a_stage_with_a_model_has_no_spool(tmp_path: Path) -> None:
    """Only training needs one."""
    with pytest.raises(ValueError, match="trains none"):
        open_spool(RunContext(tmp_path, "tokenize"), TokenizeStage(model="bytes"))
