"""Many groups of rows in one call: the facts about their bytes, their charsets, and their text as UTF-8."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Counts, Offsets
from headrace.schemas.compiled import kernel
from headrace.stages.kernels.charset_facts import CUTS, FACTS, MARK, gather_facts
from headrace.stages.kernels.charset_model import Model
from headrace.stages.kernels.charset_race import CODEC, COLUMNS, PROVEN, judge_group
from headrace.stages.kernels.charset_transcode import NOTES, SUSPECT, transcode_row


@kernel
def decode_groups(
    data: Bytes,
    begins: Offsets,
    ends: Offsets,
    firsts: Offsets,
    fixed: Counts,
    favoured: Counts,
    favour: int,
    proofs: int,
    model: Model,
    out: Bytes,
) -> tuple[Counts, Counts, Offsets, Counts, int]:
    """Give by group the facts and the charset, by row where its text begins in `out` and its notes, and suspect rows.

    Row r is `data[begins[r]:ends[r]]`, group g has the rows `firsts[g]` to `firsts[g + 1]`. A group's charset is
    `fixed[g]`, or is found if that is -1: `favoured[g]` (-1: none) is then `favour` centinats likelier, and with
    `proofs` legal UTF-8 is UTF-8. `out` has room for three bytes for each of the rows, and four more.
    """
    groups = len(firsts) - 1
    facts, found = np.zeros((groups, FACTS), np.int64), np.zeros((groups, COLUMNS), np.int64)
    offsets, notes = np.zeros(len(begins) + 1, np.int64), np.zeros((len(begins), NOTES), np.int64)
    to = suspects = 0
    for group in range(groups):
        first, last = firsts[group], firsts[group + 1]
        if first == last:
            continue
        gather_facts(data, begins, ends, first, last, facts[group])
        if fixed[group] >= 0:
            found[group, CODEC] = fixed[group]
        else:
            judge_group(
                data,
                begins,
                ends,
                first,
                last,
                facts[group],
                favoured[group],
                favour,
                proofs,
                model,
                found[group],
            )
        whole = found[group, PROVEN] and not facts[group, CUTS] and not facts[group, MARK]
        for row in range(first, last):
            begin, end = begins[row], ends[row]
            if whole:  # UTF-8 already
                out[to : to + end - begin] = data[begin:end]
                to += end - begin
            else:
                to = transcode_row(data, begin, end, found[group, CODEC], model, out, to, notes[row])
            offsets[row + 1] = to
            suspects += notes[row, SUSPECT]
    return facts, found, offsets, notes, suspects
