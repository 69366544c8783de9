"""Model files are read as the library reads them, and what it would misread is refused."""

from __future__ import annotations

import numpy as np
import pytest
import sentencepiece
from tests.tokenizers.samples import small_model

from headrace.tokenizers.model_file import read_model


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
@pytest.mark.parametrize("byte_fallback", [True, False])
def test_pieces_scores_and_ids_are_those_of_the_library(model_type: str, *, byte_fallback: bool) -> None:
    """Every piece, score, type and special id equals what the library says about the same file."""
    data = small_model(model_type, byte_fallback=byte_fallback)
    engine = sentencepiece.SentencePieceProcessor(model_proto=data)
    model = read_model(data, "m.model")
    ids = range(engine.get_piece_size())
    assert [model.piece(i).decode() for i in ids] == [engine.id_to_piece(i) for i in ids]
    assert model.scores.tolist() == np.array([engine.get_score(i) for i in ids], np.float32).tolist()
    assert (model.types == 6).tolist() == [engine.is_byte(i) for i in ids]
    assert (model.types == 3).tolist() == [engine.is_control(i) for i in ids]
    assert (model.unk_id, model.bos_id, model.eos_id) == (engine.unk_id(), engine.bos_id(), engine.eos_id())
    assert model.algorithm == model_type
    assert model.byte_fallback == byte_fallback
