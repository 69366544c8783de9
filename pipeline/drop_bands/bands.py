"""How many documents a rule is expected to take out, and which rules are outside of that: a watch for over-cleaning."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

from headrace.pipeline.wording import percent
from headrace.schemas.errors import ConfigError, HeadraceError
from headrace.schemas.ledger import StageCounts
from headrace.stages.filtering.presets import PRESETS

Band: TypeAlias = tuple[float, float]
OnBand: TypeAlias = Literal["warn", "stop", "ignore"]
EXAMPLES = 3
_SIMILAR = 0.85  # of two names, so that one is taken for a slip of the other

# A rule of `clean` looks for what is no text: in a corpus that is meant for training, no single fault takes a third.
_FAULT = (0.0, 0.3)
# Half of a crawl may be stubs: menus, redirects, "no posts yet". More, and texts come in broken to pieces, or empty.
_STUBS = (0.0, 0.5)
# Crawls of several years hold a page many times. Four of five documents: a template, or a threshold that is too low.
_COPIES = (0.0, 0.8)
# Presets were tuned so that all their rules together take a part of a crawl: half of it for one of them is a preset of
# another language, or a threshold of another formula.
_PRESETS = {f"{preset}.*": (0.0, 0.5) for preset in PRESETS}
# By kind of stage, then by reason; one that ends with * stands for all that begin so. What is not here has no band: a
# grade, a language, an allow list and a robots hint take out what the user chose, however much that is.
DEFAULTS: Mapping[str, Mapping[str, Band]] = {
    "parse": {"empty": _STUBS},
    "clean": {"min_characters": _STUBS, "*": _FAULT},
    "filter": _PRESETS,
    "dedup": {"exact_duplicate": _COPIES, "near_duplicate": _COPIES},
    "dedup_lines": {"max_seen_share": _COPIES, "emptied": _COPIES},
    "pii": {"*": _FAULT},
    "urls": {"url_blocked": _STUBS, "domain_blocked": _STUBS, "url_repeated": _COPIES},
    "words": {"words_*": _FAULT},
}


class DropBandError(HeadraceError):
    """A rule took out more, or fewer, documents than its band says, and `on_drop_band: stop` ends the run for that."""


@dataclass(frozen=True, slots=True)
class DropShare:
    """What a rule took out of the documents that reached its stage, beside its band; `rule` = "" is the whole stage."""

    stage: str
    rule: str
    documents: int
    dropped: int
    share: float
    low: float
    high: float
    outside: bool
    source: str = ""  # "": of all sources together

    @property
    def name(self) -> str:
        """The name as in the report: `clean: max_digit_share`, or the stage's."""
        return f"{self.stage}: {self.rule}" if self.rule else self.stage

    @property
    def too_much(self) -> bool:
        """Whether it took out more than expected."""
        return self.share > self.high

    @property
    def words(self) -> str:
        """What is wrong, in one line."""
        expected = (
            f"{'more' if self.too_much else 'less'} than the {percent(self.low)} to {percent(self.high)} expected"
        )
        documents = f"{self.documents:,} documents" + (f" of {self.source}" if self.source else "")
        return f"{self.name} dropped {percent(self.share)} of {documents}, {expected}"

    def to_json(self) -> dict[str, object]:
        """Give the JSON form."""
        return asdict(self)

    def remedy(self, run: str) -> str:
        """Say what a person can do about it."""
        name = f"{self.stage}.{self.rule}" if self.rule else self.stage
        low, high = (self.low, _above(self.share)) if self.too_much else (_below(self.share), self.high)
        look = f"look at them (`headrace explain {run} DOC_ID`, once they are committed). If they are rightly gone"
        if not self.too_much:
            look = "see whether the rule works: a list in another encoding, a pattern that matches nothing. If it does"
        return (
            f"{look}, set `drop_bands: {{{name}: [{low:g}, {high:g}]}}` and run the same command again, it goes on "
            "from here; if not, change the rule and start over with --fresh"
        )


@dataclass(frozen=True, slots=True)
class Bands:
    """The bands of a run: the user's own before the built-in ones, and from how many documents on they count.

    `rules` are the rules that stages are known to have, by kind of stage; so that one that never fires can be missed.
    """

    own: Mapping[str, Band | None]
    documents: int
    rules: Mapping[str, frozenset[str]]

    def shares(self, counts: Iterable[StageCounts]) -> list[DropShare]:
        """Give what every rule that has a band took out, and the stages that have one, in chain order."""
        return [share for stage in counts for share in self._of(stage)]

    def outside(self, counts: Iterable[StageCounts]) -> list[DropShare]:
        """Give those that are outside their bands."""
        return [share for share in self.shares(counts) if share.outside]

    def _of(self, counts: StageCounts) -> Iterator[DropShare]:
        received = counts.received + counts.added
        dropped = {"": sum(counts.dropped.values()), **counts.dropped}
        bands = {rule: self.band(counts.stage, rule) for rule in self._rules(counts)}
        for rule, band in {"": self.own.get(counts.stage), **bands}.items():
            if band is not None and received:
                share = dropped.get(rule, 0) / received
                outside = received >= self.documents and not band[0] <= share <= band[1]
                yield DropShare(counts.stage, rule, received, dropped.get(rule, 0), share, *band, outside)

    def _rules(self, counts: StageCounts) -> list[str]:
        """Give the rules that dropped something, and those of this stage that the user has a band for."""
        known = self.rules.get(_kind(counts.stage), frozenset())
        named = {name.removeprefix(f"{counts.stage}.") for name in self.own if name.startswith(f"{counts.stage}.")}
        return sorted({*counts.dropped, *named, *(known & self.own.keys())})

    def band(self, stage: str, rule: str) -> Band | None:
        """Give the band of a rule: the user's for `stage.rule`, for `rule`, or the built-in one; None: not watched."""
        for name in (f"{stage}.{rule}", rule):
            if name in self.own:
                return self.own[name]
        built_in = DEFAULTS.get(_kind(stage), {})
        fitting = (band for name, band in built_in.items() if name == rule or _begins(name, rule))
        return next(fitting, None)


def known_rules(stages: Iterable[Mapping[str, object]]) -> dict[str, frozenset[str]]:
    """Give the rules of the stages of a recipe: most are called like the option that sets their threshold."""
    known: dict[str, frozenset[str]] = {}
    for stage in stages:
        kind = str(stage["kind"])
        rules = {*stage, *(f"{kind}_{name}" for name in stage), *DEFAULTS.get(kind, {}), *_inner_rules(kind, stage)}
        known[kind] = known.get(kind, frozenset()) | rules
    return known


def _inner_rules(kind: str, stage: Mapping[str, object]) -> Iterator[str]:
    """Give the rules of the presets of a filter, `gopher.min_words`, and those of the user's own."""
    for name, options in stage.items():
        if kind == "filter" and isinstance(options, Mapping):
            yield from (f"{name}.{option}" if name != "rules" else str(option) for option in options)


def check_names(own: Mapping[str, Band | None], stages: Sequence[str], rules: Mapping[str, frozenset[str]]) -> None:
    """Raise ConfigError for a band that is upside down, and for one that nothing can ever be judged by.

    Unknown names pass where they may be reasons that come with the data: of word lists, of a plug-in.
    """
    known = {*stages, *(rule for names in rules.values() for rule in names if not rule.endswith("*"))}
    known |= {f"{stage}.{rule}" for stage in stages for rule in rules.get(_kind(stage), ())}
    for name, band in own.items():
        where = f"drop_bands.{name}"
        if band is not None and band[0] > band[1]:
            why, remedy = f"{band[0]:g} is above {band[1]:g}", "write the lower share first: [0, 0.3]"
            raise ConfigError("a band has its ends the wrong way round", where=where, why=why, remedy=remedy)
        if name not in known and (problem := _for_nothing(name, band, stages, known)):
            raise ConfigError("a band is for nothing", where=where, why=problem[0], remedy=problem[1])


def _for_nothing(name: str, band: Band | None, stages: Sequence[str], known: set[str]) -> tuple[str, str] | None:
    """Say why a band under an unknown name would never speak, and what to write; None if it may."""
    spelled = {one.casefold(): one for one in sorted(known)}
    near = difflib.get_close_matches(name.casefold(), spelled, 1, _SIMILAR)
    if near:
        return f"the chain has no stage and no rule '{name}'", f"did you mean '{spelled[near[0]]}'?"
    if any(name.startswith(f"{stage}.") for stage in stages):
        return None
    if "." in name:
        return f"the chain has no stage '{_kind(name)}'", f"it has {', '.join(stages)}"
    if band is not None and band[0] > 0:  # a rule that never drops is not heard of, unless a stage is known to have it
        return f"no stage is known to have a rule '{name}', so nobody would miss it", f"name its stage: STAGE.{name}"
    return None


def _kind(stage: str) -> str:
    return stage.partition(".")[0]


def _begins(pattern: str, rule: str) -> bool:
    return pattern.endswith("*") and rule.startswith(pattern[:-1])


def _above(share: float) -> float:
    return min(1.0, round(share + 0.1, 1))


def _below(share: float) -> float:
    return max(0.0, round(share - 0.1, 1))
