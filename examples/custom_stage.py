"""A stage of your own in one file: list it under `plugins:` and use its `kind` like any other (custom_stage.yaml)."""

from typing import Literal

from pydantic import Field

from headrace.stages.base import Document, DocumentStage, Drop


class MinWords(DocumentStage):
    """Drop documents with fewer than `at_least` words; a Chinese character counts as a word."""

    kind: Literal["min_words"] = "min_words"
    at_least: int = Field(50, ge=1, description="Fewest words a document may have.")

    def process(self, document: Document) -> Document | Drop:
        """Measure every document, so that `headrace explain` can show the number for kept ones too."""
        words = count_words(document.text)
        if words < self.at_least:
            return Drop("too_few_words", value=words, threshold=self.at_least)
        return document.but(values={**document.values, "words": words})


def count_words(text: str) -> int:
    """Count words in Latin letters and Chinese characters.

    >>> count_words("two words"), count_words("水车转动"), count_words("水车 turns")
    (2, 4, 3)
    """
    spaced = "".join(f" {c} " if "\u4e00" <= c <= "\u9fff" else c for c in text)
    return len(spaced.split())
