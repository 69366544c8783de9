"""Write the other files of this folder: original texts about a water mill, in encodings that a pipeline meets.

`python examples/data/make.py [FOLDER]` gives the same bytes every time; the files are committed, a test compares them.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from pathlib import Path

MILL = """水磨坊的引水渠

村口有一座老磨坊。清晨，磨坊主先到渠首看水：闸板提得太高，水流过急，石磨会发热，面粉带着焦味；闸板放得太低，
水轮转得慢，一上午也磨不完两袋麦子。
引水渠的道理很简单，渠里的水既不能断，也不能漫。水轮决定快慢，渠道只负责按它的步子送水。老人常说，
好的渠道让人忘记它的存在。
去年夏天连下了三天雨，上游冲下来许多树枝和泥沙。磨坊主在渠口装了两道竹栅：第一道拦住粗大的枯枝，
第二道筛去细碎的草叶。每天傍晚，他把拦下的东西数一数，记在本子上，写明是哪一天、哪一道栅栏、为什么留下。
孙子问他，何必记得这样细？他回答说，水是从山上来的，什么都可能带下来；我们只知道留下了什么还不够，
还要知道丢掉了什么，为什么丢掉。
后来村里修了新渠，用的还是这个办法。
"""

RARE = """字表里的难字

编地名志的时候，最麻烦的是难字。有的村名只在一处出现，字典里查得到，常用的字库里却没有，
例如“𠮷田”“㐀水”“𪚥山”这样的写法，在四个字节的编码里才能保存。
如果有人把它们改成形近的字，或者换成问号，过几十年就再也认不出来了。所以录入的人立下规矩：宁可多用几个字节，
也不丢掉一个字；凡是认不准的，先照原样存下，再在旁边加注。
这份短文特意留下几个这样的字：𠀀、𡃁、䶮，连同欧元符号€和注音字母ḿ，
用来检查程序会不会在转换的时候把它们弄丢。
"""

LETTER = """給住在城裡的弟弟

弟弟：前天收到你的信，知道你在城裡一切都好，家裡也就放心了。今年的雨水比去年多，水渠的石壁重新砌過一次，
水車轉得很穩。
父親把舊的閘門換成了新的木板，又請鄰村的師傅來看過，說可以再用二十年。磨好的麵粉一部分送到鎮上，
一部分留著自己吃，味道和從前一樣。
你問起那本帳簿，我找到了，封面雖然破了，裡面的字跡還很清楚。每一天磨了多少麥子、攔下多少樹枝、停了幾次水，
都寫得明明白白。我想，這樣的帳簿比什麼都可靠。
等秋天收成以後，你如果有空，就回來看看吧。姐姐寄。
"""

NOTES = """Notes from the mill house

The race carries water to the wheel, and the wheel sets the pace. When the gate is too high the stones run hot;
when it is too low the hopper empties before noon. Nobody in the village speaks of the race while it works,
which is how they praise it.

After the storm in June two racks were put in front of the intake. The first one stops branches, the second one
leaves. Each evening whatever was caught is counted and written down: the day, the rack, and the reason why it
was kept out.

"Why so careful?" asked the boy. "Because the water brings everything," said the miller. "It is not enough to
know what we ground. We should know what we threw away, and be able to say why." — 记在本子上，才算数。
"""

COPIED = """A short history of the gate

The first gate was a plank of oak between two stones, lifted by hand. It leaked on both sides, and in dry
summers the leak was more than the wheel could spare. The second gate had a frame of larch and a screw, so that
a child could set it to the width of a finger. It served for sixty years. The third gate, of iron, was paid for
by three villages together; its key hangs in the school, and whoever opens the gate writes the hour into the
book that lies beside it.
"""

JUNK = "\n".join(
    [
        "首页 | 上一页 | 下一页 | 末页 | 返回顶部 | 加入收藏 | 设为首页",
        "★★★☆☆ >>> 点击 <<< ★★★☆☆",
        *["=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-="] * 12,
        "0x00 0x01 0x02 0x03 0x04 0x05 0x06 0x07 0x08 0x09 0x0a 0x0b",
        *["click here click here click here click here"] * 12,
        "@@@@ #### $$$$ %%%% ^^^^ &&&& **** (((( ))))",
    ]
)

# What a page looks like after somebody turned it into traditional characters and put pinyin behind some of them.
POLLUTED = """水車與引水渠

引水渠把山上的水送(sòng)到磨坊(fáng)。水車(chē)決(jué)定快慢，渠道只負責(zé)按照水車(chē)的步子送(sòng)水。
閘(zhá)門提得太高，水流過(guò)急，石磨會(huì)發熱；
閘(zhá)門放得太低，水車(chē)轉得慢，一個上午也磨不完兩(liǎng)袋麥(mài)子。每天傍晚，
磨坊(fáng)主把柵欄攔(lán)下的樹枝和草葉數一數，記在本子上，寫明為什麼留下。
孫子問他為何記得這樣細，他說：水是從山上來的，什麼都可能帶下來，我們(men)要知道留下了什麼，
也要知道丟掉了什麼。後來村裡修(xiū)了新渠，用的還是這個辦法。
"""

PAGE = f"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>水磨坊的引水渠</title></head><body>
<nav><a href="/">首页</a> <a href="/news">新闻</a> <a href="/about">关于我们</a></nav>

<article><h1>水磨坊的引水渠</h1>{"".join(f"<p>{line}</p>" for line in MILL.splitlines()[2:] if line)}</article>
<footer><a href="/privacy">隐私</a> <a href="/terms">条款</a></footer></body></html>
"""


def files() -> dict[str, bytes]:
    """Give every file's name and bytes."""
    records = [
        {"text": MILL, "url": "https://mill.example/race", "year": 1998},
        {"text": NOTES, "tags": ["mill", "notes"], "year": None},
        {"text": LETTER.replace("\n", "\r\n"), "year": 1987},
    ]
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    return {
        "gbk-mill.txt": MILL.encode("gbk"),
        "gb18030-rare.txt": RARE.encode("gb18030"),
        "big5-letter.txt": LETTER.encode("big5"),
        "utf16-notes.txt": NOTES.encode("utf-16"),
        "utf16be-no-mark.txt": LETTER.encode("utf-16-be"),
        "pinyin-polluted.txt": POLLUTED.encode(),
        "gate.md": COPIED.encode(),
        "gate-copy.md": COPIED.encode(),
        "gate-near-copy.md": COPIED.replace("sixty years", "some sixty-two years").encode(),
        "junk.txt": JUNK.encode(),
        "gbk-declared-utf8.html": PAGE.encode("gbk"),
        "records.jsonl.gz": gzip.compress(lines.encode(), mtime=0),
        "catalogue-gbk.csv": _catalogue().encode("gbk"),
        "mill-log.jsonl": _log().encode(),
    }


def _log() -> str:
    """Give the stories as a log: whole ones first, then each of their lines as an entry of its own."""
    stories = {"gate": COPIED, "mill": MILL, "notes": NOTES, "letter": LETTER}
    entries = [{"text": text, "story": name} for name, text in stories.items()]
    entries += [
        {"text": line, "story": name, "line": number}
        for name, text in stories.items()
        for number, line in enumerate(text.splitlines())
        if line
    ]
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


def _catalogue() -> str:
    table = io.StringIO(newline="")
    rows = csv.writer(table, delimiter=";")
    rows.writerow(("编号", "text", "年份"))
    for number, line in enumerate(MILL.splitlines()[2:], 1):
        rows.writerow((number, f'"{line}"', 1990 + number))
    return table.getvalue()


def main(folder: Path) -> None:
    """Write the files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files().items():
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
