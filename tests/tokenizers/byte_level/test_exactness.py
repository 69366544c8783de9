"""The fast engine's ids are those of tokenizers 0.23.3 and tiktoken 0.14.0."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.tokenizers.byte_level.made_models import PATTERNS, every_pair, pair_ranks, trained, trained_ranks
from tests.tokenizers.byte_level.made_texts import hard_texts

from headrace.tokenizers.base import TextColumn
from headrace.tokenizers.byte_level import patterns
from headrace.tokenizers.byte_level.opening import from_bytes
from headrace.tokenizers.byte_level.options import ByteLevelOptions
from headrace.tokenizers.byte_level.tokenizer import ByteLevelTokenizer

HARD = hard_texts(seed=11, documents=250)
COMPOSED = ("qwen2", "qwen3.5")


def column(texts: list[str]) -> TextColumn:
    return pa.array(texts, pa.large_string())


def both(data: bytes, options: ByteLevelOptions | None = None) -> tuple[ByteLevelTokenizer, ByteLevelTokenizer]:
    fast, reference = (from_bytes(data, "model", options, engine) for engine in ("fast", "reference"))
    assert fast.path == "gigatoken 0.10.0"
    assert reference.path.startswith(("tokenizers 0.23.3", "tiktoken 0.14.0"))
    return fast, reference


def differing(fast: ByteLevelTokenizer, reference: ByteLevelTokenizer, texts: TextColumn) -> list[str]:
    (ids, offsets), (other_ids, other_offsets) = fast.encode(texts), reference.encode(texts)
    assert ids.dtype == other_ids.dtype and len(offsets) == len(other_offsets) == len(texts) + 1
    rows = range(len(texts))
    mine = [ids[offsets[row] : offsets[row + 1]] for row in rows]
    theirs = [other_ids[other_offsets[row] : other_offsets[row + 1]] for row in rows]
    return [texts[row].as_py() for row in rows if not np.array_equal(mine[row], theirs[row])]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_no_hard_text_differs_from_tokenizers(pattern: str) -> None:
    """With a model whose ids show every cut, and a trained one: cold, warm, and all texts joined to one."""
    joined = column(["".join(HARD.to_pylist())])
    for data in (every_pair(pattern), trained(pattern)):
        fast, reference = both(data)
        assert differing(fast, reference, HARD) == []
        assert differing(fast, reference, pa.concat_arrays([HARD, joined])) == []


@pytest.mark.parametrize("pattern", COMPOSED)
def test_no_hard_text_differs_with_nfc(pattern: str) -> None:
    """Texts are composed as tokenizers composes them."""
    marks = column([f"e{mark}\u0323{other}o\u0301" for mark in "\u0301\u0897\u07fd\u1abf" for other in "\u0316\u1df6é"])
    for data in (every_pair(pattern, composed=True), trained(pattern, composed=True)):
        fast, reference = both(data)
        assert differing(fast, reference, HARD) == []
        assert differing(fast, reference, marks) == []


@pytest.mark.parametrize("pattern", patterns.PATTERNS)
def test_no_hard_text_differs_from_tiktoken(pattern: str) -> None:
    """With ranks of all pairs of bytes, for each pattern that a rank file can be told to use."""
    fast, reference = both(pair_ranks(), ByteLevelOptions(pattern=pattern))
    assert differing(fast, reference, HARD) == []


@pytest.mark.parametrize("pattern", ["gpt2", "llama3", "qwen2", "o200k"])
def test_trained_ranks_give_the_ids_of_tiktoken(pattern: str) -> None:
    """Merges found from ranks are those that tiktoken makes."""
    fast, reference = both(trained_ranks(pattern), ByteLevelOptions(pattern=pattern))
    assert differing(fast, reference, HARD) == []


def test_runs_and_ties_are_merged_alike() -> None:
    """Repeated letters, where pairs share one rank (huggingface/tokenizers#1213), and words of 50,000 letters."""
    runs = [letter * size for letter in ("a", "ab", "aab", "数", "0", " ", "\n", "é") for size in (*range(1, 40), 999)]
    for data in (every_pair("llama3"), trained("llama3")):
        fast, reference = both(data)
        assert differing(fast, reference, column(runs)) == []
        assert differing(fast, reference, column(["a" * 50_000, "数据" * 25_000])) == []


def test_reported_differences_are_gone() -> None:
    """Texts on which the fast engine alone was reported to differ from tokenizers."""
    texts = [
        "a 🫨",  # marcelroed/gigatoken#37: a sign to Unicode 17, unassigned to Unicode 14
        "[\\w·̀-ͯ҃-֑҇-ًؚ-ٰٟۖ-ۜ۟-ܑۭܰ-݊ަ-ް߫-߽߳ࠖ-࣓࠙-ࣣ࣡-ः]",  # marcelroed/gigatoken#35: marks in a row under NFC
        "\U000323b0\U000323b1 是 a\ua7cfb",  # letters of Unicode 17
        "plain",
    ]
    for data in (every_pair("qwen2", composed=True), every_pair("llama3")):
        assert differing(*both(data), column(texts + [text * 3 for text in texts])) == []


def test_the_form_of_the_column_changes_nothing() -> None:
    """Slices, empty texts, no texts and nulls give what each text alone gives; ids are narrow when they fit."""
    fast, _ = both(trained("gpt2"))
    whole, offsets = fast.encode(HARD)
    part, part_offsets = fast.encode(HARD[7:90])
    assert np.array_equal(part, whole[offsets[7] : offsets[90]])
    assert part_offsets.tolist() == (offsets[7:91] - offsets[7]).tolist()
    assert fast.encode(column([]))[1].tolist() == [0]
    assert fast.encode(column(["", "", ""]))[1].tolist() == [0, 0, 0, 0]
    assert whole.dtype == np.uint16
    assert both(every_pair("gpt2"))[0].encode(HARD)[0].dtype == np.uint32


def test_texts_come_back() -> None:
    """Decoding gives the text again, without special ids; a cut character becomes U+FFFD; the library decodes alike."""
    fast, reference = both(trained("o200k"))
    ids, offsets = fast.encode(HARD)
    for row in range(len(HARD)):
        document = ids[offsets[row] : offsets[row + 1]]
        assert fast.decode(document) == HARD[row].as_py() == reference.decode(document)
    end = np.array([fast.eos_id], ids.dtype)
    first, _ = fast.encode(column(["\ue000"]))
    assert fast.decode(np.concatenate([first[:1], end])) == reference.decode(np.concatenate([first[:1], end])) == "�"
    assert fast.decode(ids[:0]) == ""


def test_a_tokenizer_pickles_as_its_file() -> None:
    """What a worker gets gives the same ids, and has the same hash."""
    fast, _ = both(trained_ranks("qwen2"), ByteLevelOptions(pattern="qwen2", special_tokens={"<|end|>": 5000}))
    again = pickle.loads(pickle.dumps(fast))
    assert (again.sha256, again.path, again.specials) == (fast.sha256, fast.path, fast.specials)
    assert np.array_equal(again.encode(HARD)[0], fast.encode(HARD)[0])


def test_threads_share_a_tokenizer() -> None:
    """Four threads that encode at a time each get the ids of one."""
    fast, _ = both(trained("llama3"))
    expected = fast.encode(HARD)[0].tolist()
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: fast.encode(HARD)[0].tolist(), range(8)))
    assert results == [expected] * 8


def corpus_texts(corpus: Path) -> list[str]:
    return [path.read_bytes().decode("utf-8", "replace") for path in sorted(corpus.rglob("*.txt"))]


def test_no_beginning_of_a_text_of_the_corpus_differs(corpus: Path) -> None:
    """The first 1,500 characters of every text file of the corpus, with a model for each reference."""
    texts = [text[:1500] for text in corpus_texts(corpus)]
    assert len(texts) > 100
    assert differing(*both(trained("qwen2", composed=True)), column(texts)) == []
    assert differing(*both(trained_ranks("llama3"), ByteLevelOptions(pattern="llama3")), column(texts)) == []


@pytest.mark.soak
@pytest.mark.parametrize("pattern", PATTERNS)
def test_no_text_at_all_differs(pattern: str, corpus: Path) -> None:
    """Every text file of the corpus and 100,000 hard texts, against both libraries."""
    texts = pa.concat_arrays([column(corpus_texts(corpus)), hard_texts(seed=29, documents=100_000)])
    options = ByteLevelOptions(pattern=pattern)
    for data, given in ((every_pair(pattern), None), (trained(pattern), None), (pair_ranks(), options)):
        assert differing(*both(data, given), texts) == []
