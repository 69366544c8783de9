"""Which engine runs a file, and what is refused with which message."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import orjson
import pyarrow as pa
import pytest
from tests.tokenizers.byte_level.made_models import changed, changed_model, rank_lines, trained, trained_ranks
from tests.tokenizers.byte_level.made_texts import hard_texts
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from headrace.schemas.errors import ConfigError, FormatError, HeadraceError
from headrace.tokenizers.byte_level import rank_file
from headrace.tokenizers.byte_level.opening import from_bytes
from headrace.tokenizers.byte_level.options import ByteLevelOptions
from headrace.tokenizers.byte_level.patterns import CL100K, GPT2, LLAMA3

BYTES = {bytes([byte]): byte for byte in range(256)}
ADDED = orjson.loads(trained("gpt2"))["added_tokens"]
BARE = changed(trained("gpt2"), added_tokens=[])
VOCABULARY = orjson.loads(trained("gpt2"))["model"]["vocab"]
SPLIT_ANYWHERE = {"type": "Split", "pattern": {"Regex": "x+"}, "behavior": "Isolated", "invert": False}
LAST_STEP = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def wordpiece() -> bytes:
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "wheel", "##s", "数", "据", "!"]
    tokenizer = Tokenizer(models.WordPiece({word: token for token, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    return tokenizer.to_str().encode()


def sequence(*steps: object) -> dict[str, object]:
    return {"type": "Sequence", "pretokenizers": list(steps)}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (changed(trained("gpt2"), pre_tokenizer=sequence(SPLIT_ANYWHERE, LAST_STEP)), "does not know the pattern 'x+'"),
        (changed(trained("gpt2"), pre_tokenizer={**LAST_STEP, "add_prefix_space": True}), "add_prefix_space"),
        (changed(trained("gpt2"), pre_tokenizer=None), "file's `pre_tokenizer` says"),
        (
            changed(trained("gpt2"), pre_tokenizer=sequence({"type": "Digits", "individual_digits": True}, LAST_STEP)),
            "file's `pre_tokenizer.",
        ),
        (changed(trained("gpt2"), normalizer={"type": "NFKC"}), "normalizer"),
        (changed_model(trained("gpt2"), end_of_word_suffix="</w>"), "end_of_word_suffix"),
        (changed_model(BARE, vocab={**VOCABULARY, "zzz": 9999}), "ids of the vocabulary have gaps"),
        (changed_model(BARE, vocab={**VOCABULARY, "中": 600}), "'中', which spells no bytes"),
        (changed_model(BARE, merges=2 * orjson.loads(BARE)["model"]["merges"]), "a merge is listed twice"),
    ],
)
def test_what_the_fast_engine_would_pass_over_goes_through_the_library(data: bytes, why: str) -> None:
    """A step or option that it does not know decides for the library; the path names it."""
    tokenizer = from_bytes(data, "model")
    assert tokenizer.path.startswith("tokenizers 0.23.3, because ") and why in tokenizer.path
    assert len(tokenizer.encode(pa.array(["xx a1"], pa.large_string()))[0]) > 0


def test_patterns_of_two_meanings_go_through_the_library() -> None:
    """cl100k's `$` and `{1,3}+` are Ruby's in tokenizers and Perl's in tiktoken: the fast engine knows the latter."""
    split = {"type": "Split", "pattern": {"Regex": CL100K}, "behavior": "Isolated", "invert": False}
    assert (
        "does not know the pattern"
        in from_bytes(changed(trained("gpt2"), pre_tokenizer=sequence(split, LAST_STEP)), "model").path
    )
    assert from_bytes(trained_ranks("gpt2"), "model", ByteLevelOptions(pattern="cl100k")).path == "gigatoken 0.10.0"


def test_files_as_old_as_gpt2_run_fast() -> None:
    """They name no model type, write merges as one text, and leave the pattern to the ByteLevel step."""
    file = orjson.loads(trained("gpt2"))
    model = {"vocab": file["model"]["vocab"], "merges": list(map(" ".join, file["model"]["merges"]))}
    step = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    old = changed(trained("gpt2"), model=model, pre_tokenizer=step)
    tokenizer = from_bytes(old, "model")
    assert tokenizer.path == "gigatoken 0.10.0"
    texts = hard_texts(seed=9, documents=100)
    assert np.array_equal(tokenizer.encode(texts)[0], from_bytes(old, "model", None, "reference").encode(texts)[0])
    assert np.array_equal(tokenizer.encode(texts)[0], from_bytes(trained("gpt2"), "model").encode(texts)[0])


def test_wordpiece_runs_in_the_library() -> None:
    """A tokenizer.json with WordPiece: unknown words, upper case and Chinese as tokenizers has them."""
    tokenizer = from_bytes(wordpiece(), "bert")
    ids, offsets = tokenizer.encode(pa.array(["The wheels! 数据", "xyz", ""], pa.large_string()))
    assert ids.tolist() == [4, 5, 6, 9, 7, 8, 1] and offsets.tolist() == [0, 6, 7, 7]
    assert (tokenizer.bos_id, tokenizer.eos_id, tokenizer.pad_id, tokenizer.vocabulary_size) == (2, 3, 0, 10)
    assert tokenizer.decode(ids[:6]) == "the wheels! 数 据"


def test_texts_are_neither_cut_short_nor_padded() -> None:
    """Truncation and padding of the file do not count in either engine."""
    tokenizer = Tokenizer.from_str(trained("gpt2").decode())
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=64)
    texts = hard_texts(seed=8, documents=20)
    for engine in ("fast", "reference"):
        ids, offsets = from_bytes(tokenizer.to_str().encode(), "model", None, engine).encode(texts)
        assert len(set(np.diff(offsets).tolist())) > 3 and np.diff(offsets).max() > 64
        assert ids.tolist() == from_bytes(trained("gpt2"), "model").encode(texts)[0].tolist()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"model": {"type": "BPE"', r"m: this is not a whole tokenizer\.json: the file: Invalid JSON.*vocab\.json"),
        (trained("gpt2")[:5000], r"this is not a whole tokenizer\.json: the file: Invalid JSON.*5000 bytes"),
        (b'{"a": 0, "b": 1}', r"not a whole tokenizer\.json: model: Field required"),
        (changed(trained("gpt2"), version="2.0"), r"version '2\.0' of tokenizer\.json is not known.*newer release"),
        (
            changed_model(trained("gpt2"), dropout=0.1),
            r"with dropout is not run: `model\.dropout` is 0\.1: its ids are",
        ),
        (
            b'{"model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0]]}}',
            r"Unigram tokenizer\.json is not.*\.model",
        ),
        (b'{"model": {"type": "Other", "vocab": {}}}', r"tokenizers does not take this tokenizer\.json"),
        (changed_model(trained("gpt2"), merges=[["a", "☃"]]), r"tokenizers does not take this tokenizer\.json.*☃"),
        (
            changed(trained("gpt2"), added_tokens=[{**ADDED[0], "id": 9999, "content": "<gap>"}]),
            r"'<gap>' has id 9999 in the file, but tokenizers gives it 6\d\d",
        ),
        (b"IQ== 0\nIg== ", r"this is not a whole rank file: line 2 is not a token and its rank: b'Ig== '"),
        (b"IQ== 0\nIQ== 1\n", r"line 2 repeats a token or rank"),
        (b"IQ== 0\nIg== -1\n", r"line 2 is not a token and its rank"),
        (b"IQ== 4000000000\n", r"line 1 has a rank above 16777216"),
        (b"IQ== 0\n", r"255 of the 256 bytes have no token, the first is 0x00"),
    ],
)
def test_a_wrong_file_gives_one_clear_message(data: bytes, message: str) -> None:
    """What, where, why and what to do: files cut short, of another kind or a later version, or without certain ids."""
    with pytest.raises(FormatError, match=message) as caught:
        from_bytes(data, "m")
    assert str(caught.value).startswith("m: ") and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ByteLevelOptions(),
            r"pattern of this rank file is not known \(256 tokens\).*or set `byte_level.pattern` \(gpt2, cl100k",
        ),
        (ByteLevelOptions(pattern="(unclosed"), "tiktoken does not take this rank file with these options"),
        (
            ByteLevelOptions(pattern="gpt2", special_tokens={"<x>": 7}),
            "special token '<x>' cannot have id 7: the ranks",
        ),
        (ByteLevelOptions(pattern="gpt2", special_tokens={"<x>": 1 << 30}), "special token '<x>' cannot have id 1073"),
    ],
)
def test_a_rank_file_needs_right_options(options: ByteLevelOptions, message: str) -> None:
    """A pattern that is missing or wrong, or special ids that are taken, are named."""
    with pytest.raises(HeadraceError, match=message):
        from_bytes(rank_lines(BYTES), "ranks", options)


def test_options_of_rank_files_are_refused_for_json() -> None:
    """A tokenizer.json has its own pattern and special tokens."""
    with pytest.raises(ConfigError, match="are for rank files"):
        from_bytes(trained("gpt2"), "m", ByteLevelOptions(pattern="gpt2"))


def test_ranks_that_merges_do_not_reach_go_through_tiktoken() -> None:
    """A token without its parts, ranks with gaps, and a pattern of the user's own give tiktoken's ids."""
    texts = hard_texts(seed=2, documents=200)
    lone = rank_lines({**BYTES, b"abc": 256, b" don": 300})
    tokenizer = from_bytes(lone, "ranks", ByteLevelOptions(pattern="gpt2"))
    assert "no merges of lower rank lead to its token b'abc'" in tokenizer.path
    assert tokenizer.encode(pa.array(["abc abc"], pa.large_string()))[0].tolist() == [256, 32, 97, 98, 99]
    gaps = rank_lines({**BYTES, b"he": 300, b" t": 400, b" the": 900, b" th": 500})
    fast, reference = (
        from_bytes(gaps, "r", ByteLevelOptions(pattern="gpt2"), engine) for engine in ("fast", "reference")
    )
    assert np.array_equal(fast.encode(texts)[0], reference.encode(texts)[0]) and fast.vocabulary_size == 901
    own = from_bytes(gaps, "ranks", ByteLevelOptions(pattern=r"\w+|\W"))
    assert own.path.startswith("tiktoken 0.14.0, because gigatoken does not know the pattern")


def test_published_rank_files_are_known_by_their_content(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with a known SHA-256 needs no options: pattern, special tokens and size are as it was published."""
    data = trained_ranks("llama3")
    known = {hashlib.sha256(data).hexdigest(): rank_file.Published(LLAMA3, {"<|end_of_text|>": 4000}, 4256)}
    monkeypatch.setattr(rank_file, "PUBLISHED", known)
    tokenizer = from_bytes(data, "tokenizer.model")
    assert (tokenizer.eos_id, tokenizer.vocabulary_size) == (4000, 4256)
    told = from_bytes(data, "tokenizer.model", ByteLevelOptions(pattern="llama3"))
    texts = hard_texts(seed=6, documents=50)
    assert np.array_equal(tokenizer.encode(texts)[0], told.encode(texts)[0])


def test_published_patterns_are_tiktokens_own() -> None:
    """What stands in the table for OpenAI's files is what tiktoken 0.14.0 has for them."""
    from tiktoken_ext import openai_public

    text = Path(openai_public.__file__).read_text(encoding="utf-8")
    for digest, published in rank_file.PUBLISHED.items():
        if published.pattern != LLAMA3:
            assert digest in text
            assert all(str(token) in text for token in published.special.values())
    assert GPT2 in {published.pattern for published in rank_file.PUBLISHED.values()}
    assert CL100K.removesuffix("+") in text
