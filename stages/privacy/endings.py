"""The last labels of internet names under which people have addresses: what tells an e-mail from `icon@2x.png`."""

from __future__ import annotations

# ISO 3166 country codes in use as domains, and eu, su, uk (IANA, root zone database).
_COUNTRIES = (
    "ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc "
    "cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga "
    "gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp "
    "ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms "
    "mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro "
    "rs ru rw sa sb sc sd se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt "
    "tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw"
)
# The first generic ones and, of the later ones, those with many names or such as people have mail under.
_GENERIC = (
    "com org net edu gov mil int arpa info biz name pro museum aero coop jobs mobi travel tel cat asia post xxx "
    "academy agency app art band bank bar beer best bet bid bike bio blog boutique build business buzz cafe camp "
    "capital care careers cash center charity chat church city claims click clinic cloud club codes coffee college "
    "community company computer consulting contact cool coupons courses credit cricket date day deals dental design "
    "dev digital direct directory doctor dog domains download earth eco education email energy engineer engineering "
    "enterprises equipment estate events exchange expert express faith family fan farm fashion film finance financial "
    "fish fit fitness fm foundation fun fund fyi gallery game games garden gift global gmbh gold golf graphics green "
    "group guide guru health help holdings home host hosting house how icu immo inc industries ink institute "
    "insurance international investments jewelry kim kitchen land law lawyer legal lgbt life limited link live llc "
    "loan loans lol love ltd luxury management market marketing mba media medical men menu money moscow ninja nyc one "
    "online ooo page paris partners parts party pet photo photography photos pics pictures pink pizza place plus "
    "press productions promo properties pub quebec racing recipes red rentals repair report restaurant review rip "
    "rocks run sale salon school science scot search security services sex shoes shop shopping show site ski social "
    "software solar solutions space sport store stream studio style support surf systems swiss tax taxi team tech "
    "technology tennis theater tips tokyo tools top tours town toys trade training tube uno university vacations "
    "ventures vet video vin vip vision vote voyage wang watch webcam website wedding wien wiki win wine work works "
    "world wtf xin xyz yoga zone google gmail baidu sohu sina weibo berlin london amsterdam brussels bayern hamburg "
    "koeln cologne wales eus gal bzh istanbul ren citic"
)
_ENDINGS = frozenset(f"{_COUNTRIES} {_GENERIC}".split())


def is_ending(label: str) -> bool:
    """Tell whether mail can be sent to a name that ends with this label."""
    return label in _ENDINGS or label.startswith("xn--")
