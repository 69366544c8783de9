"""Words that prose has and lists of things have not, as published rules name them."""

from __future__ import annotations

ENGLISH_STOPS = ("the", "be", "to", "of", "and", "that", "have", "with")  # Gopher's (Rae et al. 2021, A.1.1)
_MANDARIN = "的 年 在 月 是 和 日 了 於 · 為 有 被 人 中 为 他 與 後 也 而 由"
MANDARIN_STOPS = tuple(_MANDARIN.split())  # FineWeb2's (Penedo et al. 2025, cmn_Hani), simplified and traditional
