from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from tests.pipeline.made_run import BROKEN_ID, COPY_ID, KEPT_IDS, make_run

from headrace.pipeline.committed import plan_bytes, read_plan
from headrace.pipeline.report import write_report
from headrace.pipeline.report_documents import histogram


class Balance(HTMLParser):
    """Checks that every element is closed, and collects what the page would load."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_funnel_and_the_totals_are_the_ledgers(tmp_path: Path) -> None:
    """Read 8, keep 3, drop 4, quarantine 1, and say at which stage."""
    report = write_report(make_run(tmp_path))
    totals = report["totals"]
    assert [totals[name] for name in ("records", "documents", "kept", "dropped", "quarantined")] == [8, 8, 3, 4, 1]
    assert [row["stage"] for row in report["funnel"]] == ["read", "decode", "clean", "dedup", "tokenize", "write"]
    assert report["funnel"][2]["dropped"] == {"characters": 3}
    assert report["sources"] == [{"source": "web", "kept": 3, "dropped": 4, "quarantined": 1}]
    assert (totals["tokens"], totals["sequences"]) == (945, 15)
    assert totals["padding_share"] == pytest.approx(1 - 945 / (15 * 64))


def test_times_of_a_killed_and_a_resumed_session_add_up(tmp_path: Path) -> None:
    """4 s until the kill and 3 s after it are 7 s; bytes, stage seconds and waits are summed."""
    times = write_report(make_run(tmp_path))["times"]
    assert (times["sessions"], times["seconds"], times["bytes_read"]) == (2, 7.0, 3000)
    assert times["stage_seconds"] == {"read": 1.0, "clean": 1.0}
    assert times["waits"] == {"trainer": 1.5}
    assert times["commits"] == [[4.0, 1, 0], [6.0, 2, 1]]


def test_every_fault_names_its_file_and_every_file_without_text_is_named(tmp_path: Path) -> None:
    """Of five files one gave no text; the fault has the error's own words."""
    report = write_report(make_run(tmp_path))
    (fault,) = report["faults"]["rows"]
    assert (fault["file"], fault["reason"], fault["detail"]) == ("web:broken.txt", "undecodable", "invalid byte at 17")
    assert (report["files"]["listed"], report["files"]["with_text"]) == (5, 4)
    assert report["files"]["named"]["rows"] == [{"file": "web:broken.txt", "why": "undecodable"}]


def test_documents_judged_by_the_clock_are_named_and_warned_about(tmp_path: Path) -> None:
    """Another machine may judge them otherwise; the report must say so."""
    run = make_run(tmp_path)
    report = write_report(run)
    assert report["struck"] == [{"unit": 2, "doc_id": BROKEN_ID, "stage": "decode", "cause": "deadline"}]
    assert report["incidents"]["counts"] == {"strike": 1}
    assert "On another machine they may be judged otherwise" in (run / "report.html").read_text()


def test_examples_carry_rule_value_threshold_and_survivor(tmp_path: Path) -> None:
    """One can see what a rule takes out without opening a Parquet file."""
    examples = write_report(make_run(tmp_path))["examples"]
    copy = next(row for row in examples if row["doc_id"] == COPY_ID)
    assert (copy["value"], copy["threshold"], copy["survivor"]) == (0.97, 0.8, KEPT_IDS[0])
    assert sum(row["reason"] == "characters" for row in examples) == 3


def test_histograms_count_every_measured_document_once(tmp_path: Path) -> None:
    """Units may have different columns: a measure that one lacks is counted in the others."""
    spreads = {h["name"]: h for h in write_report(make_run(tmp_path))["histograms"]}
    characters, tokens = spreads["values.characters"], spreads["values.tokens"]
    assert (sum(characters["kept"]), sum(characters["gone"])) == (3, 4)
    assert (sum(tokens["kept"]), sum(tokens["gone"])) == (3, 0)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-5.0, 2.0), (3.0, 3.0), (0.0, 1e9), (7.0, 50_000.0)])
def test_a_histogram_holds_its_least_and_its_greatest_value(low: float, high: float) -> None:
    """Edges grow, and neither end falls out by rounding."""
    spread = histogram("x", low, high)
    values = np.array([low, high, (low + high) / 2])
    spread.add(values, np.array([True, True, False]))
    assert (spread.kept.sum(), spread.gone.sum()) == (2, 1)
    assert (np.diff(spread.edges) > 0).all()


def test_the_page_is_whole_and_loads_nothing(tmp_path: Path) -> None:
    """Every element is closed, and the only links are those inside the drawings."""
    run = make_run(tmp_path)
    write_report(run)
    page = (run / "report.html").read_text()
    parser = Balance()
    parser.feed(page.removeprefix("<!doctype html>"))
    assert parser.open == []
    assert all(link.startswith("#") for link in parser.loads)
    assert "<script" not in page
    assert page.count("<svg") >= 5


def test_what_comes_from_the_input_cannot_become_markup(tmp_path: Path) -> None:
    """File names and error texts are shown, never executed."""
    run = make_run(tmp_path)
    plan = read_plan(run)
    plan["inputs"].append(["web", "<script>alert(1)</script>.txt", 1, 0])
    (run / "plan.json").write_bytes(plan_bytes(plan))
    write_report(run)
    page = (run / "report.html").read_text()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script" not in page


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    """Drawings have no random names and no date in them."""
    run = make_run(tmp_path)
    pages = []
    for _ in range(2):
        write_report(run)
        pages.append((run / "report.html").read_bytes())
    assert pages[0] == pages[1]
    assert not re.search(rb"20\d\d-\d\d-\d\dT", pages[0])


def test_training_shows_first_and_last_loss_and_a_repeated_step_once(tmp_path: Path) -> None:
    """After a restart the trainer writes some steps again; a torn last line is left out."""
    run = make_run(tmp_path)
    (run / "trainer").mkdir()
    lines = [{"step": 1, "loss": 9.0}, {"step": 2, "loss": 8.5}, {"step": 2, "loss": 8.0}, {"step": 3, "loss": 7.0}]
    text = "".join(json.dumps(line) + "\n" for line in lines) + '{"step": 4, "lo'
    (run / "trainer" / "metrics.jsonl").write_text(text)
    trainer = write_report(run)["trainer"]
    assert (trainer["first"]["loss"], trainer["last"]["loss"], trainer["steps"]) == (9.0, 7.0, 3)
    assert [point["loss"] for point in trainer["curve"]] == [9.0, 8.0, 7.0]


def test_a_loss_that_is_no_number_still_gives_valid_json(tmp_path: Path) -> None:
    """NaN is not JSON: it becomes null, and the page still draws."""
    run = make_run(tmp_path)
    (run / "trainer").mkdir()
    (run / "trainer" / "metrics.jsonl").write_text('{"step": 1, "loss": 9.0}\n{"step": 2, "loss": NaN}\n')
    write_report(run)
    assert json.loads((run / "report.json").read_text())["trainer"]["last"]["loss"] is None


def test_a_run_that_goes_on_says_so(tmp_path: Path) -> None:
    """Without the end line the page covers what is committed."""
    run = make_run(tmp_path, end=False)
    assert write_report(run)["state"] == "unfinished"
    assert "The same command goes on" in (run / "report.html").read_text()
