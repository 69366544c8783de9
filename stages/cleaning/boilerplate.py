"""Lines that a site prints around every text: patterns that a whole line must match, in linear time (RE2)."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headrace.schemas.arrays import Array, Flags

# Removed wherever they stand. Each is matched against the whole line without white space at its ends, in any case.
ANYWHERE = (
    r"(?:this|our) (?:web)?site uses cookies.{0,160}",
    r"we use (?:\w+ )?cookies.{0,160}",
    r"by (?:continuing|using|browsing).{0,80}cookies?.{0,60}",
    r"(?:accept|reject|manage|decline)(?: all)? cookies|cookie (?:settings|preferences|policy)",
    r"click here (?:to|for) .{0,80}",
    r"(?:sign up|subscribe) (?:to|for) (?:our|the) .{0,40}newsletter.{0,60}",
    r"(?:share|follow us) on (?:facebook|twitter|x|linkedin|reddit|whatsapp|pinterest|instagram|weibo).{0,40}",
    r"share this(?: article| post| page| story)?[:：]?",
    r"(?:previous|next) (?:page|post|article|story)(?:\s*[:»«→←>].{0,80})?",
    r"(?:back|return|scroll) to (?:the )?top(?: of (?:the )?page)?|skip to (?:the )?(?:main )?content|skip navigation",
    r"(?:please )?(?:enable|turn on|activate) javascript.{0,100}|javascript (?:is|must be|seems to be) .{0,100}",
    r"(?:read|show|load|view|see) more\W{0,4}|continue reading\W{0,4}|advertisement|sponsored content",
    r"(?:[上下]一[篇页章条节]\s*(?:[:：]\s*.{0,80})?[\s|/]*){1,2}",
    r"(?:一键)?分享[到至给]?\s*(?:[:：].{0,60}|(?:微信|微博|新浪微博|QQ空间|QQ好友|QQ|朋友圈|人人网|豆瓣|[\s、,，|/])*)",
    r"返回(?:顶部|首页|上一页|列表)|回到顶部|加入收藏|设为首页|打印本[页文]|关闭(?:本页|窗口|页面)",
    r"(?:当前|您(?:现在|当前|所在)?的?|现在|所在)位置\s*[:：].{0,100}",
    r"(?:相关|推荐|热门|延伸|猜你喜欢的?)(?:阅读|推荐|文章|新闻)\s*[:：]?",
    r"(?:点击|展开|阅读|查看)(?:查看|阅读|此处|这里)?(?:全文|更多|原文)\W{0,4}",
    r"(?:扫一扫|扫码|扫描(?:下方|上方)?二维码|长按(?:识别)?二维码).{0,30}",
    r"(?:本|我们的?)?网?站(?:正在)?使用\s*cookies?.{0,100}",
    r"(?:责任编辑|责编)\s*[:：]\s*.{1,16}",
    r".{0,60}[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼]ICP[备证]案?第?\s?[0-9]{4,}.{0,80}",
    r".{0,60}公网安备\s?[0-9]{6,}.{0,60}",
)
# Removed only among a document's last lines: licences and books begin with a copyright notice, and keep it.
FOOTERS = (
    r"(?:©|\(c\)|copyright:?\s*(?:©|\(c\)|[0-9]{4})).{0,200}",
    r".{0,120}\ball rights reserved\b.{0,20}",
    r".{0,80}版权所有.{0,80}",
    r"未经.{0,24}(?:授权|许可|允许|同意).{0,12}(?:不得|禁止|严禁|请勿).{0,40}",
    r"powered by .{1,60}",
    r"(?:(?:关于我们|联系我们|网站地图|友情链接|免责声明|隐私政策|服务条款|广告服务|招聘信息|帮助中心)[\s|·/-]*){1,10}",
    r"(?:(?:about us|contact us|terms of (?:use|service)|privacy policy|site ?map|help|careers)[\s|·/-]*){2,10}",
)


def matches(lines: Array, patterns: tuple[str, ...]) -> Flags:
    """Tell which lines match one of the patterns from end to end."""
    found = np.zeros(len(lines), np.bool_)
    for alike in _by_beginning(patterns):
        flags: Array = pc.match_substring_regex(lines, "^(?:" + "|".join(alike) + ")$", ignore_case=True)
        found |= flags.to_numpy(zero_copy_only=False)
    return found


def _by_beginning(patterns: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Put patterns that begin with any text apart from the others.

    The others fail at a line's first characters. Together with one that never fails there they would be followed along
    the whole line, at half the speed.
    """
    anything = tuple(pattern for pattern in patterns if pattern.startswith("."))
    others = tuple(pattern for pattern in patterns if not pattern.startswith("."))
    return [group for group in (others, anything) if group]


def checked(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Give the patterns if the engine takes each of them; ValueError names the one it does not."""
    for pattern in patterns:
        try:
            matches(pa.array([""], pa.large_string()), (pattern,))
        except pa.ArrowInvalid as error:
            raise ValueError(
                f"{pattern!r} is not a pattern of linear time: {error}; there is no look-around and no back reference"
            ) from error
    return patterns
