"""The scores that py3langid gives, from its own model: an automaton over bytes, and logarithms of naive Bayes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, Offsets
from headrace.schemas.compiled import kernel, part

Scores = npt.NDArray[np.float32]
States = npt.NDArray[np.uint32]
Features = npt.NDArray[np.int32]


class Automaton(NamedTuple):
    """The model: rows of 256 next states, the row of each state, the feature that a state ends (-1: none), weights."""

    moves: States
    rows: States
    features: Features
    weights: Scores  # of each feature, by label
    priors: Scores


@kernel
def scores(data: Bytes, offsets: Offsets, model: Automaton) -> Scores:
    """Give each text's score for each label: the sum of `log(1 + n)` times the weights of what it holds n times."""
    out = np.empty((len(offsets) - 1, len(model.priors)), np.float32)
    counts = np.zeros(len(model.weights), np.int32)
    found = np.empty(max(1, longest(offsets)), np.int32)
    for text in range(len(out)):
        number = features_of(data, offsets[text], offsets[text + 1], model, counts, found)
        for label in range(out.shape[1]):
            out[text, label] = model.priors[label] if number else 0
        for place in range(number):
            feature = found[place]
            times = np.float32(np.log1p(np.float32(counts[feature])))
            counts[feature] = 0
            for label in range(out.shape[1]):
                out[text, label] += times * model.weights[feature, label]
    return out


@part
def features_of(data: Bytes, at: int, end: int, model: Automaton, counts: Features, found: Features) -> int:
    """Count the features of a text, list them as they come, and give their number."""
    state = number = 0
    while at < end:
        state = int(model.moves[(int(model.rows[state]) << 8) + int(data[at])])
        at += 1
        feature = model.features[state]
        if feature >= 0:
            if counts[feature] == 0:
                found[number] = feature
                number += 1
            counts[feature] += 1
    return number


@part
def longest(offsets: Offsets) -> int:
    """Give the bytes of the longest text."""
    most = 0
    for text in range(len(offsets) - 1):
        most = max(most, offsets[text + 1] - offsets[text])
    return most
