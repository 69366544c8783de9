"""Filter: drop documents by published rules, by profiles of their language, and by rules of the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, PrivateAttr, field_validator, model_validator

from headrace.schemas.arrays import Array, Column, floats, with_column
from headrace.stages.base import NOT_ASKED, BatchStage
from headrace.stages.filtering.bigscience_zh import BigscienceZh
from headrace.stages.filtering.c4 import C4
from headrace.stages.filtering.changes import unanswerable
from headrace.stages.filtering.chinese.cantonese import Cantonese
from headrace.stages.filtering.chinese.literary_chinese import LiteraryChinese
from headrace.stages.filtering.chinese.modern_chinese import ModernChinese
from headrace.stages.filtering.chinese.verse import Verse
from headrace.stages.filtering.conditions import Condition, names
from headrace.stages.filtering.dictionary import read_dictionary
from headrace.stages.filtering.fineweb import Fineweb
from headrace.stages.filtering.fineweb2_cmn import Fineweb2Cmn
from headrace.stages.filtering.general import General
from headrace.stages.filtering.gopher import Gopher
from headrace.stages.filtering.kinds import LanguageFacts, kinds, with_shares
from headrace.stages.filtering.measuring import Group, ToMeasure, groups, measured
from headrace.stages.filtering.names import (
    ALWAYS,
    HAN_SHARE,
    PROFILE,
    VERSE_SHARE,
    checked_names,
    column_of,
    numbers,
    of_patterns,
)
from headrace.stages.filtering.patterns import AnyPattern, PatternName, found
from headrace.stages.filtering.preset import Preset
from headrace.stages.filtering.presets import PRESETS
from headrace.stages.filtering.profiles import DEFAULT, VERSE, as_written, checked_profiles, profile_keys
from headrace.stages.filtering.refinedweb import Refinedweb
from headrace.stages.filtering.rules import RuleName, RuleText, columns_of, condition_of, looked_up, without_null
from headrace.stages.filtering.verdicts import Verdicts
from headrace.stages.statistics.shares import Formulae

if TYPE_CHECKING:  # so that reading a configuration loads no kernels
    from headrace.stages.segmentation.document_words import DocumentWords
    from headrace.stages.statistics.spans import Words
    from headrace.stages.statistics.statistics import Statistics

_CUTTING = {"engine", "english_words", "user_dictionary", "mend"}  # options that decide how words are cut


class Filter(BatchStage):
    """Drop documents by presets that are chosen by language, then by rules of your own.

    `profiles` says which presets a document is asked: the most specific of `verse`, language-Script, language and `*`.
    The reason is the preset's name and the field, as in `gopher.min_words`; that of a rule of yours is its name. Values
    are measured in the text that comes in, and are columns `values.*`, null where a document's profile does not ask.
    docs/how-to/rules.md lists them. Put it behind `clean`, and behind `language`, which chooses the profile.
    """

    version: ClassVar[int] = 1

    kind: Literal["filter"] = "filter"
    profiles: dict[str, tuple[str, ...]] = Field(
        dict(DEFAULT), description="Presets by language (zh), language-Script (zh-Hant), verse and *; the rest passes."
    )
    verse_from: float = Field(0.8, ge=0, le=1, description="From this verse_share on, Chinese text is `verse`.")
    patterns: dict[PatternName, AnyPattern] = Field(
        {}, description="RE2 by name: `values.<name>_matches` and `values.<name>_share`, for rules."
    )
    rules: dict[RuleName, RuleText] = Field(
        {}, description="By the reason's name, when a document goes: `words < 50 and not language == 'zh'`."
    )
    record: Literal["used", "all"] = Field(
        "used", description="used: store the values that something asks; all: every value, for what-if."
    )
    compat: Formulae = Field("headrace", description="Whose formulae; by ours no share is above 1.")
    engine: Literal["headrace", "reference"] = Field(
        "headrace", description="reference: spaCy, jieba and plain Python; slow, and the same values."
    )
    english_words: Literal["spacy", "nltk"] = Field(
        "spacy", description="Whose rules cut English words: spaCy's, or the Penn Treebank's as in NLTK."
    )
    user_dictionary: str | None = Field(None, description="Words for the cutting of Chinese: a file in jieba's format.")
    mend: bool = Field(
        False, description="Mend what jieba does oddly with other letters: docs/reference/words.md lists it."
    )
    prefix: str = Field("", pattern=r"^[a-z0-9_]{0,20}$", description="Before the names of values: of a second filter.")
    gopher: Gopher = Field(Gopher(), description="Rules of repetition and quality by Gopher.")
    c4: C4 = Field(C4(), description="Rules of lines by C4.")
    fineweb: Fineweb = Field(Fineweb(), description="Rules of lines that FineWeb adds.")
    fineweb2_cmn: Fineweb2Cmn = Field(Fineweb2Cmn(), description="FineWeb2's rules for Mandarin.")
    refinedweb: Refinedweb = Field(Refinedweb(), description="RefinedWeb's rules of lines and documents.")
    bigscience_zh: BigscienceZh = Field(BigscienceZh(), description="BigScience's rules for Chinese.")
    modern_chinese: ModernChinese = Field(ModernChinese(), description="Modern Chinese, against junk.")
    literary_chinese: LiteraryChinese = Field(LiteraryChinese(), description="Literary Chinese, against junk.")
    cantonese: Cantonese = Field(Cantonese(), description="Cantonese, against junk.")
    verse: Verse = Field(Verse(), description="Chinese verse, against junk.")
    general: General = Field(General(), description="All other languages.")
    _file: Path | None = PrivateAttr(None)

    _written = field_validator("profiles", mode="before")(as_written)
    _asked_rules = field_validator("rules", mode="before")(without_null)
    _names = field_validator("patterns")(checked_names)

    @field_validator("profiles")
    @classmethod
    def _known(cls, profiles: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        checked_profiles(profiles, PRESETS)
        return profiles

    @model_validator(mode="after")
    def _one_takes_out_lines(self) -> Filter:
        for key, presets in self.asked().profiles.items():
            takers = [preset.name for preset in presets if getattr(preset, "remove_lines", False)]
            if len(takers) > 1:
                raise ValueError(
                    f"profile {key!r}: {' and '.join(takers)} both take out lines of the same text; set remove_lines: "
                    "false for one, or put them into two filter stages"
                )
        return self

    def packed(self, base: Path) -> bytes | None:
        """Give the user dictionary; ConfigError for a file that cannot be used."""
        return None if self.user_dictionary is None else read_dictionary(base / self.user_dictionary)

    def unpacked(self, file: Path) -> Filter:
        """Give a copy that works with a packed dictionary."""
        stage = self.model_copy()
        stage._file = file
        return stage

    def process(self, table: pa.Table) -> pa.Table:
        """Give the table with values, profile and verdicts, and without the lines that presets take out."""
        verse = VERSE in self.profiles or VERSE_SHARE in self.asked().names
        table = with_shares(table, self.prefix, verse=verse, plain=self.engine == "reference")
        texts: Array = table["text"].combine_chunks().cast(pa.large_string())
        facts = kinds(table, self.prefix)
        of = map(Group, self._keys(facts), facts.chinese.tolist(), facts.traditional.tolist())
        result = measured(texts, list(of), self.asked(), self._statistics)
        for name, value in {**result.values, **found(self.patterns, texts)}.items():
            column = pa.array(value, pa.float64(), from_pandas=True)
            table = with_column(table, column_of(name, self.prefix), column)
        table = self.decided(table)
        if not result.changed.any():
            return table
        passed = pc.and_(pa.array(result.changed), pc.is_null(table["verdict"]))
        return with_column(table, "text", pc.if_else(passed, result.texts, texts))

    def decided(self, table: pa.Table) -> pa.Table:
        """Give the table with profile and verdicts by its columns: presets first, then rules, each in their order."""
        keys = self._keys(kinds(table, self.prefix))
        profiles, verdicts = self.asked().profiles, Verdicts(table.num_rows)
        for key, rows in groups(keys).items():
            rules = [rule for preset in profiles.get(key or "", ()) for rule in preset.rules()]
            values = {rule.value: floats(table, column_of(rule.value, self.prefix))[rows] for rule in rules}
            verdicts.by_presets(rules, values, rows)
        conditions = self.conditions()
        looked = looked_up(table, conditions, keys, self.prefix)
        for reason, condition in conditions.items():
            verdicts.by_condition(reason, condition, looked)
        return verdicts.on(with_column(table, self.prefix + PROFILE, pa.array(keys, pa.string())))

    def unanswerable(self, before: Filter) -> list[str]:
        """Name the changed options that ask for what was not measured, or that measure otherwise."""
        return unanswerable(self, before)

    def loosened(self, reason: str, row: Mapping[str, object]) -> tuple[str, object] | None:
        """Say how a document passes a rule of the user's: it is not asked. Other reasons are options of that name."""
        return (f"rules.{reason}", NOT_ASKED) if reason in self.rules else None

    def reads(self, before: Filter | None = None) -> tuple[str, ...]:
        """Name the columns that presets and rules ask: all of them, since documents may change their profile."""
        asked = self.asked()
        own = (rule.value for presets in asked.profiles.values() for preset in presets for rule in preset.rules())
        shares = [column_of(name, self.prefix) for name in (HAN_SHARE, VERSE_SHARE, *own)]
        return tuple(
            dict.fromkeys(("language", "script", *shares, *columns_of(self.conditions().values(), self.prefix)))
        )

    def presets(self) -> dict[str, Preset]:
        """Give all presets by name, with this stage's numbers."""
        return {name: getattr(self, name) for name in PRESETS}

    def conditions(self) -> dict[str, Condition]:
        """Give the user's rules, read."""
        return {name: condition_of(text, tuple(self.patterns)) for name, text in self.rules.items()}

    def own_names(self, rules: Iterable[str]) -> frozenset[str]:
        """Give the values of this stage, patterns' among them, that some rules ask."""
        asked = (names(condition_of(text, tuple(self.patterns))) for text in rules)
        return frozenset(name for each in asked for name in each) & {*numbers(), *of_patterns(self.patterns)}

    def asked(self) -> ToMeasure:
        """Say what is measured: of every document, and of those of each profile."""
        presets = self.presets()
        profiles = {key: tuple(presets[name] for name in names) for key, names in self.profiles.items()}
        own = self.own_names(self.rules.values()) - {*of_patterns(self.patterns)}
        more = sorted(numbers()) if self.record == "all" else sorted(own)
        every = dict.fromkeys((*ALWAYS, *more))
        return ToMeasure(tuple(name for name in every if name not in (HAN_SHARE, VERSE_SHARE)), profiles, presets)

    def _keys(self, facts: LanguageFacts) -> list[str | None]:
        verse = facts.chinese & (facts.verse_share >= self.verse_from)
        return profile_keys(self.profiles, facts.languages, facts.scripts, facts.chinese.tolist(), verse.tolist())

    def _statistics(self, texts: Array, group: Group) -> Statistics:
        """Give what counts texts of one group."""
        from headrace.stages.filtering.reference_published import PlainPublished
        from headrace.stages.statistics.statistics import Statistics

        words = _document_words(self.model_dump_json(include=_CUTTING), self._file)

        def cut(column: Column) -> Words:
            return words.words(column, np.full(len(column), group.chinese), np.full(len(column), group.traditional))

        kind = PlainPublished if self.engine == "reference" else Statistics
        return kind(texts, cut(texts), self.compat, cut)


@cache
def _document_words(options: str, file: Path | None) -> DocumentWords:
    """Build what cuts words, once in each process, so that its memory of English serves all batches."""
    from headrace.stages.segmentation.document_words import DocumentWords

    stage = Filter.model_validate_json(options)
    dictionary = (file.read_bytes() if file else stage.packed(Path())) or b""
    return DocumentWords(
        english_words=stage.english_words, user_dictionary=dictionary, mend=stage.mend, engine=stage.engine
    )
