"""What datatrove's filters say about Chinese texts by FineWeb2's numbers; prints one line of JSON: values, verdicts.

Runs in the peers' environment (`make bench-env`), so nothing of Headrace is imported. Usage:
python datatrove_mandarin.py REQUEST.json

The request has `texts`, `stop_words` and, for each filter, `repetition`, `fineweb` and `quality` as arguments. `values`
has a row of counts per text, `verdicts` a reason or null for each filter; `error` stands where a filter raised.
"""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import version
from pathlib import Path

from datatrove.data import Document
from datatrove.pipeline.filters import FineWebQualityFilter, GopherQualityFilter, GopherRepetitionFilter
from datatrove.pipeline.filters.gopher_repetition_filter import (
    find_all_duplicate,
    find_duplicates,
    find_top_duplicate,
    get_n_grams,
)
from datatrove.utils.text import PUNCTUATION_SET, TERMINAL_PUNCTUATION, split_into_words

LANGUAGE = "cmn_Hani"
Row = dict[str, int]


def counted(text: str, stops: set[str]) -> Row:
    """Give what the three filters count."""
    words = split_into_words(text, LANGUAGE)
    solid = [word for word in words if any(character not in PUNCTUATION_SET for character in word)]
    lines = text.splitlines()
    full = [line for line in text.split("\n") if line.strip() != ""]
    pieces = re.split("\n+", text)
    row = {
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
        "stop_word_kinds": len(stops.intersection(words)),
        "newlines": text.count("\n"),
        "full_lines": len(full),
        "ended_lines": sum(line.endswith(tuple(TERMINAL_PUNCTUATION)) for line in full),
        "repeated_line_characters": find_duplicates(full)[1],
        "pieces": len(pieces),
    }
    row["repeated_pieces"], row["repeated_piece_characters"] = find_duplicates(pieces)
    for size in (2, 3, 4):
        grams = get_n_grams(words, size)
        row[f"top_{size}_gram"] = find_top_duplicate(grams) if grams else 0
    return row | {f"repeated_{size}_gram": find_all_duplicate(words, size) for size in range(5, 11)}


def reason(rule: GopherQualityFilter | GopherRepetitionFilter | FineWebQualityFilter, text: str) -> str | None:
    """Give why a filter drops a text, or None."""
    try:
        verdict = rule.filter(Document(text=text, id=""))
    except ZeroDivisionError:
        return "error"
    return None if verdict is True else verdict[1]


def main() -> None:
    """Count and judge."""
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    stops = request["stop_words"]
    rules = (
        GopherRepetitionFilter(language=LANGUAGE, **request["repetition"]),
        FineWebQualityFilter(language=LANGUAGE, **request["fineweb"]),
        GopherQualityFilter(language=LANGUAGE, stop_words=stops, **request["quality"]),
    )
    texts = request["texts"]
    values = [counted(text, set(stops)) for text in texts]
    verdicts = [[reason(rule, text) for rule in rules] for text in texts]
    print(json.dumps({"values": values, "verdicts": verdicts, "version": version("datatrove")}))


main()
