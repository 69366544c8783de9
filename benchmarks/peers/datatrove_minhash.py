"""MinHash signatures as datatrove computes them; prints one line of JSON: signatures, seconds of a core, the version.

Runs in an environment of its own (`make bench-env`), so nothing of Headrace is imported. Usage:
python datatrove_minhash.py TEXTS.json ROUNDS

TEXTS.json holds `texts`, pairs of a language and a text, which are timed, and `hashes`, lists of shingle hashes, whose
signatures are given.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupSignature

_CODES = {"en": "eng_Latn", "zh": "cmn_Hani"}


def main() -> None:
    """Sign and print."""
    work = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    blocks = {name: MinhashDedupSignature("unused", MinhashConfig(), language=code) for name, code in _CODES.items()}
    for name, text in work["texts"][:20]:  # loads tokenizers and dictionaries
        blocks[name].get_shingles(text)
    seconds = []
    for _ in range(int(sys.argv[2])):
        begun = time.process_time()
        for name, text in work["texts"]:
            shingles = blocks[name].get_shingles(text)
            if shingles.size:
                blocks[name].get_signature(shingles)
        seconds.append(time.process_time() - begun)
    columns = [np.array(hashes, np.uint64).reshape(-1, 1) for hashes in work["hashes"]]
    signatures = [[value for band in blocks["en"].get_signature(column) for value in band] for column in columns]
    result = {"seconds": min(seconds), "signatures": signatures, "version": version("datatrove")}
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
