"""The first of two passes: a run of its own inside the run, of the same input, that ends where dedup begins.

It commits, resumes and is killed as any run. What it leaves are the entries of all documents; from these come the
verdicts, one file, which the second pass, the run itself, applies, and what each policy keeps. Where the policy is
`first_seen` that is all that comes of it: the second pass judges as if there had been no first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from headrace.pipeline.config import FIRST_PASS_STAGE, PaceConfig
from headrace.pipeline.events import Event, Watcher
from headrace.pipeline.load import LoadedConfig
from headrace.pipeline.packs import stage_names
from headrace.pipeline.plan import Plan, make_groups
from headrace.pipeline.two_pass.chain import two_pass_place
from headrace.pipeline.two_pass.policies import read_policies, write_policies
from headrace.schemas.durable import sha256_file
from headrace.schemas.errors import HeadraceError
from headrace.schemas.manifest import FIRST_PASS, MANIFEST, read_manifest
from headrace.schemas.unit import FileRef
from headrace.stages.base import Stage
from headrace.stages.dedup import Dedup
from headrace.stages.deduplication.first_pass import Signatures
from headrace.stages.deduplication.telling import Tell
from headrace.stages.write import Write


@dataclass(frozen=True, slots=True)
class FirstPass:
    """The run inside the run, and the stage that waits for it."""

    loaded: LoadedConfig
    plan: Plan
    stage: str
    dedup: Dedup

    @property
    def run(self) -> Path:
        """The folder of the whole run."""
        return self.loaded.run_dir.parent

    def settled(self, committed: Iterable[FileRef], tell: Tell) -> FileRef | None:
        """Give the verdicts on what the first pass has read; they are made unless they are there, or committed.

        None where the stage judges document by document, and the first pass only counts what the policies keep.
        What `tell` raises ends it; nothing is left then but what a later call begins anew with.
        """
        from headrace.stages.deduplication.scratch import Scratch  # kernels: they are not loaded to plan a run
        from headrace.stages.deduplication.settled import settle_all
        from headrace.stages.deduplication.spooled import read_spooled
        from headrace.stages.deduplication.verdict_file import write_verdicts

        folder, dedup, origin = self.loaded.run_dir, self.dedup, self._origin()
        known = self._known(committed, origin) if dedup.two_passes else None
        if (known or not dedup.two_passes) and self._counted(origin):
            return known
        refs = [line.shard.file for line in read_manifest(folder) if line.shard]
        scratch, rules = Scratch(folder), dedup.rules
        documents = read_spooled(folder, refs, dedup.index_parameters, rules, scratch, tell)
        gone, policies = settle_all(documents, rules, dedup.keep, scratch, compare=dedup.counts_policies, tell=tell)
        write_policies(self.run, self.stage, dedup.keep, origin, policies)
        if known or not dedup.two_passes:
            return known
        return write_verdicts(self.run, self.stage, origin, documents, gone, tell)

    def _known(self, committed: Iterable[FileRef], origin: Mapping[str, object]) -> FileRef | None:
        from headrace.stages.deduplication.verdict_file import verdicts_of

        named = (ref for ref in committed if ref.name.startswith(f"index/{self.stage}-verdicts-"))
        return next(named, None) or verdicts_of(self.run, self.stage, origin)

    def _counted(self, origin: Mapping[str, object]) -> bool:
        found = read_policies(self.run)
        whole = found is not None and found["origin"] == origin and found["policies"]["first_seen"] is not None
        return whole or not self.dedup.counts_policies

    def _origin(self) -> Mapping[str, object]:
        return {
            "first_pass": sha256_file(self.loaded.run_dir / MANIFEST),
            "stage": self.dedup.deciding(),
            "version": self.dedup.version,
        }


def without_end(watch: Watcher) -> Watcher:
    """Give a watcher that does not hear the first pass end: the run goes on."""

    def hear(event: Event) -> None:
        if event.kind != "ended":
            watch(event)

    return hear


def first_pass(loaded: LoadedConfig, plan: Plan) -> FirstPass | None:
    """Give the first pass of a run; None if one pass does."""
    stages = loaded.config.stages
    place = two_pass_place(stages)
    if place is None:
        return None
    dedup, write = stages[place], stages[-1]
    if not isinstance(dedup, Dedup) or not isinstance(write, Write):
        raise HeadraceError("no chain of two passes", where=plan.names[place], remedy="this is a bug: report it")
    signer = dedup.model_copy(update=dict.fromkeys(dedup.beside))  # part of the first pass's identity
    spool = Signatures(kind=FIRST_PASS_STAGE, dedup=signer, shard_bytes=write.shard_bytes)
    chain = (*stages[:place], spool)
    return FirstPass(_configured(loaded, chain), _planned(plan, chain), plan.names[place], dedup)


def _configured(loaded: LoadedConfig, chain: tuple[Stage, ...]) -> LoadedConfig:
    """Give the configuration of the first pass; rules are watched in it only where they may stop the run."""
    config, names = loaded.config, stage_names(chain)
    changed = {
        "run": str(loaded.run_dir.absolute() / FIRST_PASS),
        "stages": chain,
        "pace": PaceConfig(),
        "loader": None,
        "trainer": None,
        "on_drop_band": config.on_drop_band if config.on_drop_band == "stop" else "ignore",
    }
    packs = {name: pack for name, pack in loaded.packs.items() if name in names}
    return replace(loaded, config=config.model_copy(update=changed), packs=packs)


def _planned(plan: Plan, chain: tuple[Stage, ...]) -> Plan:
    names = stage_names(chain)
    grouped = {stage for group in plan.groups for stage in group.stages}
    taken = [place for place, name in enumerate(plan.names[: len(chain)]) if name in grouped]  # a rerun: behind parse
    stages = [stage.deciding() for stage in chain]
    return replace(
        plan,
        groups=make_groups([names[place] for place in taken], [chain[place] for place in taken]),
        names=names,
        recipe={**plan.recipe, "stages": stages, "pass": 1},
        versions={name: stage.version for name, stage in zip(names, chain, strict=True)},
        unchanged={},
    )
