"""Opening words of lines that are rarely part of a text, and words by which one knows appeals, credits and authors."""

from __future__ import annotations

import re

from headrace.stages.kernels.extraction_model import WORD_BEGIN

# Phrases as the scanner spells a text: in lower case, numbers as 0, punctuation (but : @ © and signs of currencies) as
# a space, traditional characters as simplified ones. Without a space at its end a phrase may go on within the word.
_OPENING = {
    "more": """you might |you may |also read|read more|read also|read next|see also|related|more from |more on |
        more about |more stories|more news|recommended|popular|trending|most read|latest |if you enjoyed|
        if you liked|if you found|if you want|if you have any|did you like|did you enjoy|like this|like what|
        support us|support our|become a |sign up|subscribe|follow us|follow me|join us|join our|click here|
        share this|share on|share:|download our|download the app|don t miss|weitere |mehr zu|mehr aus|mehr von|
        mehr über|das könnte|das thema könnte|auch interessant|lesen sie |lies auch|siehe auch|ähnliche|passend|
        gefällt dir|gefällt ihnen|hat dir |hat ihnen |jetzt an|jetzt ab|jetzt bestell|abonnier|folge uns|folgen sie|
        unterstütz|teilen|teile |newsletter|à lire|lire aussi|lire la suite|articles liés|articles similaires|
        voir aussi|lea también|lee también|le puede|te puede|mire:|noticias relacionadas|relacionad|leggi anche|
        potrebbe|czytaj|zobacz|zie ook|lees ook|相关|推荐|热门|猜你|更多|延伸阅读|精彩推荐|点击查看|点击进入|
        点击下载|扫码|扫一扫|长按|分享|订阅|返回|上一|下一|加入购物车|立即购买|往期|関連|おすすめ|あわせて|
        ランキング|관련|추천|по теме|читайте|ещё |смотрите""",
    "mechanics": """©|copyright|all rights|tags |tags:|filed under|categor|comment|leave a |reply|log in|login|
        cookie|we use cookies|this site|this website|privacy|terms|contact|print |e mail|email|advertisement|
        sponsored|schlagw|schlagworte|kategorie|kommentar|antwort|anmelden|diese seite|diese website|datenschutz|
        impressum|anzeige|werbung|alle rechte|drucken|zurück|nach oben|zum seitenanfang|bewert|etiquetas|comparte|
        compartir|publicidad|commenta|condividi|字号|打印|关闭|版权|免责|声明|转载|标签|评论|登录|登陆|注册|首页|
        您当前|当前位置|您的位置|你的位置|您现在|所在位置|主办|承办|技术支持|网站|京公网|收藏|举报|回复|库存|运营|
        著作权|広告|コメント|저작권|댓글|только""",
    "credit": """published|updated|posted |written by|by 0|photo|image|credit|source:|sources:|foto|bild|quelle|
        autor|veröffentlicht|stand:|text:|von |by |par |por |publié|auteur|publicado|fuente|crédit|编辑|来源|作者|
        发布|时间|日期|浏览|阅读量|阅读数|阅读次数|阅读:|阅读 0|点击量|点击数|点击:|责任编辑|责编|审核|校对|供稿|
        记者|图片来源|本文来源|本文作者|本文转|原标题|記事|写真|기자|입력|источник|фото|автор|źródło|fot """,
    "date": """0 0 0|0年0月0日|0 0月 0|monday |tuesday |wednesday |thursday |friday |saturday |sunday |montag |
        dienstag |mittwoch |donnerstag |freitag |samstag |sonntag |january |february |march |april |may 0|june |
        july |august |september |october |november |december |januar |februar |märz |mai 0|juni |juli |oktober |
        dezember |0 january|0 february|0 march|0 april|0 may|0 june|0 july|0 august|0 september|0 october|
        0 november|0 december|0 januar|0 februar|0 märz|0 mai|0 juni|0 juli|0 oktober|0 dezember|0 de |am 0 0 0 """,
    "numbered": """0 comment|0 kommentar|0 repl|0 antwort|0 response|0 like|0 share|0 view|0 result|0 条|0条|0 人|
        0人|0次|0 min""",
}
_INSIDE = {
    "appeal": """newsletter|abonnier|subscribe|sign up |subscription|your email|e mail adresse|your inbox|paypal|
        patreon|spende|donat|unterstütze uns|unterstützen sie|support us|follow us|folgt uns|folge uns|facebook|
        twitter|instagram|youtube kanal|whatsapp|telegram|affiliate|gutschein|rabatt|kostenlos|gratis|click here|
        hier klicken|klicken sie hier|read more|weiterlesen|mehr erfahren|learn more|公众号|微信|微博|扫描|二维码|
        客户端|下载app|关注我们|客服|热线|优惠|包邮|点赞|订阅""",
    "legal": """cookie|privacy|datenschutz|all rights reserved|alle rechte|copyright|©|terms of |disclaimer|haftung|
        javascript|impressum|trademark|licensed under|版权所有|icp备|icp证|公网安备|许可证|未经授权|转载请|
        不代表本站|侵权|免责""",
    "picture": """getty|reuters|afp |dpa |apa |imago|shutterstock|pixabay|unsplash|istock|flickr|wikimedia|fotolia|
        photo by |photo courtesy|image credit|photo credit|bildnachweis|bildquelle|foto:|photo:|fotos:|
        picture alliance|screenshot|symbolbild|im bild |图为|图片|摄影|摄 |供图|资料图|图源|视觉中国""",
    "facts": """来源:|作者:|编辑:|责编|责任编辑|浏览次数|浏览量|浏览:|点击数|点击次数|阅读次数|阅读量|字体|字号|
        发布时间|发布日期|更新时间|信息来源|发布机构|打印本页|关闭窗口|摄影:|审核:|校对:|稿源|录入:|楼主|min read|
        0 comment|0 kommentar|comments:|kommentare:|lesezeit|views|updated:|published:|posted by|written by|
        last modified|zuletzt geändert|aktualisiert|0 uhr|geschrieben von|veröffentlicht am|stand: 0|print version""",
    "person": """is a freelance|is a writer|is a journalist|is an author|is the author|is a professor|is professor|
        is a senior|is an editor|is editor |is a contributor|is the founder|is founder|is a staff|is a reporter|
        covers |studied |studierte |arbeitet als |arbeitete als |ist freie|ist redakteur|ist autor|ist journalist|
        ist professor|ist gründer|ist inhaber|schreibt |bloggt |zu seinen |about the author|über den autor|
        über die autor|zur person|all posts by|alle beiträge von|view all posts|más artículos|articles by |
        weitere artikel von|twitter @|jahrgang 0|geboren 0|born in |lives in |lebt in |her work |his work |毕业于|
        现任|作者简介|个人简介|撰稿人|主笔""",
    "address": """str 0|straße 0|strasse 0|tel:|tel 0|telefon|fax|phone:|phone 0|call 0|@|e mail:|email:|电话|邮箱|
        地址|邮编|传真""",
    "commerce": """add to cart|in den warenkorb|€ 0|0 €|0€|$0|$ 0|£0|¥0|￥0|eur 0|zzgl |inkl mwst|versand|price|preis|
        价格|元起|购买""",
}
GROUPS = (*_OPENING, *_INSIDE)
BITS = {name: 1 << bit for bit, name in enumerate(GROUPS)}


def cue_words() -> dict[str, int]:
    """Give each phrase as the scanner meets it: behind the sign that opens a text, or at the beginning of a word."""
    words: dict[str, int] = {}
    for groups, inside in ((_OPENING, False), (_INSIDE, True)):
        for name, phrases in groups.items():
            for phrase in re.split(r"\|\s*", phrases):
                for spelled in _spellings(phrase, inside=inside):
                    words[spelled] = words.get(spelled, 0) | BITS[name]
    return words


def _spellings(phrase: str, *, inside: bool) -> tuple[str, ...]:
    opening = chr(WORD_BEGIN) + phrase
    if not inside:
        return (opening,)
    return (opening, f" {phrase}") if phrase[0].isascii() and phrase[0].isalnum() else (phrase,)
