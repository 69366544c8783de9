"""Pages written for these tests, each with lines that must be kept whole and words that must not appear."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WrittenPage:
    """A page, its wanted lines in order, and what stands around them."""

    page: str
    lines: tuple[str, ...]
    unwanted: tuple[str, ...]


def menu(*words: str) -> str:
    return "<ul>" + "".join(f'<li><a href="/{n}">{word}</a></li>' for n, word in enumerate(words)) + "</ul>"


_CHINESE_MENU = menu("首页", "新闻中心", "政务公开", "办事服务", "互动交流", "走进江城", "网站地图")
_CHINESE_FOOT = "<div class=footer>主办：江城市人民政府办公室 <a href=/x>联系我们</a> 江ICP备05000000号 版权所有</div>"

NEWS = WrittenPage(
    f"""<html><head><title>跨江大桥今日合龙 - 江城晚报</title></head><body><div class=nav>{_CHINESE_MENU}</div>
<div class=position>您当前的位置：<a href=/>首页</a> &gt; <a href=/n>本地新闻</a> &gt; 正文</div>
<h1>跨江大桥今日合龙</h1><div class=info>2021-06-18 09:12 来源：江城晚报 作者：周文 浏览次数：1024</div>
<div class=article_content><p>　　本报讯（记者 周文）今天上午九时许，随着最后一节钢梁缓缓就位，跨江大桥顺利合龙，两岸居民盼了三年的通道终于连成一线。</p>
<div class=pic><img src=a.jpg><p class=caption>图为大桥合龙现场。周文 摄</p></div>
<p>　　据建设方介绍，大桥全长两千一百米，双向六车道，计划明年春天通车。届时从老城区到高新区只需十分钟，比现在节省半个小时。</p>
<p>　　“以前过江要绕一大圈。”</p><p>　　家住江北的陈女士说，她每天要花两个多小时上下班，大桥建成以后可以多陪陪孩子。</p>
<p align=right>（责任编辑：林立）</p></div>
<div class=qrcode>扫描二维码，关注江城晚报微信公众号</div><div class=related><h3>相关新闻</h3>{menu("地铁三号线开工", "老城区改造方案公布")}</div>
<div class=comment><h3>网友评论</h3><p>支持一下，早就该修了，希望收费便宜一点，周末带家人去看看。</p></div>{_CHINESE_FOOT}</body></html>""",
    (
        "跨江大桥今日合龙",
        "本报讯（记者 周文）今天上午九时许，随着最后一节钢梁缓缓就位，跨江大桥顺利合龙，两岸居民盼了三年的通道终于连成一线。",
        "据建设方介绍，大桥全长两千一百米，双向六车道，计划明年春天通车。届时从老城区到高新区只需十分钟，比现在节省半个小时。",
        "“以前过江要绕一大圈。”",
        "家住江北的陈女士说，她每天要花两个多小时上下班，大桥建成以后可以多陪陪孩子。",
    ),
    ("新闻中心", "您当前的位置", "浏览次数", "图为大桥", "责任编辑", "二维码", "相关新闻", "地铁三号线", "支持一下", "ICP备"),
)

NOTICE = WrittenPage(
    f"""<html><head><title>关于做好防汛工作的通知</title></head><body><div id=menu>{_CHINESE_MENU}</div>
<div class=crumbs>当前位置：首页 &gt; 通知公告</div><div class=con><h2>关于做好防汛工作的通知</h2>
<div class=pages-date>发布时间：2022-05-06 信息来源：市政府办公室 字体：【大 中 小】 打印本页</div>
<div class=TRS_Editor><p>各区人民政府，市政府各部门：</p>
<p>　　今年汛期降雨偏多，为保障人民群众生命财产安全，现将有关事项通知如下：</p>
<p>　　一、落实责任。各单位主要负责人对本辖区防汛工作负总责，分管负责人具体负责，层层签订责任书。</p>
<p>　　二、加强巡查。对堤防、水库、低洼地段每日巡查不少于两次，发现险情立即报告并组织抢险。</p>
<table><tr><th>辖区</th><th>责任人</th><th>电话</th></tr><tr><td>江北区</td><td>王强</td><td>0271-1234567</td></tr>
<tr><td>江南区</td><td></td><td>0271-7654321</td></tr></table>
<p>　　特此通知。</p><p style="text-align:right">江城市人民政府办公室</p><p style="text-align:right">2022年5月6日</p></div>
<div class=fujian>分享到：微信 微博</div><div>上一篇：<a href=/a>关于开展安全检查的通知</a> 下一篇：没有了</div></div>{_CHINESE_FOOT}</body></html>""",
    (
        "关于做好防汛工作的通知",
        "各区人民政府，市政府各部门：",
        "今年汛期降雨偏多，为保障人民群众生命财产安全，现将有关事项通知如下：",
        "一、落实责任。各单位主要负责人对本辖区防汛工作负总责，分管负责人具体负责，层层签订责任书。",
        "二、加强巡查。对堤防、水库、低洼地段每日巡查不少于两次，发现险情立即报告并组织抢险。",
        "辖区 | 责任人 | 电话",
        "江北区 | 王强 | 0271-1234567",
        "江南区 |  | 0271-7654321",
        "特此通知。",
        "江城市人民政府办公室",
        "2022年5月6日",
    ),
    ("政务公开", "当前位置", "打印本页", "分享到", "上一篇", "安全检查", "ICP备"),
)


def _floor(number: int, user: str, text: str) -> str:
    return f"""<table class=plhin><tr><td class=pls><div class=authi><a href=/u>{user}</a></div><div>高级会员</div>
<div>积分 {number}20</div><div>注册时间 2009-3-{number}</div></td><td class=plc><div class=pi>{number}楼 发表于 2020-7-1 12:0{number}
| <a href=/o>只看该作者</a></div><div class=t_f>{text}</div><div class=po><a href=/r>回复</a> <a href=/q>引用</a>
<a href=/j>举报</a></div></td></tr></table>"""


FORUM = WrittenPage(
    f"""<html><head><title>新手求教：登山鞋怎么选？ - 户外论坛</title></head><body><div id=nv>{menu("论坛", "导读", "排行榜", "登录", "注册")}</div>
<h1>新手求教：登山鞋怎么选？</h1>
{_floor(1, "小石头", "下个月想去走一条高海拔路线，全程大概六十公里，请问鞋子选高帮还是低帮？预算一千以内。")}
{_floor(2, "老驴", "负重超过十公斤就选高帮，护踝很重要，另外一定要提前穿两三周把鞋磨合好，不然会起泡。")}
{_floor(3, "青山", "同意楼上，再补充一点：鞋子要比平时大半码到一码，下坡的时候脚趾才不会顶到鞋头。")}
<div class=login>您需要登录后才可以回帖 <a href=/l>登录</a> | <a href=/g>立即注册</a></div></body></html>""",
    (
        "新手求教：登山鞋怎么选？",
        "下个月想去走一条高海拔路线，全程大概六十公里，请问鞋子选高帮还是低帮？预算一千以内。",
        "负重超过十公斤就选高帮，护踝很重要，另外一定要提前穿两三周把鞋磨合好，不然会起泡。",
        "同意楼上，再补充一点：鞋子要比平时大半码到一码，下坡的时候脚趾才不会顶到鞋头。",
    ),
    ("排行榜", "高级会员", "注册时间", "积分", "只看该作者", "举报", "登录后"),
)

MANUAL = WrittenPage(
    f"""<html><head><title>Reading tables — Tablekit manual</title></head><body><nav class=sidebar>{menu("Install", "Quick start", "Reading tables", "API")}</nav>
<main class=body><h1>Reading tables<a class=headerlink href=#t>¶</a></h1><p>A table is read with one call, and nothing is loaded until a
column is asked for. The call takes a path or an open file.</p>
<pre><code>def read(path):
    for row in open_table(path):

        yield row  # one at a time
</code></pre><h2>Options</h2><p>Two options change what is read, and both may be given at once:</p>
<ul><li><code>columns</code>: names of the columns to read<li>limits<ul><li><code>rows</code>: at most so many rows</ul></ul>
<ol><li>Open the file.<li>Check the header.</ol>
<table><tr><th>Option<th>Default<tr><td>columns<td>all<tr><td>rows<td>no limit</table>
<p>See <a href=/api>the reference</a> for all others.</p></main><footer>© 2020 Tablekit. <a href=/p>Privacy</a></footer></body></html>""",
    (
        "Reading tables",
        "A table is read with one call, and nothing is loaded until a column is asked for. The call takes a path or an open file.",
        "def read(path):\n    for row in open_table(path):\n\n        yield row  # one at a time",
        "Options",
        "Two options change what is read, and both may be given at once:",
        "- columns: names of the columns to read",
        "- limits",
        "  - rows: at most so many rows",
        "1. Open the file.",
        "2. Check the header.",
        "Option | Default",
        "columns | all",
        "rows | no limit",
        "See the reference for all others.",
    ),
    ("Quick start", "¶", "Privacy"),
)

_POST = """The ferry leaves at seven, and by then the harbour smells of bread. I bought two loaves and gave one away before the
boat had turned, because the man beside me had forgotten his."""
BLOG = WrittenPage(
    f"""<html><head><title>A morning on the ferry | Salt and Tar</title></head><body><div id=header><h2>Salt and Tar</h2>{menu("Home", "About", "Archive")}</div>
<div class=post><h1>A morning on the ferry</h1><div class=byline>Posted on May 2, 2019 by <a href=/a>Ines Holm</a></div>
<div class=entry-content><p>{_POST}</p><figure><img src=f.jpg><figcaption>The harbour at dawn. Photo: Ines Holm</figcaption></figure>
<p>We talked about weather and engines. “Diesel is patient,” he said, “it forgives you twice.” I have thought about that sentence
since, more often than about the islands.</p><blockquote><p>Diesel is patient. It forgives you twice.</p></blockquote>
<p>If you liked this post, subscribe to the newsletter and share it with your friends.</p></div>
<div class=author-box><h3>About the author</h3><p>Ines Holm is a freelance writer who lives on an island with three goats. Follow her on Twitter.</p></div></div>
<div id=comments><h3>2 Comments</h3><div class=comment><p>Karl says: lovely, I took that ferry every summer as a boy and miss it.</p></div>
<div class=comment><p>Mia says: more of this please, and more goats in the next one if you can.</p></div></div>
<div class=sidebar><h3>Recent posts</h3>{menu("Winter nets", "How to tie a bowline", "The lighthouse keeper")}</div>
<div id=footer>© 2019 Salt and Tar. All rights reserved.</div></body></html>""",
    (
        "A morning on the ferry",
        " ".join(_POST.split()),
        "We talked about weather and engines. “Diesel is patient,” he said, “it forgives you twice.” I have thought about that sentence "
        "since, more often than about the islands.",
        "Diesel is patient. It forgives you twice.",
    ),
    ("Archive", "Posted on", "at dawn", "newsletter", "freelance", "lovely", "more goats", "Recent posts", "rights reserved"),
)

OLD = WrittenPage(
    f"""<html><head><title>雨夜</title></head><body><center><table width=760><tr><td width=160 bgcolor=#eee>{menu("小说", "散文", "诗歌", "投稿")}</td>
<td width=600><font size=5><b>雨夜</b></font><br>作者：无名<br><br>　　雨下了一整夜，屋檐下的水缸早就满了，水沿着缸口往下淌，淌到青石板上，又顺着石缝流进院子角落的阴沟里。<br><br>
　　老人坐在门槛上，一锅接一锅地抽烟。“该来的总会来的。”他说。<br>没有人回答他，只有雨声。<br><br>
　　天快亮的时候，村口传来了狗叫声，接着是脚步声，一深一浅，踩在泥水里，越来越近。</td></tr></table>
<font size=2><a href=/>返回首页</a> Copyright 2001 文学小站</font></center></body></html>""",
    (
        "雨下了一整夜，屋檐下的水缸早就满了，水沿着缸口往下淌，淌到青石板上，又顺着石缝流进院子角落的阴沟里。",
        "老人坐在门槛上，一锅接一锅地抽烟。“该来的总会来的。”他说。\n没有人回答他，只有雨声。",
        "天快亮的时候，村口传来了狗叫声，接着是脚步声，一深一浅，踩在泥水里，越来越近。",
    ),
    ("散文", "投稿", "返回首页", "Copyright"),
)

WRITTEN = {"news": NEWS, "notice": NOTICE, "forum": FORUM, "manual": MANUAL, "blog": BLOG, "old": OLD}
