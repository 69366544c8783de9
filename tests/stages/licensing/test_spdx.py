"""Licences get their SPDX ids, however they are written."""

from __future__ import annotations

import pytest

from headrace.stages.licensing.spdx import expression, named_in, spdx_id

STATEMENTS = {
    "MIT": "MIT",
    "mit": "MIT",
    "MIT License": "MIT",
    "The MIT License (MIT)": "MIT",
    "MIT OR apache-2.0": "MIT OR Apache-2.0",
    "GPL-2.0+": "GPL-2.0-or-later",
    "GPLv3": "GPL-3.0-only",
    "GPLv3 or later": "GPL-3.0-or-later",
    "LGPL-2.1": "LGPL-2.1-only",
    "GPL version 2": "GPL-2.0-only",
    "GNU GPL version 3 or later": "GPL-3.0-or-later",
    "GNU General Public License v3.0": "GPL-3.0-only",
    "GNU General Public License (GPL), version 2 or any later version": "GPL-2.0-or-later",
    "GNU General Public License, version 2": "GPL-2.0-only",
    "GNU Lesser General Public License v2.1 or later": "LGPL-2.1-or-later",
    "GNU Lesser General Public License, version 3": "LGPL-3.0-only",
    "GNU Affero General Public License v3": "AGPL-3.0-only",
    "the GNU General Public License as published by\n * the Free Software Foundation; either version 2 of the License,"
    " or\n * (at your option) any later version": "GPL-2.0-or-later",
    "GPL v3或更高版本": "GPL-3.0-or-later",
    "GPL-4": "LicenseRef-GPL-4",
    "GPL 30": "LicenseRef-GPL-30",
    "MIT/X11": "MIT",
    "ＣＣ　ＢＹ－ＳＡ　４．０": "CC-BY-SA-4.0",
    "CC BY-NC-SA 3.0 DE": "CC-BY-NC-SA-3.0-DE",
    "CC BY 2.5 CN": "CC-BY-2.5",
    "CC BY 3.0 us": "CC-BY-3.0",
    "by-nc-sa/4.0": "CC-BY-NC-SA-4.0",
    "creativecommons.org/licenses/by/2.5/au/": "CC-BY-2.5-AU",
    "AGPL v3": "AGPL-3.0-only",
    "Apache 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "BSD 3-Clause": "BSD-3-Clause",
    "3-Clause BSD License": "BSD-3-Clause",
    "MPL 2.0": "MPL-2.0",
    "ODbL": "ODbL-1.0",
    "CC0": "CC0-1.0",
    "cc-by-sa-4.0": "CC-BY-SA-4.0",
    "CC BY-NC-SA 4.0": "CC-BY-NC-SA-4.0",
    "CC BY 4.0.": "CC-BY-4.0",
    "CC BY-SA": "LicenseRef-CC-BY-SA",
    "https://creativecommons.org/licenses/by-sa/4.0/deed.zh": "CC-BY-SA-4.0",
    "http://creativecommons.org/licenses/by-nd-nc/1.0/": "CC-BY-NC-ND-1.0",
    "https://creativecommons.org/licenses/by/3.0/de/": "CC-BY-3.0-DE",
    "https://creativecommons.org/licenses/by-nc-sa/3.0/cn/": "CC-BY-NC-SA-3.0",
    "https://creativecommons.org/publicdomain/zero/1.0/": "CC0-1.0",
    "https://creativecommons.org/publicdomain/mark/1.0/": "CC-PDM-1.0",
    "Creative Commons Attribution-ShareAlike 4.0 International License": "CC-BY-SA-4.0",
    "Creative Commons Attribution-NonCommercial-NoDerivs 3.0 Unported": "CC-BY-NC-ND-3.0",
    "Creative Commons Attribution License": "LicenseRef-CC-BY",
    "知识共享 署名-相同方式共享 4.0 国际许可协议": "CC-BY-SA-4.0",
    "知识共享署名—非商业性使用—禁止演绎 4.0": "CC-BY-NC-ND-4.0",
    "創用CC 姓名標示-非商業性-相同方式分享 3.0": "CC-BY-NC-SA-3.0",
    "知识共享署名": "LicenseRef-CC-BY",
    "https://www.gnu.org/licenses/gpl-3.0.html": "GPL-3.0-only",
    "https://www.apache.org/licenses/LICENSE-2.0": "Apache-2.0",
    "https://opensource.org/licenses/MIT": "MIT",
    "木兰宽松许可证，第2版": "MulanPSL-2.0",
    "Open Government Licence v3.0": "OGL-UK-3.0",
    "public domain": "LicenseRef-public-domain",
    "https://example.com/terms-of-use": "LicenseRef-example.com-terms-of-use",
    "proprietary": "LicenseRef-proprietary",
    "转载请注明": "NOASSERTION",
    "": "NOASSERTION",
}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_gets_its_id(statement: str) -> None:
    """Names, ids, expressions and URLs; what has no id becomes a LicenseRef."""
    assert spdx_id(statement) == STATEMENTS[statement]


@pytest.mark.parametrize("licence", sorted({i for i in STATEMENTS.values() if not i.startswith(("License", "NOASS"))}))
def test_every_id_is_on_the_spdx_list(licence: str) -> None:
    """Nothing is called by an id that SPDX does not have."""
    assert expression(licence) == licence


@pytest.mark.parametrize(
    "text",
    [
        "Apache 2.4.41 server",
        "署名文章，作者署名权",
        "attribution is hard",
        "by and by",
        "a mitigation",
        "CC: bob@a.example",
    ],
)
def test_other_words_name_no_licence(text: str) -> None:
    """Servers, bylines and words that are alike."""
    assert list(named_in(text)) == []


@pytest.mark.parametrize("text", ["(", "MIT AND", "MIT))", "a" * 500, "MIT OR no-such-thing", "AND OR"])
def test_what_is_no_expression_gives_none(text: str) -> None:
    """Broken, long and unknown ones."""
    assert expression(text) is None
