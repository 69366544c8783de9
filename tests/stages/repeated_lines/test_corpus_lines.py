"""On the corpus: forms and notices of sites go, poems and programs stay."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from headrace.schemas.unit import UnitBatch
from headrace.stages.apply import apply
from headrace.stages.base import RunContext
from headrace.stages.dedup_lines import DedupLines
from headrace.stages.parsing.nesting import without_markup

FENCED = re.compile(r"^ *```[^\n]*\n.*?^ *``` *$", re.MULTILINE | re.DOTALL)


def deduplicated(texts: Mapping[str, str], run: Path) -> dict[str, str]:
    """Give the texts of the documents that stay."""
    stage, columns = DedupLines(), {"doc_id": pa.array(texts), "text": pa.array(texts.values(), pa.large_string())}
    state = stage.open(RunContext(run, "dedup_lines"))
    batch, _ = state.accept(apply("dedup_lines", stage, UnitBatch(0, pa.table(columns))))
    rows = batch.documents.select(["doc_id", "text"]).to_pylist()
    return {row["doc_id"]: row["text"] for row in rows}


def files(folder: Path, pattern: str) -> dict[str, str]:
    """Give the UTF-8 files of a folder."""
    found = {}
    for path in sorted(folder.glob(pattern)):
        try:
            found[str(path.relative_to(folder))] = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
    return found


def count(texts: Mapping[str, str], words: str) -> int:
    return sum(words in text for text in texts.values())


def test_forms_of_sites_stay_once(corpus: Path, tmp_path: Path) -> None:
    """The comment form of a blog system, on pages of many sites, is left on one; a page loses little of its text."""
    pages = {name: without_markup(page) for name, page in files(corpus / "html/trafilatura-eval", "*.html").items()}
    left = deduplicated(pages, tmp_path)
    for form in ("Deine E-Mail-Adresse wird nicht veröffentlicht", "Trage deine Daten unten ein oder klicke ein Icon"):
        assert count(pages, form) >= 4
        assert count(left, form) == 1
    assert len(left) > 0.9 * len(pages)
    assert sum(map(len, left.values())) > 0.97 * sum(len(pages[name]) for name in left)


def test_menus_in_chinese_stay_once(corpus: Path, tmp_path: Path) -> None:
    """Pages of a book repeat its table of contents; what they say stays."""
    pages = {name: without_markup(page) for name, page in files(corpus / "html/debian-faq-zh-cn", "*.html").items()}
    left = deduplicated(pages, tmp_path)
    entry = "10.4. 我是否可以安全地卸载旧的内核软件包，如果可以，应该怎么做？"
    assert (count(pages, entry), count(left, entry)) == (2, 1)
    assert "我是否可以安全地" in left["kernel.zh-cn.html"] + left.get("index.zh-cn.html", "")


def test_notices_below_texts_stay_once(corpus: Path, tmp_path: Path) -> None:
    """Copyright notices of proposals; each proposal is otherwise as it was."""
    texts = files(corpus / "en", "[pe][ei]ps/*")
    left = deduplicated(texts, tmp_path)
    waived = "Copyright and related rights waived via [CC0](../LICENSE.md)."
    for notice in ("This document has been placed in the public domain.", waived):
        assert count(texts, notice) > 15
        assert count(left, notice) == 1
    assert left.keys() == texts.keys()
    assert sum(map(len, left.values())) > 0.99 * sum(map(len, texts.values()))


def test_poems_stay(corpus: Path, tmp_path: Path) -> None:
    """Of 24 thousand Chinese poems one in a thousand loses a couplet, which a variant or another of its series has."""
    poems = {}
    for name, content in files(corpus / "zh/chinese-poetry", "*.json").items():
        for number, poem in enumerate(json.loads(content)):
            if isinstance(poem, dict) and isinstance(poem.get("paragraphs"), list):
                poems[f"{name}:{number}"] = "\n".join(poem["paragraphs"]) + "\n"
    left = deduplicated(poems, tmp_path)
    changed = [name for name, text in left.items() if text != poems[name]]
    assert len(poems) > 20_000
    assert len(poems) - len(left) < 20
    assert len(changed) < 30
    refrains = [name for name, text in poems.items() if len(set(lines := text.splitlines())) < len(lines)]
    assert len(refrains) > 20
    assert [name for name in refrains if name in left and left[name] != poems[name]] == []


def test_programs_stay(corpus: Path, tmp_path: Path) -> None:
    """Fenced code in documentation is byte for byte as it was, however often its lines come again."""
    texts = files(corpus / "zh", "*/*.md")
    left = deduplicated(texts, tmp_path)
    assert sum(len(FENCED.findall(text)) for text in texts.values()) > 300
    assert [name for name in left if FENCED.findall(left[name]) != FENCED.findall(texts[name])] == []
    assert len([name for name in left if left[name] != texts[name]]) == 3
