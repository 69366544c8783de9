"""The values of Chinese by name, and what each says; shares are between 0 and 1, of characters but white space."""

from __future__ import annotations

from collections.abc import Mapping

from headrace.stages.filtering.chinese.phrases import GROUPS

_GROUPS: Mapping[str, str] = {
    "evasion": "words that hide where to write to: 薇信, 加V",
    "approach": "phrases that ask to be written to in private: 加微信, 私聊我",
    "gambling": "phrases of gambling sites",
    "adult": "phrases of adult sites",
    "fraud": "phrases that sell invoices, papers, loans, quick money",
    "contact": "phrases before addresses and numbers: 联系电话, 客服热线",
    "seo": "phrases for search engines: 哪家好, 全文阅读",
    "sales": "phrases of shops: 加入购物车, 包邮",
    "urging": "calls to act and praise, as sellers say them: 赶快, 名额, 一对一",
    "report": "words of reports of crimes: 警方, 涉案, 判处",
    "notice": "messages of sites, templates, download pages: 请先登录, 看不清, 解压密码",
    "navigation": "phrases of navigation: 首页, 上一篇",
    "footer": "phrases of footers: ICP备, 版权所有",
}
VALUES: Mapping[str, str] = {
    "prose_share": "Han characters in sentences with a function character among sixteen or with 。, of all; 40 given",
    "sentence_line_share": "lines that end like a sentence: 。！？…； or . with closers behind, or a closing quote",
    "item_line_share": "lines of up to 12 characters without such an end and without a function character",
    "modern_function_share": "的 了 是 在 … of Han characters; two in 20 given",
    "literary_function_share": "之 乎 者 也 … of Han characters",
    "cantonese_function_share": "嘅 咗 喺 唔 … of Han characters",
    "listed_share": "characters of names in lists of six or more; 30 other characters given",
    "separated_share": "Han characters with a sign, or white space, on either side, of Han characters",
    "garbled_share": "characters that a wrong charset gave, lost ones, and 锟斤拷",
    "known_pair_share": "neighbouring Han characters that make words of today, of neighbours; five given",
    "rare_share": "Han characters beyond the first levels of GB 2312 and Big5; ten usual ones given",
    "ascii_share": "letters and digits of ASCII; 20 other characters given",
    "telephone_share": "digits of telephone numbers, 11 each; 20 other characters given",
    "pitch_share": "what weak signs of a seller are worth in characters, if there are several; 40 others given",
    "repeated_phrase_share": "characters in stretches of eight words, or characters of Han, that were said before",
    "top_phrase_share": "characters that the most frequent run of three Han characters takes, if it stands five times",
    **{f"{group}_share": f"characters of {_GROUPS[group]}" for group in GROUPS if group in _GROUPS},
    **{f"{group}_phrases": f"different {_GROUPS[group]}" for group in GROUPS if group in _GROUPS},
    "solicitation_share": "characters of phrases of evasion, approach, gambling, adult and fraud, fewer in reports",
    "advertising_share": "the same with those of contact, seo and sales",
    "advertising_phrases": "different phrases of all eight",
    "disguised_phrases": "phrases of solicitation with signs between their characters",
    "contacts": "phrases of evasion, approach and contact, and telephone numbers",
    "contact_rate": "contacts per 1,000 characters",
    "link_share": "characters of addresses of the web",
}
