"""What the kernels for DCLM's and dolma's formulae compute, in plain Python for one text; tests compare the two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

_SYMBOLS = ("#", "...", ". . .", "…")


def marks(text: str) -> dict[str, int]:
    """Count symbols, bullets and ellipses of lines."""
    raw = text.split("\n")
    full = [line.strip() for line in raw if line.strip()]
    return {
        "marked_symbols": sum(text.count(symbol) for symbol in _SYMBOLS),
        "marked_full_lines": len(full),
        "marked_bullets": sum(line.startswith(("●", "•", "*", "-")) for line in full),
        "marked_ellipses": sum(line.endswith(("...", ". . .", "…")) for line in full),
        "marked_lines": len(raw),
        "marked_plain_bullets": sum(line.startswith(("*", "-")) for line in raw),
        "marked_plain_ellipses": sum(line.endswith("…") for line in raw),
    }


def split(text: str, stops: Sequence[str]) -> dict[str, int]:
    """Count words parted by white space."""
    words = text.split()
    return {
        "split_words": len(words),
        "split_characters": sum(map(len, words)),
        "split_alphabetic_words": sum(any(map(str.isalpha, word)) for word in words),
        "split_stops": sum(word in stops for word in words),
        "split_small_stops": sum(word.lower() in stops for word in words),
        "split_symbol_words": sum("#" in word or "…" in word for word in words),
        "split_twice_median": int(2 * median(map(len, words))) if words else 0,
    }


def copies(text: str, kind: str) -> dict[str, int]:
    """Count segments (`line`, `paragraph`: DCLM; `raw_line`: dolma) that occur more than once."""
    found = text.split("\n\n" if kind == "paragraph" else "\n")
    if kind != "raw_line":
        found = [segment.strip() for segment in found if segment.strip()]
    times = Counter(found)
    twice = [segment for segment in found if times[segment] > 1]
    return {
        f"{kind}_segments": len(found),
        f"{kind}_characters": sum(map(len, found)),
        f"{kind}_copied": len(twice),
        f"{kind}_copied_characters": sum(map(len, twice)),
    }


def runs(words: Sequence[str], kind: str) -> dict[str, int]:
    """Count what runs of words repeat (`letter`: DCLM; `spaced`: dolma)."""
    found = {"words": len(words), "characters": sum(map(len, words))}
    for size in range(2, 11):
        all_runs = [tuple(words[i : i + size]) for i in range(len(words) - size + 1)]
        counted = Counter(all_runs)
        if size < 5:
            best = max(counted.values(), default=0)
            lengths = [characters(run) for run, times in counted.items() if times == best]
            found[f"longest_top_{size}_gram"] = best * max(lengths) if best > 1 else 0
            found[f"first_top_{size}_gram"] = best * lengths[0] if best else 0
            continue
        places = {i + k for i, run in enumerate(all_runs) if counted[run] > 1 for k in range(size)}
        found[f"covered_{size}_gram"] = sum(len(words[place]) for place in places)
        found[f"copied_{size}_gram"] = sum(characters(run) for run in all_runs if counted[run] > 1)
        found[f"all_{size}_gram"] = sum(map(characters, all_runs))
    return {f"{kind}_{name}": value for name, value in found.items()}


def characters(run: Sequence[str]) -> int:
    """Give the characters of a run's words."""
    return sum(map(len, run))
