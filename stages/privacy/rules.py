"""All rules, and the tables of their automaton."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from headrace.schemas.arrays import Classes, Flags, Links, read_only
from headrace.stages.privacy import accounts, documents, telephones
from headrace.stages.privacy.automaton import DEAD, Tables, compiled

RULES = (*accounts.RULES, *documents.RULES, *telephones.RULES)


@dataclass(frozen=True, slots=True)
class Search:
    """What the kernel needs: the automaton, which groups of rules may begin where, and what may not touch a rule.

    Rules with the same `before` are a group, a bit. `starts` is (byte before, byte): the groups that may begin there;
    `goes_on` is (byte, next byte): those that are still possible then. `rules` numbers the automaton's patterns by
    their place in RULES. `after` is (rule, byte): which bytes may not stand behind it. `at_bit` is the group of e-mail:
    without an @ in reach it need not begin.
    """

    tables: Tables
    rules: Links
    starts: Classes
    goes_on: Classes
    after: Flags
    at_bit: int


@cache
def search() -> Search:
    """Give the tables; they are built once a process."""
    groups: dict[str, list[int]] = {}
    for number, rule in enumerate(RULES):
        groups.setdefault(rule.before, []).append(number)
    tables = compiled([[RULES[number].pattern for number in numbers] for numbers in groups.values()])
    bits = (1 << np.arange(len(groups)))[:, None, None]
    first = tables.steps[tables.entries][:, tables.kinds]  # (group, byte): the state after a byte
    second = tables.steps[first][:, :, tables.kinds]
    may_touch = ~_touching(list(groups))[:, :, None] | (np.arange(256) >= 0x80)  # no word of ASCII goes on in Chinese
    starts = bits * (may_touch & (first != DEAD)[:, None, :])
    return Search(
        tables,
        read_only(np.array([number for numbers in groups.values() for number in numbers], np.int32)),
        read_only(starts.sum(axis=0).astype(np.uint8)),
        read_only((bits * (second != DEAD)).sum(axis=0).astype(np.uint8)),
        read_only(_touching([rule.after for rule in RULES])),
        1 << [[RULES[number].kind for number in numbers] for numbers in groups.values()].index(["email"]),
    )


def _touching(characters: list[str]) -> Flags:
    table = np.zeros((len(characters), 256), np.bool_)
    for row, touching in enumerate(characters):
        table[row, list(touching.encode())] = True
    return table
