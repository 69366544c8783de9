"""Which characters a token stands for: SentencePiece's own account, and what is told from ids alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sentencepiece
from tests.pipeline.exporting.small_models import LINES, small_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from headrace.pipeline.tracing.span import Span, Speller
from headrace.tokenizers.load import BYTES, load

TEXT = "水渠 ＭＩＬＬ wheel\t石头 café 😀 \u2581 stone"


def train(folder: Path, kind: str, normalizer: str, *, byte_fallback: bool, dummy_prefix: bool) -> Path:
    path = folder / "m.model"
    path.write_bytes(small_model(kind, normalizer, byte_fallback=byte_fallback, dummy_prefix=dummy_prefix))
    return path


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
@pytest.mark.parametrize("normalizer", ["identity", "nmt_nfkc"])
@pytest.mark.parametrize(("byte_fallback", "dummy_prefix"), [(True, False), (True, True), (False, True)])
@pytest.mark.parametrize("ends", [(0, 0), (1, 1)])
def test_pieces_cover_the_text(
    tmp_path: Path,
    kind: str,
    normalizer: str,
    byte_fallback: bool,  # noqa: FBT001
    dummy_prefix: bool,  # noqa: FBT001
    ends: tuple[int, int],
) -> None:
    """The spans of a text's tokens follow each other and cover it; a begin and an end id have none.

    Pieces that are whole characters say what they cover, but for normalization.
    """
    path = train(tmp_path, kind, normalizer, byte_fallback=byte_fallback, dummy_prefix=dummy_prefix)
    engine = sentencepiece.SentencePieceProcessor(model_file=str(path))
    ids = np.array([engine.bos_id()] * ends[0] + engine.encode(TEXT) + [engine.eos_id()] * ends[1], np.uint16)
    speller = Speller.of(path, None)
    spans = [speller.span(TEXT, ids, index) for index in range(len(ids))]
    assert spans[: ends[0]] == [None] * ends[0]
    assert spans[len(ids) - ends[1] :] == [None] * ends[1]
    inside = spans[ends[0] : len(ids) - ends[1]]
    covered: set[int] = set()
    for number, span in zip(ids[ends[0] :].tolist(), inside, strict=False):
        piece = speller.piece(number)
        if span is None:  # the space that the model puts in front
            assert (dummy_prefix, piece, covered) == (True, "\u2581", set())
            continue
        covered.update(range(span.begin, span.end))
        if normalizer == "identity" and not engine.is_byte(number) and not engine.is_unknown(number):
            surface = TEXT[span.begin : span.end].replace(" ", "\u2581")
            assert piece in (surface, f"\u2581{surface}")
    assert covered == set(range(len(TEXT)))
    assert [span.begin for span in inside if span] == sorted(span.begin for span in inside if span)


def test_normalized_characters_keep_their_places(tmp_path: Path) -> None:
    """What NFKC changes is pointed at as it stands in the text."""
    path = train(tmp_path, "unigram", "nmt_nfkc", byte_fallback=True, dummy_prefix=False)
    engine = sentencepiece.SentencePieceProcessor(model_file=str(path))
    ids = np.array(engine.encode(TEXT), np.uint16)
    speller = Speller.of(path, None)
    spans = [speller.span(TEXT, ids, index) for index in range(len(ids))]
    assert {TEXT[s.begin : s.end] for s in spans if s} >= {"Ｍ", "Ｉ", "Ｌ"}


@pytest.mark.parametrize(
    ("index", "expected"), [(0, (0, 1)), (2, (0, 1)), (3, (1, 2)), (4, (2, 3)), (7, (2, 3)), (8, None)]
)
def test_bytes(index: int, expected: tuple[int, int] | None) -> None:
    """A byte has the character that it is a part of; the end id has none."""
    ids = np.array([*"水a😀".encode(), load(BYTES).eos_id], np.uint16)
    assert Speller.of(None, None).span("水a😀", ids, index) == (Span(*expected) if expected else None)


def test_ids_of_another_text(tmp_path: Path) -> None:
    """Ids that are not those of the text say nothing about it."""
    path = train(tmp_path, "bpe", "identity", byte_fallback=True, dummy_prefix=False)
    engine = sentencepiece.SentencePieceProcessor(model_file=str(path))
    assert Speller.of(path, None).span("mill", np.array(engine.encode("wheel of the wheel"), np.uint16), 1) is None
    assert Speller.of(None, None).span("mill", np.array([*b"wheel"], np.uint16), 3) is None


def test_a_model_that_cannot_be_loaded(tmp_path: Path) -> None:
    """Where no library reads the model, tokens have neither a spelling nor characters, and that is no failure."""
    (tmp_path / "m.model").write_bytes(b"not a model")
    speller = Speller.of(tmp_path / "m.model", None)
    assert (speller.piece(5), speller.span("mill", np.array([5], np.uint16), 0)) == ("", None)


def test_byte_level_models(tmp_path: Path) -> None:
    """With a tokenizer.json of bytes every token has its characters, parts of a character the whole one."""
    model = Tokenizer(models.BPE())
    model.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    model.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    model.train_from_iterator(LINES * 20, trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet))
    model.save(str(tmp_path / "tokenizer.json"))
    encoded = model.encode(TEXT)
    speller = Speller.of(tmp_path / "tokenizer.json", None)
    ids = np.array(encoded.ids, np.uint16)
    spans = [speller.span(TEXT, ids, index) for index in range(len(ids))]
    assert [(s.begin, s.end) for s in spans if s] == encoded.offsets
    assert [speller.piece(number) for number in encoded.ids] == [model.decode([number]) for number in encoded.ids]
