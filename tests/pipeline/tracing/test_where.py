"""From a token of a shard back to the bytes of the file: looked for in all kinds of sources, token by token."""

from __future__ import annotations

import gzip
import html
import json
import os
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.pipeline.exporting.small_models import small_model
from tests.pipeline.exporting.token_runs import ids_of, texts_of, token_run

from headrace.loader.shards import open_shard
from headrace.pipeline.cli import main
from headrace.pipeline.committed import open_committed
from headrace.pipeline.forgetting.account import account
from headrace.pipeline.load import load_config
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.shard_rows import read_shard
from headrace.pipeline.tracing.where import Found, where
from headrace.schemas.errors import ConfigError
from headrace.schemas.forgetting import request

_WORDS = 'water 水渠 mill 磨坊 wheel 石头 stone 粮食 "quoted" back\\slash <tag> & café'.split()  # noqa: SIM905
CONFIG = """
run: run
sources:
  - {name: gbk, paths: ["texts/*.gbk.txt"], records: lines, encoding: gb18030}
  - {name: json, paths: ["texts/*.jsonl.gz"]}
  - {name: page, paths: ["texts/*.html"]}
  - {name: zip, paths: ["texts/*.zip"]}
stages:
  - {kind: decode}
  - {kind: parse}
  - {kind: tokenize, model: bytes}
  - {kind: write, sequence_length: 64, shard_tokens: 4000}
engine: {executor: inline, unit_bytes: 1500, lanes: 2, window: 4, drain_s: 1}
"""


def sentence(rng: random.Random, words: int = 24) -> str:
    return " ".join(rng.choice(_WORDS) for _ in range(words))


def write_sources(folder: Path) -> None:
    rng = random.Random(5)
    folder.mkdir()
    lines = [sentence(rng) for _ in range(40)]
    (folder / "a.gbk.txt").write_bytes("\n".join(lines).encode("gb18030") + b"\n")
    for name, ascii_only in (("b", True), ("c", False)):
        records = [json.dumps({"text": f"{sentence(rng)}\n{sentence(rng)}"}, ensure_ascii=ascii_only) for _ in range(9)]
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress("".join(f"{r}\n" for r in records).encode(), mtime=0))
    paragraphs = "".join(
        f"<p>Mill & stone, {n}: {'the water turns the wheel of the mill. ' * 3}</p>\n" for n in range(6)
    )
    page = f"<html><head><title>x</title></head><body><article>{paragraphs}</article></body></html>"
    (folder / "d.html").write_text(page.replace(" & ", " &amp; "), encoding="utf-8")
    with zipfile.ZipFile(folder / "e.zip", "w") as archive:
        archive.writestr("inside.txt", "water and stone and flour\n" * 20)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("traced")
    write_sources(folder / "texts")
    (folder / "run.yaml").write_text(CONFIG, encoding="utf-8")
    run_pipeline(load_config(folder / "run.yaml", ()))
    return folder / "run"


def places(run: Path, each: int) -> list[tuple[int, int, int]]:
    """Give every so manieth token of a run: manifest line, sequence, position."""
    found = []
    for line in open_committed(run).lines:
        if line.shard:
            shard = open_shard(run, line.shard, verify=False)
            rows = [n for table in read_shard(run, line.shard, ["length"]) for n in table["length"].to_pylist()]
            assert len(rows) == shard.sequences
            found += [(line.index, sequence, at) for sequence, length in enumerate(rows) for at in range(length)]
    return found[::each]


def content(run: Path, found: Found) -> bytes:
    assert found.document is not None
    path = run.parent / "texts" / found.document.record.path
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def characters(found: Found) -> str:
    assert found.span is not None and found.document is not None and found.document.text is not None
    return found.document.text[found.span.begin : found.span.end]


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["where", *map(str, arguments)])


def test_every_token_leads_to_its_bytes(run: Path) -> None:
    """The bytes that are named are the token's characters, in the charset or the escapes of its file.

    Lines of GBK and JSON lines, packed or not, are found for every token; pages wherever the text is not repeated.
    """
    spelled: dict[str, set[bool]] = {}
    for line, sequence, position in places(run, 29):
        found = where(run, str(line), sequence, position)
        if found.span is None:  # the end id of a document
            assert found.token.id == 258
            continue
        assert found.document is not None and found.bytes is not None
        record = found.document.record
        known = found.bytes.begin is not None
        spelled.setdefault(record.source, set()).add(known)
        if not known:
            continue
        data = content(run, found)[found.bytes.begin : found.bytes.end].decode(
            "gb18030" if record.source == "gbk" else "utf-8"
        )
        if record.source == "json":
            data = json.loads(f'"{data}"')
        assert data.replace("&amp;", "&") == characters(found)
        assert record.offset <= (found.bytes.begin or 0)
    assert spelled["gbk"] == spelled["json"] == {True}
    assert spelled["zip"] == {False}
    assert True in spelled["page"]


def test_a_token_is_the_byte_of_its_character(run: Path) -> None:
    """With the byte tokenizer, token i of a document is byte i of its text: the span is that byte's character."""
    for line, sequence, position in places(run, 61):
        found = where(run, str(line), sequence, position)
        if found.span is None:
            continue
        assert found.document is not None and found.document.text is not None
        character_of = [n for n, character in enumerate(found.document.text) for _ in character.encode()]
        assert found.span.begin == character_of[found.token.index] == found.span.end - 1


def test_ids_and_documents_are_those_of_the_run(tmp_path: Path) -> None:
    """Every token of every sequence is token `index` of the document that is named, long documents cut or not."""
    run = token_run(tmp_path, units=2, lines=2)
    texts = {name: text for unit in range(2) for name, text in texts_of(unit).items()}
    seen: dict[str, set[int]] = {}
    for line, sequence, position in places(run, 1):
        found = where(run, str(line), sequence, position)
        assert found.document is not None
        ids = ids_of(texts[found.document.doc_id])
        assert (found.token.id, found.token.tokens) == (ids[found.token.index], len(ids))
        seen.setdefault(found.document.doc_id, set()).add(found.token.index)
    assert seen == {name: set(range(len(ids_of(text)))) for name, text in texts.items()}


def test_three_ways_to_name_a_shard(run: Path) -> None:
    """A shard is its manifest line, its file, or the one that holds a sequence counted through the run."""
    first, second = (line.shard for line in open_committed(run).lines[:2])
    assert first is not None and second is not None
    by_line = where(run, "1", 3, 5).to_json()
    assert by_line == where(run, second.file.name, 3, 5).to_json()
    assert by_line == where(run, Path(second.file.name).name, 3, 5).to_json()
    assert by_line == where(run, "run", first.sequences + 3, 5).to_json()


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (("99", "0", "0"), "there is no shard '99'"),
        (("x.arrow", "0", "0"), "there is no shard 'x.arrow'"),
        (("0", "100000", "0"), "there is no sequence 100000. They count from 0 to"),
        (("run", "100000", "0"), "there is no sequence 100000. They count from 0 to"),
        (("0", "0", "64"), "there is no position 64. They count from 0 to 63"),
        (("0", "-1", "0"), "No such option"),
    ],
)
def test_places_that_are_not_there(run: Path, place: tuple[str, ...], message: str) -> None:
    """What is not there is named, with what is."""
    result = call(run, *place)
    assert (result.exit_code, message in result.output) == (2, True), result.output


def test_padding(run: Path) -> None:
    """A position behind the last token is padding, of no document."""
    for line, sequence, _ in places(run, 64):
        shard = open_committed(run).lines[line].shard
        assert shard is not None
        length = [n for table in read_shard(run, shard, ["length"]) for n in table["length"].to_pylist()][sequence]
        if length < 64:
            assert (
                f"padding   id 256: the sequence has {length} tokens"
                in call(run, str(line), str(sequence), "63").output
            )
            return
    pytest.fail("no sequence is padded")


def test_what_the_command_says(run: Path) -> None:
    """People read the token in its text; programs get the same places as JSON."""
    result = call(run, "0", "0", "3")
    assert result.exit_code == 0, result.output
    said: dict[str, Any] = json.loads(call(run, "0", "0", "3", "--json").output)
    document, source = said["document"], said["source"]
    assert f"{document['doc_id']}, token {document['token']} of {document['tokens']:,}" in result.output
    assert f"[{said['text']['is']}]" in result.output
    assert f"{source['source']}: {source['path']}, record at byte {source['offset']:,}" in result.output
    assert f"bytes     {said['bytes']['begin']:,} to {said['bytes']['end']:,} of the file" in result.output


def test_a_file_that_changed(run: Path) -> None:
    """Bytes of a file that is not what the run read are not claimed."""
    path = run.parent / "texts" / "a.gbk.txt"
    before, times = path.read_bytes(), path.stat()
    try:
        path.write_bytes(before + b"more\n")
        found = where(run, "0", 0, 0)
        assert found.document is not None and found.document.record.source == "gbk"
        assert found.bytes is not None and found.bytes.begin is None
        assert "the file cannot be read as it was" in found.bytes.why
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert where(run, "0", 0, 0).bytes != found.bytes


def test_forgotten_documents(tmp_path: Path) -> None:
    """Of a forgotten document the place is said, and neither its text nor the token."""
    run = token_run(tmp_path)
    doc_id = next(iter(texts_of(0)))
    account(run, [request("doc", doc_id)])
    found = where(run, "0", 0, 0)
    assert found.document is not None and found.document.doc_id == doc_id
    assert (found.forgotten, found.piece, found.span, found.bytes) == (True, "", None, None)
    output = call(run, "0", "0", "0").output
    assert "(forgotten on request)" in output
    assert texts_of(0)[doc_id].strip() not in output.replace(doc_id, "")


def test_runs_of_texts(tmp_path: Path) -> None:
    """A run without tokens says so, and what to ask instead."""
    with pytest.raises(ConfigError, match=r"holds texts, not tokens.*explain RUN DOC_ID"):
        where(token_run(tmp_path, "parquet"), "0", 0, 0)


def test_sequences_are_numbered_as_loaders_do(tmp_path: Path) -> None:
    """Sequence n of the run is sample n of a loader."""
    from headrace.loader.torch_dataset import TokenDataset

    run = token_run(tmp_path, units=3)
    data = TokenDataset(run)
    for number in range(len(data)):
        sample = data[number]
        at = int(sample["length"]) - 1
        assert where(run, "run", number, at).token.id == int(sample["tokens"][at])


def test_pieces_of_a_model(tmp_path: Path) -> None:
    """With a SentencePiece model each token has its piece and its characters; together they are the whole document."""
    run = token_run(tmp_path, units=1, lines=1, model=small_model())
    covered: dict[str, set[int]] = {doc_id: set() for doc_id in texts_of(0)}
    for line, sequence, position in places(run, 1):
        found = where(run, str(line), sequence, position)
        assert found.document is not None
        if found.span is None:
            assert (found.piece, found.token.index) == ("</s>", found.token.tokens - 1)
            continue
        assert found.piece.startswith("<0x") or found.piece == characters(found).replace(" ", "\u2581")
        covered[found.document.doc_id].update(range(found.span.begin, found.span.end))
    assert covered == {doc_id: set(range(len(text))) for doc_id, text in texts_of(0).items()}


OF_THE_CORPUS = """
run: run
sources:
  - {{name: enc, paths: ["{corpus}/enc/chardet/GB2312/*"]}}
  - {{name: page, paths: ["{corpus}/html/readability/[a-h]*/source.html"]}}
stages: [{{kind: decode}}, {{kind: parse}}, {{kind: tokenize, model: bytes}}, {{kind: write, sequence_length: 64}}]
engine: {{executor: inline, unit_bytes: 200000, drain_s: 1}}
"""


def test_the_corpus(corpus: Path, tmp_path: Path) -> None:
    """Pages and feeds in old charsets: most tokens lead to their bytes, and none to others."""
    (tmp_path / "run.yaml").write_text(OF_THE_CORPUS.format(corpus=corpus), encoding="utf-8")
    run_pipeline(load_config(tmp_path / "run.yaml", ()))
    plan = open_committed(tmp_path / "run").plan
    known = asked = 0
    shards = [line.shard for line in open_committed(tmp_path / "run").lines if line.shard]
    total = sum(shard.sequences for shard in shards)
    for number in range(0, total, total // 50):
        found = where(tmp_path / "run", "run", number, 7)
        if found.span is None or found.bytes is None or found.document is None:
            continue
        asked += 1
        if found.bytes.begin is None:
            continue
        known += 1
        record = found.document.record
        data = (Path(plan["places"]["roots"][record.source]) / record.path).read_bytes()
        meant = html.unescape(data[found.bytes.begin : found.bytes.end].decode(record.encoding or ""))
        assert meant == characters(found) or (meant.isspace() and characters(found).isspace())
    assert asked > 40 and known > 0.7 * asked
