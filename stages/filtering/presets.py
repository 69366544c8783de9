"""All presets by name."""

from __future__ import annotations

from collections.abc import Mapping

from headrace.stages.filtering.bigscience_zh import BigscienceZh
from headrace.stages.filtering.c4 import C4
from headrace.stages.filtering.chinese.cantonese import Cantonese
from headrace.stages.filtering.chinese.literary_chinese import LiteraryChinese
from headrace.stages.filtering.chinese.modern_chinese import ModernChinese
from headrace.stages.filtering.chinese.verse import Verse
from headrace.stages.filtering.fineweb import Fineweb
from headrace.stages.filtering.fineweb2_cmn import Fineweb2Cmn
from headrace.stages.filtering.general import General
from headrace.stages.filtering.gopher import Gopher
from headrace.stages.filtering.preset import Preset
from headrace.stages.filtering.refinedweb import Refinedweb

PRESETS: Mapping[str, type[Preset]] = {
    preset.name: preset
    for preset in (
        Gopher,
        C4,
        Fineweb,
        Fineweb2Cmn,
        Refinedweb,
        BigscienceZh,
        ModernChinese,
        LiteraryChinese,
        Cantonese,
        Verse,
        General,
    )
}
