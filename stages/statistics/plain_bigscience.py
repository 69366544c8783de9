"""What the kernels of BigScience's rules compute, in plain Python for one text; tests compare the two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise

from headrace.stages.statistics.letters import is_special


def character_repetition(text: str, size: int) -> float:
    """Give the share of runs of characters that are the most frequent ones."""
    times = sorted(Counter(text[i : i + size] for i in range(len(text) - size + 1)).values(), reverse=True)
    most = min(int(len(times) ** 0.5), sum(count > 1 for count in times))
    return sum(times[:most]) / sum(times) if times else 0.0


def word_repetition(words: Sequence[str], size: int) -> float:
    """Give the share of runs of words that occur more than once."""
    times = Counter(tuple(words[i : i + size]) for i in range(len(words) - size + 1)).values()
    return sum(count for count in times if count > 1) / sum(times) if times else 0.0


def special_characters(text: str) -> float:
    """Give the share of characters that are no letters."""
    return sum(map(is_special, text)) / len(text) if text else 0.0


def listed_share(words: Sequence[str], listed: Collection[str]) -> float:
    """Give how many words and pairs of words are in a list, per word, at most 1."""
    pairs = [one + other for one, other in pairwise(words)]
    return min(1.0, sum(word in listed for word in [*words, *pairs]) / len(words)) if words else 0.0


def bare(words: Sequence[str]) -> list[str]:
    """Give words without signs at their ends, in small letters of ASCII."""
    found = []
    for word in words:
        letters = [place for place, character in enumerate(word) if not is_special(character)]
        if letters:
            kept = word[letters[0] : letters[-1] + 1]
            found.append("".join(c.lower() if c.isascii() else c for c in kept))
    return found
