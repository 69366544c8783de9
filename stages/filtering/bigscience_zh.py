"""BigScience's rules for Chinese web pages (Laurençon et al. 2022, arXiv 2303.03915; `parameters_filtering_zh`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from headrace.stages.filtering.bigscience_words import CHINESE_FLAGGED, CHINESE_STOPS
from headrace.stages.filtering.preset import Preset

if TYPE_CHECKING:
    from headrace.schemas.arrays import Floats
    from headrace.stages.statistics.statistics import Statistics

_SOURCE = "BigScience, parameters_filtering_zh."


class BigscienceZh(Preset):
    """Rules of repetition, signs and words of lists, with ROOTS' numbers for Chinese.

    Words are jieba's, where BigScience cut by a model of SentencePiece, and the lists are our own. Its rules of
    language and perplexity need models: `min_confidence` of the stage `language`, and a column of your own.
    """

    name: ClassVar[str] = "bigscience_zh"
    own: ClassVar[frozenset[str]] = frozenset(
        {
            *("words", "character_repetition_share", "word_repetition_share", "special_character_share"),
            *("stop_word_share", "flagged_word_share"),
        }
    )

    min_words: float | None = Field(1, ge=0, description=f"Words, signs at their ends left out. {_SOURCE}")
    max_words: float | None = Field(1_000_000, ge=0, description=f"Words, signs at their ends left out. {_SOURCE}")
    max_character_repetition_share: float | None = Field(
        0.2,
        ge=0,
        description=f"The most frequent runs of characters (the square root of how many there are), of all "
        f"runs. {_SOURCE}",
    )
    max_word_repetition_share: float | None = Field(
        0.96, ge=0, description=f"Runs of words that occur more than once, of all runs. {_SOURCE}"
    )
    max_special_character_share: float | None = Field(
        0.3, ge=0, description=f"Characters that are neither letters nor marks of letters, of all. {_SOURCE}"
    )
    min_stop_word_share: float | None = Field(
        0.1691, ge=0, description=f"Words and pairs of words in `stop_words`, per word. {_SOURCE}"
    )
    max_flagged_word_share: float | None = Field(
        0.001, ge=0, description=f"Words and pairs of words in `flagged_words`, per word. {_SOURCE}"
    )
    character_repetition_length: int = Field(3, ge=1, le=100, description=f"Characters of a run. {_SOURCE}")
    word_repetition_length: int = Field(5, ge=1, le=100, description=f"Words of a run. {_SOURCE}")
    stop_words: tuple[str, ...] = Field(
        CHINESE_STOPS, description="Words of grammar, small letters; a list of our own."
    )
    flagged_words: tuple[str, ...] = Field(
        CHINESE_FLAGGED, description="Words of pornographic pages, small letters; a list of our own."
    )

    def measure_own(self, value: str, statistics: Statistics) -> Floats:
        """Give a value of BigScience's."""
        match value:
            case "words":
                return statistics.bare_words()
            case "character_repetition_share":
                return statistics.character_repetition(self.character_repetition_length)
            case "word_repetition_share":
                return statistics.word_repetition(self.word_repetition_length)
            case "special_character_share":
                return statistics.special_character_share()
            case "stop_word_share":
                return statistics.listed_share(self.stop_words)
            case _:
                return statistics.listed_share(self.flagged_words)
