"""Word lists for BigScience's rules of Chinese, our own: theirs were compiled from lists of many hands.

Both in simplified and traditional characters. Stop words are words of grammar, as jieba cuts them; flagged words are
those of pornographic pages, without such as medicine and newspapers use too.
"""

from __future__ import annotations

_PARTICLES = "的 地 得 了 着 著 过 過 吗 嗎 呢 吧 啊 呀 嘛 啦 哦 喔 哪 么 麼 们 們 之 者 所 其 而 以 于 於 且 乃 与 與"
_PRONOUNS = (
    "我 你 您 他 她 它 咱 我们 我們 你们 你們 他们 他們 她们 她們 它们 它們 咱们 咱們 自己 大家 别人 別人 "
    "人家 谁 誰 这 這 那 这个 這個 那个 那個 这些 這些 那些 这里 這裡 这儿 這兒 那里 那裡 那儿 那兒 这样 "
    "這樣 那样 那樣 这么 這麼 那么 那麼 什么 什麼 怎么 怎麼 怎样 怎樣 为什么 為什麼 多少 几 幾 哪里 哪裡 "
    "哪个 哪個 哪些 此 该 該 各 每 某 另 另外 其他 其它"
)
_VERBS = (
    "是 有 在 没有 沒有 没 沒 不是 就是 也是 都是 还是 還是 会 會 能 可以 可能 可 要 想 应该 應該 应 應 必须 "
    "必須 需要 能够 能夠 来 來 去 到 让 讓 使 被 把 将 將 给 給 叫 请 請 说 說 做 作 成 成为 成為 进行 進行"
)
_PREPOSITIONS = (
    "从 從 对 對 对于 對於 关于 關於 由 由于 由於 向 往 朝 跟 和 同 比 按 按照 根据 根據 通过 通過 经过 經過 "
    "为 為 为了 為了 因 因为 因為 所以 因此 但 但是 可是 不过 不過 然而 如果 要是 假如 虽然 雖然 尽管 儘管 "
    "即使 无论 無論 不管 只要 只有 除了 并 並 并且 並且 而且 或 或者 以及 及 等 等等 于是 於是 然后 然後 "
    "接着 接著 当 當 与其 與其 不仅 不僅 不但 既 又"
)
_ADVERBS = (
    "不 也 都 就 还 還 只 才 再 很 太 更 最 非常 十分 比较 比較 已 已经 已經 正 正在 曾 曾经 曾經 一直 总是 "
    "總是 常常 经常 經常 又 仍 仍然 却 卻 竟 其实 其實 当然 當然 也许 也許 大概 几乎 幾乎 一定 特别 特別 "
    "甚至 尤其 如 如何 如此 例如 比如"
)
_PLACES = (
    "上 下 中 里 裡 裏 内 內 外 前 后 後 间 間 旁 时 時 时候 時候 之后 之後 之前 以后 以後 以前 以上 以下 "
    "现在 現在 今天 当时 當時"
)
_COUNTS = (
    "一 一个 一個 一些 一种 一種 一样 一樣 两 兩 个 個 种 種 些 次 位 件 年 月 日 多 许多 許多 很多 所有 "
    "全部 有些 有的 第一"
)
CHINESE_STOPS = tuple(
    dict.fromkeys(" ".join((_PARTICLES, _PRONOUNS, _VERBS, _PREPOSITIONS, _ADVERBS, _PLACES, _COUNTS)).split())
)
_FLAGGED = (
    "色情 情色 黄片 黃片 黄色网站 黃色網站 成人电影 成人電影 成人视频 成人視頻 成人网站 成人網站 三级片 "
    "三級片 毛片 裸聊 激情视频 激情視頻 一夜情 援交 兼职妹 上门服务 楼凤 樓鳳 包夜 鸡巴 雞巴 骚货 騷貨 骚逼 "
    "騷逼 荡妇 蕩婦 淫荡 淫蕩 淫穴 淫水 肉棒 肉穴 操逼 操屄 乳交 口爆 颜射 顏射 内射 內射 群交 乱伦 亂倫 "
    "无码 無碼 有码 有碼 巨乳 爆乳 自慰 迷奸 迷姦 轮奸 輪姦 约炮 約炮"
)
CHINESE_FLAGGED = tuple(_FLAGGED.split())
