"""What datatrove's own functions and filters say about texts; prints one line of JSON: values, verdicts, seconds.

Runs in the peers' environment (`make bench-env`), so nothing of Headrace is imported. Usage:
python datatrove_statistics.py TEXTS.json ROUNDS [LANGUAGE]

`values` has a row of counts per text, `verdicts` a reason or null per filter, `seconds` the best of the rounds for all
filters over all texts; the words of a text are cut once for all, as datatrove's cache of five does. The language is
eng, with the numbers of Gopher, C4 and FineWeb, or cmn_Hani, with those of FineWeb2, which leaves C4 out.
"""

from __future__ import annotations

import json
import re
import sys
import time
from importlib.metadata import version
from pathlib import Path

from datatrove.data import Document
from datatrove.pipeline.filters import (
    C4QualityFilter,
    FineWebQualityFilter,
    GopherQualityFilter,
    GopherRepetitionFilter,
    c4_filters,
)
from datatrove.pipeline.filters.base_filter import BaseFilter
from datatrove.pipeline.filters.gopher_quality_filter import STOP_WORDS
from datatrove.pipeline.filters.gopher_repetition_filter import (
    find_all_duplicate,
    find_duplicates,
    find_top_duplicate,
    get_n_grams,
)
from datatrove.utils.text import PUNCTUATION_SET, TERMINAL_PUNCTUATION, split_into_words

Row = dict[str, int]
MANDARIN_STOPS = [*"的年在月是和日了於·為有被人中为他與後也而由"]


def words_and_lines(text: str, words: list[str], stops: list[str], short: int) -> Row:
    """Give what the two quality filters count."""
    solid = [word for word in words if any(character not in PUNCTUATION_SET for character in word)]
    lines = text.splitlines()
    full = [line for line in text.split("\n") if line.strip() != ""]
    return {
        "characters": len(text),
        "words": len(words),
        "solid_words": len(solid),
        "solid_characters": sum(map(len, solid)),
        "hashes": text.count("#"),
        "ellipses": text.count("...") + text.count("…"),
        "lines": len(lines),
        "bullet_lines": sum(line.lstrip().startswith(("•", "-")) for line in lines),
        "ellipsis_lines": sum(line.rstrip().endswith(("...", "…")) for line in lines),
        "alphabetic_words": sum(any(character.isalpha() for character in word) for word in words),
        "stop_word_kinds": len(set(stops).intersection(words)),
        "newlines": text.count("\n"),
        "full_lines": len(full),
        "ended_lines": sum(line.endswith(tuple(TERMINAL_PUNCTUATION)) for line in full),
        "short_lines": sum(len(line) <= short for line in full),
        "repeated_line_characters": find_duplicates(full)[1],
    }


def repeats(text: str, words: list[str]) -> Row:
    """Give what the repetition filter counts."""
    paragraphs, pieces = re.split(r"\n{2,}", text.strip()), re.split("\n+", text)
    row = {"paragraphs": len(paragraphs), "pieces": len(pieces)}
    row["repeated_paragraphs"], row["repeated_paragraph_characters"] = find_duplicates(paragraphs)
    row["repeated_pieces"], row["repeated_piece_characters"] = find_duplicates(pieces)
    for size in (2, 3, 4):
        grams = get_n_grams(words, size)
        row[f"top_{size}_gram"] = find_top_duplicate(grams) if grams else 0
    return row | {f"repeated_{size}_gram": find_all_duplicate(words, size) for size in range(5, 11)}


def c4(text: str) -> Row:
    """Give what C4's filter counts, or what is left of it where it drops the document at once."""
    sentences: list[int] = []
    cut = c4_filters.split_into_sentences

    def counted(line: str, language: str) -> list[str]:
        found = cut(line, language)
        sentences.append(len(found))
        return found

    rule = C4QualityFilter(min_num_sentences=0)
    c4_filters.split_into_sentences = counted
    try:
        verdict = rule.filter(Document(text=text, id=""))
    finally:
        c4_filters.split_into_sentences = cut
    reason = None if verdict is True else verdict[1]
    fatal = {"c4_fatal": {None: 0, "lorem_ipsum": 4, "curly_bracket": 6}[reason]}
    if reason:
        return fatal
    names = {
        "c4_lines": "line-total",
        "c4_long_word": "line-filter-too_long_word",
        "c4_unended": "line-filter-no_terminal_punc",
        "c4_few_words": "line-filter-too_few_words",
        "c4_javascript": "line-filter-javascript",
        "c4_policy": "line-filter-policy",
        "c4_kept": "line-kept",
    }
    stats = rule.stats.stats
    row = {name: int(stats[theirs].total) if theirs in stats else 0 for name, theirs in names.items()}
    return fatal | row | {"c4_sentences": sum(sentences)}


def filters(language: str) -> tuple[BaseFilter, ...]:
    """Give the filters of a language."""
    if language == "eng":
        return GopherQualityFilter(), GopherRepetitionFilter(), FineWebQualityFilter()
    runs = ((5, 0.198), (6, 0.182), (7, 0.167), (8, 0.154), (9, 0.14), (10, 0.127))
    return (
        GopherQualityFilter(
            min_avg_word_length=1,
            max_avg_word_length=5,
            max_non_alpha_words_ratio=0.735,
            stop_words=MANDARIN_STOPS,
            language=language,
        ),
        GopherRepetitionFilter(
            dup_line_frac=0.287,
            dup_para_frac=None,
            dup_line_char_frac=None,
            dup_para_char_frac=None,
            top_n_grams=((2, 0.256), (3, 0.201), (4, 0.171)),
            dup_n_grams=runs,
            language=language,
        ),
        FineWebQualityFilter(
            line_punct_thr=0.106,
            short_line_thr=999,
            char_duplicates_ratio=0.1,
            new_line_ratio=0.178,
            language=language,
        ),
    )


def main() -> None:
    """Count, judge and time."""
    texts = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    language = sys.argv[3] if len(sys.argv) > 3 else "eng"
    english = language == "eng"
    stops = STOP_WORDS if english else MANDARIN_STOPS
    values = [
        words_and_lines(text, words, stops, 30) | repeats(text, words) | (c4(text) if english else {})
        for text in texts
        for words in [split_into_words(text, language)]
    ]
    asked = filters(language)
    seconds, verdicts = [], []
    for _ in range(max(1, int(sys.argv[2]))):
        begun = time.process_time()
        verdicts = []
        for text in texts:
            found = [rule.filter(Document(text=text, id="")) for rule in asked]
            verdicts.append([None if verdict is True else verdict[1] for verdict in found])
            if english:
                C4QualityFilter().filter(Document(text=text, id=""))
        seconds.append(time.process_time() - begun)
    print(
        json.dumps({"values": values, "verdicts": verdicts, "seconds": min(seconds), "version": version("datatrove")})
    )


main()
