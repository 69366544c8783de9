"""Special tokens: what they mean, and that text gives none that is not allowed."""

from __future__ import annotations

import numpy as np
import orjson
import pyarrow as pa
import pytest
from tests.tokenizers.byte_level.made_models import changed, trained, trained_ranks
from tests.tokenizers.byte_level.made_texts import hard_texts
from tokenizers import AddedToken, Tokenizer

from headrace.schemas.errors import ConfigError, FormatError
from headrace.tokenizers.byte_level.opening import from_bytes
from headrace.tokenizers.byte_level.options import ByteLevelOptions, EngineChoice

TEXTS = pa.array(["<|endoftext|>", "a<|endoftext|>b <|pad|>", " <tool> <|pad|><|endoftext|>"], pa.large_string())
RANK_OPTIONS = ByteLevelOptions(pattern="gpt2", special_tokens={"<|endoftext|>": 5000, "<|pad|>": 5001})
ENGINES: tuple[EngineChoice, ...] = ("fast", "reference")


def with_added(*added: AddedToken) -> bytes:
    tokenizer = Tokenizer.from_str(trained("llama3").decode())
    tokenizer.add_tokens(list(added))
    return tokenizer.to_str().encode()


@pytest.mark.parametrize("engine", ENGINES)
def test_text_that_spells_special_tokens_is_plain_text(engine: EngineChoice) -> None:
    """Their ids do not come out; ordinary added tokens do; decoding gives the text with them spelled."""
    for data, options in ((trained("gpt2"), None), (trained_ranks("gpt2"), RANK_OPTIONS)):
        tokenizer = from_bytes(data, "model", options, engine)
        ids, offsets = tokenizer.encode(TEXTS)
        assert not {tokenizer.eos_id, tokenizer.pad_id} & set(ids.tolist())
        assert tokenizer.decode(ids[offsets[1] : offsets[2]]) == TEXTS[1].as_py()
    added = orjson.loads(trained("gpt2"))["added_tokens"]
    tool = next(token["id"] for token in added if token["content"] == "<tool>")
    assert tool in from_bytes(trained("gpt2"), "model", None, engine).encode(TEXTS)[0]


@pytest.mark.parametrize("engine", ENGINES)
def test_allowed_special_tokens_come_out_of_text(engine: EngineChoice) -> None:
    """An allowed one is found, the others are not; the hash of the tokenizer says so."""
    allowed = {"allowed_special": ("<|endoftext|>",)}
    for data, options in ((trained("gpt2"), ByteLevelOptions()), (trained_ranks("gpt2"), RANK_OPTIONS)):
        plain = from_bytes(data, "model", options, engine)
        tokenizer = from_bytes(data, "model", options.model_copy(update=allowed), engine)
        ids = tokenizer.encode(TEXTS)[0].tolist()
        assert ids.count(tokenizer.eos_id) == 3 and tokenizer.pad_id not in ids
        assert tokenizer.sha256 != plain.sha256


def test_ordinary_added_tokens_are_found_alike() -> None:
    """Runs of white space and words as added tokens, longest first: both engines give the same ids."""
    runs = [AddedToken(" " * size, normalized=False) for size in range(2, 9)]
    data = with_added(*runs, AddedToken("\n\n", normalized=False), AddedToken("数据", normalized=False))
    fast, reference = (from_bytes(data, "model", None, engine) for engine in ENGINES)
    assert fast.path.startswith("gigatoken")
    texts = pa.concat_arrays(
        [hard_texts(seed=4, documents=400), pa.array([" " * n + "x\n\n\n数据数" for n in range(30)], pa.large_string())]
    )
    for mine, other in zip(fast.encode(texts), reference.encode(texts), strict=True):
        assert np.array_equal(mine, other)


@pytest.mark.parametrize(
    ("added", "why"),
    [
        (AddedToken("word", single_word=True), "single word"),
        (AddedToken("word", lstrip=True, normalized=False), "single word or takes white space"),
        (AddedToken("<tool", normalized=True), "found in the normalized text"),
        (AddedToken("text|>!", normalized=False), "overlaps a special one"),
    ],
)
def test_added_tokens_of_uncertain_order_go_through_the_library(added: AddedToken, why: str) -> None:
    """What the two libraries look for differently is not given to the fast one, and the path says why."""
    assert why in from_bytes(with_added(added), "model").path


def test_names_tell_what_begins_ends_and_pads() -> None:
    """Known names are found in the file, a chosen one counts first, and one that is not there is refused."""
    tokenizer = from_bytes(trained("gpt2"), "model")
    assert (tokenizer.bos_id, tokenizer.specials.by_text) == (
        None,
        {"<|endoftext|>": tokenizer.eos_id, "<|pad|>": tokenizer.pad_id},
    )
    chosen = from_bytes(trained("gpt2"), "model", ByteLevelOptions(bos="<|endoftext|>", pad="<|endoftext|>"))
    assert chosen.bos_id == chosen.pad_id == tokenizer.eos_id
    with pytest.raises(ConfigError, match=r"m\.json: the model has no special token '<s>': `bos` names it\. Use one"):
        from_bytes(trained("gpt2"), "m.json", ByteLevelOptions(bos="<s>"))
    with pytest.raises(ConfigError, match="`allowed_special` names it"):
        from_bytes(trained("gpt2"), "m.json", ByteLevelOptions(allowed_special=("<tool>",)))


def test_a_model_without_special_tokens_pads_with_zero() -> None:
    """No token begins or ends; padding is id 0, and `length` says what is padding."""
    bare = from_bytes(changed(trained("gpt2"), added_tokens=[]), "model")
    assert (bare.bos_id, bare.eos_id, bare.pad_id) == (None, None, 0)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_special_token_that_is_a_word_is_refused(engine: EngineChoice) -> None:
    """If plain text gives a special id, the model is refused with the token's name; allowed, it is taken."""
    file = orjson.loads(trained("gpt2"))
    word = {"id": file["model"]["vocab"]["a"], "content": "a", "special": True, "normalized": False}
    flags = {"single_word": False, "lstrip": False, "rstrip": False}
    data = changed(trained("gpt2"), added_tokens=[{**word, **flags}, *file["added_tokens"]])
    with pytest.raises(
        FormatError, match="special token 'a' is also a word of the vocabulary: plain text gives its id"
    ):
        from_bytes(data, "model", None, engine)
    allowed = from_bytes(data, "model", ByteLevelOptions(allowed_special=("a",)), engine)
    assert word["id"] in allowed.encode(pa.array(["banana"], pa.large_string()))[0]
