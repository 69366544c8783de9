"""Query parameters that say how a visitor came, not which page this is."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Names in lower case; `*` at the end stands for anything.
_GOOGLE = "utm_* gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid _ga _gl"
_NETWORKS = "fbclid fb_action_ids fb_action_types fb_ref igsh igshid msclkid yclid ysclid _openstat twclid ttclid"
_MAILINGS = "mc_cid mc_eid _hsenc _hsmi __hssc __hstc __hsfp hsctatracking mkt_tok oly_anon_id oly_enc_id vero_id"
_MATOMO = "mtm_* piwik_* matomo_* pk_campaign pk_kwd pk_source pk_medium pk_content"
_ALIBABA = "spm scm spm_id_from ut_sk share_crt_v"
_SHARES = "vd_source share_source share_medium share_plat share_session_id share_tag share_from share_token share_times"
_CHINA = "bd_vid bd_source hmsr hmpl hmcu hmkw hmci isappinstalled nsukey gdt_vid qz_gdt qhclickid sogou_vid"
TRACKING = tuple(" ".join((_GOOGLE, _NETWORKS, _MAILINGS, _MATOMO, _ALIBABA, _SHARES, _CHINA)).split())
SESSIONS = ("phpsessid", "jsessionid", "aspsessionid*", "cfid", "cftoken", "sessionid", "session_id", "zenid", "oscsid")
_MAYBE_SESSION = re.compile(r"(?:sid|s|sess|session)=[0-9a-f]{32,64}", re.IGNORECASE)  # a hash; `sid=45` is a page


class Unwanted:
    """Tells which parameters are left out: names as they are, and beginnings of names."""

    def __init__(self, names: Iterable[str], kept: Iterable[str] = ()) -> None:
        self._kept = frozenset(name.lower() for name in kept)
        spelled = {name.lower() for name in names} - self._kept
        self._names = frozenset(name for name in spelled if not name.endswith("*"))
        self._beginnings = tuple(sorted(name[:-1] for name in spelled if name.endswith("*")))

    def __call__(self, parameter: str) -> bool:
        """Say whether `name=value` is left out; an empty one is."""
        name = parameter.partition("=")[0].lower()
        if name in self._kept:
            return False
        listed = name in self._names or name.startswith(self._beginnings)
        return listed or not parameter or _MAYBE_SESSION.fullmatch(parameter) is not None
