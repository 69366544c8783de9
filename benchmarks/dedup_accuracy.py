"""Near duplicates found and missed: precision and recall of pairs, beside datasketch, rensa, text-dedup and gaoya.

The truth is the exact Jaccard similarity of the texts' shingles (five words or, in Chinese, characters of the view),
measured on all pairs. Planted sets: new documents and a copy of each, changed by scattered words, a block, insertions,
shuffled pieces or a cut end, with similarities spread evenly between 0.5 and 0.95: as many pairs as can be lie where
it is hard to decide. Corpus: revisions and licences; the truth comes with them, by their makers' shingles.

All sign with 14 bands of 8 rows and several seeds, and are verified alike: by their own signatures, by our sketches of
the sets that they saw, or exactly.
datasketch, rensa and gaoya get our shingles as tokens. text-dedup cuts the views itself, in Chinese at punctuation; it
is held against the exact similarity of its own n-grams, which is all it can know. The row `text-dedup, ours true` says
what is left of that if characters are meant. `precision_080` and `recall_080` are those of the stage `dedup` without
options on the planted sets at 0.8, and the best peer is verified as this stage is, by sketches, which no peer has: by
what a peer has itself its recall is lower, `recall_080_by_signature_*`. `alike_070_of_dropped_080` is the
share of what is dropped at 0.8 that is at least 0.7 alike: how far from right the wrong ones are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks import dedup_answers, dedup_peers, dedup_truth, text
from benchmarks.dedup_planted import CHANGES
from benchmarks.dedup_truth import Known, Pairs, Score, exactly, scored, sketched, table
from benchmarks.harness import Benchmark, Measured, Scale, Target, progress

from headrace.stages.dedup import Dedup
from headrace.stages.deduplication.bands import optimal_bands
from headrace.stages.deduplication.options import MinHash
from headrace.stages.deduplication.schemes import SCHEMES, Name
from headrace.stages.deduplication.shingles import Shingling

TARGETS = {"precision_080": Target(0.97, 0.98), "recall_080_minus_best_peer": Target(-0.01, 0)}
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
_AT, _MARGIN = 0.8, 0.1
_BANDS, _ROWS, _SLOTS = 14, 8, 128
_BITS = (3, 6)
_NOT, _SIGNATURE, _SKETCH, _EXACT = "not verified", "by signature", "by sketch", "exactly"
_WAYS = {"signature": _SIGNATURE, "sketch": _SKETCH, "exact": _EXACT}  # of the stage
_TEXT_DEDUP, _TEXT_DEDUP_OURS = "text-dedup", "text-dedup, ours true"
Row = Mapping[float, Score]
Rows = dict[str, dict[str, Row]]  # by way of verification, by tool
Answered = tuple[Pairs, Known, Pairs]  # what a tool says, of which set, and what is true
Answer = Callable[[Known, int, int, int], "Answered | None"]  # set, bands, rows, seed; None: the tool is absent


@dataclass(frozen=True, slots=True)
class Size:
    """Documents a language, each with its copy, and seeds."""

    documents: int
    seeds: int


SIZES: dict[Scale, Size] = {"full": Size(3_000, 5), "quick": Size(500, 2), "tiny": Size(30, 1)}


def measure(scale: Scale, seed: int) -> Measured:
    """Plant, compare all pairs, and ask everyone."""
    size, there = SIZES[scale], dedup_peers.peers()
    progress("planting")
    planted = [dedup_truth.planted(language, seed, size.documents) for language in text.LANGUAGES]
    folder = text.corpus_folder()
    corpus = dedup_truth.corpus(folder) if folder else []
    seeds, tools = range(1, size.seeds + 1), our_tools() | peer_tools(there)
    notes = [f"absent: {name} (make bench-env)" for name in missing(there)]
    progress("asking")
    found = asked(tools, planted, seeds)
    rows = verified(found)
    notes += tables(f"planted, {_BANDS} bands of {_ROWS}", rows)
    chinese = {name: [one for one in answers if one[1].name == "planted zh"] for name, answers in found.items()}
    notes += tables("planted Chinese", verified(chinese))
    if corpus:
        notes += tables("corpus", verified(asked(tools, corpus, seeds)))
    progress("bands of the optimizer, presets, fingerprints")
    notes += tables(f"planted, bands of the optimizer for {_SLOTS} values", cut(tools, planted))
    notes += tables("planted, the presets' bands and shingles", presets(planted, seeds))
    prints = fingerprints(planted, there)
    notes += [*tables("planted, fingerprints", prints), *by_change(planted, seeds)]
    values = figures(rows, prints) | {"alike_070_of_dropped_080": alike(planted, seeds)}
    sets = {f"pairs_{known.name}": len(known.pairs.members) for known in (*planted, *corpus)}
    described = {"documents": 4 * size.documents, "seeds": size.seeds, **sets}
    return Measured(values, described, notes, dedup_peers.versions())


def our_tools() -> dict[str, Answer]:
    """Give the schemes of the stage, with the same bands and shingles."""

    def tool(scheme: Name) -> Answer:
        def ask(known: Known, bands: int, rows: int, seed: int) -> Answered:
            options = MinHash(scheme=scheme, bands=bands, rows=rows, shingles="auto")
            return dedup_answers.ours(known, options, seed), known, known.truth

        return ask

    return {f"our {scheme}": tool(scheme) for scheme in SCHEMES}


def peer_tools(there: dedup_peers.Peers) -> dict[str, Answer]:
    """Give the peers that are there."""

    def datasketch(known: Known, bands: int, rows: int, seed: int) -> Answered:
        return dedup_answers.by_datasketch(known, bands, rows, seed), known, known.truth

    def rensa(known: Known, bands: int, rows: int, seed: int) -> Answered:
        return dedup_answers.by_rensa(there.rensa, known, bands, rows, seed), known, known.truth

    def text_dedup(known: Known, bands: int, rows: int, seed: int) -> Answered | None:
        said = dedup_answers.by_text_dedup(known, bands, rows, seed)
        return said and (*said, said[1].pairs)

    tools: dict[str, Answer] = {"datasketch": datasketch}
    if there.rensa:
        tools["rensa"] = rensa
    return tools | {_TEXT_DEDUP: text_dedup}


def asked(tools: Mapping[str, Answer], sets: Sequence[Known], seeds: Sequence[int]) -> dict[str, list[Answered]]:
    """Ask every tool for each set with each seed, and hold text-dedup's answers against our truth besides."""
    found: dict[str, list[Answered]] = {}
    for name, tool in tools.items():
        answers = [tool(known, _BANDS, _ROWS, seed) for known in sets for seed in seeds]
        found[name] = [one for one in answers if one is not None]
    truths = {known.name: known.truth for known in sets}
    found[_TEXT_DEDUP_OURS] = [(pairs, known, truths[known.name]) for pairs, known, _ in found[_TEXT_DEDUP]]
    return found


def verified(found: Mapping[str, Sequence[Answered]]) -> Rows:
    """Score what shares a band, then what signatures, sketches and exact similarities leave of it."""
    rows: Rows = {_NOT: {}, _SIGNATURE: {}, _SKETCH: {}, _EXACT: {}}
    for tool, answers in found.items():
        if answers:
            rows[_NOT][tool] = row_of([(_all(pairs), known, true) for pairs, known, true in answers])
            rows[_SIGNATURE][tool] = row_of(answers)
            rows[_SKETCH][tool] = row_of([(sketched(pairs, known.sets), known, true) for pairs, known, true in answers])
            rows[_EXACT][tool] = row_of([(exactly(pairs, known.sets), known, true) for pairs, known, true in answers])
    return rows


def _all(pairs: Pairs) -> Pairs:
    """Give the same pairs as if all were equal."""
    return Pairs(pairs.members, pairs.similarities * 0 + 1)


def row_of(answers: Sequence[Answered], thresholds: Sequence[float] = THRESHOLDS) -> Row:
    """Add up the scores of all answers."""
    return {at: sum((scored(pairs, true, at) for pairs, _, true in answers), Score()) for at in thresholds}


def tables(heading: str, rows: Rows) -> list[str]:
    """Lay out all ways of verification."""
    return [line for way, tools in rows.items() for line in table(f"{heading}, {way}", tools)]


def cut(tools: Mapping[str, Answer], sets: Sequence[Known]) -> Rows:
    """Score the tools with the bands that datasketch's optimizer gives for each threshold, with one seed.

    text-dedup is left out: a process for each threshold and set takes longer than all the rest.
    """
    tools = {name: tool for name, tool in tools.items() if name != _TEXT_DEDUP}
    found: dict[str, dict[str, dict[float, Score]]] = {}
    for at in THRESHOLDS:
        bands, rows = optimal_bands(at, _SLOTS)
        asked = {name: [tool(known, bands, rows, 1) for known in sets] for name, tool in tools.items()}
        there = {name: [one for one in answers if one] for name, answers in asked.items()}
        for way, scores in verified(there).items():
            for name, row in scores.items():
                found.setdefault(way, {}).setdefault(name, {})[at] = row[at]
    return {way: {name: dict(row) for name, row in scores.items()} for way, scores in found.items()}


def presets(sets: Sequence[Known], seeds: Sequence[int]) -> Rows:
    """Score the schemes with the bands and the shingles of their makers; the truth is that of these shingles."""
    schemes: tuple[Name, ...] = ("datatrove", "nemo")
    found: dict[str, list[Answered]] = {}
    for scheme in schemes:
        again = [dedup_truth.known(known.name, known.texts, SCHEMES[scheme].shingling) for known in sets]
        asked = [(dedup_answers.ours(known, MinHash(scheme=scheme), seed), known) for known in again for seed in seeds]
        found[f"our {scheme}"] = [(pairs, known, known.truth) for pairs, known in asked]
    return verified(found)


def fingerprints(sets: Sequence[Known], there: dedup_peers.Peers) -> Rows:
    """Score SimHash. A text has one fingerprint, there are no seeds; what differs in few bits is taken as it is."""
    found: dict[str, list[Answered]] = {}
    for bits in _BITS:
        ours = [(dedup_answers.our_fingerprints(known, bits, Shingling()), known) for known in sets]
        found[f"our simhash, {bits} bits"] = [(pairs, known, known.truth) for pairs, known in ours]
        if there.gaoya:
            theirs = [(dedup_answers.by_gaoya(there.gaoya, known, bits), known) for known in sets]
            found[f"gaoya, {bits} bits"] = [(pairs, known, known.truth) for pairs, known in theirs]
    rows = verified(found)
    return {way: rows[way] for way in (_NOT, _EXACT)}


def by_change(sets: Sequence[Known], seeds: Sequence[int]) -> list[str]:
    """Say which share of each kind of change is found without options: no kind should be harder than another."""
    notes = []
    for kind, change in enumerate(CHANGES):
        answers = [_default(_only(known, kind), seed) for known in sets for seed in seeds]
        score = row_of(answers, [_AT])[_AT]
        notes.append(f"planted, {change}: recall {100 * score.recall:.1f} % of {score.true} pairs from {_AT} on")
    return notes


def alike(sets: Sequence[Known], seeds: Sequence[int]) -> float:
    """Give the share of what goes without options at 0.8 that is 0.7 alike: errors are small, or they are grave."""
    named = right = 0
    for pairs, known, _ in (_default(known, seed) for known in sets for seed in seeds):
        close = pairs.similarities >= _AT
        answer = Pairs(pairs.members[close], pairs.similarities[close])
        score = scored(answer, known.pairs, _AT - _MARGIN)
        named, right = named + score.named, right + score.right
    return right / named if named else 1.0


def _default(known: Known, seed: int) -> Answered:
    found = dedup_answers.ours(known, _options(), seed)
    verify = {"signature": lambda pairs, _: pairs, "sketch": sketched, "exact": exactly}[Dedup().verified_by]
    return verify(found, known.sets), known, known.pairs


def _options() -> MinHash:
    return Dedup().minhash or MinHash()


def _only(known: Known, kind: int) -> Known:
    """Leave those pairs of the truth whose copy was changed in one way."""
    half = len(known.sets.counts()) // 2
    kept = known.pairs.members[:, 1] % half % len(CHANGES) == kind
    return replace(known, pairs=Pairs(known.pairs.members[kept], known.pairs.similarities[kept]))


def figures(rows: Rows, prints: Rows) -> dict[str, float]:
    """Give the figures at 0.8."""
    same = rows[_WAYS[Dedup().verified_by]]
    default = same[f"our {_options().scheme}"][_AT]
    best = max(row[_AT].recall for name, row in same.items() if name[:4] != "our " and name != _TEXT_DEDUP_OURS)
    found = {"precision_080": default.precision, "recall_080": default.recall}
    found |= {"best_peer_recall_080": best, "recall_080_minus_best_peer": default.recall - best}
    for way, tools in {**{way: rows[way] for way in _WAYS.values()}, _NOT: prints[_NOT]}.items():
        for name, row in tools.items():
            key = f"{way} {name}".replace(",", "").replace(" ", "_").replace("-", "_")
            found |= {f"precision_080_{key}": row[_AT].precision, f"recall_080_{key}": row[_AT].recall}
    return found


def missing(there: dedup_peers.Peers) -> list[str]:
    """Name the peers that are not installed."""
    names = [name for name in ("rensa", "gaoya") if getattr(there, name) is None]
    return names + ([] if dedup_answers.text_dedup_release() else [_TEXT_DEDUP])


BENCHMARK = Benchmark("dedup_accuracy", "Near duplicates: which are found, and what is taken for one", TARGETS, measure)

if __name__ == "__main__":
    BENCHMARK.command()
