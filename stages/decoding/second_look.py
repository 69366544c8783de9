"""A second look at a group that lost something outside the sample, or that is Big5 in one of two layouts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headrace.stages.decoding.batch import UNWRITTEN, Batch, decoded_as
from headrace.stages.decoding.charset import Charset, number_of
from headrace.stages.decoding.charsets import CP950
from headrace.stages.decoding.rows import Rows
from headrace.stages.kernels.charset_model import BEYOND, JAPANESE, Model
from headrace.stages.kernels.charset_transcode import LAYOUT, LOST_CODES

_LESS = 20  # times less must be lost by the second charset of a race for it to win after all
_DAMAGE = 2400  # centinats that each loss outside the sample counts, as in the race
_COIN_TOSS = 0.5
_WEB_LAYOUT = 300  # centinats by which the web's layout of Big5 is likelier than CP950's


def looked_again(batch: Batch, charsets: list[Charset], model: Model) -> list[Charset]:
    """Give the charsets, some replaced, of a batch that was decoded by them."""
    firsts = batch.rows.firsts.tolist()
    lost = np.add.reduceat(batch.notes[:, LOST_CODES], firsts[:-1]).tolist()
    layout = np.add.reduceat(batch.notes[:, LAYOUT], firsts[:-1]).tolist()
    better = list(charsets)
    for group, charset in enumerate(charsets):
        if charset.method == "forced":
            continue
        rows = batch.rows.part(firsts[group], firsts[group + 1])
        if charset.second and lost[group] * _DAMAGE > charset.lead:
            better[group] = _less_lossy(rows, charset, lost[group], model)
        if layout[group] and better[group] == charset:
            better[group] = _likelier_layout(rows, charset, model)
    return better


def _less_lossy(rows: Rows, charset: Charset, lost: int, model: Model) -> Charset:
    """Give the runner-up where it holds nearly all that the winner lost."""
    other = replace(charset, codec=charset.second or "", second=None, confidence=_COIN_TOSS)
    number = number_of(other.codec)
    if number >= UNWRITTEN:  # a single-byte page loses nothing, whatever the text
        return charset
    theirs = decoded_as(rows, np.array([number], np.int64), model).notes[:, LOST_CODES].sum()
    return other if theirs * _LESS < lost else charset


def _likelier_layout(rows: Rows, charset: Charset, model: Model) -> Charset:
    """Give CP950 where its layout of the rows C6 to C8 gives likelier kana than the web's."""
    other = replace(charset, codec=CP950)
    web, cp950 = (_kana_score(rows, number_of(one.codec), model) for one in (charset, other))
    return other if cp950 > web + _WEB_LAYOUT else charset


def _kana_score(rows: Rows, number: int, model: Model) -> int:
    """Give how likely the characters of a text are in Japanese: only kana differ between the layouts."""
    batch = decoded_as(rows, np.array([number], np.int64), model)
    text = batch.utf8[: batch.offsets[-1]].tobytes().decode()
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    return int(model.character_logs[JAPANESE][np.minimum(points, BEYOND)].sum(dtype=np.int64))
