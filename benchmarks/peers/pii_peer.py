"""Personal data as a peer finds it; prints one line of JSON: seconds of a core by round, what was found, the version.

Runs in the peer's own environment (`make bench-env`), so nothing of Headrace is imported. Usage:
python pii_peer.py datatrove|presidio TEXTS.json ROUNDS
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

Finder = Callable[[str], dict[str, int]]
_EMAIL, _IP = "\ue000", "\ue001"  # no text of the benchmark has them


def datatrove() -> Finder:
    """Give datatrove's formatter: e-mail and public IPv4 addresses are replaced."""
    from datatrove.pipeline.formatters import PIIFormatter

    formatter = PIIFormatter(email_replacement=_EMAIL, ip_replacement=_IP)

    def find(text: str) -> dict[str, int]:
        masked = formatter.format(text)
        return {"email": masked.count(_EMAIL), "ip": masked.count(_IP)}

    return find


def presidio() -> Finder:
    """Give presidio's recognizers for e-mail, IP addresses, cards and telephones, which need no language model."""
    from presidio_analyzer import predefined_recognizers as known

    kinds = {
        "email": known.EmailRecognizer(),
        "ip": known.IpRecognizer(),
        "card": known.CreditCardRecognizer(),
        "phone": known.PhoneRecognizer(),
    }

    def find(text: str) -> dict[str, int]:
        return {
            name: len(recognizer.analyze(text, recognizer.supported_entities, None) or [])
            for name, recognizer in kinds.items()
        }

    return find


def main() -> None:
    """Run the rounds and print what came of them."""
    name, path, rounds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    logging.disable(logging.CRITICAL)
    find = {"datatrove": datatrove, "presidio": presidio}[name]()
    texts = json.loads(path.read_text(encoding="utf-8"))
    find(re.sub(r"\w", "x", texts[0]))
    seconds, found = [], Counter[str]()
    for _ in range(rounds):
        start = time.process_time()
        found = Counter[str]()
        for text in texts:
            found.update(find(text))
        seconds.append(time.process_time() - start)
    package = {"datatrove": "datatrove", "presidio": "presidio-analyzer"}[name]
    sys.stdout.write(json.dumps({"seconds": seconds, "found": found, "version": version(package)}) + "\n")


if __name__ == "__main__":
    main()
