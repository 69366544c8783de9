"""Names and addresses on the net: e-mail, IP addresses, WeChat and QQ."""

from __future__ import annotations

import re

from headrace.stages.privacy import checks
from headrace.stages.privacy.endings import is_ending
from headrace.stages.privacy.rule import Rule
from headrace.stages.privacy.surroundings import Found, is_part
from headrace.stages.privacy.writing import OPENING, WORD, either

_LOCAL_PART = "[a-z0-9_%+][a-z0-9._%+'-]{0,63}"
_DOMAIN = r"(?:[a-z0-9][a-z0-9-]*\.){1,8}(?:[a-z]{2,24}|xn--[a-z0-9-]{2,59})"
_OCTETS = r"(?:\d{1,3}\.){3}\d{1,3}"
_HEX = "[0-9a-f]{0,4}"
_IPV6 = either(
    rf"[23][0-9a-f]{{3}}(?::{_HEX}){{2,7}}",
    rf"(?:[23][0-9a-f]{{3}}|64)(?::{_HEX}){{1,6}}:{_OCTETS}",
    rf"::(?:ffff:(?:0{{1,4}}:)?)?{_OCTETS}",
)
_NUMBER = "(?:号码|账号|帐号|号|id)"
_QQ_LABEL = (
    r"(?: ?(?:号码|账号|帐号|(?:交流|讨论)?群(?:号|[一二三四五六七八九~\d])?|号|同号|客服|咨询|联系|在线|number|no\.?|"
    r"id|[/、](?:微信|wechat|vx|wx|电话|手机|tel)))"
)
_QQ = r"[1-9]\d{4,10}"
_LONGER_QQ = r"[1-9]\d{5,10}"
_WECHAT = "(?:微信|v信|wechat|weixin|vx|wx)"
_WECHAT_LABEL = r"(?: ?(?:号码|账号|帐号|号|id|同号|[/、](?:qq|电话|手机|tel)|\((?:同手机|手机同号|同号)\)))"
_WECHAT_SAYS = rf"{_WECHAT}{_WECHAT_LABEL}{{0,3}} ?(?:[:=]|{OPENING}|是|为|is){{1,2}} ?"
_WECHAT_NAME = "[a-z][a-z0-9_-]{5,19}"
_COUNTED = re.compile(r" ?(?:[%万亿千百元个名位款首年月天岁次人块级版]|\.\d|@|,\d{3})")
_VERSION = re.compile(
    r"(?:\b(?:version|ver|v|release|rel|rev|build|linux|kernel|chrome|firefox|safari|edge|python|java|ios|android|"
    r"windows|section|sec|chapter|clause|table|figure|fig|appendix|oid|rfc|bios|firmware|driver)(?: no\.?)?|"
    r"(?:版本|固件|章|节|第|表|图|条|款|附录)号?|[<>=~^!]=|§|[a-z][-/_])[ :.(]{0,3}$"
)
_HOST = re.compile(
    r"(?:\b(?:ip|ipv4|ips|addr|address|addresses|host|hosts|hostname|server|servers|dns|ping|gateway|router|node|proxy|"
    r"client|remote|from|ssh|telnet|nameserver|peer|subnet|route|traceroute|whois|listen|bind|connect|to|at)|"
    r"地址|主机|服务器|网关|代理|来自|解析|节点|域名|网段|://|\[|:)[^0-9a-z<>\n]{0,4}$"
)
_GROUP_BEFORE = re.compile(r"(?:(?:^|[^0-9a-z])(?!(?:ip)?v6:)(?=[a-z]*\d|[a-f]+:)[0-9a-z]+:|::)$")
_PLAIN_OCTET = 64
# A dash joins addresses to addresses alone; else it is in the name of a package, or in a drawing (1.45.76.1-.55.41).
_PATH_BEFORE = re.compile(r"[0-9a-z_]-$")
_RANGE_BEFORE = re.compile(rf"{_OCTETS}-$")
_PATH_AFTER = re.compile(rf"\.[0-9a-z]|[-+][a-z.]|-(?!{_OCTETS})\d")


def _email(found: Found) -> bool:
    local, _, domain = found.text.rpartition("@")
    if not re.search("[a-z0-9_]", local) or "-." in domain or not is_ending(domain.rpartition(".")[2]):
        return False
    return not re.match(
        r"\([0-9a-z_)]|:[a-z~/.]|\.[a-z0-9]|-[a-z0-9]*\.", found.after
    )  # code, a path on a host, a longer name


def _ipv4(found: Found) -> bool:
    if _PATH_AFTER.match(found.after):
        return False
    if _PATH_BEFORE.search(found.before[-2:]) and not _RANGE_BEFORE.search(found.near):
        return False
    if not checks.is_public_4(found.text) or _VERSION.search(found.near):
        return False
    if any(int(part) >= _PLAIN_OCTET for part in found.text.split(".")):
        return True  # one of 256 addresses has four smaller numbers, and hardly a version has a larger one
    return bool(_HOST.search(found.near) or re.match(r":\d{1,5}\b| - - \[", found.after))


def _ipv6(found: Found) -> bool:
    longer = re.match(r":[0-9a-f:]|\.\d", found.after) or _GROUP_BEFORE.search(found.near)
    return longer is None and not found.text.endswith("::") and checks.is_public_6(found.text)


def _qq(found: Found) -> bool:
    return not _COUNTED.match(found.after) and not is_part(found)


def _wechat_name(found: Found) -> bool:
    """Decide on a name behind a word and a colon: letters alone are a name only behind `号` or `id`."""
    said = re.search(rf"{_WECHAT}([^<>]{{0,24}})$", found.near)
    marked = said is not None and re.search("号|id|同", said[1]) is not None
    return _is_name(found) and (marked or re.search("[0-9_-]", found.text) is not None)


def _wechat_said(found: Found) -> bool:
    return _is_name(found) and re.search("[0-9_-]", found.text) is not None


def _is_name(found: Found) -> bool:
    return not re.match(r"\.[a-z0-9]|@|\([0-9a-z_)]|://", found.after) and found.text not in ("wechat", "weixin")


def _wechat_id(found: Found) -> bool:
    return not is_part(found)


RULES = (
    Rule("email", f"{_LOCAL_PART}@{_DOMAIN}", _email, before=WORD + "_%+", after=WORD + "_@"),
    Rule("ipv6", _IPV6, _ipv6, before=WORD + "_."),
    Rule("ipv4", _OCTETS, _ipv4, before=WORD + "_."),
    Rule("wechat", _WECHAT_NAME, _wechat_name, lead=_WECHAT_SAYS, after=WORD + "_-"),
    Rule("wechat", _WECHAT_NAME, _wechat_said, lead=rf"{_WECHAT} ?{_NUMBER}(?: |\n)?", after=WORD + "_-"),
    Rule(
        "wechat",
        _WECHAT_NAME,
        _wechat_said,
        lead=rf"(?:(?:加|添加|搜|搜索|联系)(?:我|下|一下|个)?的?{_WECHAT}|加(?:我|下|一下|个)?(?:v|微))号?[ :]{{0,2}}",
        after=WORD + "_-",
    ),
    Rule("wechat", _LONGER_QQ, _qq, lead=_WECHAT_SAYS),
    Rule("wechat", "wxid_[a-z0-9]{8,24}", _wechat_id, after=WORD + "_-"),
    Rule("qq", _QQ, _qq, lead=rf"qq{_QQ_LABEL}{{0,3}}(?: ?(?:[:=]|{OPENING}|是|为) ?|\n){{1,2}}", many=True),
    Rule("qq", _QQ, _qq, lead=rf"qq ?(?:{_NUMBER}|交流群|讨论群|群号|群)(?: |\n)?", many=True),
    Rule("qq", _LONGER_QQ, _qq, lead="(?:qq|扣扣|企鹅号)号? ?:? ?", many=True),
    Rule("qq", r"[1-9](?: \d){5,10}", _qq, lead="(?:qq|扣扣)号?(?:码)? ?:? ?"),
    Rule("qq", _LONGER_QQ, _qq, trail=r" ?\( ?qq号? ?\)"),
)
