"""SPDX ids of licences, from the ways in which they are written: URLs, names in English and Chinese, ids, expressions.

Ids and expressions are those of the SPDX list, which the package license-expression holds. What is a licence without
an id becomes a `LicenseRef-`, as the SPDX specification has it (annex on licence expressions).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING
from unicodedata import normalize

if TYPE_CHECKING:
    from license_expression import Licensing

_DASH = r"[\s\-‐‑–—─－·・/]*"
_BY, _NC = r"attribution|署名|姓名[标標]示", r"non-?commercial(?:\s+use)?|非商[业業](?:性使用|性|使用)?"
_SA, _ND = r"share-?alike|相同方式[共分]享", r"no-?deriv(?:ative)?s?(?:\s+works)?|禁止演[绎繹]|禁止改作"
_VERSION = r"(?:" + _DASH + r"(?:v|version\s*|licen[sc]e\s*)?([1-4]\.\d))?"
_CC_NAME = re.compile(
    rf"(?:{_BY})(?:{_DASH}({_NC}))?(?:{_DASH}(?:({_SA})|({_ND})))?{_VERSION}",
    re.IGNORECASE,
)
_B = r"(?a:\b)"  # a border between Latin and other letters as well: 采用CC BY 4.0协议
_PARTS, _END = rf"((?:[\s-]+(?:NC|SA|ND){_B})*)", r"(?![A-Za-z0-9_]|\.\d)"
_CC_CODE = re.compile(
    rf"{_B}CC[\s-]*BY{_B}{_PARTS}(?:[\s-]*v?([1-4]\.\d)(?:[\s-]+((?-i:[A-Z]{{2,3}})){_B})?)?{_END}", re.IGNORECASE
)  # the last group is the country of a ported licence, in capitals
_CC_VERSION_FIRST = re.compile(rf"{_B}CC[\s-]*v?([1-4]\.\d)[\s-]*BY{_B}{_PARTS}", re.IGNORECASE)  # as CSDN writes it
_BARE_CODE = re.compile(rf"(?<![A-Za-z0-9-])BY((?:-(?:NC|SA|ND){_B})+)(?:[\s/-]*v?([1-4]\.\d))?{_END}", re.IGNORECASE)
_TOLD = re.compile(rf"{_B}CC[\s-]*(?:v?[1-4]\.\d)?[\s-]*$|licen[sc]es/$", re.IGNORECASE)  # together with the code
_CC_URL = re.compile(
    r"creativecommons\.org/licen[sc]es/((?:by|nc|nd|sa|-)+)/([1-4]\.\d)(?:/([a-z]{2,3})\b)?", re.IGNORECASE
)
_CC_BEFORE = re.compile(rf"creative\s*commons|{_B}CC{_B}|知[识識]共享|[创創]用", re.IGNORECASE)
_NEAR = 24  # characters between that and a bare `attribution`, which is a word as well
_GAP = r"[\s*#/]{1,12}"  # a line end in a comment, too
_LATER = re.compile(
    rf"[\s)]{{0,4}}(?:\+|(?:of{_GAP}the{_GAP}licen[sc]e)?,?(?:{_GAP})?or{_GAP}(?:\(at your option\){_GAP})?"
    rf"(?:any{_GAP})?(?:later|newer)|或更高版本|或(?:者)?(?:任何)?[以之更][后後]的?版本)",
    re.IGNORECASE,
)
_V2, _GNU = r"[\s,-]*(?:v|version)?[\s.]*2(?:\.0)?(?!\.?\d)", r"gnu\.org/licenses/(?:old-licenses/)?"
_LICENCE = r"[\s-]+licen[sc]e"
_NUMBER = r"[\s,-]{0,12}(?:v(?:ersion)?)?[\s.]{0,4}"
# As its notice has it: `GNU General Public License as published by the Free Software Foundation, either version 3`.
_PUBLIC = (
    rf"public\s+licen[sc]e(?:\s*\([AL]?GPL\))?(?:,?{_GAP}as{_GAP}published{_GAP}by{_GAP}the{_GAP}free{_GAP}software"
    rf"{_GAP}foundation)?[\s;,*#/-]{{0,12}}(?:either{_GAP})?(?:v(?:ersion)?)?[\s.]{{0,4}}"
)
_TWO, _THREE, _TWO_ONE = (rf"{number}(?![\d]|\.[1-9])" for number in (r"2(?:\.0)?", r"3(?:\.0)?", r"2\.1"))
_PLAIN = (  # what is written, and its id
    (r"creativecommons\.org/publicdomain/zero|\bCC[\s-]?0\b", "CC0-1.0"),
    (r"creativecommons\.org/publicdomain/mark|public domain mark", "CC-PDM-1.0"),
    (rf"{_GNU}agpl-3\.0|\bAGPL{_NUMBER}{_THREE}|affero\s+general\s+{_PUBLIC}{_THREE}", "AGPL-3.0-only"),
    (rf"{_GNU}lgpl-2\.1|\bLGPL{_NUMBER}{_TWO_ONE}|lesser\s+general\s+{_PUBLIC}{_TWO_ONE}", "LGPL-2.1-only"),
    (rf"{_GNU}lgpl-3\.0|\bLGPL{_NUMBER}{_THREE}|lesser\s+general\s+{_PUBLIC}{_THREE}", "LGPL-3.0-only"),
    (rf"{_GNU}gpl-2\.0|\bGPL{_NUMBER}{_TWO}|GNU\s+general\s+{_PUBLIC}{_TWO}", "GPL-2.0-only"),
    (rf"{_GNU}gpl-3\.0|\bGPL{_NUMBER}{_THREE}|GNU\s+general\s+{_PUBLIC}{_THREE}", "GPL-3.0-only"),
    (rf"{_GNU}fdl-1\.2|\bGFDL[\s-]*v?1\.2", "GFDL-1.2-only"),
    (rf"{_GNU}fdl-1\.3|\bGFDL[\s-]*v?1\.3", "GFDL-1.3-only"),
    (rf"GNU free documentation{_LICENCE}|GNU\s*自由文[档檔件][许許]可|\bGFDL\b(?![\s-]*v?\d)", "LicenseRef-GFDL"),
    (rf"apache\.org/licenses/LICENSE-2\.0|\bapache(?:[\s-]+software)?(?:{_LICENCE})?{_V2}", "Apache-2.0"),
    (
        rf"opensource\.org/licenses?/mit\b|\bMIT{_LICENCE}|\bMIT\s*(?:许可|許可|协议|授权)|\bMIT/X11\b|mit-license\.org",
        "MIT",
    ),
    (rf"opensource\.org/licenses?/isc\b|\bISC{_LICENCE}", "ISC"),
    (r"\bBSD[\s-]*3\b|\b3[\s-]*clause\s+BSD", "BSD-3-Clause"),
    (r"\bBSD[\s-]*2\b|\b2[\s-]*clause\s+BSD", "BSD-2-Clause"),
    (rf"mozilla\.org/(?:en-US/)?MPL/2\.0|\b(?:MPL|mozilla public licen[sc]e){_V2}", "MPL-2.0"),
    (rf"opendatacommons\.org/licenses/odbl|open database{_LICENCE}|\bODbL\b", "ODbL-1.0"),
    (r"opendatacommons\.org/licenses/by|\bODC-By\b", "ODC-By-1.0"),
    (r"opendatacommons\.org/licenses/pddl|\bPDDL\b", "PDDL-1.0"),
    (rf"open-government-licence/version/3|open government{_LICENCE},?\s*v?(?:ersion)?\s*3", "OGL-UK-3.0"),
    (
        rf"license\.coscl\.org\.cn/mulanpsl2|\bmulan\s*psl{_V2}|木[兰蘭][宽寬]松[许許]可[证證][,，]?\s*第?\s*[2二]",
        "MulanPSL-2.0",
    ),
    (r"unlicense\.org|\bthe unlicense\b", "Unlicense"),
    (r"wtfpl\.net|\bWTFPL\b", "WTFPL"),
    (r"\bpublic[\s-]domain\b(?! mark)|公有[领領]域|公共[领領]域", "LicenseRef-public-domain"),
)
_NAMES = tuple((re.compile(pattern.replace(r"\b", _B), re.IGNORECASE), licence) for pattern, licence in _PLAIN)
_NO_ID = re.compile(r"[^A-Za-z0-9.]+")
_LONGEST_ID, _LONGEST = 60, 2000  # characters of an id of ours, and of a statement that are looked at


def spdx_id(statement: str) -> str:
    """Give the id of a statement that is known to be about a licence: a field, a link; `NOASSERTION` of an empty one.

    >>> spdx_id("http://creativecommons.org/licenses/by-sa/3.0/deed.zh"), spdx_id("apache 2.0"), spdx_id("Press Terms")
    ('CC-BY-SA-3.0', 'Apache-2.0', 'LicenseRef-Press-Terms')
    """
    stated = " ".join(normalize("NFKC", statement[:_LONGEST]).split())
    known = expression(stated)
    if known:
        return known
    named = next((licence for _, licence in sorted(named_in(stated))), None)
    if named:
        return named
    slug = _NO_ID.sub("-", stated.removeprefix("https://").removeprefix("http://")).strip("-.")[:_LONGEST_ID]
    return f"LicenseRef-{slug.strip('-.')}" if slug else "NOASSERTION"


def expression(text: str) -> str | None:
    """Give an SPDX expression in its own spelling, None where it holds an unknown id.

    >>> expression("mit or gpl-2.0+"), expression("MIT License")
    ('MIT OR GPL-2.0-or-later', None)
    """
    from license_expression import ExpressionError

    if len(text) > 200 or not text.isascii():
        return None
    try:
        parsed = _licensing().parse(text, validate=False)
        return str(parsed) if parsed is not None and not _licensing().unknown_license_keys(parsed) else None
    except (ExpressionError, AttributeError, TypeError):  # the latter two of its parser, for odd parentheses
        return None


def named_in(text: str) -> Iterator[tuple[int, str]]:
    """Give the licences that a text names, each with its place: URLs and names, no bare ids."""
    for found in _CC_URL.finditer(text):
        yield found.start(), _ported(_cc(found[1].upper().split("-"), found[2]), found[3])
    for found in _CC_CODE.finditer(text):
        yield found.start(), _ported(_cc(re.split(r"[\s-]+", found[1].upper()), found[2]), found[3])
    for found in _CC_VERSION_FIRST.finditer(text):
        yield found.start(), _cc(re.split(r"[\s-]+", found[2].upper()), found[1])
    for found in _BARE_CODE.finditer(text):
        if not _TOLD.search(text, max(0, found.start() - _NEAR), found.start()):
            yield found.start(), _cc(found[1].upper().split("-"), found[2])
    for found in _CC_NAME.finditer(text):
        parts = [part for part, there in zip(("NC", "SA", "ND"), found.groups(), strict=False) if there]
        if parts or found[4] or _CC_BEFORE.search(text, max(0, found.start() - _NEAR), found.start()):
            yield found.start(), _cc(parts, found[4])
    for pattern, licence in _NAMES:
        for found in pattern.finditer(text):
            later = licence.endswith("-only") and _LATER.match(text, found.end())
            yield found.start(), licence.removesuffix("only") + "or-later" if later else licence


def _cc(parts: list[str], version: str | None) -> str:
    code = "-".join(["CC-BY", *(part for part in ("NC", "ND", "SA") if part in parts)])
    return f"{code}-{version}" if version else f"LicenseRef-{code}"


def _ported(licence: str, country: str | None) -> str:
    """Give the id of a licence for one country, where SPDX has one."""
    return (expression(f"{licence}-{country.upper()}") if country else None) or licence


@cache
def _licensing() -> Licensing:
    from license_expression import get_spdx_licensing

    return get_spdx_licensing()
