"""How often bytes come back as the text that they hold, and how fast, beside charset-normalizer, chardet and cchardet.

Real texts are cut to 24, 200 and 4,000 characters and re-encoded into every charset that holds them. A sample counts
when the decoded text equals the truth. Signs to which vendors give different code points (· and ・ of GB 2312, • and ‧
of Big5) are folded first, and the samples that differ in nothing else are counted apart.

Texts of 24 characters of which one to three are Han are scored as one figure: a peer that answers Big5 to all of them
is right on all those in Big5, so single charsets are not compared there.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.detectors import CCHARDET, CHARDET, CHARSET_NORMALIZER, OURS, PEERS, Reader, readers, releases
from benchmarks.encoding_samples import FEW_HAN, KINDS, LENGTHS, Kind, Sample, corpus_texts, samples
from benchmarks.harness import Benchmark, Measured, Scale, Target, progress
from benchmarks.text import corpus_folder

from headrace.stages.decoding.decoder import decode, decode_rows
from headrace.stages.decoding.rows import rows_of_values

TARGETS = {
    "exact_4000_share": Target(0.998, 1.0),
    "exact_200_share": Target(0.997, 0.999),
    "exact_24_share": Target(0.995, 0.998),
    "exact_1_3_han_share": Target(0.92, 0.95),
    "single_byte_share": Target(0.96, 0.98),
    "codecs_behind_best_peer": Target(2, 0),
    "vs_charset_normalizer": Target(7, 15),
    "vs_chardet": Target(20, 40),
}
_FEW = 0  # stands for a length: 24 characters, one to three of them Han
_SHORT = LENGTHS[0]
_FEWEST = 20  # samples of a kind: fewer say nothing
_ROUNDS = 5
# Signs to which vendors give different code points for one and the same code.
_VENDOR_SIGNS = (
    "·・‧•",
    "—―",
    "﹑､",
    "¯‾￣",
    "～∼〜",
    "⊕♁",
    "⊙☉",
    "∕／",
    "﹨＼",
    "￥¥",
    "￠¢",
    "￡£",
    "－−",
    "∥‖",
    "￢¬",
)
_FOLDED = {ord(sign): signs[0] for signs in _VENDOR_SIGNS for sign in signs[1:]}


@dataclass(frozen=True, slots=True)
class Size:
    """Samples a length of Chinese charsets and of others, how many of them peers read, and texts that are timed."""

    chinese: int
    others: int
    peers: int
    slow_peers: int  # charset-normalizer takes 10 ms and more for 4,000 characters
    timed: int  # a round


SIZES: dict[Scale, Size] = {
    "full": Size(500, 170, 170, 40, 60),
    "quick": Size(60, 40, 40, 4, 20),
    "tiny": Size(2, 1, 1, 1, 1),
}


@dataclass(frozen=True, slots=True)
class Score:
    """How many of how many samples came back exactly, and how many more but for signs that depend on the vendor."""

    right: int
    vendor: int
    count: int

    @property
    def share(self) -> float:
        """The share that is right, signs of vendors folded."""
        return (self.right + self.vendor) / self.count


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of samples of one length: our score on all, and each peer beside us on those that it read too."""

    kind: Kind
    length: int
    ours: Score
    peers: Mapping[str, tuple[Score, Score]]  # theirs, ours

    @property
    def behind(self) -> bool:
        """Say whether a peer is better on the samples that both read."""
        return any(theirs.share > ours.share for theirs, ours in self.peers.values())


def measure(scale: Scale, seed: int) -> Measured:
    """Score all readers, then time them on texts in GBK."""
    corpus = corpus_folder()
    if corpus is None:
        raise SystemExit("no texts: set HEADRACE_CORPUS")
    texts, size, found = corpus_texts(corpus), SIZES[scale], readers()
    rows = [
        row
        for length in (*LENGTHS, _FEW)
        for kind in (KINDS if length else FEW_HAN)
        if (row := _scored(texts, kind, length, size, seed, found)) is not None
    ]
    timed = [sample.data for sample in samples(texts, Kind("gbk", "hans"), LENGTHS[-1], size.timed * _ROUNDS, seed + 1)]
    rounds = [timed[number::_ROUNDS] for number in range(_ROUNDS)]
    figures = _figures(rows) | _speeds(_timed(found, rounds)) | _batch_speed(texts, size, seed)
    counted = {"samples": sum(row.ours.count for row in rows), "codecs": len({row.kind.codec for row in rows})}
    absent = [f"absent: {name} (`make bench-env` installs it)" for name in PEERS if name not in found]
    return Measured(
        figures, {**counted, "timed_texts": len(timed), "rounds": _ROUNDS}, [*_table(rows), *absent], releases()
    )


def _scored(
    texts: Mapping[str, Sequence[str]], kind: Kind, length: int, size: Size, seed: int, found: Mapping[str, Reader]
) -> Row | None:
    """Score all readers on one kind of samples; None where there is too little text of the language."""
    count = size.chinese if kind.chinese else size.others
    chosen = samples(texts, kind, length or _SHORT, count, seed)
    if len(chosen) < min(_FEWEST, count):
        return None
    progress(f"{kind.codec} {kind.language} {length}: {len(chosen)} samples")
    peers = {}
    for name in PEERS:
        if name in found:
            slow = name == CHARSET_NORMALIZER and length == LENGTHS[-1]
            part = chosen[: size.slow_peers if slow else size.peers]
            peers[name] = _score(found[name], part), _score(found[OURS], part)
    return Row(kind, length, _score(found[OURS], chosen), peers)


def _score(read: Reader, chosen: Sequence[Sample]) -> Score:
    right = vendor = 0
    for sample in chosen:
        text = read(sample.data)
        if text == sample.text:
            right += 1
        elif text is not None and text.translate(_FOLDED) == sample.text.translate(_FOLDED):
            vendor += 1
    return Score(right, vendor, len(chosen))


def _timed(found: Mapping[str, Reader], rounds: Sequence[Sequence[bytes]]) -> dict[str, list[float]]:
    """Give the seconds a byte of each reader, round by round; every round has texts of its own, since peers cache."""
    seconds: dict[str, list[float]] = {name: [] for name in found}
    for data in rounds:
        for name, read in found.items():
            start = time.perf_counter()
            for one in data:
                read(one)
            seconds[name].append((time.perf_counter() - start) / sum(map(len, data)))
    return seconds


def _speeds(seconds: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Give ours in MB a second, and the median of the peers' rounds as ratios to it."""
    ours = statistics.median(seconds[OURS])
    figures = {"headrace_mb_s": 1e-6 / ours}
    keys = {CHARDET: "vs_chardet", CHARSET_NORMALIZER: "vs_charset_normalizer", CCHARDET: "vs_faust_cchardet"}
    return figures | {keys[name]: statistics.median(seconds[name]) / ours for name in PEERS if name in seconds}


def _batch_speed(texts: Mapping[str, Sequence[str]], size: Size, seed: int) -> dict[str, float]:
    """Give the microseconds a text of 24 characters takes alone, and as one of many in one call."""
    data = [sample.data for sample in samples(texts, Kind("gbk", "hans"), _SHORT, 50 * size.timed, seed + 1)]
    rows = rows_of_values(data)
    alone, together = [], []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        for one in data:
            decode(one)
        alone.append(time.perf_counter() - start)
        start = time.perf_counter()
        decode_rows(rows, [None] * len(data)).array()
        together.append(time.perf_counter() - start)
    scale = 1e6 / len(data)
    return {
        "us_a_24_text": statistics.median(alone) * scale,
        "us_a_24_text_in_batch": statistics.median(together) * scale,
    }


def _figures(rows: Sequence[Row]) -> dict[str, float]:
    figures = {}
    for length in LENGTHS:
        chinese = [row.ours for row in rows if row.length == length and row.kind.chinese]
        figures[f"exact_{length}_share"] = _share(chinese)
    figures["exact_1_3_han_share"] = _share([row.ours for row in rows if row.length == _FEW])
    for key, length in (("single_byte_share", LENGTHS[1]), ("single_byte_24_share", _SHORT)):
        figures[key] = _share([row.ours for row in rows if row.kind.single_byte and row.length == length])
    figures["codecs_behind_best_peer"] = len({row.kind.codec for row in rows if row.behind and row.length != _FEW})
    figures["vendor_mapped_samples"] = sum(row.ours.vendor for row in rows)
    return figures


def _share(scores: Sequence[Score]) -> float:
    return sum(score.right + score.vendor for score in scores) / max(1, sum(score.count for score in scores))


def _table(rows: Sequence[Row]) -> list[str]:
    """Lay out all scores; `<` marks a row in which a peer is better on the samples that both read."""
    heading = f"{'charset':14}{'text':6}{'length':>8}{'n':>6}{'headrace':>10}"
    names = [name for name in PEERS if any(name in row.peers for row in rows)]
    lines = [heading + "".join(f"{name:>20}" for name in names)]
    for row in rows:
        length = row.length or "1-3 Han"
        line = f"{row.kind.codec:14}{row.kind.language:6}{length:>8}{row.ours.count:>6}{row.ours.share:>10.3f}"
        shares = [f"{row.peers[name][0].share:.3f} ({row.peers[name][0].count})" for name in names if name in row.peers]
        lines.append(line + "".join(f"{share:>20}" for share in shares) + (" <" if row.behind else ""))
    return lines


BENCHMARK = Benchmark("encodings", "Bytes of any charset come back as the right text, and fast", TARGETS, measure)

if __name__ == "__main__":
    BENCHMARK.command()
