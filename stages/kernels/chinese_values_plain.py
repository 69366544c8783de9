"""What the kernels of Chinese values compute, said in plain Python for one text; tests compare the two."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from headrace.stages.kernels import chinese_values_lines as lines
from headrace.stages.kernels import chinese_values_phrases as phrases
from headrace.stages.kernels import chinese_values_verse as verse

TraitOf = Callable[[str], int]
Known = Callable[[str, str], bool]
_BARS = "|｜丨>»›"
_QUOTES = "”」』"


def text_counts(text: str, trait_of: TraitOf, known: Known) -> list[int]:
    """Give the counts of `chinese_values_lines.text_counts`."""
    traits = [trait_of(character) for character in text]
    row = [0] * lines.COUNTS
    row[lines.CHARACTERS] = sum(not trait & lines.SPACE for trait in traits)
    for place, flag in (
        *((lines.HANS, lines.HAN), (lines.MODERNS, lines.HAN | lines.MODERN)),
        *((lines.LITERARIES, lines.HAN | lines.LITERARY), (lines.CANTONESES, lines.HAN | lines.CANTONESE)),
    ):
        row[place] = sum(trait & flag == flag for trait in traits)
    neighbours = [(one, other) for one, other in pairwise(text) if trait_of(one) & trait_of(other) & lines.HAN]
    row[lines.PAIRS] = len(neighbours)
    row[lines.KNOWN] = sum(known(one, other) for one, other in neighbours)
    row[lines.SEPARATED] = sum(
        separated(*three) for three in zip([lines.SIGN, *traits], traits, traits[1:], strict=False)
    )
    for piece in sentences(text, trait_of):
        count_sentence(piece, [trait_of(character) for character in piece], row)
    for line in cut(text, trait_of):
        count_line([c for c in line if not trait_of(c) & lines.SPACE], trait_of, row)
    row[lines.LISTED] = listed(text, trait_of)
    row[lines.GARBLED] = garbled(traits)
    return row


def separated(before: int, here: int, after: int) -> bool:
    """Tell whether a Han character stands between two signs, or between two spaces."""
    if not here & lines.HAN:
        return False
    signs = before & after & lines.SIGN and not (before | after) & lines.SPACE
    spaces = before & after & lines.SPACE and not (before | after) & lines.BREAK
    return bool(signs or spaces)


def cut(text: str, trait_of: TraitOf) -> list[str]:
    """Give the lines of a text, blank ones among them."""
    found = [""]
    for character in text:
        if trait_of(character) & lines.BREAK:
            found.append("")
        else:
            found[-1] += character
    return found


def sentences(text: str, trait_of: TraitOf) -> Iterator[str]:
    """Cut a text into sentences: at line ends, before bars, behind marks and their closers, behind . and a space."""
    for line in cut(text, trait_of):
        piece, last = "", 0
        for character in line:
            trait = trait_of(character)
            stopped = last & lines.STOP and trait & lines.SPACE
            ended = last & lines.END and not trait & (lines.END | lines.CLOSER)
            if stopped or ended or character in _BARS:
                yield piece
                piece = ""
            if trait & lines.SPACE:
                last = 0 if stopped else last
                continue
            piece, last = piece + character, trait
        yield piece


def count_sentence(piece: str, traits: Sequence[int], row: list[int]) -> None:
    """Count the Han characters of a sentence that has enough of them, and function characters or 。 at its end."""
    marks = [character for character, trait in zip(piece, traits, strict=True) if not trait & lines.CLOSER]
    han = sum(trait & lines.HAN != 0 for trait in traits)
    function = sum(trait & lines.FUNCTION != 0 for trait in traits)
    said = han >= lines.LEAST_HAN and function * lines.ONE_IN >= han
    full = marks[-1:] == ["。"] and han >= lines.LEAST_FULL
    row[lines.PROSE] += han if said or full else 0


def count_line(line: Sequence[str], trait_of: TraitOf, row: list[int]) -> None:
    """Count a line without its white space."""
    if not line:
        return
    last = trait_of(line[-1])
    marks = [trait_of(character) for character in line if not trait_of(character) & lines.CLOSER]
    ended = bool(marks and marks[-1] & (lines.END | lines.STOP)) or line[-1] in _QUOTES
    ended |= bool(last & lines.CLOSER) and len(line) > lines.LONGEST_ITEM
    said = any(trait_of(character) & lines.FUNCTION for character in line)
    row[lines.LINES] += 1
    row[lines.ENDED_LINES] += ended
    row[lines.ITEM_LINES] += not ended and not said and len(line) <= lines.LONGEST_ITEM


def listed(text: str, trait_of: TraitOf) -> int:
    """Give the characters of names in lists of several."""
    total = 0
    written = lines.HAN | lines.LETTER | lines.DIGIT
    kinds = "".join(
        "w" if (trait := trait_of(c)) & written else "s" if trait & lines.SEPARATOR and not trait & lines.BREAK else "x"
        for c in text
    )
    for stretch in re.finditer("[ws]+", kinds):
        names: list[str] = []
        for name in re.finditer("w+", stretch[0]):
            word = text[stretch.start() + name.start() : stretch.start() + name.end()]
            if is_name(word, trait_of):
                names.append(word)
                continue
            total += size_of_list(names)
            names = []
        total += size_of_list(names)
    return total


def is_name(word: str, trait_of: TraitOf) -> bool:
    """Tell whether a run of letters may be a name in a list."""
    han = sum(trait_of(character) & lines.HAN != 0 for character in word)
    function = sum(trait_of(character) & lines.FUNCTION != 0 for character in word)
    fits = han >= lines.SHORTEST_NAME and len(word) <= lines.LONGEST_NAME
    return fits and function * lines.LEAST_SOLID <= han


def size_of_list(names: Sequence[str]) -> int:
    """Give the characters of names, 0 if there are too few for a list."""
    return sum(map(len, names)) if len(names) >= lines.NAMES else 0


def garbled(traits: Sequence[int]) -> int:
    """Give the characters that are lost or come of a wrong charset."""
    total = sum(trait == lines.LOST for trait in traits)
    letters = "".join("m" if trait & lines.MISREAD_LETTER else "x" for trait in traits)
    total += sum(len(run) for run in re.findall("m+", letters) if len(run) >= lines.LEAST_LETTERS)
    han = "".join("m" if trait & lines.MISREAD else "h" if trait & lines.HAN else "x" for trait in traits)
    for run in re.findall("[mh]+", han):
        misread = run.count("m")
        total += len(run) if misread >= lines.LEAST_MISREAD and 5 * misread >= 2 * len(run) else 0
    return total


def phrase_counts(
    text: str, groups: Sequence[Sequence[str]], fold: Callable[[str], str], sign_of: Callable[[str], int]
) -> list[list[int]]:
    """Give the counts of `chinese_values_phrases.phrase_counts`; `fold` gives a character's match form."""
    signs = [sign_of(character) for character in text]
    folded = "".join(
        fold(c) if not sign else "\0" if sign == phrases.STOP else c for c, sign in zip(text, signs, strict=True)
    )
    skipped = "".join({0: "w", phrases.STOP: "w", phrases.SIGN: "s", phrases.SPACE_SIGN: "b"}[sign] for sign in signs)
    present = set(folded)
    return [group_counts(text, folded, skipped, [p for p in group if present.issuperset(p)]) for group in groups]


def group_counts(text: str, folded: str, skipped: str, group: Sequence[str]) -> list[int]:
    """Count the phrases of one group; characters are numbered without the signs between them."""
    written = [place for place, kind in enumerate(skipped) if kind == "w"]
    row, last, kinds = [0, 0, 0, 0], 0, set()
    for end in range(1, len(written) + 1):
        ending = (phrase for phrase in group if phrase[-1] == folded[written[end - 1]])
        found = max((phrase for phrase in ending if stands(text, folded, written, phrase, end)), key=len, default=None)
        if found is None:
            continue
        begin = end - len(found)
        if begin >= last:
            row[phrases.MATCHES] += 1
            row[phrases.DISGUISED] += "s" in skipped[written[begin] : written[end - 1]]
        row[phrases.COVERED] += end - max(begin, last)
        last = end
        kinds.add(found)
    row[phrases.KINDS] = len(kinds)
    return row


def stands(text: str, folded: str, written: Sequence[int], phrase: str, end: int) -> bool:
    """Tell whether a phrase ends at a written character, with few signs inside and no letters beside it."""
    places = written[max(0, end - len(phrase)) : end]
    if "".join(folded[place] for place in places) != phrase:
        return False
    close = all(second - first <= 1 + phrases.MOST_SIGNS for first, second in pairwise(places))
    before, after = text[: places[0]][-1:], text[places[-1] + 1 :][:1]
    inside = re.fullmatch("[A-Za-z]{2}", before + text[places[0]]) or re.fullmatch(
        "[A-Za-z]{2}", text[places[-1]] + after
    )
    return close and not inside


def mark_counts(text: str, domains: frozenset[str]) -> list[int]:
    """Give the counts of `chinese_values_phrases.mark_counts`."""
    telephones = links = characters = 0
    at = begin = 0
    linked = False
    for _ in range(len(text) + 1):
        if at > len(text):
            break
        if at == len(text) or not " " < text[at] < "\x7f":
            links, characters = links + linked, characters + (at - begin if linked else 0)
            linked, begin, at = False, at + 1, at + 1
            continue
        number = re.compile(r"[0-9](?:[- ]?[0-9])*").match(text, at)
        if number and not linked and (at == begin or not "0" <= text[at - 1] <= "9") and is_telephone(number[0]):
            telephones += 1
            at = begin = number.end()
            continue
        name = at > begin and re.fullmatch("[A-Za-z0-9-]", text[at - 1])
        domain = re.compile(r"\.([A-Za-z]{1,7})(?![A-Za-z0-9-])").match(text, at)
        linked = linked or bool(name and domain and domain[1].lower() in domains)
        at += 1
    return [telephones, links, characters]


def is_telephone(written: str) -> bool:
    """Tell whether digits are those of a telephone."""
    digits = re.sub("[- ]", "", written)
    return bool(re.fullmatch(r"1[3-9][0-9]{9}|[48]00[0-9]{7}|0[1-9][0-9]{8,10}", digits))


def verse_counts(text: str, trait_of: TraitOf) -> list[int]:
    """Give the counts of `chinese_values_verse.verse_counts`."""
    row = [0] * verse.CLAUSES
    written = lines.HAN | lines.LETTER | lines.DIGIT
    kinds = "".join("w" if trait_of(character) & written else "x" for character in text)
    lengths = []  # of clauses, 0 for those that are not regular
    for found in re.finditer("w+", kinds):
        clause, behind = text[found.start() : found.end()], text[found.end() :][:2] or "\n"
        pure = all(trait_of(character) & lines.HAN for character in clause)
        marked = bool(trait_of(behind[0]) & lines.END) or behind[0] == "，"
        row[verse.WRITTEN] += len(clause)
        row[verse.PARTICLES] += sum(trait_of(c) & (lines.MODERN | lines.LITERARY) != 0 for c in clause)
        row[verse.SHORT] += len(clause) if pure and 2 <= len(clause) <= verse.LONGEST_CLAUSE and marked else 0
        lengths.append(len(clause) if pure and (marked or is_free(behind, trait_of)) else 0)
    row[verse.REGULAR] = regular(lengths)
    for line in cut(text, trait_of):
        count_verse_line([c for c in line if not trait_of(c) & lines.SPACE], trait_of, row)
    return row


def is_free(behind: str, trait_of: TraitOf) -> bool:
    """Tell whether what stands behind a clause parts it from the next as in verse: not a sign of a list."""
    first = trait_of(behind[0])
    if first & lines.SPACE:
        return bool(first & lines.BREAK) or len(behind) < 2 or behind[1] >= "\x80" or behind[1] == "\n"
    return bool(first & lines.CLOSER) or behind[0] == "、"


def regular(lengths: Sequence[int]) -> int:
    """Give the characters of clauses of one length in a row."""
    total = at = 0
    while at < len(lengths):
        run = 1
        while at + run < len(lengths) and lengths[at + run] == lengths[at]:
            run += 1
        fits = verse.SHORTEST <= lengths[at] <= verse.LONGEST
        total += run * lengths[at] if fits and (run >= verse.LEAST_CLAUSES or run == len(lengths) == 2) else 0
        at += run
    return total


def count_verse_line(line: Sequence[str], trait_of: TraitOf, row: list[int]) -> None:
    """Count a line without its white space."""
    if not line:
        return
    han = sum(trait_of(character) & lines.HAN != 0 for character in line)
    marks = [trait_of(character) for character in line if not trait_of(character) & lines.CLOSER]
    ended = bool(marks and marks[-1] & lines.END)
    opened = 2 <= han <= verse.LONGEST_OPEN and 2 * han > len(line) and not ended
    row[verse.LINES] += 1
    row[verse.OPEN_LINES] += opened
    row[verse.SAID_LINES] += opened and any(trait_of(character) & lines.FUNCTION for character in line)
    row[verse.LONG_LINES] += len(line) > verse.LONG


def top_count(text: str, trait_of: TraitOf) -> int:
    """Give the times of the most frequent run of three Han characters, overlaps counted once."""
    ends: dict[str, int] = {}
    times: dict[str, int] = {}
    for at in range(len(text) - verse.GRAM + 1):
        gram = text[at : at + verse.GRAM]
        if all(trait_of(character) & lines.HAN for character in gram) and ends.get(gram, 0) <= at:
            ends[gram] = at + verse.GRAM
            times[gram] = times.get(gram, 0) + 1
    return max(times.values(), default=0)
