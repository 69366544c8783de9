"""What the report says of repetitions, stage by stage: counts, sizes of clusters, similarities, examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from headrace.pipeline.committed import Committed
from headrace.pipeline.dups.clusters import Clusters, clusters_of, find_survivors
from headrace.pipeline.dups.difference import difference
from headrace.pipeline.dups.members import Cluster, Member, Reader
from headrace.pipeline.dups.repetitions import NEAR, Repetitions
from headrace.pipeline.dups.texts import Elsewhere, Text, Wanted, stored_texts, texts_elsewhere
from headrace.pipeline.report_documents import Row
from headrace.schemas.errors import FormatError

_EXAMPLES = 5  # clusters of each stage
_EXCERPT = 120  # characters
_BINS = 50  # of similarities from 0 to 1


def duplicates_report(committed: Committed, found: Repetitions) -> dict[str, Row]:
    """Say of each stage whose verdicts name a survivor what it dropped.

    `sizes` counts clusters by their documents, the one that stays among them, up to the next power of two; `similarity`
    counts near duplicates, and what else may be less than 1, in 50 equal steps from 0 to 1.
    """
    stages = [_of_stage(found.only(found.table["stage"] == number)) for number in range(len(found.stage_names))]
    keys = np.concatenate([np.zeros(0, np.uint64), *(examples.keys for _, _, examples in stages)])
    survivors = find_survivors(committed, keys)
    return {
        stage: {**counts, "examples": list(_examples(Reader(committed, examples, survivors), sizes))}
        for stage, (counts, sizes, examples) in zip(found.stage_names, stages, strict=True)
    }


def _of_stage(found: Repetitions) -> tuple[Row, list[int], Clusters]:
    """Count, and give the largest clusters with their sizes: of all others nothing is kept."""
    clusters = clusters_of(found)
    return _counts(clusters), clusters.sizes[:_EXAMPLES].tolist(), _largest(clusters)


def _counts(clusters: Clusters) -> Row:
    found = clusters.repetitions
    counts = np.bincount(found.reasons, minlength=len(found.reason_names)).tolist()
    return {
        "dropped": {name: count for name, count in zip(found.reason_names, counts, strict=True) if count},
        "clusters": len(clusters),
        "largest": int(clusters.sizes.max(initial=0)),
        "in_earlier_runs": int(found.elsewhere.sum()),
        "sizes": list(_sizes(clusters)),
        "similarity": _similarity(found),
    }


def _sizes(clusters: Clusters) -> Iterator[Row]:
    """Count clusters of 2 and 3 documents, of 4 to 7, and so on."""
    sizes = clusters.sizes
    powers = np.frexp(sizes.astype(np.float64))[1] - 1
    for power in range(1, int(powers.max(initial=0)) + 1):
        of_these = sizes[powers == power]
        dropped = int((of_these - 1).sum())
        yield {"from": 1 << power, "to": (2 << power) - 1, "clusters": len(of_these), "dropped": dropped}


def _similarity(found: Repetitions) -> Row | None:
    shown = [
        number
        for number, name in enumerate(found.reason_names)
        if name == NEAR or bool(np.any(found.values[found.reasons == number] < 1))
    ]
    values = found.values[np.isin(found.reasons, shown) & np.isfinite(found.values)]
    if not len(values):
        return None
    edges = np.linspace(0.0, 1.0, _BINS + 1)
    counts = np.histogram(np.clip(values + 1e-6, 0.0, 1.0), edges)[0]  # stored as float32: 0.8 belongs to 0.8 and more
    return {"edges": [round(float(edge), 2) for edge in edges], "documents": counts.tolist()}


def _largest(clusters: Clusters) -> Clusters:
    """Give the largest clusters, each with the least similar of its members alone."""
    shown = clusters.take(np.arange(min(len(clusters), _EXAMPLES)))
    picked = shown.repetitions.only(shown.order[shown.begins[1:] - 1])
    return Clusters(picked, np.arange(len(shown)), np.arange(len(shown) + 1))


def _examples(reader: Reader, sizes: Sequence[int]) -> Iterator[Row]:
    """Show the largest clusters with one member each, and a difference where both texts are stored."""
    shown = list(reader.members(_EXAMPLES))
    there = [Elsewhere(cluster.run, cluster.survivor.doc_id) for cluster, _ in shown if cluster.run is not None]
    elsewhere = texts_elsewhere(reader.committed, there)
    for cluster, (member,) in shown:
        kept, text = _texts(reader.committed, cluster, member)
        kept = kept if cluster.run is None else elsewhere[Elsewhere(cluster.run, cluster.survivor.doc_id)]
        yield {"documents": sizes[cluster.number - 1], **_example(cluster, member, kept, text)}


def _example(cluster: Cluster, member: Member, kept: Text, text: Text) -> Row:
    return {
        "survivor": cluster.survivor.doc_id,
        "run": cluster.run,
        "left_at": cluster.left_at,
        "doc_id": member.doc_id,
        "reason": member.reason,
        "similarity": member.similarity,
        "excerpt": kept.text and " ".join(kept.text[: 4 * _EXCERPT].split())[:_EXCERPT],
        "difference": _difference(kept, text),
    }


def _texts(committed: Committed, cluster: Cluster, member: Member) -> tuple[Text, Text]:
    """Give what this run has of both texts; a damaged shard, which `verify` is for, costs no report."""
    survivor = cluster.survivor if cluster.run is None else member
    try:
        texts = stored_texts(committed, [Wanted(member), Wanted(survivor)])
    except FormatError as error:
        return Text(None, str(error)), Text(None, str(error))
    return texts[survivor.doc_id], texts[member.doc_id]


def _difference(kept: Text, text: Text) -> str | None:
    """Give the first changed place of two texts, if both are there and differ."""
    if kept.text is None or text.text is None:
        return None
    places = difference(kept.text, text.text).places[:1]
    pieces = (piece for place in places for piece in place)
    return "".join(_marked(p.old, p.new) if p.changed else p.old for p in pieces) or None


def _marked(old: str, new: str) -> str:
    return (old and f"[-{old}-]") + (new and f"{{+{new}+}}")
