"""The values of Chinese by name, and what each says; shares are between 0 and 1, of characters but white space."""

from __future__ import annotations

from collections.abc import Mapping

from headrace.stages.filtering.chinese.phrases import GROUPS

_GROUPS: Mapping[str, str] = {
    "evasion": "words that hide where to write to: 薇信, 加V",
    "contact": "phrases that ask to be written to: 加微信, 客服电话",
    "gambling": "phrases of gambling sites",
    "adult": "phrases of adult sites",
    "fraud": "phrases that sell invoices, papers, loans, quick money",
    "seo": "phrases for search engines: 哪家好, 全文阅读",
    "sales": "phrases of shops: 加入购物车, 包邮",
    "navigation": "phrases of navigation: 首页, 上一篇",
    "footer": "phrases of footers: ICP备, 版权所有",
}
VALUES: Mapping[str, str] = {
    "prose_share": "characters in sentences with a function character among sixteen, of sentences with Han; 40 given",
    "sentence_line_share": "lines that end like a sentence: 。！？…； or . with closers behind, or a closing quote",
    "item_line_share": "lines of up to 12 characters without such an end and without a function character",
    "modern_function_share": "的 了 是 在 … of Han characters; two in 20 given",
    "literary_function_share": "之 乎 者 也 … of Han characters",
    "cantonese_function_share": "嘅 咗 喺 唔 … of Han characters",
    "listed_share": "characters of names in lists of six or more",
    "separated_share": "Han characters with a sign, or white space, on either side, of Han characters",
    "garbled_share": "characters that a wrong charset gave, lost ones, and 锟斤拷",
    "known_pair_share": "neighbouring Han characters that make words of today, of neighbours; five given",
    "repeated_phrase_share": "characters in stretches of eight words, or characters of Han, that were said before",
    "top_phrase_share": "characters that the most frequent run of four Han characters takes, if it stands three times",
    **{f"{group}_share": f"characters of {_GROUPS[group]}" for group in GROUPS if group in _GROUPS},
    **{f"{group}_phrases": f"different {_GROUPS[group]}" for group in GROUPS if group in _GROUPS},
    "solicitation_share": "characters of phrases of evasion, contact, gambling, adult and fraud",
    "advertising_share": "the same with those of seo and sales",
    "advertising_phrases": "different phrases of all seven",
    "disguised_phrases": "phrases of solicitation with signs between their characters",
    "contacts": "phrases of evasion and contact, and telephone numbers",
    "contact_rate": "contacts per 1,000 characters",
    "link_share": "characters of addresses of the web",
}
