"""The kernel of normalization and its twin write the same bytes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tokenizers.model_bytes import Flags, with_flags
from tests.tokenizers.normalizing.awkward import RULES, SYMBOLS, TEXTS, packed, table, unpacked

from headrace.tokenizers.kernels.normalize_plain import normalize_text
from headrace.tokenizers.kernels.normalize_tables import Manner, Tables
from headrace.tokenizers.model_file import read_model
from headrace.tokenizers.normalizing.normalizer import Normalizer, normalizer_of

Engine = Callable[[Normalizer, list[bytes], bool], list[bytes]]
BARE = Flags(prefix=False, squeeze=False)


def by_kernel(normalizer: Normalizer, texts: list[bytes], folded: bool) -> list[bytes]:  # noqa: FBT001
    return unpacked(*normalizer.normalize(*packed(texts), folded=folded))


def by_twin(normalizer: Normalizer, texts: list[bytes], folded: bool) -> list[bytes]:  # noqa: FBT001
    tables: Tables = normalizer.tables
    manner: Manner = normalizer.manner(folded=folded)
    return [normalize_text(text, tables, manner) for text in texts]


def made(rule: str, flags: Flags, symbols: tuple[str, ...] = ()) -> Normalizer:
    return normalizer_of(read_model(with_flags(table(rule), symbols, flags), "m.model"), "m.model")


@pytest.mark.parametrize("engine", [by_kernel, by_twin])
@pytest.mark.parametrize(
    ("rule", "flags", "text", "normalized"),
    [
        ("identity", BARE, "a b\n", "a\u2581b\n"),
        ("identity", Flags(), "  a  b  ", "\u2581a\u2581b"),
        ("identity", Flags(suffix=True), "  a  b  ", "a\u2581b\u2581"),
        ("identity", Flags(escape=False), "  a  b  ", " a b"),
        ("identity", Flags(), "   ", ""),
        ("identity", Flags(squeeze=False), "   ", "\u2581\u2581\u2581\u2581"),
        ("identity", Flags(), "a\u2581\u2581", "\u2581a"),
        ("nmt_nfkc", Flags(), "Ｔｈｅ\nﬁrst\t，", "\u2581The\u2581first\u2581,"),
        ("nmt_nfkc", Flags(), "\x01  ", ""),
        ("nmt_nfkc", Flags(suffix=True), "\x01  ", "\u2581"),
        ("nfkc_cf", BARE, "A\u030aBC", "åbc"),
        ("nfkc", BARE, "か\u3099か", "がか"),
    ],
)
def test_known_texts(engine: Engine, rule: str, flags: Flags, text: str, normalized: str) -> None:
    """White space, prefix, suffix and rules are as the library's documentation has them."""
    assert engine(made(rule, flags), [text.encode()], False) == [normalized.encode()]


@settings(max_examples=150)
@given(st.sampled_from(RULES), st.sampled_from(SYMBOLS), st.builds(Flags, *[st.booleans()] * 4), st.booleans(), TEXTS)
def test_kernel_and_twin_agree(
    rule: str,
    symbols: tuple[str, ...],
    flags: Flags,
    folded: bool,  # noqa: FBT001
    texts: list[bytes],
) -> None:
    """Whatever the bytes, the rules, the symbols and the flags, both write the same."""
    normalizer = made(rule, flags, symbols)
    folded = folded and flags.escape
    assert by_kernel(normalizer, texts, folded) == by_twin(normalizer, texts, folded)
