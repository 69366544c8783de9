"""What pages say in their marks is caught, and what is no statement is not."""

from __future__ import annotations

import pytest

from headrace.stages.licensing.pages import Rights, rights_of

CC = "https://creativecommons.org/licenses/by/4.0/"
CASES: dict[str, Rights | None] = {
    f'<a rel="license" href="{CC}">CC</a>': {"licences": [["html_link", CC]]},
    f"<A HREF='{CC}' REL='nofollow license'>x</A>": {"licences": [["html_link", CC]]},
    f"<link rel=license href={CC}>": {"licences": [["html_link", CC]]},
    f'<a href="{CC}" itemprop="license">x</a>': {"licences": [["html_link", CC]]},
    f'<p><a href="{CC}">x</a> <a href="{CC}">again</a>': {"licences": [["cc_link", CC]]},
    '<meta name="DC.rights" content="CC BY &amp; more">': {"licences": [["html_meta", "CC BY & more"]]},
    f'<script type="application/ld+json">{{"@type":"A","license":"{CC}"}}</script>': {"licences": [["json_ld", CC]]},
    '<script type=application/ld+json>{"license": {"@id": "MIT"}}</script>': {"licences": [["json_ld", "MIT"]]},
    '<script type="application/ld+json">{"image":{"@type":"ImageObject","license":"MIT"}}</script>': None,
    '<script type="application/ld+json">{"image":{"@type":["Thing","ImageObject"],"license":"MIT"}}</script>': None,
    '<script type="application/ld+json">[{"license":["MIT",{"url":"ISC"}]},{"a":[{"license":"X"}]}]</script>': {
        "licences": [["json_ld", "MIT"], ["json_ld", "ISC"], ["json_ld", "X"]]
    },
    '<script type="application/ld+json">{"license": broken</script>': None,
    '<meta name="robots" content="noindex, follow">': {"robots": [["*", "noindex, follow"]]},
    '<META CONTENT="NOAI" NAME="ROBOTS">': {"robots": [["*", "NOAI"]]},
    '<meta name="GPTBot" content="noindex">': {"robots": [["gptbot", "noindex"]]},
    '<meta name="Baiduspider" content="noarchive">': {"robots": [["baiduspider", "noarchive"]]},
    '<meta name="googlebot-news" content="noindex">': {"robots": [["googlebot-news", "noindex"]]},
    '<meta name="Google-Extended" content="noai"><meta name="ChatGPT-User" content="none">': {
        "robots": [["google-extended", "noai"], ["chatgpt-user", "none"]]
    },
    '<meta name="msapplication-config" content="none"><meta name="referrer" content="none">': None,
    '<meta name="tdm-reservation" content="1">': {"tdm": [["1"]]},
    '<meta name="robots" content="index, follow">': None,
    '<meta name="description" content="noindex, licence">': None,
    f'<!-- <a rel="license" href="{CC}"> -->': None,
    f'<script>var a = \'<a rel="license" href="{CC}">\'</script>': None,
    f'<!-- never closed <a rel="license" href="{CC}">': None,
    '<a rel="license">no target</a>': None,
    "<p>our licence and our rights</p>": None,
    "": None,
}


@pytest.mark.parametrize("page", CASES)
def test_what_a_page_says(page: str) -> None:
    """Links, meta data, JSON-LD and robots; comments and scripts say nothing."""
    assert rights_of(f"<html><head><title>t</title></head><body>{page}") == CASES[page]


def test_findings_are_few_and_short() -> None:
    """A page of a thousand licences gives ten, and no statement is longer than 300 characters."""
    found = rights_of("".join(f'<a rel=license href="{n}{"x" * 400}">' for n in range(1000)))
    assert found is not None
    assert [len(value) for _, value in found["licences"]] == [300] * 10


@pytest.mark.parametrize(("opens", "closes"), [("[", "]"), ('{"a":', "}")])
@pytest.mark.parametrize("levels", [100, 900, 1000, 1023, 1024, 100_000])
def test_linked_data_of_any_depth(opens: str, closes: str, levels: int) -> None:
    """What the parser of JSON takes is looked through, and deeper values say nothing."""
    value = f'{opens * levels}{{"license":"MIT"}}{closes * levels}'
    found = rights_of(f'<script type="application/ld+json">{value}</script>')
    assert found == ({"licences": [["json_ld", "MIT"]]} if levels < 1023 else None) or levels in {1023, 1024}


@pytest.mark.parametrize("piece", ["<!--", "<script ld+json>", "<meta ", '<a rel="license', "<script", '"license":{'])
def test_broken_pages_take_no_longer(piece: str) -> None:
    """What opens and never closes is looked at once, not once for every place where it opens."""
    assert rights_of("license robots " + piece * 20_000) is None
