"""A whole run over a packed crawl: pages of several charsets, what is no page, and a broken member."""

from __future__ import annotations

from pathlib import Path

import pyarrow.dataset as ds
from tests.pipeline.small_runs import output
from tests.stages.reading.made_warcs import http, members, record

from headrace.pipeline.load import load_config
from headrace.pipeline.report import write_report
from headrace.pipeline.run import run_pipeline

TEXT = "水渠把河水引到磨坊，轮子的快慢由磨坊自己决定，水渠既不会干涸，也不会满溢。"
TRADITIONAL = "水渠把河水引到磨坊，輪子的快慢由磨坊自己決定，水渠既不會乾涸，也不會滿溢。"
CONFIG = """
run: {run}
sources:
  - {{name: crawl, paths: ["{folder}/*.warc.gz"]}}
stages:
  - {{kind: decode}}
  - {{kind: parse}}
  - {{kind: write, format: parquet}}
engine: {{executor: inline, unit_bytes: {unit_bytes}, drain_s: 1}}
"""


def page(text: str, charset: str, meta: str = "") -> bytes:
    """Give a page with a paragraph in a charset."""
    paragraphs = "".join(f"<p>{text}{n}</p>" for n in range(4))
    text = f"<html><head>{meta}<title>t</title></head><body><article>{paragraphs}</article></body></html>"
    return text.encode(charset)


def crawl(folder: Path) -> None:
    """Write a crawl of two files, the second with a broken member."""
    big5 = page(TRADITIONAL, "big5", '<meta charset="big5">')
    first = [
        record(b"software: test", 0, "warcinfo"),
        record(b"GET / HTTP/1.1\r\n\r\n", 1, "request"),
        record(http(page(TEXT, "gbk"), "text/html; charset=GBK"), 1),
        record(http(big5, "text/html"), 2),
        record(http(page(TEXT, "utf-8"), "text/html"), 3),
        record(http(b"\x89PNG\r\n\x1a\n" + bytes(99), "image/png"), 4),
        record(http(page("gone", "utf-8"), status="404 Not Found"), 5),
    ]
    second = [members([record(http(page(f"{TEXT} {n}", "utf-8")), 10 + n)]) for n in range(3)]
    second[1] = second[1][:60] + b"\xff\xff\xff" + second[1][63:]
    folder.mkdir()
    (folder / "a.warc.gz").write_bytes(members(first))
    (folder / "b.warc.gz").write_bytes(b"".join(second))


def run(folder: Path, name: str, unit_bytes: int) -> Path:
    """Run it."""
    config = folder / f"{name}.yaml"
    config.write_text(CONFIG.format(run=folder / name, folder=folder / "crawl", unit_bytes=unit_bytes))
    run_pipeline(load_config(config))
    return folder / name


def test_a_crawl_becomes_documents(tmp_path: Path) -> None:
    """Each page in its own charset, under its own URL; the rest is counted, dropped or quarantined by name."""
    crawl(tmp_path / "crawl")
    done = run(tmp_path, "run", 1_000_000)
    rows = ds.dataset(done / "shards").to_table().to_pylist()
    found = {row["url"].rpartition("/")[2]: row for row in rows}
    assert sorted(found) == ["1", "10", "12", "2", "3"]
    assert found["3"]["encoding"] == "utf-8"
    assert all(f"{TEXT}0" in found[n]["text"] for n in "13")
    assert f"{TRADITIONAL}0" in found["2"]["text"]
    report = write_report(done)
    (read,) = [stage for stage in report["funnel"] if stage["stage"] == "read"]
    assert (read["dropped"], read["quarantined"]) == ({"http_status": 1, "not_text": 1}, {"corrupt": 1})
    assert report["files"]["counts"] == {"request": 1, "warcinfo": 1}
    assert "request" in (done / "report.html").read_text()


def test_units_of_a_crawl_change_nothing(tmp_path: Path) -> None:
    """Small units give the documents that one large unit gives."""
    crawl(tmp_path / "crawl")
    columns = ["doc_id", "text", "url", "encoding", "metadata"]
    large, small = (run(tmp_path, name, size) for name, size in (("large", 1_000_000), ("small", 1_000)))
    assert output(large) != output(small)
    tables = [ds.dataset(folder / "shards").to_table(columns=columns).sort_by("doc_id") for folder in (large, small)]
    assert tables[0].to_pylist() == tables[1].to_pylist()
