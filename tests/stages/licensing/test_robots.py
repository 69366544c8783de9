"""Directives hold for those whom they name."""

from __future__ import annotations

import pytest

from headrace.stages.licensing.robots import asked


@pytest.mark.parametrize(
    ("text", "agents", "hints"),
    [
        ("noindex", (), {"noindex"}),
        ("NoIndex, NoArchive", (), {"noindex", "noarchive"}),
        ("none", (), {"noindex"}),
        ("nocache", (), {"noarchive"}),
        ("noai, noimageai", (), {"noai"}),
        ("all, follow, nofollow", (), set()),
        ("googlebot: noindex, nofollow", (), set()),
        ("googlebot: noindex, nofollow", ("googlebot",), {"noindex"}),
        ("noarchive, GPTBot: noindex, noai", ("ccbot",), {"noarchive"}),
        ("noarchive, GPTBot: noindex, noai", ("gptbot",), {"noarchive", "noindex", "noai"}),
        ("max-snippet: 20, noindex", (), {"noindex"}),
        ("unavailable_after: 25 Jun 2030 15:00:00 PST, noarchive", (), {"noarchive"}),
        ("unavailable_after: Friday, Aug 1 2030 15:00:00 GMT, noindex", (), {"noindex"}),
        ("unavailable_after: 2030-08-01T15:00:00Z, noindex", (), {"noindex"}),
        ("googlebot: nofollow\nnoindex", (), {"noindex"}),
        ("noindex\ngooglebot: noarchive\nCCBot : noai", ("ccbot",), {"noindex", "noai"}),
        ("*: noindex", (), {"noindex"}),
        ("NOINDEX NOFOLLOW; NoArchive", (), {"noindex", "noarchive"}),
        ("noindexing, none-such", (), set()),
        ("", (), set()),
    ],
)
def test_directives(text: str, agents: tuple[str, ...], hints: set[str]) -> None:
    """For all, for one that is asked about, for another; values of directives are no names of robots."""
    assert set(asked([("here", "*", text)], [], frozenset(agents))) == hints


def test_the_first_place_is_named_and_reservation_is_one() -> None:
    """A header before a meta; `tdm-reservation: 0` reserves nothing."""
    rules = [("header", "*", "noindex"), ("meta", "*", "noindex"), ("meta", "gptbot", "noai")]
    assert asked(rules, [("header", "0"), ("meta", " 1 ")], frozenset()) == {
        "noindex": "header",
        "tdm_reserved": "meta",
    }
