"""Normalized text is the library's, byte for byte, whatever the rules, the flags, the symbols and the text."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tokenizers.model_bytes import Flags, bytes_field, charsmap, made_charsmap, model, rules, trainer, with_flags
from tests.tokenizers.normalizing.awkward import (
    MARK,
    PLAIN_TEXTS,
    RULES,
    SYMBOLS,
    TEXTS,
    by_library,
    packed,
    table,
    unpacked,
)

from headrace.schemas.errors import FormatError
from headrace.tokenizers.model_file import read_model
from headrace.tokenizers.normalizing.normalizer import BEHIND, Normalizer, denormalizer_of, normalizer_of

FLAGS = [Flags(*flags) for flags in product((True, False), repeat=4)]
NO_WAY = 1 << 31
BEHIND_THE_SLICE = "\u0301\u3099".encode() + b" a" * 40  # of no text: it must not change one, and is there to be read
_WHOLE = b"".join(PLAIN_TEXTS)


def ours(data: bytes) -> Normalizer:
    return normalizer_of(read_model(data, "m.model"), "m.model")


def check(data: bytes, texts: list[bytes]) -> None:
    """Compare the library's texts with ours, and with ours in which U+2581 is one byte."""
    normalizer, wanted = ours(data), by_library(data, texts)
    assert unpacked(*normalizer.normalize(*packed(texts))) == wanted
    assert unpacked(*normalizer.normalize(*packed(texts, BEHIND_THE_SLICE))) == wanted
    if normalizer.rules.escape_whitespaces:
        folded = [text.replace(MARK, b" ") for text in wanted]
        assert unpacked(*normalizer.normalize(*packed(texts), folded=True)) == folded


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("symbols", SYMBOLS, ids=len)
def test_awkward_texts_come_out_as_from_the_library(rule: str, symbols: tuple[str, ...]) -> None:
    """Each awkward piece alone, twice, between letters, and all in a row, under all sixteen settings of the flags."""
    texts = [shape for text in PLAIN_TEXTS for shape in (text, text * 2, b" " + text + b" ", b"a" + text + b"b")]
    for flags in FLAGS:
        check(with_flags(table(rule), symbols, flags), [*texts, _WHOLE, _WHOLE[::-1], b""])


@settings(max_examples=150)
@given(st.sampled_from(RULES), st.sampled_from(SYMBOLS), st.sampled_from(FLAGS), TEXTS)
def test_any_bytes_come_out_as_from_the_library(
    rule: str, symbols: tuple[str, ...], flags: Flags, texts: list[bytes]
) -> None:
    """Texts of any characters and broken bytes are normalized as by the library."""
    check(with_flags(table(rule), symbols, flags), texts)


@settings(max_examples=150)
@given(
    st.dictionaries(st.text("ab 中\u0300é", min_size=1, max_size=3), st.text("ab \u2581中", max_size=5), min_size=1),
    st.lists(st.text("ab 中é\u0300<", min_size=2, max_size=4), min_size=3, max_size=9, unique=True),
    st.sampled_from(FLAGS),
    st.lists(st.text("ab 中\u0300é<\u2581", min_size=20).map(str.encode), min_size=20, max_size=40),
)
def test_any_rules_and_symbols_are_kept(
    pairs: dict[str, str], symbols: list[str], flags: Flags, texts: list[bytes]
) -> None:
    """Rules and symbols that overlap in any way are applied as the library applies them."""
    changes = {replaced: written for replaced, written in pairs.items() if replaced != written}
    check(with_flags(made_charsmap(changes) if changes else b"", symbols, flags), texts)


def test_a_symbol_hides_another_one_that_begins_inside_it() -> None:
    """A symbol that no rule touches is still what keeps a rule-breaking one, begun inside it, from being found."""
    data = with_flags(made_charsmap({"b": "B"}), ("xy", "yz", "zb", "wx"), Flags(prefix=False))
    texts = [b"xyzb", b"yzb", b"xzb", b"zb", b"wxyzb", b"xxyzb", b"wxzb"]
    assert by_library(data, texts[:2]) == [b"xyzb", b"yzB"]
    check(data, texts)


def test_symbols_nested_deeper_than_the_library_looks() -> None:
    """Of seventy symbols that begin alike the library takes the 64th, and so do the kernel and its tables."""
    symbols = ["A" * length for length in range(2, 72)]
    data = with_flags(table("nmt_nfkc_cf"), symbols, Flags(prefix=False))
    assert by_library(data, [b"A" * 66]) == [b"A" * 65 + b"a"]
    check(data, [b"A" * length for length in (1, 63, 64, 65, 66, 80, 200)])


def test_spaces_that_begin_something_are_not_passed_over() -> None:
    """In a row of spaces the last ones may belong to a symbol or rule, also where spaces are squeezed."""
    texts = [b"a" + b" " * count + text for count in range(5) for text in (b"x", b"z", b"\xcc\x81", b"")]
    for pairs in ({"x": "y", " z": "Z"}, {"x": "y", "  z": "Z", " \u0301": "\u00b4"}):
        for flags in FLAGS:
            check(with_flags(made_charsmap(pairs), ("  x",), flags), texts)


def chain(key: bytes, *, every: bool, unused: int) -> bytes:
    """Make by hand a table for a key, or for every beginning of it: a block of units for each of its bytes.

    What stands for the first n bytes is the n-th letter from A on. Units that nothing needs are `unused`: NO_WAY, or
    zero, which a NUL in the text takes for a way on.
    """
    units = np.full((len(key) + 2, 256), unused, np.uint32)
    units[0, 0] = 0
    place = 0
    for step, byte in enumerate((*key, None)):
        base = 256 * (step or len(key) + 1)
        units.flat[place] |= np.uint32((place ^ base) << 10)
        if step and (every or byte is None):
            units.flat[place] |= np.uint32(1 << 8)
            units.flat[base] = np.uint32(1 << 31 | 2 * step)
        if byte is not None:
            place = base ^ byte
            units.flat[place] = byte
    replacements = b"\0\0" + b"".join(bytes([ord("A") + step, 0]) for step in range(len(key)))
    return (units.nbytes).to_bytes(4, "little") + units.astype("<u4").tobytes() + replacements


def test_a_rule_of_broken_bytes_is_kept() -> None:
    """A key that is no text, which only a table made by hand has, is found in broken texts as by the library."""
    data = with_flags(chain(b"a\xff", every=False, unused=NO_WAY), (), Flags(prefix=False))
    assert by_library(data, [b"ba\xffa"]) == [b"bBa"]
    check(data, [b"ba\xffa", b"a", b"a\xfe", b"\xff", b"a" * 40 + b"\xff"])
    check(
        with_flags(chain(b"\xff\xfe", every=False, unused=NO_WAY), (), Flags()), [b"\xff\xfe", b"\xff", b"\xff\xff\xfe"]
    )


def test_rules_nested_deeper_than_the_library_looks() -> None:
    """Of forty rules that begin alike the library takes the 32nd at most."""
    texts = [b"z" * length for length in (1, 31, 32, 33, 39, 100)]
    data = with_flags(chain(b"z" * 39, every=True, unused=0), (), Flags(prefix=False))
    assert by_library(data, [b"z" * 5, b"z" * 35]) == [b"E", b"`C"]
    check(data, [*texts, *(text + b"\0" for text in texts), b"z\0z", b"\0\0z"])


@pytest.mark.parametrize(("rule", "squeeze"), [("identity", False), ("nmt_nfkc", True), ("nfkc_cf", False)])
def test_every_file_of_the_corpus(corpus: Path, rule: str, *, squeeze: bool) -> None:
    """The bytes of all files of the corpus, text or not, come out as from the library."""
    files = sorted(path for path in corpus.rglob("*") if path.is_file() and path.stat().st_size < 300_000)
    check(with_flags(table(rule), SYMBOLS[1], Flags(squeeze=squeeze)), [path.read_bytes() for path in files])


def test_every_code_point_alone_and_between_letters() -> None:
    """All code points, surrogates among them, are normalized as by the library, each in four contexts."""
    points = np.arange(0x110000, dtype=np.uint32).tobytes().decode("utf-32-le", "surrogatepass")
    data = with_flags(table("nmt_nfkc_cf"), ("<s2>",), Flags(prefix=False))
    for form in ("{0}", "a{0} ", "中{0}\u0300", "{0}{0}"):
        texts = [
            "".join(form.format(point) for point in points[begin : begin + 4096]).encode("utf-8", "surrogatepass")
            for begin in range(0, len(points), 4096)
        ]
        check(data, texts)


def test_texts_grow_beyond_any_guess() -> None:
    """A text of one ligature, which becomes eleven times as long, and texts behind it come out whole."""
    texts = [b"a", "\ufdfa".encode() * 20_000, b"", b"b" * 100, "\ufdfa".encode() * 50_000]
    check(with_flags(charsmap("nmt_nfkc"), (), Flags()), texts)


def test_texts_of_a_slice_are_read_where_they_are() -> None:
    """Offsets that do not begin at 0 are those of a slice; what is outside it has no part in the result."""
    data, offsets = packed([b"caf", "\u0301 left out".encode(), "e\u0301 ".encode(), "\u0301 left out".encode()])
    normalizer = ours(with_flags(charsmap("nfkc"), (), Flags(prefix=False, squeeze=False)))
    assert unpacked(*normalizer.normalize(data, offsets[2:4])) == ["é\u2581".encode()]
    assert unpacked(*normalizer.normalize(data, offsets[4:])) == []


@pytest.mark.parametrize("folded", [True, False], ids=["folded", "marks"])
def test_zeros_are_behind_the_last_text(*, folded: bool) -> None:
    """However the room was guessed, there are zeros behind the last text, for readers of many bytes at once."""
    normalizer = ours(with_flags(b"", (), Flags(squeeze=False)))
    space = b" " if folded else MARK
    for size in range(1, 1500, 7):
        normalized, ends = normalizer.normalize(*packed([b"one", b" " * size]), folded=folded)
        whole = normalized.base
        assert isinstance(whole, np.ndarray)
        assert whole[: ends[-1] + BEHIND].tobytes() == space + b"one" + space * (size + 1) + bytes(BEHIND)


def test_folding_needs_escaped_spaces() -> None:
    """A model that leaves spaces as they are has two kinds of them: they cannot become one."""
    normalizer = ours(with_flags(b"", (), Flags(escape=False)))
    with pytest.raises(ValueError, match="two things"):
        normalizer.normalize(*packed([b"a b"]), folded=True)


def test_decoded_text_is_rewritten_by_rules_of_its_own() -> None:
    """The denormalizer is none where the model has no rules for it, and follows its own flags where it has."""
    plain = read_model(model(), "m.model")
    assert denormalizer_of(plain, "m.model") is None
    spec = rules(charsmap("nmt_nfkc"), prefix=False, squeeze=False, escape=False)
    made = denormalizer_of(read_model(model(more=bytes_field(5, spec)), "m.model"), "m.model")
    assert made is not None
    assert unpacked(*made.normalize(*packed(["Ａ\nb".encode()]))) == [b"A b"]


def _broken_tables() -> dict[str, bytes]:
    whole = charsmap("nmt_nfkc")
    size = int.from_bytes(whole[:4], "little")
    outside = bytearray(whole)
    outside[4:8] = (0x1FFFFF << 10).to_bytes(4, "little")
    return {
        "cut short": whole[:3],
        "do not fit": whole[: size + 4],
        "of its index": (size - 4).to_bytes(4, "little") + whole[4:],
        "has no end": whole[:-1] + b"x",
        "points outside itself": bytes(outside),
        "has no beginning": whole[:4] + bytes(4) + whole[8:],
        "points outside the replacements": whole[: size + 4] + b"\0",
    }


@pytest.mark.parametrize(("why", "blob"), _broken_tables().items(), ids=_broken_tables())
def test_broken_rules_are_refused(why: str, blob: bytes) -> None:
    """A table that the library refuses is refused here too, with what is wrong with it."""
    data = model(normalizer=rules(blob, name="mine"), training=trainer())
    with pytest.raises(RuntimeError):
        sentencepiece.SentencePieceProcessor(model_proto=data)
    with pytest.raises(FormatError, match=rf"m\.model: the normalization rules \(mine\).*{why}.*Train the model again"):
        ours(data)
