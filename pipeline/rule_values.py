"""What only a whole chain tells of its filters: rules that ask what no stage gives, and values written over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from headrace.pipeline.config_errors import suggestion
from headrace.pipeline.yaml_lines import Steps
from headrace.stages.base import Stage
from headrace.stages.dedup_lines import DedupLines
from headrace.stages.filter import Filter
from headrace.stages.filtering.conditions import names
from headrace.stages.filtering.names import (
    HAN_SHARE,
    OF_CLEAN,
    OF_LANGUAGE,
    VERSE_SHARE,
    column_of,
    is_earlier,
    numbers,
    of_patterns,
    owners,
)
from headrace.stages.filtering.profiles import ANY, DEFAULT
from headrace.stages.privacy.kinds import NAMES
from headrace.stages.repair import REPAIRS
from headrace.stages.urls import Urls
from headrace.stages.words import Words


def unknown_values(stages: Sequence[Stage]) -> Iterator[tuple[Steps, str]]:
    """Give the places of rules that ask for what no stage before gives, with the words for it.

    No source gives a grade, a language or a script. Behind a stage of the user's own nothing is said: it may give any.
    """
    known: set[str] = set()
    for number, stage in enumerate(stages):
        if isinstance(stage, Filter):
            for rule, condition in stage.conditions().items():
                for name in dict.fromkeys(name for name in names(condition) if _of_stages(name) and name not in known):
                    place = ("stages", number, "rules", rule)
                    hint = _hint(name, stage, known)
                    yield place, f"{'.'.join(map(str, place))}: no stage before gives '{name}'{hint}"
        if not is_builtin(stage):
            return
        known |= given(stage)


_NONE = "; a stage that measures it stands before the filter"
# Columns that no source fills, with the kind of the stage that does.
ONLY_BY_STAGES: Mapping[str, str] = {"grade": "grade", "language": "language", "script": "language"}


def is_builtin(stage: Stage) -> bool:
    """Whether a stage is none of the user's own, so that `given` knows what it fills."""
    return type(stage).__module__.startswith("headrace.")


def _of_stages(name: str) -> bool:
    return is_earlier(name) or name in ONLY_BY_STAGES


def _hint(name: str, stage: Filter, known: set[str]) -> str:
    if name in ONLY_BY_STAGES:
        return f", nor does a source; put a stage {ONLY_BY_STAGES[name]} before the filter"
    return _own(name, stage) or suggestion(name, known) or _NONE


def _own(name: str, stage: Filter) -> str:
    """Say how a value is asked that the filter measures itself: `words` for `values.words`, `values.filter_words`."""
    measured = {*numbers(), *of_patterns(stage.patterns)}
    asked = name.removeprefix("values.")
    value = next((v for v in (asked, asked.removeprefix(stage.prefix or "filter_")) if v in measured), None)
    return f"; this filter measures it: write {value}" if value else ""


def unused_numbers(stages: Sequence[Stage]) -> Iterator[tuple[Steps, str]]:
    """Give the places of presets that have numbers of the user's and that nothing asks, with the words for it."""
    for number, stage in enumerate(stages):
        if isinstance(stage, Filter):
            used = {name for names in stage.profiles.values() for name in names}
            used |= {owners()[value] for value in stage.asked().names if value in owners()}
            for name, preset in stage.presets().items():
                if name not in used and preset != type(preset)():
                    place = ("stages", number, name)
                    why = f"no profile asks {name}, so that these numbers would do nothing"
                    yield place, f"stages.{number}.{name}: {why}; name it, as in profiles: {_profile(name)}"


def _profile(preset: str) -> str:
    """Give a profile with a preset, as YAML has it: the default one, or that of the language it was published for."""
    published_for = "zh" if preset in ("bigscience_zh", "fineweb2_cmn") else "en"
    key = next((key for key, names in DEFAULT.items() if preset in names), published_for)
    return f'{{"*": [{preset}]}}' if key == ANY else f"{{{key}: [{preset}]}}"


def repeated_prefixes(stages: Sequence[Stage]) -> Iterator[tuple[Steps, str]]:
    """Give the places of filters whose values would stand in the columns of an earlier one, with the words for it."""
    seen: dict[str, int] = {}
    for number, stage in enumerate(stages):
        if isinstance(stage, Filter) and seen.setdefault(stage.prefix, number) != number:
            why = f"its values would be written over those of stages.{seen[stage.prefix]}"
            place = ("stages", number)
            yield place, f"stages.{number} (filter): {why}; give it a prefix, as in prefix: second_"


def given(stage: Stage) -> set[str]:
    """Give the columns that a built-in stage fills and that rules may ask: values, scores and names such as `grade`."""
    if isinstance(stage, Words):
        endings = ("", "_distinct", "_per_thousand")
        return {f"values.words_{name}{ending}" for name in stage.lists for ending in endings}
    if isinstance(stage, Filter):
        own = (*stage.asked().columns, *of_patterns(stage.patterns), HAN_SHARE, VERSE_SHARE)
        return {column_of(name, stage.prefix) for name in own}
    if isinstance(stage, DedupLines):
        return {f"values.seen_{stage.unit}s", f"values.seen_{stage.unit}_share"}
    given_always = set(_GIVEN.get(stage.kind, ()))
    return given_always | {"url"} if isinstance(stage, Urls) and stage.canonicalize else given_always


_HINTS = ("noindex", "noarchive", "noai", "tdm_reserved")
_SIGNALS = ("length", "completeness", "authority", "total")
_GIVEN: Mapping[str, frozenset[str]] = {
    "clean": frozenset(f"values.{name}" for name in OF_CLEAN),
    "grade": frozenset(("grade", *(f"scores.{name}" for name in _SIGNALS))),
    "language": frozenset(("language", "script", *(f"values.{name}" for name in (*OF_LANGUAGE, "digit_share")))),
    "pii": frozenset(f"values.pii_{name}" for name in (*NAMES, "found")),
    "repair": frozenset((*(f"values.repaired_{name}" for name in REPAIRS), "values.private_use")),
    "rights": frozenset(("licence", *(f"values.{name}" for name in (*_HINTS, "licences")))),
    "tokenize": frozenset({"values.tokens"}),
    "urls": frozenset({"values.url_valid", "values.url_blocked", "values.url_allowed"}),
}
