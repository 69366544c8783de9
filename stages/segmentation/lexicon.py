"""The dictionary that Chinese is cut by: the one that jieba ships, and the user's words as jieba would add them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from headrace.schemas.errors import ConfigError

# A line of a user dictionary: the word, perhaps its frequency, perhaps its part of speech.
_LINE = re.compile(r"^(.+?)(?: ([0-9]+))?(?: [a-z]+)?$")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words and their frequencies; each prefix of a word is there, with 0 if it is no word itself."""

    frequencies: dict[str, int]
    total: int  # what chances are relative to; a word that is added twice counts twice, as in jieba
    split: frozenset[str] = field(default=frozenset())  # words that the model must not find: they were added with 0


def lexicon(user_dictionary: bytes = b"") -> Lexicon:
    """Give jieba's dictionary with the words of a user dictionary in jieba's format, UTF-8.

    A word without a frequency gets one with which it is found; a frequency of 0 takes a word out. jieba keeps the words
    that were taken out for all its tokenizers at once; here they belong to this dictionary alone.
    """
    import jieba

    tokenizer = (
        jieba.Tokenizer()
    )  # read by hand, since `initialize` prints and writes into the folder for temporary files
    tokenizer.FREQ, tokenizer.total = jieba.Tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    split = set()
    for word, frequency in user_words(user_dictionary):
        count = tokenizer.suggest_freq(word) if frequency is None else frequency
        tokenizer.FREQ[word] = count
        tokenizer.total += count
        for end in range(1, len(word)):
            tokenizer.FREQ.setdefault(word[:end], 0)
        if count == 0:
            split.add(word)
    return Lexicon(tokenizer.FREQ, tokenizer.total, frozenset(split))


def user_words(data: bytes, file: str | None = None) -> Iterator[tuple[str, int | None]]:
    """Give the words of a user dictionary with their frequencies, None where it has none.

    ConfigError names the line that is not UTF-8, and the file if it is said.
    """
    for number, raw in enumerate(data.split(b"\n"), start=1):
        try:
            line = raw.strip().decode().lstrip("\ufeff")
        except UnicodeDecodeError as error:
            raise ConfigError(
                "the user dictionary is not UTF-8",
                where=f"line {number}" if file is None else f"{file}:{number}",
                why=str(error),
                remedy="convert it: headrace read prints any text as UTF-8",
            ) from error
        if match := _LINE.match(line):
            word, frequency = match.groups()
            yield word, None if frequency is None else int(frequency)
