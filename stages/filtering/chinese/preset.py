"""What the profiles of Chinese share: rules against junk, in the order from the surest sign to the weakest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import Field

from headrace.stages.filtering.preset import Preset

if TYPE_CHECKING:
    from headrace.schemas.arrays import Floats
    from headrace.stages.statistics.statistics import Statistics


class ChinesePreset(Preset):
    """Rules against garbled text, repetition, advertising, navigation and footers.

    Each share is of a document's characters without white space, so that a page with an advertisement at its end stays
    and a page that is one does not. Subclasses say what good text of their kind has besides.
    """

    min_characters: float | None = Field(6, ge=0, description="Characters.")
    max_garbled_share: float | None = Field(
        0.05, ge=0, le=1, description="Characters that a wrong charset gave, lost ones, and 锟斤拷."
    )
    max_repeated_phrase_share: float | None = Field(
        0.7, ge=0, le=1, description="Characters in stretches of eight characters or words that were said before."
    )
    max_top_phrase_share: float | None = Field(
        0.18, ge=0, le=1, description="Characters that the most frequent run of three Han characters takes, from five."
    )
    max_disguised_phrases: float | None = Field(
        1, ge=0, description="Phrases of advertising with signs between their characters: 加★微★信."
    )
    max_evasion_phrases: float | None = Field(
        0, ge=0, description="Different words that hide where to write to: 薇信, 加V, 加扣."
    )
    max_separated_share: float | None = Field(
        0.2, ge=0, le=1, description="Han characters with a sign on either side, of all Han characters."
    )
    max_gambling_share: float | None = Field(0.05, ge=0, le=1, description="Characters of phrases of gambling sites.")
    max_adult_share: float | None = Field(0.05, ge=0, le=1, description="Characters of phrases of adult sites.")
    max_fraud_share: float | None = Field(
        0.06, ge=0, le=1, description="Characters of phrases that sell invoices, papers, loans and quick money."
    )
    max_solicitation_share: float | None = Field(
        0.06, ge=0, le=1, description="The three before, and phrases that ask to be written to: 加微信."
    )
    max_seo_share: float | None = Field(0.1, ge=0, le=1, description="Characters of phrases for search engines.")
    max_advertising_share: float | None = Field(
        0.12, ge=0, le=1, description="Characters of all phrases of advertising, those of shops and 联系电话 included."
    )
    max_pitch_share: float | None = Field(
        0.1, ge=0, le=1, description="Weak signs of a seller together: calls, exclamations, prices, accounts."
    )
    max_telephone_share: float | None = Field(0.2, ge=0, le=1, description="Digits of telephone numbers.")
    max_rare_share: float | None = Field(
        0.25, ge=0, le=1, description="Han characters beyond the usual ones of either script, of Han characters."
    )
    max_notice_share: float | None = Field(
        0.15, ge=0, le=1, description="Characters of messages of sites, templates and download pages: 请先登录."
    )
    max_footer_share: float | None = Field(
        0.08, ge=0, le=1, description="Characters of phrases of footers: ICP备, 版权所有, 公网安备."
    )
    max_navigation_share: float | None = Field(
        0.15, ge=0, le=1, description="Characters of phrases of navigation: 首页, 上一篇, 返回顶部."
    )
    max_listed_share: float | None = Field(
        0.4, ge=0, le=1, description="Characters of names in lists of six or more without a function character."
    )

    max_link_share: float | None = Field(0.85, ge=0, le=1, description="Characters of addresses of the web.")
    # Not asked, but there for rules of the user's own.
    max_sales_share: float | None = Field(None, ge=0, le=1, description="Characters of phrases of shops: 加入购物车.")
    max_advertising_phrases: float | None = Field(None, ge=0, description="Different phrases of advertising.")
    max_contacts: float | None = Field(None, ge=0, description="Phrases that ask to be written to, and telephones.")
    max_contact_rate: float | None = Field(None, ge=0, description="These per 1,000 characters.")
    max_item_line_share: float | None = Field(
        None, ge=0, le=1, description="Lines of up to 12 characters without a function character and an end, of lines."
    )
    min_sentence_line_share: float | None = Field(
        None, ge=0, le=1, description="Lines that end like a sentence (。！？…； and closing quotes), of lines."
    )

    def given(self, statistics: Statistics) -> Mapping[str, Floats]:
        """Give the values of Chinese, counted once for all presets."""
        return statistics.chinese()
