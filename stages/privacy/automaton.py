r"""From patterns to the tables of one automaton, which a kernel runs over UTF-8 bytes at memory speed.

A pattern is a regular expression of Python's `re`, of which this reads a part: literals, escapes of single characters,
`\d`, classes (ranges only in ASCII), groups, `|`, `?`, `*`, `+` and `{m}`, `{m,n}`. So `re` can check the tables.
The construction is the textbook one (Thompson 1968, subsets): no backtracking, one step a byte whatever the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Classes, Links, read_only

DEAD = 0  # the state that nothing leaves
MOST_STATES = 65_000  # they are 16-bit numbers, and one step adds fewer than there are classes of bytes
States = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Tables:
    """An automaton of several groups of patterns: a state and a byte's class give the next state.

    In state s the patterns `ended[firsts[s]:firsts[s + 1]]` end, counted through all groups.
    """

    kinds: Classes  # by byte; bytes that no pattern tells apart share a class
    steps: States  # (state, class)
    ended: Links
    firsts: Links
    entries: Links  # by group


@dataclass(frozen=True, slots=True)
class Bytes:
    """One byte out of a set."""

    of: frozenset[int]


@dataclass(frozen=True, slots=True)
class Chain:
    """Parts one behind the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several parts."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part `least` to `most` times; None = without end."""

    part: Node
    least: int
    most: int | None


Node = Bytes | Chain | Choice | Repeat
_DIGITS = frozenset(b"0123456789")
_TIMES: dict[str, tuple[int, int | None]] = {"?": (0, 1), "*": (0, None), "+": (1, None)}


def literal(text: str) -> Chain:
    """Give the bytes of a text, one behind the other."""
    return Chain(tuple(Bytes(frozenset((byte,))) for byte in text.encode()))


class Reader:
    """Reads one pattern from its beginning to its end."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def read(self) -> Node:
        """Give the pattern as a tree; ValueError names what is not of this language."""
        tree = self._choice()
        if self._at < len(self._pattern):
            raise ValueError(f"{self._pattern!r}: nothing is open that {self._pattern[self._at]!r} closes")
        return tree

    def _next(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _take(self) -> str:
        self._at += 1
        return self._pattern[self._at - 1]

    def _choice(self) -> Node:
        parts = [self._chain()]
        while self._next() == "|":
            self._take()
            parts.append(self._chain())
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _chain(self) -> Node:
        parts: list[Node] = []
        while self._next() not in ("", "|", ")"):
            parts.append(self._times(self._atom()))
        return Chain(tuple(parts))

    def _times(self, part: Node) -> Node:
        if self._next() in _TIMES and self._next():
            return Repeat(part, *_TIMES[self._take()])
        if self._next() == "{":
            end = self._pattern.index("}", self._at)
            least, _, most = self._pattern[self._at + 1 : end].partition(",")
            self._at = end + 1
            return Repeat(part, int(least), int(most or least))
        return part

    def _atom(self) -> Node:
        first = self._take()
        if first == "(":
            return self._group()
        if first == "[":
            return self._class()
        if first == "\\":
            return self._escaped()
        if first in "*+?{^$.":
            raise ValueError(f"{self._pattern!r}: {first!r} has no meaning here")
        return literal(first)

    def _group(self) -> Node:
        if self._next() == "?":
            opening = "?:" if self._pattern.startswith("?:", self._at) else "?P<"
            if not self._pattern.startswith(opening, self._at):
                raise ValueError(f"{self._pattern!r}: of the groups that begin with (? only (?: and (?P<name> are read")
            self._at = self._at + 2 if opening == "?:" else self._pattern.index(">", self._at) + 1
        inner = self._choice()
        if not self._next():
            raise ValueError(f"{self._pattern!r}: a group is not closed")
        self._take()
        return inner

    def _escaped(self) -> Node:
        character = self._take()
        if character == "d":
            return Bytes(_DIGITS)
        if character == "n":
            return literal("\n")
        if character.isalnum():
            raise ValueError(f"{self._pattern!r}: \\{character} is not read")
        return literal(character)

    def _class(self) -> Node:
        ascii_bytes: set[int] = set()
        longer: list[Node] = []
        while (character := self._take()) != "]":
            if character == "\\":
                character = self._take()
                if character == "d":
                    ascii_bytes |= _DIGITS
                    continue
            if self._next() == "-" and self._pattern[self._at + 1] != "]":
                self._take()
                ascii_bytes.update(range(ord(character), ord(self._take()) + 1))
            elif character.isascii():
                ascii_bytes.add(ord(character))
            else:
                longer.append(literal(character))
        parts = [*([Bytes(frozenset(ascii_bytes))] if ascii_bytes else []), *longer]
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))


@dataclass(slots=True)
class Graph:
    """A nondeterministic automaton: from each state some bytes lead on, or free steps do."""

    sets: list[frozenset[int]] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    free: list[tuple[int, ...]] = field(default_factory=list)

    def state(self, of: frozenset[int] = frozenset(), target: int = 0, free: Iterable[int] = ()) -> int:
        """Add a state."""
        self.sets.append(of)
        self.targets.append(target)
        self.free.append(tuple(free))
        return len(self.sets) - 1

    def build(self, node: Node, after: int) -> int:
        """Add the states of a tree that goes on at `after`, and give the first of them."""
        if isinstance(node, Bytes):
            return self.state(node.of, after)
        if isinstance(node, Chain):
            for part in reversed(node.parts):
                after = self.build(part, after)
            return after
        if isinstance(node, Choice):
            return self.state(free=[self.build(part, after) for part in node.parts])
        return self._repeated(node, after)

    def _repeated(self, node: Repeat, after: int) -> int:
        entry = after
        if node.most is None:
            entry = self.state()
            self.free[entry] = (self.build(node.part, entry), after)
        else:
            for _ in range(node.most - node.least):
                entry = self.state(free=(self.build(node.part, entry), after))
        for _ in range(node.least):
            entry = self.build(node.part, entry)
        return entry

    def reached(self, states: Iterable[int]) -> frozenset[int]:
        """Give the states that are reached by free steps, those that do more than lead on."""
        seen: set[int] = set()
        waiting = list(states)
        while waiting:
            state = waiting.pop()
            if state not in seen:
                seen.add(state)
                waiting.extend(self.free[state])
        return frozenset(state for state in seen if self.sets[state] or not self.free[state])


def compiled(groups: Sequence[Sequence[str]]) -> Tables:
    """Give the tables of groups of patterns. The patterns of a group share their states; classes of bytes all do."""
    graphs = [_graph(patterns) for patterns in groups]
    kinds, classes = _classes({of for graph, _, _ in graphs for of in graph.sets if of})
    steps: list[list[int]] = [[DEAD] * (max(kinds) + 1)]
    ended: list[list[int]] = [[]]
    entries, first = [], 0
    for graph, begins, finals in graphs:
        entries.append(len(steps))
        numbers = {state: first + number for number, state in enumerate(finals)}
        found = _determine(graph, begins, classes, steps)
        ended += [sorted(numbers[state] for state in states & numbers.keys()) for states in found]
        first += len(finals)
    return Tables(
        read_only(np.array(kinds, np.uint8)),
        read_only(np.array(steps, np.uint16)),
        read_only(np.array([pattern for patterns in ended for pattern in patterns], np.int32)),
        read_only(np.cumsum([0, *map(len, ended)]).astype(np.int32)),
        read_only(np.array(entries, np.int32)),
    )


def _graph(patterns: Sequence[str]) -> tuple[Graph, list[int], list[int]]:
    """Give the graph of several patterns, and where each begins and ends."""
    graph = Graph()
    finals = [graph.state() for _ in patterns]
    begins = [graph.build(Reader(pattern).read(), final) for pattern, final in zip(patterns, finals, strict=True)]
    return graph, begins, finals


def _classes(sets: set[frozenset[int]]) -> tuple[list[int], dict[frozenset[int], tuple[int, ...]]]:
    """Number the bytes so that two of one number are in the same sets; give also the numbers in each set."""
    ordered = sorted(sets, key=sorted)
    numbers: dict[tuple[bool, ...], int] = {}
    kinds = [numbers.setdefault(tuple(byte in of for of in ordered), len(numbers)) for byte in range(256)]
    return kinds, {of: tuple(sorted({kinds[byte] for byte in of})) for of in ordered}


def _determine(
    graph: Graph, begins: list[int], classes: dict[frozenset[int], tuple[int, ...]], steps: list[list[int]]
) -> list[frozenset[int]]:
    """Append the states of a graph, and give what each stands for: a set of the graph's states."""
    offset = len(steps)
    numbers: dict[frozenset[int], int] = {}
    known: dict[frozenset[int], int] = {}
    found = [graph.reached(begins)]
    numbers[found[0]] = offset
    steps.append([DEAD] * len(steps[DEAD]))
    for states in found:  # grows while it is walked
        if len(steps) > MOST_STATES:
            raise ValueError(f"the patterns make more than {MOST_STATES} states: one of them repeats too much")
        leads: dict[int, set[int]] = {}
        for state in states:
            for of in classes.get(graph.sets[state], ()):
                leads.setdefault(of, set()).add(graph.targets[state])
        for of, targets in leads.items():
            reached = frozenset(targets)
            if reached not in known:
                after = graph.reached(reached)
                if after not in numbers:
                    numbers[after] = len(steps)
                    steps.append([DEAD] * len(steps[DEAD]))
                    found.append(after)
                known[reached] = numbers[after]
            steps[numbers[states]][of] = known[reached]
    return found
