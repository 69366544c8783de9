"""What stages need of files beside the sources: packed by the driver, kept in the run, unpacked in every worker."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from headrace.schemas.durable import replace_file
from headrace.stages.base import Stage

FOLDER = "lists"


def stage_names(stages: Sequence[Stage]) -> tuple[str, ...]:
    """Name every stage by its kind; the second of a kind is `kind.2`.

    >>> from types import SimpleNamespace as S
    >>> stage_names([S(kind="clean"), S(kind="dedup"), S(kind="clean")])
    ('clean', 'dedup', 'clean.2')
    """
    seen: Counter[str] = Counter()
    names = []
    for stage in stages:
        seen[stage.kind] += 1
        names.append(stage.kind if seen[stage.kind] == 1 else f"{stage.kind}.{seen[stage.kind]}")
    return tuple(names)


def pack_stages(stages: Sequence[Stage], base: Path) -> dict[str, bytes]:
    """Read the files that stages name, relative to `base`, by stage name; ConfigError for one that cannot be used."""
    packs = zip(stage_names(stages), (stage.packed(base) for stage in stages), strict=True)
    return {name: data for name, data in packs if data is not None}


def pack_hashes(packs: Mapping[str, bytes]) -> dict[str, str]:
    """Give what of the packs is part of a run's identity: their SHA-256."""
    return {name: hashlib.sha256(data).hexdigest() for name, data in packs.items()}


def pack_names(hashes: Mapping[str, str]) -> dict[str, str]:
    """Give where a run keeps the packs with these hashes, by stage name."""
    return {name: f"{FOLDER}/{name}-{digest[:12]}.bin" for name, digest in hashes.items()}


def keep_packs(packs: Mapping[str, bytes], run: Path) -> dict[str, str]:
    """Put the packs into a run's folder, where they stay for resuming; gives their names there."""
    names = pack_names(pack_hashes(packs))
    for stage, name in names.items():
        if not (run / name).is_file():
            replace_file(run / name, packs[stage])
    return names


def unpack_stages(stages: Sequence[Stage], packs: Mapping[str, str], run: Path) -> tuple[Stage, ...]:
    """Give the stages with what was packed for them."""
    pairs = zip(stage_names(stages), stages, strict=True)
    return tuple(stage.unpacked(run / packs[name]) if name in packs else stage for name, stage in pairs)
