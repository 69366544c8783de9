"""Documents on which deduplication goes wrong elsewhere get the right first-seen verdict, by every scheme.

Peers that gave another answer when they were run on a case are named in a comment: datatrove 0.10.1 (its four MinHash
steps, Chinese as `cmn_Hani`), text-dedup 0.4.0 (its command, with one long text more, as it fails if nothing is left),
gaoya 0.2.2 (its MinHash index by words, asked before each insertion); 14 bands of 8, five words a shingle. Of texts of
fewer than five words datatrove never drops one, text-dedup leaves all out of its output, and gaoya takes all for equal.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
import pytest
from tests.stages.deduplication.sequential_loop import Verdict, sequential

from headrace.schemas.unit import UnitBatch
from headrace.stages.apply import apply
from headrace.stages.base import RunContext
from headrace.stages.dedup import Dedup
from headrace.stages.deduplication.options import MinHash, SimHash, Unit
from headrace.stages.deduplication.schemes import SCHEMES, Name
from headrace.stages.deduplication.signatures import from_columns

# What becomes of a document: `same` has an equal view, `empty` an empty one that is not the first, `near` has the very
# shingles of an earlier one, `close` nearly so (some schemes need not see it).
Meaning = Literal["kept", "same", "empty", "near", "close"]
NAMES = (*SCHEMES, "by signature", "simhash")
WORDS = [f"{a}{b}{c}" for a in ("ka", "lo", "mi", "ne", "su") for b in ("ra", "de", "to", "vi") for c in "nrstlmpgbd"]


def stage_of(name: str, *, exact: bool = True, verify: str | None = None) -> Dedup:
    options: dict[str, object] = {"minhash": {"scheme": name}}
    if name in ("by signature", "simhash"):
        options = {"simhash": {}} if name == "simhash" else {}
        verify = verify or "signature"
    return Dedup.model_validate({"exact": exact, "verify": verify, **options})


def unit_of(texts: Sequence[str]) -> UnitBatch:
    ids = pa.array([str(number) for number in range(len(texts))], pa.string())
    return UnitBatch(0, pa.table({"doc_id": ids, "text": pa.array(texts, pa.large_string())}))


def verdicts(stage: Dedup, texts: Sequence[str], run: Path) -> list[Verdict]:
    """Settle texts by the stage, all in one unit, and give reason, similarity and survivor of each."""
    batch, _ = stage.open(RunContext(run, "dedup", (), 0)).accept(apply("dedup", stage, unit_of(texts)))
    found: list[Verdict] = [(None, None, None)] * len(texts)
    for row in (row for table in batch.settled for row in table.to_pylist()):
        found[int(row["doc_id"])] = (row["reason"], row["value"], row["survivor"])
    return found


def prose(seed: int, words: int) -> list[str]:
    return random.Random(seed).choices(WORDS, k=words)


def chinese(seed: int, characters: int) -> str:
    """Give characters that are common ones by their place in the table, in an order that means nothing."""
    chance = random.Random(seed)
    return "".join(chr(0x4E00 + chance.randrange(0, 20000, 37)) for _ in range(characters))


def wrapped(text: str, width: int, between: str) -> str:
    """Cut a text into lines of so many characters."""
    return between.join(text[at : at + width] for at in range(0, len(text), width))


TEMPLATE = (
    "Read the notes before you begin . Keep the cover closed while the wheel turns and call the keeper if it stops"
)
THAI = "ภาษาไทยไม่มีช่องว่างระหว่างคำ"
CASES: dict[str, tuple[list[str], list[Meaning]]] = {
    # wrong elsewhere (datatrove, text-dedup, gaoya)
    "two short Chinese texts": (["很好。", "很好。", "很差。"], ["kept", "same", "kept"]),
    # wrong elsewhere (datatrove, text-dedup)
    "a Chinese sentence": (["今天天气很好。", "今天天气很好。"], ["kept", "same"]),
    # wrong elsewhere (datatrove, text-dedup, gaoya)
    "two words": (["too small", "too small", "too large"], ["kept", "same", "kept"]),
    # wrong elsewhere (text-dedup, gaoya)
    "nothing": (["", "", "a"], ["kept", "empty", "kept"]),
    "white space": ([" ", "\n\t", "\u3000", "\u200b\ufeff"], ["kept", "empty", "empty", "empty"]),
    "one word again and again": (["aaa " * n for n in (10, 50, 500)], ["kept", "near", "near"]),
    # wrong elsewhere (datatrove, text-dedup)
    "one character again and again": (["哈" * n for n in (30, 31, 3000)], ["kept", "near", "near"]),
    # wrong elsewhere (text-dedup, gaoya)
    "fewer words than a shingle": (["aaa", "aaa aaa", "aaa aaa aaa"], ["kept", "kept", "kept"]),
    "signs in a short text": (
        ["What is 3 + 4?", "What is 3 - 4?", "C++", "C#", "ok :)", "ok :(", "nice ❤", "nice 💔", "c++", "Too small!"],
        [*["kept"] * 8, "same", "kept"],
    ),
    "questions and exclamations": (
        ["Too small!", "Too small?", "too  small!", "很好。", "很好？"],
        [*["kept"] * 2, "same", *["kept"] * 2],
    ),
    # wrong elsewhere (text-dedup, gaoya)
    "unlike lines of verse": (
        ["床前明月光，疑是地上霜。", "春眠不觉晓，处处闻啼鸟。", "白日依山尽，黄河入海流。"],
        ["kept"] * 3,
    ),
    # wrong elsewhere (datatrove, text-dedup, gaoya)
    "emoji": (["👍👍👍", "👍👍👍", "👎👎👎"], ["kept", "same", "kept"]),
    # wrong elsewhere (text-dedup, gaoya)
    "skins and flags": (["👍🏽", "👍🏿", "🇨🇳", "🇩🇪", "❤"], ["kept"] * 5),
    # wrong elsewhere (text-dedup, gaoya)
    "joined emoji": (["👨\u200d👩\u200d👧", "👨\u200d👩\u200d👦", "👨\u200d👩\u200d👧"], ["kept", "kept", "same"]),
    # wrong elsewhere (text-dedup, gaoya)
    "composed or not": (
        ["déjà vu à la porte du café", "de\u0301ja\u0300 vu a\u0300 la porte du cafe\u0301"],
        ["kept", "same"],
    ),
    # wrong elsewhere (text-dedup, gaoya)
    "marks that matter": (["cafe", "café", "जल", "जाल"], ["kept"] * 4),
    # wrong elsewhere (text-dedup, gaoya)
    "one character apart": (["今天天气很好", "今天天气很坏"], ["kept", "kept"]),
    # wrong elsewhere (text-dedup, gaoya)
    "prices": (["价格：199元", "价格：299元", "price 199", "price 299"], ["kept"] * 4),
    # wrong elsewhere (datatrove, text-dedup, gaoya)
    "signs": (["-----", "=====", "-----", "！？！？"], ["kept", "kept", "same", "kept"]),
    # wrong elsewhere (datatrove, text-dedup, gaoya)
    "more of the same sign": (["*" * 40, "*" * 400, "#" * 40], ["kept", "near", "kept"]),
    # wrong elsewhere (datatrove)
    "numbers": ([" ".join(map(str, range(n, n + 90))) for n in (100, 300, 100)], ["kept", "kept", "same"]),
    "templates with much of their own": (
        [f"{TEMPLATE} {' '.join(prose(seed, 60))}" for seed in range(12)],
        ["kept"] * 12,
    ),
    "templates with little of their own": (
        [f"{' '.join(prose(1, 200))} {name}" for name in ("north", "south", "east")],
        ["kept", "close", "close"],
    ),
    # wrong elsewhere (datatrove, text-dedup)
    "a poem in both scripts": (
        [
            "萬里悲秋常作客，百年多病獨登臺。艱難苦恨繁霜鬢，潦倒新停濁酒杯。",
            "万里悲秋常作客，百年多病独登台。艰难苦恨繁霜鬓，潦倒新停浊酒杯。",
        ],
        ["kept", "same"],
    ),
    # wrong elsewhere (datatrove, text-dedup, gaoya)
    "wide letters": (["ＡＢＣ　ｄｅｆ ghi jkl mno pqr", "abc def ghi jkl mno pqr"], ["kept", "same"]),
    "Chinese among English": (
        [
            "用 pandas 读 CSV，再用 pyarrow 写 Parquet",
            "用 polars 读 JSON，再用 duckdb 写 Arrow",
            "用 pandas 读 CSV，再用 pyarrow 写 Parquet ",
        ],
        ["kept", "kept", "same"],
    ),
    # wrong elsewhere (gaoya)
    "Thai": ([THAI, THAI, "วันนี้อากาศดีมากเราไปเที่ยวทะเล"], ["kept", "same", "kept"]),
    # wrong elsewhere (text-dedup, gaoya)
    "Japanese": (["水車はゆっくり回る。", "水車はゆっくり回る。", "水路は決して枯れない。"], ["kept", "same", "kept"]),
    # wrong elsewhere (text-dedup, gaoya)
    "Korean": (["물레방아가 천천히 돈다", "물레방아가 천천히 돈다", "수로는 마르지 않는다"], ["kept", "same", "kept"]),
    # wrong elsewhere (text-dedup)
    "Arabic": (
        ["العجلة تدور ببطء في الماء", "العجلة تدور ببطء في الماء", "القناة لا تجف أبدا"],
        ["kept", "same", "kept"],
    ),
    "a text and its double": ([" ".join(prose(3, 200) * n) for n in (1, 2)], ["kept", "close"]),
    "a text and its first half": ([" ".join(prose(4, n)) for n in (240, 120)], ["kept", "kept"]),
    # wrong elsewhere (text-dedup, gaoya)
    "a Chinese text and its first half": ([chinese(5, n) for n in (240, 120)], ["kept", "kept"]),
}


@pytest.mark.parametrize("keys", ["with keys", "near alone"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", CASES)
def test_the_verdict_is_right(case: str, name: str, keys: str, tmp_path: Path) -> None:
    """Each document is dropped or kept as it should be, and as by a loop that asks, verifies and inserts."""
    (texts, meanings), exact = CASES[case], keys == "with keys"
    stage = stage_of(name, exact=exact)
    found = verdicts(stage, texts, tmp_path)
    equal = "exact_duplicate" if exact else "near_duplicate"
    reasons = {"kept": None, "same": equal, "empty": "exact_duplicate" if exact else None, "near": "near_duplicate"}
    loose = name == "simhash"  # a bit or two may differ
    for (reason, _, _), meaning in zip(found, meanings, strict=True):
        if meaning == "close":
            assert reason == "near_duplicate" or (loose and reason is None)
        else:
            assert reason == reasons[meaning]
    assert found == list(sequential(stage, [unit_of(texts)]).values())


@pytest.mark.parametrize("name", NAMES)
def test_unlike_chinese_texts_all_stay(name: str, tmp_path: Path) -> None:
    """Of 1,500 texts of 4 to 60 characters that share nothing but characters none is dropped."""
    texts = [chinese(seed, 4 + seed % 57) for seed in range(1500)]
    assert {reason for reason, _, _ in verdicts(stage_of(name), texts, tmp_path)} == {None}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_megabyte_is_no_special_case(language: str, name: str, tmp_path: Path) -> None:
    """Of long texts an unlike one stays, an equal one goes, and so does one with a word more."""
    makers = {"en": lambda seed: " ".join(prose(seed, 180_000)), "zh": lambda seed: chinese(seed, 350_000)}
    one, other = makers[language](1), makers[language](2)
    assert len(one.encode()) > 1_000_000
    reasons = [reason for reason, _, _ in verdicts(stage_of(name), [one, other, one, one + " 完 end"], tmp_path)]
    assert reasons == [None, None, "exact_duplicate", "near_duplicate"]


POEM = "床前明月光，疑是地上霜。举头望明月，低头思故乡。"
REPORT = "我们用pandas读取这些文件，再用pyarrow写入新的表格，最后检查每一行文字是不是完整的。"
WATER = "水車はゆっくり回り、水路は決して枯れない。番人は毎朝、門を開けて水を流す。"
SPELLINGS = {
    "hard-wrapped": (chinese(11, 400), wrapped(chinese(11, 400), 20, "\r\n")),
    "wrapped and indented": (chinese(12, 400), "\u3000\u3000" + wrapped(chinese(12, 400), 38, "\r\n\u3000\u3000")),
    "a verse a line": (POEM, wrapped(POEM, 6, "\n")),
    "spaced out": (POEM, " ".join(POEM)),
    "spaced out with wide spaces": (POEM, "\u3000".join(POEM)),
    "English inside": (REPORT, REPORT.replace("pandas", " pandas ").replace("pyarrow", " pyarrow\n")),
    "Japanese": (WATER, wrapped(WATER, 9, "\n")),
    "Thai": (THAI * 3, wrapped(THAI * 3, 10, "\n")),
    "shorter than a shingle": ("很好", "很 好"),
}


@pytest.mark.parametrize("name", sorted({*NAMES} - {"datatrove"}))
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_white_space_between_chinese_characters_does_not_count(spelling: str, name: str, tmp_path: Path) -> None:
    """A text without spaces between words and the same one in lines are alike by 1, and an unlike one stays.

    It is a near duplicate, not an exact one; by words, as datatrove has them, short texts are not found.
    """
    stage, (one, two) = stage_of(name), SPELLINGS[spelling]
    unlike = one[len(one) // 2 :][::-1] + wrapped(chinese(13, len(one)), 7, " ")
    found = verdicts(stage, [one, two, unlike], tmp_path)
    assert found == [(None, None, None), ("near_duplicate", 1.0, "0"), (None, None, None)]


def with_a_hole(words: Sequence[str], place: int, size: int) -> str:
    """Give a text whose words from a place on are others."""
    new = [f"{word}{place}" for word in words[place : place + size]]
    return " ".join([*words[:place], *new, *words[place + size :]])


def decoys(stage: Dedup, repeat: str, words: Sequence[str], count: int) -> list[str]:
    """Give texts that are a third unlike a text and are looked up with it: they share a band, or bits that lead."""
    size = len(words) // 5
    texts = [with_a_hole(words, place % (len(words) - size), size) for place in range(0, 7 * count, 7)]
    rules = stage.rules
    entries = from_columns(stage.prepare(unit_of([*texts, repeat]).documents), rules.pieces)
    last = entries.signatures[-1]
    if stage.simhash:
        keys = (entries.signatures.view(np.uint64) & rules.masks) == (last.view(np.uint64) & rules.masks)
    else:
        size = rules.bands * rules.rows * rules.width
        keys = (entries.signatures == last)[:, :size].reshape(len(texts) + 1, rules.bands, -1).all(axis=2)
    return [text for text, shared in zip(texts, keys[:-1].any(axis=1), strict=True) if shared]


@pytest.mark.parametrize("verify", ["sketch", "signature", "exact"])
@pytest.mark.parametrize("name", NAMES)
def test_false_positives_in_front_do_not_hide_a_repeat(name: str, verify: str, tmp_path: Path) -> None:
    """Texts that share a band with a repeat but are unlike it stand before the right one in its postings, and stay."""
    stage, words = stage_of(name, verify=verify), prose(7, 600)
    repeat = " ".join(words)
    right = repeat + (" ." if stage.simhash else " end")
    front = decoys(stage, repeat, words, 80)
    assert front
    *others, last = verdicts(stage, [*front, right, repeat], tmp_path)
    assert last[0] == "near_duplicate"
    assert last[2] == str(len(front))
    assert {reason for reason, _, _ in others} == {None}


@pytest.mark.parametrize("shared", [4, 80, 160, 800])
def test_the_threshold_itself_is_a_near_duplicate(shared: int, tmp_path: Path) -> None:
    """Sets of which just 0.8 is common are near, and with one word less in common they are not."""
    stage = Dedup(verify="exact", minhash=MinHash(bands=60, rows=1, shingle_size=1))
    words = [f"word{number}" for number in range(2000)]
    one, two = words[:shared], words[: shared + shared // 4]
    assert verdicts(stage, [" ".join(one), " ".join(two)], tmp_path)[1] == ("near_duplicate", 0.8, "0")
    assert verdicts(stage, [" ".join(one[1:]), " ".join(two)], tmp_path)[1] == (None, None, None)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_estimate_at_the_threshold_is_a_near_duplicate(scheme: Name, tmp_path: Path) -> None:
    """Eight of ten equal values are 0.8, and near; seven are not."""
    options = MinHash(scheme=scheme, bands=10, rows=1, shingles="words", shingle_size=1)
    stage, words = Dedup(minhash=options, verify="signature"), prose(8, 30)
    texts = [" ".join([*words, *(f"new{number}x{more}" for more in range(8))]) for number in range(200)]
    columns = stage.prepare(unit_of([" ".join(words), *texts]).documents)
    values = from_columns(columns, 20 if scheme == "datatrove" else 10).signatures.reshape(201, 10, -1)
    equal = (values[1:] == values[0]).all(axis=2).sum(axis=1)
    for count, reason in ((8, "near_duplicate"), (7, None)):
        text = texts[int(np.flatnonzero(equal == count)[0])]
        assert verdicts(stage, [" ".join(words), text], tmp_path)[1][0] == reason


@pytest.mark.parametrize("verify", ["sketch", "exact"])
def test_a_similarity_at_the_threshold_is_near(verify: str, tmp_path: Path) -> None:
    """Forty of fifty words in common are 0.8, and near; 39 are not. A sketch knows it as well: so few never meet."""
    stage = Dedup.model_validate({"verify": verify, "minhash": {"bands": 60, "rows": 1, "shingle_size": 1}})
    words = prose(8, 200)
    shared = list(dict.fromkeys(words))[:40]
    for common, reason in ((40, "near_duplicate"), (39, None)):
        one = " ".join([*shared, *(f"one{n}" for n in range(5))])
        two = " ".join([*shared[:common], *(f"two{n}" for n in range(45 - common))])
        assert verdicts(stage, [one, two], tmp_path)[1][0] == reason


@pytest.mark.parametrize("bits", range(3, 7))
def test_fingerprints_as_far_apart_as_allowed_are_near(bits: int, tmp_path: Path) -> None:
    """Texts whose fingerprints differ in so many bits are near duplicates, with a bit more they are not."""
    stage, words = Dedup(simhash=SimHash(bits=bits)), prose(9, 300)
    texts = [with_a_hole(words, place, size) for place in range(0, 280, 2) for size in (1, 4, 12)]
    prints = from_columns(stage.prepare(unit_of([" ".join(words), *texts]).documents), 2).signatures.view(np.uint64)
    apart = np.bitwise_count(prints[1:, 0] ^ prints[0, 0])
    for distance, reason in ((bits, "near_duplicate"), (bits + 1, None)):
        text = texts[int(np.flatnonzero(apart == distance)[0])]
        assert verdicts(stage, [" ".join(words), text], tmp_path)[1][0] == reason


@pytest.mark.parametrize("shingles", get_args(Unit))
@pytest.mark.parametrize("name", [*SCHEMES, "simhash"])
def test_signs_tell_short_texts_apart(name: str, shingles: Unit, tmp_path: Path) -> None:
    """Words leave signs out, but sums, names and faces shorter than a shingle are compared with their signs."""
    pairs = ["3 {} 4", "What is 3 {} 4?", "C{}", "ok :{}", "a {} b", "很好{}", "今天 {} 明天", "x {} y " + "." * 200]
    texts = [pair.format(sign) for pair in pairs for sign in ("+", "-")]
    near = {"simhash": {}} if name == "simhash" else {"minhash": {"scheme": name}}
    options = {method: {**given, "shingles": shingles} for method, given in near.items()}
    stage = Dedup.model_validate({"exact": False, **options})
    found = [reason for reason, _, _ in verdicts(stage, [*texts, *texts], tmp_path)]
    assert found == [None] * len(texts) + ["near_duplicate"] * len(texts)
