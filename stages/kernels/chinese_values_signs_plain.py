"""What the kernel of signs of Chinese pages counts, said in plain Python for one text; tests compare the two."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise

from headrace.stages.kernels import chinese_values_signs as signs

KindOf = Callable[[str], int]
_RUN = (signs.DIGIT, signs.LETTER, signs.OTHER_DIGIT)
_ESCAPES = re.compile(rf"(?:\\u(?!00)[0-9A-Fa-f]{{4}}|&#[xX]?[0-9A-Fa-f]{{4,7}};){{{signs.LEAST_ESCAPES},}}")


def sign_counts(text: str, kind_of: KindOf) -> list[int]:
    """Give the counts of `chinese_values_signs.sign_counts`."""
    kinds = [kind_of(character) for character in text]
    row = [0] * signs.COUNTS
    row[signs.RARES] = kinds.count(signs.RARE)
    row[signs.ASCII] = kinds.count(signs.DIGIT) + kinds.count(signs.LETTER)
    row[signs.SHOUTS] = runs(kinds, signs.SHOUT)
    row[signs.PICTURES] = runs(kinds, signs.PICTURE)
    priced = ((signs.MONEY, signs.DIGIT), (signs.DIGIT, signs.UNIT))
    row[signs.PRICES] = sum(pair in priced for pair in pairwise(kinds))
    stretches = (list(run) for inside, run in groupby(kinds, lambda kind: kind in _RUN) if inside)
    row[signs.ACCOUNTS] = sum(is_account(run) for run in stretches)
    lost = (len(run) for run in re.findall(r"\?+", text))
    escapes = (len(found[0]) for found in _ESCAPES.finditer(text))
    row[signs.BROKEN] = sum(size for size in lost if size >= signs.LEAST_MARKS) + sum(escapes)
    return row


def runs(kinds: Sequence[int], kind: int) -> int:
    """Give the number of runs of a kind."""
    return sum(key == kind for key, _ in groupby(kinds))


def is_account(run: Sequence[int]) -> bool:
    """Tell whether a run of letters and digits looks like what people are asked to write to."""
    digits, letters, others = (run.count(kind) for kind in _RUN)
    if others:
        return others >= 5
    mixed = digits >= 2 and letters >= 2 and 5 <= len(run) <= 20
    return mixed or (letters == 0 and 7 <= digits <= 11)
