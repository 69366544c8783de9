"""Model files are read as the library reads them, and what it would misread is refused."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
import sentencepiece
from tests.tokenizers.model_bytes import (
    BYTE,
    BYTE_PIECES,
    CONTROL,
    NORMAL,
    PIECES,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    bytes_field,
    model,
    number_field,
    piece_field,
    rules,
    trainer,
    with_symbols,
)
from tests.tokenizers.samples import small_model

from headrace.schemas.errors import FormatError
from headrace.tokenizers.model_file import read_model


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
@pytest.mark.parametrize("byte_fallback", [True, False])
def test_pieces_scores_and_ids_are_those_of_the_library(model_type: str, *, byte_fallback: bool) -> None:
    """Every piece, score, type and special id equals what the library says about the same file."""
    data = small_model(model_type, byte_fallback=byte_fallback)
    engine = sentencepiece.SentencePieceProcessor(model_proto=data)
    read = read_model(data, "m.model")
    ids = range(engine.get_piece_size())
    assert [read.piece(i).decode() for i in ids] == [engine.id_to_piece(i) for i in ids]
    assert read.scores.tolist() == np.array([engine.get_score(i) for i in ids], np.float32).tolist()
    assert (read.types == BYTE).tolist() == [engine.is_byte(i) for i in ids]
    assert (read.types == CONTROL).tolist() == [engine.is_control(i) for i in ids]
    assert (read.unk_id, read.bos_id, read.eos_id) == (engine.unk_id(), engine.bos_id(), engine.eos_id())
    assert read.algorithm == model_type
    assert read.byte_fallback == byte_fallback


def test_everything_that_the_file_says_is_read() -> None:
    """Flags, rules, names of special pieces and the text of an unknown piece come from the file."""
    named = bytes_field(45, "UNK") + bytes_field(46, "a") + bytes_field(47, "END") + bytes_field(48, "PAD")
    training = trainer(algorithm=4, suffix=True, more=named + bytes_field(44, "?!"))
    pieces = (("UNK", 0, UNKNOWN), ("END", 0, CONTROL), ("a", -1, NORMAL), ("<x>", 0, USER_DEFINED), ("b", 0, UNUSED))
    normalizer = rules(b"table", name="mine", prefix=False, squeeze=False, escape=False)
    read = read_model(model(pieces, normalizer=normalizer, training=training, more=bytes_field(5, rules())), "m.model")
    assert (read.algorithm, read.treat_whitespace_as_suffix, read.byte_fallback) == ("char", True, False)
    assert (read.unk_id, read.bos_id, read.eos_id, read.pad_id) == (0, None, 1, None)  # "a" is no control piece
    assert (read.unk_surface, read.user_defined) == ("?!", (b"<x>",))
    assert (read.normalizer.name, read.normalizer.charsmap) == ("mine", b"table")
    assert not (read.normalizer.add_dummy_prefix or read.normalizer.remove_extra_whitespaces)
    assert not read.normalizer.escape_whitespaces
    assert read.denormalizer is not None
    assert read.denormalizer.add_dummy_prefix


def test_what_the_file_leaves_out_has_the_librarys_defaults() -> None:
    """A file without flags is a unigram model with dummy prefix, squeezed and escaped white space."""
    read = read_model(model(normalizer=b"", training=b""), "m.model")
    assert (read.algorithm, read.byte_fallback, read.unk_surface) == ("unigram", False, " \u2047 ")
    assert read.normalizer.add_dummy_prefix
    assert read.normalizer.remove_extra_whitespaces
    assert read.normalizer.escape_whitespaces
    assert read.denormalizer is None


def test_messages_in_parts_are_one_and_the_last_number_counts() -> None:
    """As in any protocol buffer, a second training message adds to the first and overrules it; others' fields pass."""
    more = bytes_field(2, number_field(3, 2) + number_field(300, 1)) + bytes_field(1, piece_field("b", 0, 1)[2:])
    read = read_model(model(training=trainer(suffix=True), more=more), "m.model")
    assert (read.algorithm, read.treat_whitespace_as_suffix) == ("bpe", True)
    assert read.piece(read.vocabulary_size - 1) == b"b"


def test_a_model_without_unknown_piece_needs_bytes() -> None:
    """As in the library, byte_fallback can do without a piece for unknown text, which then has the id -1."""
    pieces = (*PIECES[1:], *BYTE_PIECES)
    data = model(pieces, training=trainer(byte_fallback=True))
    assert sentencepiece.SentencePieceProcessor(model_proto=data).unk_id() == -1
    assert read_model(data, "m.model").unk_id == -1


def test_a_nul_beside_the_byte_pieces_is_unused() -> None:
    """What converters add by mistake is let pass as the library does; elsewhere a NUL is refused."""
    data = model((*PIECES, ("\0", -1, NORMAL), *BYTE_PIECES), training=trainer(byte_fallback=True))
    engine = sentencepiece.SentencePieceProcessor(model_proto=data)
    read = read_model(data, "m.model")
    assert engine.is_unused(len(PIECES))
    assert (read.types == UNUSED).nonzero()[0].tolist() == [len(PIECES)]


REFUSED_BY_BOTH = {
    "piece 5 is empty": model((*PIECES, ("", 0, NORMAL))),
    "piece 5 is longer than 7999 bytes": model((*PIECES, ("a" * 8000, 0, NORMAL))),
    "piece 5, 'x.x00', holds a NUL": model((*PIECES, ("x\0", 0, NORMAL))),
    "pieces 4 and 5 are both 'a'": model((*PIECES, ("a", 0, USER_DEFINED))),
    "pieces 1 and 5 are both '<s>'": model((*PIECES, ("<s>", 0, NORMAL)), training=trainer(algorithm=2)),
    "2 pieces for unknown text": model((*PIECES, ("<u>", 0, UNKNOWN))),
    "0 pieces for unknown text": model(PIECES[1:]),
    "'<0x00>', but byte_fallback is off": model((*PIECES, BYTE_PIECES[0])),
    "is not <0x00> to <0xFF>": model((*PIECES, ("<0xff>", 0, BYTE)), training=trainer(byte_fallback=True)),
    "255 bytes in place of 256": model((*PIECES, *BYTE_PIECES[1:]), training=trainer(byte_fallback=True)),
    "there is no field": b"\x7fELF\x02\x01\x01" + bytes(40),
}
REFUSED_HERE = {
    "no pieces: it is empty": b"",
    "piece 5, '.{1,2}xff', is not UTF-8": model((*PIECES, (b"\xff", 0, NORMAL))),
    "score of piece 5 is not a number": model((*PIECES, ("b", math.nan, NORMAL))),
    "'b' is of type 9, which is unknown": model((*PIECES, ("b", 0, 9))),
    "its model type 7 is unknown": model(training=number_field(3, 7)),
    "trainer_spec has a field 77, which sentencepiece 0.2.3 does not know": model(training=number_field(77, 1)),
    "normalizer_spec has a field 7,": model(normalizer=number_field(7, 1)),
    "piece has a field 4,": model() + bytes_field(1, bytes_field(1, "c") + number_field(4, 1)),
    "model has a field 6,": model(more=bytes_field(6, "x")),
    "no normalizer_spec": b"".join(piece_field(*piece) for piece in PIECES) + bytes_field(2, trainer()),
    "field escape_whitespaces of normalizer_spec is of another kind": model(normalizer=bytes_field(5, "x")),
}


@pytest.mark.parametrize(("why", "data"), REFUSED_BY_BOTH.items(), ids=REFUSED_BY_BOTH)
def test_what_the_library_refuses_is_refused(why: str, data: bytes) -> None:
    """A file that the library does not load is refused with its name, what is wrong, and what to do."""
    with pytest.raises((RuntimeError, ValueError)):
        sentencepiece.SentencePieceProcessor(model_proto=data)
    check_refused(why, data)


@pytest.mark.parametrize(("why", "data"), REFUSED_HERE.items(), ids=REFUSED_HERE)
def test_what_the_library_would_misread_is_refused(why: str, data: bytes) -> None:
    """A newer, cut or broken file that the library takes for something else is refused too."""
    check_refused(why, data)


def check_refused(why: str, data: bytes) -> None:
    with pytest.raises(
        FormatError, match=rf"m\.model: this is not a whole SentencePiece model.*{why}.*Give the \.model file"
    ):
        read_model(data, "m.model")


def test_a_file_cut_anywhere_is_refused() -> None:
    """Wherever a model file was cut, it is refused: the library takes some of these for whole."""
    data = model(with_symbols(["<x>"]))
    whole = read_model(data, "m.model")
    assert whole.vocabulary_size == len(PIECES) + 1
    for size in range(len(data)):
        with pytest.raises(FormatError, match=rf"\({size} bytes\)"):
            read_model(data[:size], "m.model")


def test_arrays_are_read_only_and_the_model_pickles() -> None:
    """A model is a value: its arrays cannot be written, and another process gets the same one."""
    read = read_model(small_model(), "m.model")
    for array in (read.piece_bytes, read.piece_offsets, read.scores, read.types):
        assert not array.flags.writeable
    again = pickle.loads(pickle.dumps(read))
    assert again.sha256 == read.sha256
    assert again.scores.tolist() == read.scores.tolist()
