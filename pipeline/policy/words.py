"""Word lists that are given to a policy report, beside those that the stage `words` used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from headrace.pipeline.policy.findings import Counted
from headrace.schemas.arrays import Column, Counts
from headrace.schemas.durable import sha256_file
from headrace.schemas.errors import ConfigError
from headrace.stages.view import views
from headrace.stages.wordlists.entries import Words, read_words
from headrace.stages.wordlists.found import NOTHING
from headrace.stages.wordlists.matching import Matcher


@dataclass(frozen=True, slots=True)
class WordList:
    """A list: what it is called in the report, its entries as views, and the hash of its file."""

    name: str
    entries: Words
    sha256: str

    def to_json(self) -> dict[str, object]:
        """Give the JSON form: the entries are the user's own and stay out of it."""
        return {"name": self.name, "words": len(self.entries), "sha256": self.sha256}


def read_lists(paths: Sequence[Path]) -> tuple[WordList, ...]:
    """Read lists as the stage `words` does; each is called like its file. ConfigError for one that cannot be used."""
    lists = tuple(WordList(path.stem, read_words(path), sha256_file(path)) for path in paths)
    names = [one.name for one in lists]
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        why, remedy = f"{names.count(doubled)} files are called {doubled}", "rename one: a list is called like its file"
        raise ConfigError("two word lists have one name", where="--words", why=why, remedy=remedy)
    return lists


def counted(lists: Sequence[WordList]) -> Counted:
    """Give what counts the matches of each list in texts, as the stage `words` does."""
    matcher = Matcher({one.name: one.entries for one in lists}, parted=False) if lists else None

    def count(texts: Column) -> dict[str, Counts]:
        if matcher is None:
            return {}
        found = list(matcher.found(*views(texts)))
        return {one.name: np.array([each.get(one.name, NOTHING).matches for each in found]) for one in lists}

    return count
