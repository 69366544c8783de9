"""Shares of characters for which no installed package has a list: rounded estimates of our own, in 100,000.

Punctuation and kana are shares of all characters of a running text, the Thai letters of all letters. They decide only
between charsets, so their order of size matters, not their last digit.
"""

from __future__ import annotations

# A character and its share, again and again; a space between two pairs.
CHINESE_PUNCTUATION = (
    "，4200 。2400 、900 ：500 ；150 ？200 ！200 “450 ”450 （300 ）300 《200 》200 「60 」60 —100 …100 "
    "·60 　400 ‘30 ’30 【40 】40 『10 』10 ～20 〈10 〉10 ％10 ．10 ／10 ●10 ■10 ★10 →30 ◎10 ①5 "
    "②5 ③5 ―10 ‧20 •10 ×10 °5 ℃3 ﹐30 ﹑10 ﹔10 ﹕20 〔10 〕10 ｜10 ○10 〇20 ＊10 ＝10 ＋10 －20 ︰10 ※10 "
    "▲10 ◆10 □10"
)
FRAMES = "─40 │20 ┌8 ┐8 └8 ┘8 ├8 ┤8 ┬8 ┴8 ┼8 ━12 ┃12 ═12 ║8"  # in texts of any language
GREEK_SIGNS = "μ10 α10 β10 γ5 δ5 ε5 θ5 λ5 π5 σ5 ω5 Δ5 Σ5 Ω5"  # in Chinese, Japanese and Korean
KANA = (
    "の3525 に2700 た2550 い2550 を2400 は2250 し2175 る2100 と2100 が2025 て1800 で1800 な1650 か1200 "
    "っ1200 ら1050 れ1050 も1350 す1125 り1125 こ1050 ま975 あ975 ん825 う750 さ750 き675 く600 れ525 "
    "だ525 そ450 お450 よ450 え450 け450 ど375 つ375 せ375 み300 め300 ち300 わ225 ろ300 じ225 ば225 "
    "や225 ず225 ほ150 げ150 ひ150 ご150 び150 ぶ150 ー1200 ン900 ス600 ル525 ト525 リ450 ラ375 ク375 "
    "イ450 ア375 ッ375 シ375 ド300 レ300 フ262 コ262 タ262 ロ262 ジ225 プ225 グ225 ム225 テ225 マ188 "
    "サ188 バ188 カ188 キ188 オ150 メ150 デ150 ニ150 ブ150 パ150 ュ150 ダ112 ナ112 ィ112 エ112 チ112 ウ75 "
    "ハ75 ミ75 ャ75 ビ75 ポ75 ボ75 セ75 モ75 ネ75 ガ75 ホ75 ゲ75 ノ75 ワ75 ソ75 ペ75 ベ75 ツ75 ケ75 ョ75 "
    "ヤ75 ズ75 ゴ75 ピ75 ザ75"
)
JAPANESE_PUNCTUATION = (
    "、3000 。2700 「600 」600 ・500 （300 ）300 　1000 ！300 ？200 ～100 …100 『60 』60 【80 】80 ：100 "
    "々100 ／30 〜50 ★30 ☆30 ♪30 ■30 ●20 ※30 →20 ×10 ‐20"
)
KOREAN_PUNCTUATION = "．12 ，12 ·12 ‘12 ’12 “12 ”12 …12 「12 」12 『12 』12 【12 】12 《12 》12 ☆12 ★12 ♡12 ♥12 　12"
# Signs of texts in alphabets, in 100,000 of all characters.
SIGNS = (
    "’100 “50 ”50 „30 –70 —30 «60 »60 ©20 ®10 °40 …30 ‘10 •10 €20 £30 ·10 ´10 \u00a0150 §10 ½5 ×5 ™5 º10 ª10 "
    "²20 ±3 µ3 †1 ¡2 ¿2 ¬1 ¦1 ¢1 ¥1 ¨2 ¯1 ¹1 ³2 ¶2 ¼2 ¾1 ‚3 ‹3 ›3 №20"
)
SPANISH_SIGNS = "¿500 ¡400"
THAI = (
    "า8500 น6500 ร6000 อ5800 ก5000 เ5000 ง4200 ่5500 ม4000 ั4500 ย3800 ล3600 ้4000 ว3500 ด3000 ท3300 "
    "ี3500 ิ3300 ส3200 ต2800 ะ2200 ป2000 บ2200 ค2500 ห2200 แ2000 จ1500 พ1800 ื1500 ช1500 ไ1800 ข1500 "
    "ุ1800 ู1500 ใ1200 โ1200 ผ800 ึ700 ซ600 ็1000 ์1400 ถ800 ณ600 ำ800 ศ600 ฟ400 ธ600 ภ500 ษ400 ฐ300 ญ300 "
    "ๆ200 ฉ200 ฝ100 ฏ50 ฎ30 ฤ30 ๐50 ๑50 ๒50 ๓50 ๔50 ๕50 ๖50 ๗50 ๘50 ๙50"
)


def parsed_shares(text: str) -> dict[str, int]:
    """Give each character's share; where one is named twice, the first counts.

    >>> parsed_shares("，4200 。2400")
    {'，': 4200, '。': 2400}
    """
    shares: dict[str, int] = {}
    for pair in text.split(" "):
        shares.setdefault(pair[0], int(pair[1:]))
    return shares
