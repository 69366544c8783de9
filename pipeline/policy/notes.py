"""What a policy report cannot say of a run, why not, and what to set so that it can."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from headrace.pipeline.committed import Committed
from headrace.pipeline.policy.findings import ANY_PII, ANY_UNSAFE, RIGHTS, Sample
from headrace.pipeline.policy.sample import Population
from headrace.pipeline.policy.words import WordList
from headrace.schemas.shard import OF_TEXT


def notes(
    committed: Committed, found: Sequence[Population], samples: Mapping[str, Sample], lists: Sequence[WordList]
) -> list[str]:
    """Give one sentence or two for each thing that is not known."""
    return [
        *_state(committed),
        *_forgotten(found),
        *_texts(samples),
        *_values(committed),
        *_unknown(committed, samples, lists),
    ]


def _state(committed: Committed) -> Iterator[str]:
    if not committed.ended:
        yield "The run is not finished: this covers the units that are committed."


def _forgotten(found: Sequence[Population]) -> Iterator[str]:
    count = sum(one.forgotten for one in found)
    if count:
        yield f"Not counted: {count:,} documents that are forgotten on request (`headrace forget`)."


def _texts(samples: Mapping[str, Sample]) -> Iterator[str]:
    missing = {name: sample.size - sample.with_text for name, sample in samples.items()}
    if any(missing.values()):
        counts = ", ".join(f"{name} {count:,}" for name, count in missing.items() if count)
        yield (
            f"The texts of some sampled documents are not stored ({counts}): they were not searched. Run it again into "
            "another folder; this release stores the text of every kept document."
        )


def _values(committed: Committed) -> Iterator[str]:
    if committed.stage("write").get("record") == "reasons" and committed.stage("write").get("format") not in OF_TEXT:
        yield (
            "What stages measured is not stored (`record: reasons`): what was found before masking, matches of word "
            "lists and robots hints are not known. Set `record: values` of the write stage for the next run."
        )


def _unknown(committed: Committed, samples: Mapping[str, Sample], lists: Sequence[WordList]) -> Iterator[str]:
    if not any(sample.size for sample in samples.values()):
        yield "No document was kept: there is nothing to sample."
        return
    chain = {str(stage["kind"]) for stage in committed.plan["recipe"]["stages"]}
    looked = {name for sample in samples.values() for name in sample.looked}
    if not lists and ANY_UNSAFE not in looked and "words" not in chain:
        yield "What is unsafe is not known: give lists with --words FILE, or add the stage `words`."
    if ANY_PII not in looked and "pii" not in chain:
        yield "What personal data was there before is not known, no stage `pii` ran; what is in the texts is below."
    if not looked & set(RIGHTS) and "rights" not in chain:
        yield "Robots hints and opt-outs (noindex, noai ...) are not known: no stage `rights` ran."
