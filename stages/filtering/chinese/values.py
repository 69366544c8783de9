"""What tells Chinese text from what pages have around it: one number per document and name, finite, shares up to 1."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Counts, Floats
from headrace.stages.filtering.chinese.counted import Counted
from headrace.stages.filtering.chinese.phrases import ADVERTISING, GARBLED, GROUPS, SOLICITATION
from headrace.stages.kernels import chinese_values_lines as lines
from headrace.stages.kernels import chinese_values_phrases as phrases
from headrace.stages.kernels import chinese_values_signs as signs
from headrace.stages.kernels import chinese_values_verse as verse

LEAST_TOP = 5  # times that a phrase stands in a text before it counts as repeated
# What every text is given, so that a short one is not judged by two or three words: characters of prose, function
# characters (one in ten), pairs of words, and characters beside those of phrases, lists and signs.
FREE_PROSE, FREE_FUNCTIONS, FREE_PAIRS, FREE_CHARACTERS = 40, 2, 5, 20
FREE_USUAL, FREE_LISTED, FREE_PITCH = 10, 30, 40
TELEPHONE = 11  # digits
RELIEF, LEAST_REPORT = 2, 2
LEAST_SIGNS = 5  # sorts of signs and different calls
_PARTICLES = 0.1  # of the characters: verse in clauses of several lengths has fewer, prose of either kind more
_SHORT_CLAUSES = 0.85
_LEAST_LINES, _OPEN, _SAID = 4, 0.75, 0.4


def chinese_values(counted: Counted) -> dict[str, Floats]:
    """Give all values of texts by name. `docs/how-to` says what each means."""
    counts, marks, signed = counted.lines, counted.marks, counted.signs
    size, han = counts[lines.CHARACTERS], counts[lines.HANS]
    return {
        "prose_share": share(counts[lines.PROSE] + FREE_PROSE, han + FREE_PROSE),
        "sentence_line_share": share(counts[lines.ENDED_LINES], counts[lines.LINES]),
        "item_line_share": share(counts[lines.ITEM_LINES], counts[lines.LINES]),
        "modern_function_share": share(counts[lines.MODERNS] + FREE_FUNCTIONS, han + 10 * FREE_FUNCTIONS),
        "literary_function_share": share(counts[lines.LITERARIES], han),
        "cantonese_function_share": share(counts[lines.CANTONESES], han),
        "listed_share": share(counts[lines.LISTED], size + FREE_LISTED),
        "separated_share": share(counts[lines.SEPARATED], han),
        "garbled_share": garbled_share(counted),
        "known_pair_share": share(counts[lines.KNOWN] + FREE_PAIRS, counts[lines.PAIRS] + FREE_PAIRS),
        "rare_share": share(signed[signs.RARES], han + FREE_USUAL),
        "ascii_share": share(signed[signs.ASCII], size + FREE_CHARACTERS),
        "telephone_share": share(marks[phrases.TELEPHONES] * TELEPHONE, size + FREE_CHARACTERS),
        "pitch_share": pitch_share(counted.phrases, marks, signed, size),
        **phrase_values(told_of(counted.phrases), marks, size),
        **repeat_values(counted),
    }


def general_values(counted: Counted) -> dict[str, Floats]:
    """Give the values that are asked of texts in any language, by the same names."""
    return {
        "garbled_share": garbled_share(counted),
        "repeated_phrase_share": share(*counted.repeated),
        "link_share": share(counted.marks[phrases.LINK_CHARACTERS], counted.lines[lines.CHARACTERS]),
    }


def garbled_share(counted: Counted) -> Floats:
    """Give the share of characters that a wrong charset gave, those of 锟斤拷, of escapes and of ?????? among them."""
    known = counted.phrases[:, GROUPS.index(GARBLED), phrases.COVERED] + counted.signs[signs.BROKEN]
    return share(counted.lines[lines.GARBLED] + known, counted.lines[lines.CHARACTERS])


def told_of(found: Counts) -> Counts:
    """Give the counts with fewer characters of solicitation, where a text has words of reports: it tells of crimes."""
    reported = found[:, GROUPS.index("report"), phrases.COVERED]
    kinds = found[:, GROUPS.index("report"), phrases.KINDS]
    relieved = found.copy()
    relief = np.where(kinds >= LEAST_REPORT, RELIEF * reported, 0)[:, None]
    relieved[:, :SOLICITATION, phrases.COVERED] = np.maximum(found[:, :SOLICITATION, phrases.COVERED] - relief, 0)
    return relieved


def pitch_share(found: Counts, marks: Counts, signed: Counts, size: Counts) -> Floats:
    """Give how much of a text is talk of a seller: weak signs of several sorts together, 0 where there are too few.

    Signs are phrases of advertising and calls, exclamations and pictures, prices, accounts and telephones, each worth
    so many characters; words of reports take from it.
    """
    covered = found[:, :, phrases.COVERED]
    urging, report = covered[:, GROUPS.index("urging")], covered[:, GROUPS.index("report")]
    addresses = signed[signs.ACCOUNTS] + marks[phrases.TELEPHONES]
    loud = signed[signs.SHOUTS] + signed[signs.PICTURES]
    asked, sold = covered[:, : SOLICITATION + 1].sum(axis=1), covered[:, SOLICITATION + 1 : ADVERTISING].sum(axis=1)
    sorts = sum((part > 0).astype(np.int64) for part in (asked, sold, urging, loud, addresses, signed[signs.PRICES]))
    calls = found[:, GROUPS.index("urging"), phrases.KINDS]
    enough = (calls > 0) & (sorts + calls >= LEAST_SIGNS)
    worth = asked + sold / 2 + urging + loud + 3 * signed[signs.PRICES] + 5 * addresses - RELIEF * report
    return share(np.where(enough, np.maximum(worth, 0), 0), size + FREE_PITCH)


def phrase_values(found: Counts, marks: Counts, size: Counts) -> dict[str, Floats]:
    """Give the values of phrases: the share of characters in each group's, and how many different ones there are."""
    covered, kinds = found[:, :, phrases.COVERED], found[:, :, phrases.KINDS]
    asked = [GROUPS.index(group) for group in ("evasion", "approach", "contact")]
    contacts = found[:, asked, phrases.MATCHES].sum(axis=1) + marks[phrases.TELEPHONES]
    whole = size + FREE_CHARACTERS
    values: dict[str, Floats] = {}
    for number, group in enumerate(GROUPS):
        if group == GARBLED:  # `garbled_share` counts its phrases with other signs
            continue
        values[f"{group}_share"] = share(covered[:, number], whole)
        values[f"{group}_phrases"] = kinds[:, number].astype(np.float64)
    return values | {
        "solicitation_share": share(covered[:, :SOLICITATION].sum(axis=1), whole),
        "advertising_share": share(covered[:, :ADVERTISING].sum(axis=1), whole),
        "advertising_phrases": kinds[:, :ADVERTISING].sum(axis=1).astype(np.float64),
        "disguised_phrases": found[:, :SOLICITATION, phrases.DISGUISED].sum(axis=1).astype(np.float64),
        "contacts": contacts.astype(np.float64),
        "contact_rate": contacts * 1000 / np.maximum(size, 1),
        "link_share": share(marks[phrases.LINK_CHARACTERS], size),
    }


def repeat_values(counted: Counted) -> dict[str, Floats]:
    """Give how much of a text was said before, and how much its most frequent phrase takes."""
    top, size = counted.top, counted.lines[lines.CHARACTERS]
    return {
        "repeated_phrase_share": share(*counted.repeated),
        "top_phrase_share": share(np.where(top >= LEAST_TOP, top * verse.GRAM, 0), size),
    }


def verse_share(counted: Counted) -> Floats:
    """Give how much of each text is verse by its form, 0 to 1: what chooses the profile `verse`.

    It is the largest of three shares of its characters: in four or more clauses in a row of one length; in clauses of
    up to 9 characters, where modern and literary particles are few (ci, songs); in open short lines, where four or
    more of them have function characters (modern verse).
    """
    counts = counted.verse
    written, rows = counts[verse.WRITTEN], counts[verse.LINES]
    regular, short = share(counts[verse.REGULAR], written), share(counts[verse.SHORT], written)
    few = share(counts[verse.PARTICLES], written) < _PARTICLES
    opened, said = share(counts[verse.OPEN_LINES], rows), share(counts[verse.SAID_LINES], rows)
    free = (rows >= _LEAST_LINES) & (opened >= _OPEN) & (said >= _SAID) & (counts[verse.LONG_LINES] == 0)
    songs = np.where(few & (short >= _SHORT_CLAUSES), short, 0.0)
    return np.maximum(np.maximum(regular, songs), np.where(free, opened, 0.0))


def share(part: Counts | Floats, whole: Counts) -> Floats:
    """Give part by whole, at most 1, and 0 where there is no whole."""
    return np.minimum(np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0), 1.0)
