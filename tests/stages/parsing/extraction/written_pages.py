"""Pages written for these tests, each beside its main text; `unwanted` are words of what stands around it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).with_name("pages")
_UNWANTED = {
    "news": "新闻中心 您当前的位置 浏览次数 图为大桥 责任编辑 二维码 相关新闻 地铁三号线 支持一下 ICP备",
    "notice": "政务公开 当前位置 打印本页 分享到 上一篇 安全检查 ICP备",
    "forum": "排行榜 高级会员 注册时间 积分 只看该作者 举报 登录后",
    "manual": "Quick ¶ Privacy",
    "blog": "Archive Posted dawn newsletter freelance lovely goats Recent reserved",
    "old": "散文 投稿 返回首页 Copyright",
}


@dataclass(frozen=True, slots=True)
class WrittenPage:
    """A page, its main text, and what must not appear in it."""

    page: str
    text: str
    unwanted: tuple[str, ...]


WRITTEN = {
    name: WrittenPage(
        (_FOLDER / f"{name}.html").read_text(encoding="utf-8"),
        (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").removesuffix("\n"),
        tuple(unwanted.split()),
    )
    for name, unwanted in _UNWANTED.items()
}
NEWS = WRITTEN["news"]
