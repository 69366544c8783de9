from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.pipeline.dups.repeating_runs import chinese, doc_id, make_run
from tests.pipeline.made_run import lines_of, publish_lines
from tests.pipeline.made_run import make_run as made_run

from headrace.pipeline import cli_dups_rows
from headrace.pipeline.cli import main
from headrace.pipeline.dups import compared, members


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["dups", *(str(argument) for argument in arguments)])


def rows(*arguments: str | Path) -> list[dict[str, object]]:
    result = call(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("dups"))


def test_clusters_come_largest_first_and_their_members_most_similar_first(run: Path) -> None:
    """Five documents, three, and two: each with the one that stays, and what the verdicts said."""
    found = rows(run)
    assert [row["documents"] for row in found if row["role"] == "stays"] == [5, 3, 2]
    first = [row for row in found if row["cluster"] == 1]
    assert [row["doc_id"] for row in first] == [doc_id(number) for number in (0, 3, 5, 8, 4)]
    assert [row["reason"] for row in first[1:]] == ["exact_duplicate"] * 3 + ["near_duplicate"]
    assert first[1]["similarity"] == 1.0
    assert 0.8 <= float(str(first[4]["similarity"])) < 1
    assert {row["survivor"] for row in first[1:]} == {doc_id(0)}


def test_a_survivor_that_a_later_stage_dropped_is_marked(run: Path) -> None:
    """The page whose address came twice went as a near duplicate itself."""
    page = next(row for row in rows(run, "--stage", "urls") if row["role"] == "stays")
    assert (page["doc_id"], page["left_at"], page["documents"]) == (doc_id(4), "dedup", 2)
    assert f"stays   {doc_id(4)}, then dropped by dedup itself" in call(run).stdout


@pytest.mark.parametrize("number", [0, 3, 4])
def test_of_a_document_its_cluster_is_shown_whichever_member_it_is(run: Path, number: int) -> None:
    """The one that stays and the ones that went give the same; number 4 has an address that is repeated, besides."""
    found = rows(run, "--of", doc_id(number))
    assert len([row for row in found if row["stage"] == "dedup"]) == 5
    assert len([row for row in found if row["stage"] == "urls"]) == (2 if number == 4 else 0)


def test_members_are_chosen_by_reason_and_similarity(run: Path) -> None:
    """Near ones only; a range keeps its ends; a size counts what is left and the one that stays."""
    assert [row["reason"] for row in rows(run, "--near-only") if row["role"] == "dropped"] == ["near_duplicate"] * 2
    assert {row["similarity"] for row in rows(run, "--similarity", "1", "1") if row["role"] == "dropped"} == {1.0}
    assert [row["documents"] for row in rows(run, "--least", "4") if row["role"] == "stays"] == [5]
    assert rows(run, "--near-only", "--least", "3") == []


def test_what_no_repetition_fits_is_told_from_a_run_without_any(run: Path) -> None:
    """How many there are, and what was asked for; a reversed range is a mistake."""
    said = call(run, "--near-only", "--similarity", "0", "0.1").stdout
    assert said == "none of the 7 documents that repeat another is within --near-only --similarity 0 0.1\n"
    assert "is within --least 9" in call(run, "--least", "9").stdout
    assert f"is within --of {doc_id(1)}" in call(run, "--of", doc_id(1)).stdout
    reversed_range = call(run, "--similarity", "0.9", "0.8")
    assert (reversed_range.exit_code, "LOW 0.9 is above HIGH 0.8" in reversed_range.output) == (2, True)


def test_what_is_not_shown_is_said(run: Path) -> None:
    """One cluster of three, two of four members."""
    said = call(run, "--limit", "1", "--members", "2").stdout
    assert "dedup: dropped 4 exact_duplicate, 2 near_duplicate; similarities are estimates from sketches" in said
    assert "urls: dropped 1 url_repeated" in said
    assert "  and 2 more: --members N, or --json for all" in said
    assert "2 smaller clusters are not shown" in said


@pytest.mark.parametrize("record", ["values", "full", "sample"])
def test_texts_come_from_the_run_or_are_read_again(tmp_path: Path, record: str) -> None:
    """Whatever the run has stored, the difference is the same: characters in Chinese, words in English."""
    run = make_run(tmp_path, record)
    if record == "full":
        (tmp_path / "texts/pages.jsonl").unlink()
    said = call(run, "--diff", "--near-only").stdout
    two = chinese(2)
    assert f"{two[75:99]}[-{two[99]}-]{{+新+}}{two[100:124]}" in said
    assert " wheel {+and axle +}" in said
    assert "the texts are equal" in call(run, "--diff", "--similarity", "1", "1").stdout


def test_of_a_text_that_is_nowhere_the_reason_is_told(tmp_path: Path) -> None:
    """Neither stored nor in the input as it was: one line, and exit code 0."""
    run = make_run(tmp_path)
    with (tmp_path / "texts/pages.jsonl").open("ab") as file:
        file.write(b"\n")
    result = call(run, "--diff", "--near-only")
    assert result.exit_code == 0
    assert "no diff: the run stores no texts of dropped documents (`record: full`" in result.stdout
    assert "and it cannot be read again: an input file changed after the run was planned" in result.stdout
    (tmp_path / "texts/pages.jsonl").unlink()
    assert "cannot be read again" in str(rows(run, "--diff", "--near-only")[1]["no_diff"])


def test_differences_are_pieces_in_json(run: Path) -> None:
    """What both have, and what stands in the one in place of the other."""
    member = next(r for r in rows(run, "--diff", "--near-only", "--of", doc_id(7)) if r["role"] == "dropped")
    two = chinese(2)
    pieces = [{"both": two[75:99]}, {"stays": two[99], "dropped": "新"}, {"both": two[100:124]}]
    assert (member["diff"], member["whole"]) == ([pieces], True)


def test_a_terminal_shows_differences_in_colours(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Red and struck out what only the one that stays has, green what only the other one has."""
    monkeypatch.setattr(cli_dups_rows, "_in_colours", lambda: True)
    said = CliRunner().invoke(main, ["dups", str(run), "--diff", "--near-only"], color=True).stdout
    two = chinese(2)
    assert f"{two[98]}\x1b[31m\x1b[9m{two[99]}\x1b[0m\x1b[32m新\x1b[0m{two[100]}" in said


def test_a_document_that_belongs_to_a_cluster_through_another_one_says_so(tmp_path: Path) -> None:
    """Of a chain of near documents one stays; the similarity is that to the next one."""
    text, lines = chinese(9, 400), []
    for number in range(6):
        lines.append(text)
        text = text[: 40 * number] + chinese(50 + number, 30) + text[40 * number + 30 :]
    (tmp_path / "in.txt").write_text("\n".join(lines), encoding="utf-8")
    options = ["--records", "lines", "--keep", "components", "--threshold", "0.7"]
    command = ["dedup", str(tmp_path / "in.txt"), "--out", str(tmp_path / "out"), *options]
    assert CliRunner().invoke(main, command).exit_code == 0
    said = call(tmp_path / "out").stdout
    assert "cluster 1: 6 documents" in said
    assert ", by way of input:in.txt#" in said
    assert ", to which it is that similar" in said


def test_a_rerun_reads_nothing_again(tmp_path: Path) -> None:
    """It has stored its texts, as it began with stored ones; where it has not, that is the reason."""
    run, new = make_run(tmp_path, "full"), tmp_path / "new"
    changed = ["rerun", str(run), "--set", "write.record=values", "--run", str(new)]
    assert CliRunner().invoke(main, changed).exit_code == 0
    members = [row for row in rows(new, "--diff", "--near-only") if row["role"] == "dropped"]
    assert {"the run began with what another run had stored" in str(row["no_diff"]) for row in members} == {True}


def test_what_is_forgotten_is_not_shown(tmp_path: Path) -> None:
    """Its text is kept back, its name and its place in the cluster stay."""
    run = make_run(tmp_path, "full")
    assert CliRunner().invoke(main, ["forget", str(run), "--url", "http://a.example/7"]).exit_code == 0
    member = next(r for r in rows(run, "--diff", "--near-only", "--of", doc_id(7)) if r["role"] == "dropped")
    assert (member["doc_id"], member["no_diff"]) == (doc_id(7), "it is forgotten on request")


def test_mistakes_are_told_with_what_may_be_meant(run: Path, tmp_path: Path) -> None:
    """An unknown stage, an unknown document, no run."""
    assert call(run, "--stage", "dedupe").output.endswith("Did you mean 'dedup'?\n")
    assert (
        f"no document has the id 'web:pages.jsonl#1'. Did you mean {doc_id(0)}"
        in call(run, "--of", "web:pages.jsonl#1").output
    )
    assert call(tmp_path / "none").exit_code == 2
    assert call(run, "--stage", "write").stdout.endswith("another is within --stage write\n")


@pytest.mark.parametrize("portion", [1, 2, 3, 5])
def test_portions_of_any_size_give_the_same_lines(run: Path, monkeypatch: pytest.MonkeyPatch, portion: int) -> None:
    """Names are read for some members at a time, texts for fewer; clusters that are cut are printed as one."""
    whole, compared_whole, shown = rows(run), rows(run, "--diff"), call(run, "--diff").stdout
    monkeypatch.setattr(compared, "_PORTION", portion)
    monkeypatch.setattr(compared, "_TEXTS", portion)
    monkeypatch.setattr(members, "_PIECE", 2)
    assert rows(run) == whole
    assert rows(run, "--diff") == compared_whole
    assert call(run, "--diff").stdout == shown


def test_before_anything_is_judged_that_is_said(tmp_path: Path) -> None:
    """A run folder with its plan alone has no verdicts yet; one that has ended without repetitions has them."""
    waiting, ended = made_run(tmp_path), tmp_path / "ended"
    shutil.copytree(waiting, ended)
    for path in waiting.iterdir():
        if path.name != "plan.json":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert call(waiting).stdout == "nothing is committed yet: no document was compared\n"
    assert call(waiting, "--near-only").stdout == "nothing is committed yet: no document was compared\n"
    assert rows(waiting) == []
    publish_lines(ended, [replace(lines_of(ended)[0], documents=())])
    assert call(ended).stdout == "no document repeats another\n"
