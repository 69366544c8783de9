from __future__ import annotations

import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pydantic import ValidationError
from tests.stages.token_units import BYTES, table, unit
from tests.tokenizers.byte_level.made_models import trained, trained_ranks
from tests.tokenizers.samples import AWKWARD, TEXTS, column, small_model

from headrace.schemas.errors import ConfigError
from headrace.schemas.shard import PAD_KEY, TOKENIZER_KEY, VOCABULARY_KEY
from headrace.stages.apply import apply
from headrace.stages.base import Stage
from headrace.stages.tokenize_text import TokenizeStage, token_lists
from headrace.tokenizers.byte_level.options import ByteLevelOptions
from headrace.tokenizers.load import load


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "a.model"
    path.write_bytes(small_model())
    return path


def test_every_document_gets_its_ids_and_their_number(model: Path) -> None:
    """`_tokens` holds the model's ids and the end id; `values.tokens` counts them, for empty texts too."""
    stage = TokenizeStage(model=str(model))
    texts = [*TEXTS[:3], *AWKWARD]
    result = stage.process(table(0, texts))
    engine = load(model, engine="reference")
    expected = [[*engine.engine.encode(text), engine.eos_id] for text in texts]
    assert result["_tokens"].to_pylist() == expected
    assert result["values.tokens"].to_pylist() == [len(ids) for ids in expected]
    assert result["_tokens"].type == pa.list_(pa.uint16())


@pytest.mark.parametrize(
    ("ends", "expected"),
    [({"eos": False}, [97, 98]), ({"bos": True}, [257, 97, 98, 258]), ({"bos": True, "eos": False}, [257, 97, 98])],
)
def test_begin_and_end_ids_are_optional(ends: dict[str, bool], expected: list[int]) -> None:
    """`bos` and `eos` say what is put around a document."""
    stage = TokenizeStage(model="bytes", **ends)
    assert stage.process(table(0, ["ab"]))["_tokens"].to_pylist() == [expected]


def test_a_document_is_tokenized_as_if_it_were_alone(model: Path) -> None:
    """A unit in chunks, cut anywhere, gives the rows that it gives in one piece."""
    stage = TokenizeStage(model=str(model))
    whole = table(0, [*TEXTS[:6], *AWKWARD])
    parts = pa.concat_tables([whole.slice(0, 1), whole.slice(1, 8), whole.slice(9)])
    expected = stage.process(whole)
    assert stage.process(parts).equals(expected)
    assert pa.concat_tables([stage.process(whole.slice(0, 5)), stage.process(whole.slice(5))]).equals(expected)


def test_no_document_gives_an_empty_column() -> None:
    """A unit without documents still says which tokenizer ran."""
    result = BYTES.process(table(0, []))
    assert (result.num_rows, result["_tokens"].type) == (0, pa.list_(pa.uint16()))


def test_the_column_says_which_tokenizer_made_it() -> None:
    """The writer finds vocabulary, padding id and model hash in the column's metadata."""
    field = BYTES.process(table(0, ["a"])).schema.field("_tokens")
    sha256 = load("bytes").sha256.encode()
    assert field.metadata == {VOCABULARY_KEY: b"259", PAD_KEY: b"256", TOKENIZER_KEY: sha256}


@pytest.mark.parametrize("options", [{}, {"model": "bytes", "train": {}}])
def test_model_or_training_exactly_one(options: dict[str, Any]) -> None:
    """Neither and both are refused, and the message names the two options."""
    with pytest.raises(ValidationError, match="exactly one of `model`"):
        TokenizeStage(**options)


def test_training_options_are_validated() -> None:
    """A misspelt option of `train` is an error."""
    with pytest.raises(ValidationError, match=r"train\.vocab"):
        TokenizeStage(train={"vocab": 500})


def test_a_training_stage_works_once_it_is_bound(model: Path) -> None:
    """`bound` gives a copy with the model; the stage itself, its configuration and its JSON stay as they were."""
    stage = TokenizeStage(train={"vocab_size": 400})
    bound = stage.bound(model)
    assert bound.process(table(0, ["水"])).num_rows == 1
    assert bound.model_dump() == stage.model_dump() == TokenizeStage(**stage.model_dump()).model_dump()
    with pytest.raises(RuntimeError, match="bound"):
        stage.process(table(0, ["水"]))


def test_a_bound_stage_travels_without_the_loaded_model(model: Path) -> None:
    """Pickling carries the file's name alone; the copy loads the model itself and gives the same ids."""
    bound = TokenizeStage(train={"vocab_size": 400}).bound(model)
    expected = bound.process(table(0, TEXTS[:2]))
    pickled = pickle.dumps(bound)
    assert len(pickled) < 2000
    assert pickle.loads(pickled).process(table(0, TEXTS[:2])).equals(expected)
    assert bound.process(table(0, TEXTS[:2])).equals(expected)


def test_a_model_without_the_asked_for_id_is_refused() -> None:
    """A missing end id is an error that says what to set, not a token out of nowhere."""
    stage = TokenizeStage(model="bytes", bos=True)
    without = type("Model", (), {"bos_id": None, "eos_id": 1})()
    with pytest.raises(ConfigError, match=r"the model has no bos id.*Set `bos: false`"):
        stage._checked(without)


def test_more_tokens_than_offsets_can_count_are_refused() -> None:
    """Offsets are 32-bit: a unit beyond that is an error, not a wrapped number."""
    with pytest.raises(ValueError, match="lower `unit_bytes`"):
        token_lists(np.empty(0, np.uint16), np.array([0, 2**31]))


def test_the_kind_is_tokenize() -> None:
    """YAML's `kind: tokenize` gives this stage, and `apply` counts what it did."""
    assert Stage.registry["tokenize"] is TokenizeStage
    counts = apply("tokenize", BYTES, unit(0, ["a", "b"])).counts[-1]
    assert (counts.stage, counts.received, counts.kept) == ("tokenize", 2, 2)


def test_ranks_are_cut_as_the_options_say(tmp_path: Path) -> None:
    """Ranks say nothing of words and special tokens; the stage does, in the process of a worker as well."""
    path = tmp_path / "ranks"
    path.write_bytes(trained_ranks("gpt2"))
    options = {"pattern": "gpt2", "special_tokens": {"<|endoftext|>": 1000}, "eos": "<|endoftext|>"}
    stage = TokenizeStage.model_validate({"model": str(path), "byte_level": options})
    found = pickle.loads(pickle.dumps(stage)).process(table(0, TEXTS))["_tokens"].to_pylist()
    direct = load(path, options=ByteLevelOptions.model_validate(options))
    ids, offsets = direct.encode(column(TEXTS))
    assert found == [[*ids[b:e].tolist(), 1000] for b, e in pairwise(offsets.tolist())]
    assert 1000 not in ids


@pytest.mark.parametrize("kind", ["unigram", "bpe", "json"])
def test_both_engines_give_the_same_table(kind: str, tmp_path: Path) -> None:
    """`engine` decides nothing of the output, and so is no part of what a stage decides."""
    path = tmp_path / "model"
    path.write_bytes(trained("gpt2") if kind == "json" else small_model(kind))
    fast, reference = (TokenizeStage(model=str(path), engine=engine) for engine in ("fast", "reference"))
    assert fast.process(table(0, [*TEXTS, *AWKWARD])).equals(reference.process(table(0, [*TEXTS, *AWKWARD])))
    assert fast.deciding() == reference.deciding()


@pytest.mark.parametrize("options", [{"model": "bytes"}, {"train": {}}])
def test_options_for_a_file_need_a_file(options: dict[str, Any]) -> None:
    """They are refused where nothing would look at them."""
    with pytest.raises(ValidationError, match="byte_level is about"):
        TokenizeStage.model_validate({**options, "byte_level": {"pattern": "gpt2"}})
