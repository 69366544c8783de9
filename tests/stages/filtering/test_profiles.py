"""Which profile a document gets by language, script and verse."""

from __future__ import annotations

import pytest

from headrace.stages.filtering.presets import PRESETS
from headrace.stages.filtering.profiles import DEFAULT, as_written, checked_profiles, profile_keys

KEYS = dict.fromkeys(("zh", "zh-Hant", "yue-Hans", "en", "verse", "*"), ())


@pytest.mark.parametrize(
    ("facts", "key"),
    [
        (("zh", "Hans", True, False), "zh"),
        (("zh", "Hant", True, False), "zh-Hant"),
        (("zh", None, True, False), "zh"),
        (("zh", "Hant", True, True), "verse"),
        (("yue", "Hans", True, False), "yue-Hans"),
        (("yue", "Hant", True, False), "zh-Hant"),
        (("lzh", "Hani", True, False), "zh"),
        (("en", "Latn", False, False), "en"),
        (("de", "Latn", False, False), "*"),
        (("ja", "Jpan", False, False), "*"),
        ((None, None, True, False), "zh"),
        (("und", "Zyyy", False, False), "*"),
        (("", None, False, False), "*"),
    ],
)
def test_the_most_specific_key_is_taken(facts: tuple[str | None, str | None, bool, bool], key: str) -> None:
    """Verse before script before language before all others; kinds of Chinese fall back on zh."""
    language, script, han, verse = facts
    assert profile_keys(KEYS, [language], [script], [han], [verse]) == [key]
    assert profile_keys({}, [language], [script], [han], [verse]) == [None]


def test_the_default_is_sound() -> None:
    """Its keys and presets are known."""
    checked_profiles(DEFAULT, PRESETS)


def test_yaml_is_read_as_it_was_meant() -> None:
    """A bare no is Norwegian, and presets may be written with hyphens; what is no mapping is left to the checks."""
    assert as_written({False: ["gopher"], "zh": ["fineweb2-cmn"]}) == {"no": ("gopher",), "zh": ("fineweb2_cmn",)}
    assert as_written({"zh": "gopher"}) == {"zh": "gopher"}
    assert as_written({"zh": [3]}) == {"zh": (3,)}
    assert as_written(["gopher"]) == ["gopher"]


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("default", "write '\\*', in quotes"),
        ("other", "write '\\*', in quotes"),
        ("cmn", "write zh"),
        ("zho", "write zh"),
        ("eng", "write en"),
        ("zh_Hant", "one with a script"),
    ],
)
def test_a_key_that_no_document_has_is_refused(key: str, said: str) -> None:
    """The message says which is meant; documents that a source calls cmn get the profile of zh."""
    with pytest.raises(ValueError, match=said):
        checked_profiles({key: ()}, PRESETS)
    assert profile_keys({"zh": ()}, ["cmn"], [None], [True], [False]) == ["zh"]


def test_a_preset_that_is_misspelt_is_named() -> None:
    """All that are near, since fineweb2 is no preset and two begin so."""
    with pytest.raises(ValueError, match="did you mean fineweb or fineweb2_cmn"):
        checked_profiles({"zh": ("fineweb2",)}, PRESETS)
