"""The kernels give the ids of the library: beside the library itself, and beside their plain twin."""

from __future__ import annotations

import pickle
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tokenizers.piece_models import BPE, GIVEN, MERGES, MODELS, TIES, UNIGRAM, made, plain_model, random_model
from tests.tokenizers.samples import AWKWARD, TEXTS, column, small_model

from headrace.schemas.errors import FormatError
from headrace.tokenizers.base import Tokenizer
from headrace.tokenizers.kernels import pieces_plain
from headrace.tokenizers.sentencepiece_kernels import REFERENCE, KernelTokenizer

TOKENIZERS = {name: KernelTokenizer(data, name) for name, data in MODELS.items()}
ENGINES = {name: sentencepiece.SentencePieceProcessor(model_proto=data) for name, data in MODELS.items()}
PLAIN = {name: plain_model(data) for name, data in MODELS.items()}
TRAINED = {
    f"{algorithm}{' in bytes' * spelled}": small_model(algorithm, byte_fallback=spelled)
    for algorithm in ("unigram", "bpe")
    for spelled in (True, False)
}
LONG = ["a" * 50_000, "ab" * 20_000, "水" * 20_000, "x" * 5000 + "y", "abc水中 " * 3000, "\u2581" * 3000]
words = st.sampled_from([*TIES, *MERGES, *GIVEN, "abc", "cab", "\0", "é", "😀", "\u2581", "<0x41>", "<s>", "\ufffd"])
texts = st.lists(st.one_of(words, st.text("abc水中xy \n1", max_size=20), st.text(max_size=3)), max_size=30).map("".join)


def same(tokenizer: KernelTokenizer, engine: sentencepiece.SentencePieceProcessor, documents: list[str]) -> None:
    """Compare the ids of all documents twice: what is computed at first comes from the cache then."""
    expected = [engine.encode(text, out_type=int) for text in documents]
    for _ in range(2):
        ids, offsets = tokenizer.encode(column(documents))
        assert [ids[offsets[i] : offsets[i + 1]].tolist() for i in range(len(documents))] == expected


def test_the_library_is_the_version_that_was_read() -> None:
    """What is exact here is exact beside one version of the library, and this is the one that is installed."""
    assert sentencepiece.__version__ == REFERENCE


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=50)
@given(documents=st.lists(texts, max_size=8))
def test_ids_are_those_of_the_library(name: str, documents: list[str]) -> None:
    """Ties, near ties, resets of the score, unknown characters and pieces of a user: the ids are the library's."""
    same(TOKENIZERS[name], ENGINES[name], [*documents, "".join(documents)])


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=50)
@given(text=texts)
def test_the_plain_twin_says_the_same(name: str, text: str) -> None:
    """The kernels, with their units and their cache, give what the plain twin finds in the whole text."""
    tokenizer, plain = TOKENIZERS[name], PLAIN[name]
    find = pieces_plain.bpe_ids if tokenizer.model.algorithm == "bpe" else pieces_plain.unigram_ids
    rules = tokenizer.model.normalizer
    spaced = (" " if rules.add_dummy_prefix and text else "") + text
    if rules.escape_whitespaces:
        spaced = spaced.replace("\u2581", " ")
    elif spaced != text:
        spaced = " " + text
    assert tokenizer.encode(column([text]))[0].tolist() == find(spaced, plain)


@pytest.mark.parametrize("name", MODELS)
def test_units_of_any_length_are_exact(name: str) -> None:
    """Runs without a cut of 50,000 letters, many times the first room, have the library's ids."""
    same(KernelTokenizer(MODELS[name], name), ENGINES[name], ["ab", *LONG, "".join(LONG)])


@pytest.mark.parametrize("seed", range(40))
def test_models_of_any_pieces_are_exact(seed: int) -> None:
    """Random pieces, scores and flags: near ties, resets, merges of what is no piece, spaces that are spelled."""
    generator = random.Random(seed)
    data = random_model(generator)
    engine = sentencepiece.SentencePieceProcessor(model_proto=data)
    pieces = [engine.id_to_piece(i) for i in range(engine.get_piece_size()) if not engine.is_byte(i)]
    pieces += [*" ab水é", "\u2581", "\0"]
    documents = ["".join(generator.choices(pieces, k=generator.randrange(40))) for _ in range(40)]
    documents += ["".join(documents), generator.choice(pieces) * 200]
    same(KernelTokenizer(data, "m"), engine, documents)


@pytest.mark.parametrize("name", TRAINED)
def test_trained_models_are_exact_on_texts_of_all_kinds(name: str) -> None:
    """Texts, awkward ones, and random ones made of a model's pieces have the library's ids, one by one and joined."""
    engine = sentencepiece.SentencePieceProcessor(model_proto=TRAINED[name])
    generator = random.Random(7)
    pieces = [engine.id_to_piece(i).replace("\u2581", " ") for i in range(3, engine.get_piece_size())]
    mixed = ["".join(generator.choices(pieces, k=generator.randrange(60))) for _ in range(300)]
    documents = [*TEXTS, *AWKWARD, *mixed]
    same(KernelTokenizer(TRAINED[name], name), engine, [*documents, "".join(documents) * 3])


def test_a_small_cache_is_written_over_without_harm() -> None:
    """More different units than the cache has rows: whatever is kept or lost, the ids are the library's."""
    generator = random.Random(3)
    documents = [" ".join(f"{generator.random()}" for _ in range(4000)) for _ in range(20)]
    same(
        KernelTokenizer(TRAINED["bpe"], "m"),
        sentencepiece.SentencePieceProcessor(model_proto=TRAINED["bpe"]),
        documents,
    )


def test_batches_slices_and_threads_change_nothing() -> None:
    """A batch, its texts one by one, a slice of a column, and four threads at once give the same ids."""
    tokenizer = KernelTokenizer(TRAINED["unigram in bytes"], "m")
    ids, offsets = tokenizer.encode(column(TEXTS))
    assert offsets[0] == 0
    assert offsets[-1] == len(ids)
    with ThreadPoolExecutor(4) as threads:
        alone = list(threads.map(lambda text: tokenizer.encode(column([text]))[0], TEXTS * 3))
    assert np.array_equal(np.concatenate(alone[: len(TEXTS)]), ids)
    assert np.array_equal(np.concatenate(alone[-len(TEXTS) :]), ids)
    sliced, _ = tokenizer.encode(column(["x", *TEXTS, "y"]).slice(1, len(TEXTS)))
    assert np.array_equal(sliced, ids)
    assert tokenizer.encode(pa.array([], pa.large_string()))[1].tolist() == [0]


@pytest.mark.parametrize(("more", "kind"), [(0, np.uint16), (65_000, np.uint16), (66_000, np.uint32)])
def test_ids_are_as_narrow_as_the_vocabulary_allows(more: int, kind: type[np.generic]) -> None:
    """Up to 65,536 ids take two bytes each, more take four, and the greatest one comes out of text unharmed."""
    scores = {**TIES, **{chr(0x20000 + number): -9.0 for number in range(more // 2)}}
    scores |= {f"b{chr(0x20000 + number)}": -9.0 for number in range(more - more // 2)}
    data = made(scores, UNIGRAM)
    tokenizer = KernelTokenizer(data, "m")
    text = "abc" + list(scores)[-1]
    ids, _ = tokenizer.encode(column([text]))
    assert ids.dtype == kind
    assert ids.tolist() == sentencepiece.SentencePieceProcessor(model_proto=data).encode(text, out_type=int)


def test_a_pickled_tokenizer_gives_the_same_ids_and_texts() -> None:
    """What a worker gets is the same tokenizer: ids, special ids, hash, and texts from ids."""
    tokenizer: Tokenizer = KernelTokenizer(TRAINED["bpe in bytes"], "m")
    again = pickle.loads(pickle.dumps(tokenizer))
    ids, _ = again.encode(column([TEXTS[0]]))
    assert np.array_equal(ids, tokenizer.encode(column([TEXTS[0]]))[0])
    assert again.decode(ids) == TEXTS[0]
    assert again.sha256 == tokenizer.sha256
    assert (again.bos_id, again.eos_id, again.pad_id) == (tokenizer.bos_id, tokenizer.eos_id, tokenizer.pad_id)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (made(MERGES, BPE, unused=("aab",)), "BPE model with unused pieces"),
        (made(TIES, 3), "its algorithm is word"),
        (made(TIES, 4), "its algorithm is char"),
        (made({}, UNIGRAM), "it has no pieces"),
        (
            made({chr(0x20000 + number): -1.0 for number in range(66_000)}, BPE),
            "different characters, the kernels know 65534",
        ),
    ],
)
def test_what_the_kernels_cannot_do_exactly_they_refuse(data: bytes, why: str) -> None:
    """A model of another kind is refused by name, with the engine that can."""
    with pytest.raises(FormatError, match=f"old.model.*{why}.*engine: reference"):
        KernelTokenizer(data, "old.model")
