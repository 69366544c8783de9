"""How fast personal data is found and masked: in text without any, in text with some, in tables of numbers.

Beside datatrove's formatter (e-mail and IPv4 addresses alone) and presidio's recognizers (e-mail, IP, cards,
telephones; without a language model), each on the same texts. Seconds are those of one core. The peers' e-mail and IP
addresses are planted in texts of their own; all sides must find as many as were planted before anything is timed.
"""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from benchmarks import text
from benchmarks.harness import Benchmark, Measured, Scale, Target, progress, scratch

from headrace.schemas.document import DOCUMENT_SCHEMA
from headrace.stages.base import conform
from headrace.stages.pii import Pii

TARGETS = {
    "mb_s_clean": Target(50, 150),
    "mb_s_en": Target(50, 150),
    "mb_s_zh": Target(50, 150),
    "mb_s_numbers": Target(20, 50),
    "vs_datatrove": Target(2, 10),
    "vs_presidio": Target(20, 100),
}
_ROOT = Path(__file__).parents[1]
_SCRIPT = Path(__file__).parent / "peers" / "pii_peer.py"
_PEERS = {name: _ROOT / ".bench-env" / name / "bin" / "python" for name in ("datatrove", "presidio")}
_UNIT = 4_000_000
_NO_COPIES = text.Shape(exact=0, near=0)


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes of each input, bytes of them that peers see, and rounds."""

    bytes: int
    peers: int
    rounds: int
    peer_rounds: int


SIZES: dict[Scale, Size] = {
    "full": Size(12_000_000, 1_500_000, 7, 5),
    "quick": Size(3_000_000, 300_000, 5, 1),
    "tiny": Size(200_000, 20_000, 1, 0),
}


def measure(scale: Scale, seed: int) -> Measured:
    """Time all inputs, then the peers on a part of the clean one."""
    size = SIZES[scale]
    inputs = {
        "en": take(text.documents("en", seed, _NO_COPIES), size.bytes),
        "zh": take(text.documents("zh", seed, _NO_COPIES), size.bytes),
        "numbers": take(logs(seed), size.bytes),
        "planted": take(planted(seed), size.bytes),
    }
    tables = {name: units(texts) for name, texts in inputs.items()}
    masked(tables["planted"][:1])  # compiles the kernels, if they are not in numba's cache
    seconds = {name: min(timed(table) for _ in range(size.rounds)) for name, table in tables.items()}
    volume = {name: sum(map(len_utf8, texts)) / 1e6 for name, texts in inputs.items()}
    figures = {f"mb_s_{name}": volume[name] / seconds[name] for name in inputs}
    figures["mb_s_clean"] = (volume["en"] + volume["zh"]) / (seconds["en"] + seconds["zh"])
    counts = {name: sum(count(table).values()) for name, table in tables.items()}
    notes = [f"found in {name}: {n} in {volume[name]:.1f} MB" for name, n in counts.items()]
    clean = [*first(inputs["en"], size.peers // 2), *first(inputs["zh"], size.peers // 2)]
    versions: dict[str, str] = {}
    for name in _PEERS:
        beside(name, clean, first(inputs["planted"], size.peers // 5), size, figures, notes, versions)
    described = {"bytes": {name: round(mb * 1e6) for name, mb in volume.items()}, "rounds": size.rounds}
    return Measured(figures, described, notes, versions)


def beside(
    name: str,
    clean: Sequence[str],
    with_some: Sequence[str],
    size: Size,
    figures: dict[str, float],
    notes: list[str],
    versions: dict[str, str],
) -> None:
    """Add a peer's figures, if it is installed."""
    if not size.peer_rounds:
        return
    if not _PEERS[name].exists():
        notes.append(f"{name}: absent (`make bench-env` installs it)")
        return
    progress(f"{name} ...")
    check_same_findings(name, with_some)
    peer = run_peer(name, clean, size.peer_rounds)
    ours = min(timed(units(clean)) for _ in range(size.rounds))
    mb = sum(map(len_utf8, clean)) / 1e6
    figures[f"vs_{name}"] = min(peer["seconds"]) / ours
    figures[f"{name}_mb_s"] = mb / min(peer["seconds"])
    versions[name] = peer["version"]
    found = sum(count(units(clean)).values())
    notes.append(f"{name} found in {mb:.1f} MB of clean text: {peer['found']}; headrace: {found} of all kinds")


def check_same_findings(name: str, texts: Sequence[str]) -> None:
    """Raise if the peer and Headrace do not find the same number of e-mail and IP addresses where both are planted."""
    ours, theirs = count(units(texts)), run_peer(name, texts, 1)["found"]
    if (ours["email"], ours["ipv4"]) != (theirs["email"], theirs["ip"]):
        raise SystemExit(f"{name} and headrace differ on planted addresses: {theirs}, {ours}")


def run_peer(name: str, texts: Sequence[str], rounds: int) -> Any:
    """Run the peer's script over texts, in its environment."""
    with scratch() as folder:
        path = folder / "texts.json"
        path.write_text(json.dumps(list(texts)), encoding="utf-8")
        command = [str(_PEERS[name]), str(_SCRIPT), name, str(path), str(rounds)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def timed(tables: Sequence[pa.Table]) -> float:
    """Give the seconds of a core that the stage takes."""
    start = time.process_time()
    masked(tables)
    return time.process_time() - start


def masked(tables: Sequence[pa.Table]) -> list[pa.Table]:
    """Run the stage as a run does, unit by unit."""
    return [Pii().process(table) for table in tables]


def count(tables: Sequence[pa.Table]) -> dict[str, int]:
    """Give what was found by kind."""
    results = masked(tables)
    names = [name for name in results[0].column_names if name.startswith("values.pii_") and name != "values.pii_found"]
    return {name.removeprefix("values.pii_"): int(sum(np.sum(r[name].to_numpy()) for r in results)) for name in names}


def units(texts: Sequence[str]) -> list[pa.Table]:
    """Give texts as tables of a unit each."""
    tables, batch, size = [], [], 0
    for one in texts:
        batch.append(one)
        size += len_utf8(one)
        if size >= _UNIT:
            tables.append(table_of(batch))
            batch, size = [], 0
    return [*tables, *([table_of(batch)] if batch else [])]


def table_of(texts: Sequence[str]) -> pa.Table:
    """Give texts as documents."""
    ids = [str(number) for number in range(len(texts))]
    return conform(pa.table({"doc_id": ids, "text": pa.array(texts, pa.large_string())}), DOCUMENT_SCHEMA)


def take(documents: Iterator[str], size: int) -> list[str]:
    """Take documents until they have so many bytes."""
    taken: list[str] = []
    while size > 0:
        taken.append(next(documents))
        size -= len_utf8(taken[-1])
    return taken


def first(texts: Sequence[str], size: int) -> list[str]:
    """Give the first texts that have so many bytes together."""
    return take(iter(texts), min(size, sum(map(len_utf8, texts))))


def logs(seed: int) -> Iterator[str]:
    """Give endless documents of numbers that are nobody's: a server's log, a table, time stamps, decimals, hashes."""
    rng = random.Random(f"numbers {seed}")
    while True:
        lines = []
        for _ in range(40):
            stamp = (
                f"2024-0{rng.randrange(1, 10)}-{rng.randrange(10, 29)} {rng.randrange(10, 24)}:{rng.randrange(10, 60)}"
            )
            values = "\t".join(f"{rng.random() * 10 ** rng.randrange(6):.{rng.randrange(5)}f}" for _ in range(4))
            lines.append(
                f"{stamp} [{rng.randrange(9999)}] {rng.getrandbits(64):016x} took {rng.randrange(900)} ms\t{values}"
            )
        yield "\n".join(lines)


def planted(seed: int) -> Iterator[str]:
    """Give endless documents of both languages, each of some 3 kB with an e-mail and an IP address."""
    rng = random.Random(f"planted {seed}")
    for language, document in text.mixed(seed + 1, _NO_COPIES):
        name = "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(8))
        octets = rng.choice((61, 117, 183, 202, 221)), rng.randrange(1, 255), rng.randrange(64, 255), rng.randrange(9)
        address = ".".join(map(str, octets))
        ending = (
            f"邮箱：{name}@mail.com，来自 {address} 。"
            if language == "zh"
            else f" Mail {name}@mail.com from {address} now."
        )
        yield f"{document}\n{ending}"


def len_utf8(one: str) -> int:
    """Give a text's bytes."""
    return len(one.encode())


BENCHMARK = Benchmark("pii", "Personal data: MB/s of one core, beside datatrove and presidio", TARGETS, measure)
if __name__ == "__main__":
    BENCHMARK.command()
