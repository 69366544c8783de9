"""Say what changed between a started run and the one that is asked for, in words a person can act on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from headrace.pipeline.committed import PlanJson

_SHOWN = 5
_EARLIER = "earlier"


def changes(stored: PlanJson, wanted: PlanJson) -> list[str]:
    """List the differences of two plans: options by dotted name, stage versions, and input files by name.

    What is frozen of earlier runs follows from `against`: it is named only where nothing else differs.
    """
    recipes = ({**plan["recipe"], _EARLIER: {}} for plan in (stored, wanted))
    found = [
        *_shown(_options("", *recipes)),
        *_shown(_versions(stored["versions"], wanted["versions"])),
        *_shown(_inputs(stored["inputs"], wanted["inputs"])),
    ]
    earlier = (plan["recipe"].get(_EARLIER, {}) for plan in (stored, wanted))
    return found or _shown(_options(_EARLIER, *earlier))


def _shown(lines: Iterator[str]) -> list[str]:
    every = list(lines)
    more = [f"and {len(every) - _SHOWN} more"] if len(every) > _SHOWN else []
    return [*every[:_SHOWN], *more]


def _options(at: str, old: object, new: object) -> Iterator[str]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in [*old, *(k for k in new if k not in old)]:
            yield from _options(f"{at}.{key}" if at else key, old.get(key), new.get(key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from _options(f"{at}.{i}", a, b)
    elif old != new:
        yield f"{at} was {_short(old)} and is now {_short(new)}"


def _short(value: object) -> str:
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return "[" + ", ".join(str(v.get("kind") or v.get("name")) for v in value) + "]"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _versions(old: Mapping[str, int], new: Mapping[str, int]) -> Iterator[str]:
    for name in old:
        if name in new and old[name] != new[name]:
            yield f"stage {name} was version {old[name]} and is now {new[name]}"


def _inputs(old: list[list[Any]], new: list[list[Any]]) -> Iterator[str]:
    before = {(source, path): rest for source, path, *rest in old}
    after = {(source, path): rest for source, path, *rest in new}
    for key, listed in before.items():
        if key not in after:
            yield f"input {key[0]}:{key[1]} is gone"
        elif listed != after[key]:
            yield f"input {key[0]}:{key[1]} was changed"
    for key in after:
        if key not in before:
            yield f"input {key[0]}:{key[1]} is new"
