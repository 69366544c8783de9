"""What names of classes and ids say about the text inside: stems by what they usually mean, in several languages."""

from __future__ import annotations

from headrace.stages.kernels.extraction_model import ARIA_HIDDEN, CLASS, HIDDEN, NAMED, STYLE

# A dash stands for a border of a word; names are compared in lower case, without digits, camel case taken apart.
_STEMS = {
    "navigation": "nav menu crumb pagination pager paging sitemap skip toc- tab- tabs- tabbar dropdown drop-down "
    "topbar toolbar daohang weizhi",
    "footer": "foot copyright imprint impressum legal bottom disclaim icp banquan",
    "side": "side -left -right rail- secondary widget gadget col-r- col-l- colr- coll-",
    "advertising": "-ad- -ads- advert sponsor promo banner dfp taboola outbrain affiliat anzeige guanggao adsby "
    "werbung",
    "sharing": "share sharing social follow facebook twitter sns addtoany like-b likeb teilen bookmark rss fenxiang "
    "weixin weibo qrcode erweima",
    "related": "relat recommend more- read-more readmore teaser trending popular most- also latest next prev similar "
    "hot- xiangguan tuijian suggest carousel slider list-item listitem card- aehnlich news-list newslist recent rank",
    "comment": "comment disqus respond respons reply replies discuss kommentar trackback pingback pinglun feedback "
    "review huifu",
    "facts": "meta byline tag- tags- categor keyword source info- credit timestamp publish dateline kicker rubrik "
    "label- labels- post-data postdata laiyuan entry-foot entryfoot date",
    "author": "author bio- -bio about-the vcard autor profile zuozhe bianji",
    "form": "form login sign-in signin sign-up signup search subscri newsletter regist cookie consent gdpr popup modal "
    "overlay paywall abo- donat e-mail email alert notice toast lightbox",
    "caption": "caption gallery figure image photo img media bild picture thumb video player legende",
    "hidden": "hidden hide- invisible sr-only screen-reader screenreader visually print- offscreen",
    "head": "head masthead logo title-bar titlebar brand hero",
    "content": "article entry post story text body content main detail blog beitrag artikel inhalt prose markdown "
    "zhengwen neirong news page",
    "main": "articlebody article-body articlecontent article-content articletext article-text entrycontent "
    "entry-content entry-body post-content post-body post-text postcontent postbody story-body story-content "
    "story-text storybody blogposting body-text body-content bodytext bodycontent main-content main-text maincontent "
    "content-main content-body rich-media-content news-content news-text news-body newscontent text-body text-content "
    "field-name-body td-post page-content pagecontent zoom- trs-editor detail-content markdown-body",
    "left out": "editsection headerlink anchorjs -noteref footnote-ref",
    "reference": "-reference-",
}
HINTS = tuple(name for name in _STEMS if name not in ("left out", "reference"))
BITS = {name: 1 << bit for bit, name in enumerate(_STEMS)}

# What an element itself says, beside its classes; these columns follow those of the hints.
TAG_HINTS = {
    "nav": "nav",
    "footer": "footer",
    "header": "header",
    "aside": "aside",
    "form": "form fieldset",
    "article": "article",
    "main": "main",
    "figure": "figure figcaption",
    "table": "table",
    "list": "ul ol menu dir",
    "quotation": "blockquote",
    "definitions": "dl",
    "button": "button",
}
_FIRST_TAG_BIT = len(_STEMS)
TAG_BITS = {name: 1 << (_FIRST_TAG_BIT + bit) for bit, name in enumerate(TAG_HINTS)}
BITS_OF_TAGS = {tag: TAG_BITS[name] for name, tags in TAG_HINTS.items() for tag in tags.split()}
# On a box that holds most of a page's text, only these mean something.
SAFE_BITS = BITS["content"] | BITS["main"] | sum(TAG_BITS[name] for name in ("article", "main", "table", "list"))
SAFE_BITS |= TAG_BITS["quotation"] | TAG_BITS["definitions"]
_DOUBTFUL = ("navigation", "footer", "side", "advertising", "sharing", "related", "comment", "form", "hidden")
_DOUBTFUL_TAGS = ("nav", "footer", "aside", "form", "button")
DOUBTFUL_BITS = sum(BITS[name] for name in _DOUBTFUL) | sum(TAG_BITS[name] for name in _DOUBTFUL_TAGS)

ATTRIBUTES = {
    "class": CLASS,
    "id": NAMED,
    "role": NAMED,
    "itemprop": NAMED,
    "style": STYLE,
    "hidden": HIDDEN,
    "aria-hidden": ARIA_HIDDEN,
}
HIDING_STYLES = ("display:none", "visibility:hidden")


def hint_words() -> dict[str, int]:
    """Give each stem with the bits of what it hints at."""
    words: dict[str, int] = {}
    for name, stems in _STEMS.items():
        for stem in stems.split():
            words[stem] = words.get(stem, 0) | BITS[name]
    return words
