"""Which presets a document is judged by: the profile of its language and script, or that of verse."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence

from headrace.stages.languages.codes import CHINESE, KNOWN, checked

ANY, VERSE = "*", "verse"
DEFAULT: Mapping[str, tuple[str, ...]] = {
    "en": ("gopher", "fineweb"),
    "zh": ("modern_chinese",),
    "lzh": ("literary_chinese",),
    "yue": ("cantonese",),
    VERSE: ("verse",),
    ANY: ("general",),
}
# Cut by jieba, and judged by the profile of zh unless they have one of their own. The first three are what the stage
# `language` gives; a source may say the others.
SINITIC = frozenset((*CHINESE, "wuu", "hak", "gan", "nan", "hsn", "cmn", "zho"))
UNKNOWN = frozenset((None, "", "und"))
_REST = frozenset(("all", "any", "default", "else", "other", "others", "rest"))
_KEY = re.compile(r"([a-z]+)(?:-([A-Z][a-z]{3}))?")


def checked_keys(keys: Iterable[str]) -> None:
    """Raise ValueError for a key that no document can have."""
    for key in keys:
        if key in (ANY, VERSE):
            continue
        match = _KEY.fullmatch(key)
        if not match:
            raise ValueError(
                f"{key!r} is no key of a profile; write a language (zh), one with a script (zh-Hant), verse or '*'"
            )
        language, script = match.groups()
        if language in _REST:
            raise ValueError(f"{language!r} is no language; write '*', in quotes, for all others")
        if language not in (SINITIC | KNOWN) - {"cmn", "zho"}:
            checked((language,))
        if script and language in SINITIC and script not in ("Hans", "Hant", "Hani"):
            raise ValueError(f"Chinese is never in the script {script!r}; there are zh-Hans, zh-Hant and zh-Hani")


def profile_keys(
    profiles: Mapping[str, object],
    languages: Sequence[str | None],
    scripts: Sequence[str | None],
    han: Sequence[bool],
    verse: Sequence[bool],
) -> list[str | None]:
    """Give each document's key among those of the profiles, the most specific that fits; None where none does.

    `han` says of documents without a language that they are Chinese all the same.
    """
    made: dict[tuple[str | None, str | None, bool, bool], str | None] = {}
    keys = []
    for facts in zip(languages, scripts, han, verse, strict=True):
        if facts not in made:
            made[facts] = next((key for key in candidates(*facts) if key in profiles), None)
        keys.append(made[facts])
    return keys


def candidates(language: str | None, script: str | None, han: bool, verse: bool) -> list[str]:  # noqa: FBT001  # facts
    """Give the keys that fit a document, the most specific first."""
    names = [language] if language not in UNKNOWN and language else ["zh"] if han else []
    if language in SINITIC and language != "zh":
        names.append("zh")
    fitting = [key for name in names for key in (f"{name}-{script}", name)]
    return [*([VERSE] if verse else []), *fitting, ANY]


def checked_profiles(profiles: Mapping[str, Sequence[str]], presets: Iterable[str]) -> None:
    """Raise ValueError for a key that no document can have, and for a preset that there is not."""
    checked_keys(profiles)
    known = list(presets)
    for key, names in profiles.items():
        for name in names:
            if name not in known:
                near = difflib.get_close_matches(name, known, 2, 0.6)
                hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
                raise ValueError(f"profile {key!r}: there is no preset {name!r}; {hint}")
        if len(set(names)) < len(names):
            raise ValueError(f"profile {key!r} names a preset twice; once is enough")


def as_written(value: object) -> object:
    """Give profiles as YAML has them, with `no` for what it makes of that, and fineweb2-cmn by the field's name."""
    if not isinstance(value, dict):
        return value
    return {"no" if key is False else key: _presets_as_written(presets) for key, presets in value.items()}


def _presets_as_written(presets: object) -> object:
    if not isinstance(presets, list | tuple):
        return presets
    return tuple(name.replace("-", "_") if isinstance(name, str) else name for name in presets)
