"""MinHash signatures as text-dedup computes them; prints one line of JSON: signatures, n-grams, the version.

Runs in an environment of its own (`make bench-env`), so nothing of Headrace is imported. Usage:
python text_dedup_signatures.py WORK.json

WORK.json holds `texts`, `bands`, `rows` and `seed`. A signature is the bands that text-dedup gives
a text, joined, in hexadecimal digits; `hashes` are those of its n-grams, sorted, each once.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from text_dedup.minhash import NON_ALPHA, SIGNATURE_COLUMN, embed_func
from text_dedup.utils import ngrams, xxh3_32hash
from xxhash import xxh3_64_intdigest

_SIZE, _LEAST = 5, 5  # words an n-gram and a text: its defaults
_MOST, _PRIME = np.uint32((1 << 32) - 1), np.uint32((1 << 32) - 5)


def main() -> None:
    """Sign and print."""
    work = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    bands, rows, texts = work["bands"], work["rows"], work["texts"]
    random = np.random.RandomState(work["seed"])
    permutations = tuple(random.randint(low, _PRIME, size=(bands * rows,), dtype=np.uint32) for low in (1, 0))
    options = {
        "num_perm": bands * rows,
        "ngram_size": _SIZE,
        "min_length": _LEAST,
        "hashranges": [(band * rows, (band + 1) * rows) for band in range(bands)],
        "permutations": permutations,
        "hash_func": xxh3_32hash,
        "dtype": np.uint32,
        "max_hash": _MOST,
        "modulo_prime": _PRIME,
    }
    signed = [b"".join(embed_func(text, 0, **options)[SIGNATURE_COLUMN]).hex() for text in texts]
    result = {"signatures": signed, "hashes": [hashes(text) for text in texts], "version": version("text-dedup")}
    sys.stdout.write(json.dumps(result) + "\n")


def hashes(text: str) -> list[int]:
    """Hash the n-grams that `embed_func` takes, in 64 bits."""
    items = {" ".join(gram).encode() for gram in ngrams(NON_ALPHA.split(text.lower()), _SIZE, _LEAST)}
    return sorted(xxh3_64_intdigest(item) for item in items)


if __name__ == "__main__":
    main()
