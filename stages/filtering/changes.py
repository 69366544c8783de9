"""Which changed options of a filter need the texts again, and which are answered by what was measured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from headrace.stages.filtering.names import bounds, of_patterns, owners
from headrace.stages.filtering.preset import Preset
from headrace.stages.filtering.profiles import VERSE

if TYPE_CHECKING:
    from headrace.stages.filter import Filter

_MEASURING = ("compat", "english_words", "user_dictionary", "mend", "prefix")  # `engine` gives the same values


def unanswerable(after: Filter, before: Filter) -> list[str]:
    """Name the options of `after` that ask for what `before` did not measure, or measured otherwise."""
    faults = [name for name in _MEASURING if getattr(after, name) != getattr(before, name)]
    faults += _settings(after, before)
    faults += _patterns(after, before)
    measured = frozenset((*before.asked().names, *of_patterns(before.patterns)))
    faults += [
        f"rules.{name}" for name in after.rules if not measured.issuperset(after.own_names((after.rules[name],)))
    ]
    return list(dict.fromkeys([*faults, *_profiles(after, before), *_lines(after, before)]))


def _settings(after: Filter, before: Filter) -> Iterator[str]:
    """Name settings of presets that count: those that are no bounds."""
    used = {preset.name for presets in after.asked().profiles.values() for preset in presets}
    used |= {owners()[value] for value in after.asked().names if value in owners()}
    for name, preset in after.presets().items():
        numbers = {field for field, _ in bounds(type(preset))}
        other = before.presets()[name]
        for field in type(preset).model_fields:
            if name in used and field not in numbers and getattr(preset, field) != getattr(other, field):
                yield f"{name}.{field}"


def _patterns(after: Filter, before: Filter) -> Iterator[str]:
    asked = after.own_names(after.rules.values())
    for name, pattern in after.patterns.items():
        if pattern != before.patterns.get(name) and asked.intersection(of_patterns((name,))):
            yield f"patterns.{name}"


def _profiles(after: Filter, before: Filter) -> Iterator[str]:
    """Name what profiles ask that their documents were not asked before.

    Where keys or `verse_from` change, documents change their profile, and each may have had any.
    """
    names, old = frozenset(before.asked().names), before.asked().profiles
    same = set(after.profiles) == set(before.profiles) and after.verse_from == before.verse_from
    for key, presets in after.asked().profiles.items():
        befores = (old[key],) if same else (*old.values(), ())
        known = frozenset.intersection(*(names | _values(each) for each in befores))
        for preset in presets:
            for field, value in bounds(type(preset)):
                if getattr(preset, field) is not None and value not in known:
                    was = preset.name in before.profiles.get(str(key), ()) and same
                    yield f"{preset.name}.{field}" if was else f"profiles.{key}"


def _lines(after: Filter, before: Filter) -> Iterator[str]:
    """Name what has documents lose other lines than they did: later stages then measure another text.

    Where keys or `verse_from` change, documents change their profile, and only profiles that take out none are alike.
    """
    old, new = _takers(before), _takers(after)
    some = any(old.values()) or any(new.values())
    for key in dict.fromkeys((*new, *old)):
        both = key in old and key in new
        if (both and old[key] != new[key] and after.profiles[key] != before.profiles[key]) or (some and not both):
            yield f"profiles.{key}"
    if some and VERSE in new and after.verse_from != before.verse_from:
        yield "verse_from"


def _takers(stage: Filter) -> dict[str, frozenset[str]]:
    """Give the presets of each profile that take out lines."""
    return {
        key: frozenset(preset.name for preset in presets if getattr(preset, "remove_lines", False))
        for key, presets in stage.asked().profiles.items()
    }


def _values(presets: tuple[Preset, ...]) -> frozenset[str]:
    return frozenset(rule.value for preset in presets for rule in preset.rules())
