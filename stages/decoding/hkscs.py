"""Codes of Big5 on the web that Python's codecs lack: HKSCS of 2008, codes that HKSCS keeps for old files, and signs.

Retyped from the index of Big5 in the WHATWG's encoding standard, which has them from HKSCS-2008 and from what browsers
read. F9FE is left as CP950 has it.
"""

from __future__ import annotations

from collections.abc import Iterator

_FIRST_OF_2008, _TRAILS = 0x87, (*range(0x7A, 0x7F), *range(0xA1, 0xE0))
_OF_2008 = (
    "㡵𡵓𣚞𦀡㻬𥣞㫵竼龗𤅡𨤍𣇪𠪊𣉞䌊蒄龖鐯䤰蘓墖靊鈘秐稲晠権袝瑌篅枂稬剏遆"
    "㓦珄𥶹瓆鿇垳䤯呌䄱𣚎堘穲𧭥讏䚮𦺈䆁𥶙箮𢒼鿈𢓁𢓉𢓌鿉蔄𣖻䂴鿊䓡𪷿拁灮鿋"
)
_CONTROL_PICTURES, _FIRST_PICTURE, _PICTURE_OF_DELETE = 0xA3C0, 0x2400, 0x2421
# A code and its character; most have another code in Big5 itself.
_OTHERS = (
    "8E69箸 8E6F簆 8E7E糎 8EAB緒 8EB4縝 8ECD者 8ED0耨 8F57菁 8F69蒨 8F6E萏 8FCB覦 8FCC覩 8FFE起 906D都 907A銹 90DC靜 "
    "90F1響 91BF鼖 9244蔃 92AF兙 92B0兛 92B1兝 92B2兞 92C8鍮 92D1瑹 9447浧 94CA禛 95D9邗 9644靝 96ED瀞 96FC嬨 9B76爁 "
    "9B78矗 9B7B纇 9BC6駖 9BDE釔 9BEC惞 9BF6澶 9C42輶 9C53侻 9C62營 9C68鄄 9C6B鷰 9C77菏 9CBC尐 9CBD秣 9CD0婧 9D57輋 "
    "9D5A筑 9DC4拐 9EA9恢 9EEF痹 9EFD汊 9F60鬮 9F66鼗 9FCB僭 9FD8弌 A063蠏 A077拎 A0D5瑨 A0DF煢 A0E4牐 C6CF廴 C6D3无 "
    "C6D5癶 C6D7隶 C6DE〃 C6DF仝 FA5F倩 FA66偽 FABD包 FAC5卄 FAD5卿 FB48嘅 FBB8婷 FBF3幵 FBF9廐 FC4F彘 FC6C悤 FCB9撐 "
    "FCE2晴 FCF1杞 FDB7沜 FDB8渝 FDBB港 FDF1煮 FE52猪 FE6F瑜 FEAA瓩 FEDD砉"
)


def web_additions() -> Iterator[tuple[int, int]]:
    """Give codes and their code points."""
    for trail, character in zip(_TRAILS, _OF_2008, strict=True):
        yield _FIRST_OF_2008 << 8 | trail, ord(character)
    for place in range(0x20):
        yield _CONTROL_PICTURES + place, _FIRST_PICTURE + place
    yield _CONTROL_PICTURES + 0x20, _PICTURE_OF_DELETE
    for entry in _OTHERS.split(" "):
        yield int(entry[:4], 16), ord(entry[4:])
