"""What-if says exactly what a run with the other thresholds decides, as far as the stored values reach."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.pipeline.made_run import publish_lines
from tests.pipeline.what_if.small_runs_asked import made_run, rows

from headrace.pipeline.committed import open_committed
from headrace.pipeline.forgetting.forget import forget
from headrace.pipeline.report_data import report_data
from headrace.pipeline.what_if.answer import what_if
from headrace.schemas.errors import ConfigError, FormatError
from headrace.schemas.forgetting import request

NAMES = ("read", "decode", "parse", "language", "clean", "words", "dedup", "grade", "normalize", "write")
SETTINGS = (
    ("clean.max_symbol_share=0.05",),
    ("clean.min_characters=80", "clean.max_digit_share=null"),
    ("clean.min_characters=5", "clean.max_symbol_share=null", "clean.max_digit_share=1"),
    ("words.lists.games.max_per_thousand=20", "words.lists.games.max_distinct=1"),
    ("grade.keep=[A, B, C, D]", "grade.a=0.8"),
    ("grade.weights.length=0.2", "grade.b=0.4", "clean.max_digit_share=0.1"),
    ("language.keep=[zh]", "stages.6.keep=[A]"),
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the run once."""
    return made_run(tmp_path_factory.mktemp("asked"))


def listed(run: Path, settings: Sequence[str], file: Path) -> dict[str, dict[str, object]]:
    what_if(run, settings, 0, file)
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {line["doc_id"]: line for line in lines}


def test_without_settings_the_stored_values_give_the_run_itself(run: Path) -> None:
    """Every verdict of every stage that decides, to the last bit, and the counts of the report."""
    answer = what_if(run, ())
    report = report_data(run)
    assert (answer["changes"], answer["contradicted"], answer["settings"], answer["remedy"]) == ([], 0, [], "")
    dropped = {(r["stage"], why): n for r in report["funnel"] for why, n in r["dropped"].items()}
    rules = {(r["stage"], r["rule"]): (r["now"], r["would"]) for r in answer["rules"]}
    assert (
        {stage for stage, _ in rules} == {"language", "clean", "words", "grade"} == {s for s, _ in dropped} - {"dedup"}
    )
    assert rules == {key: (n, n) for key, n in dropped.items() if key[0] != "dedup"}
    assert answer["kept"] == {"now": sum(s["kept"] for s in report["sources"]), "would": 0, "would_go_on": 0} | {
        "would": sum(s["kept"] for s in report["sources"])
    }
    assert answer["parent"] == report["identity"]


@pytest.mark.parametrize("settings", SETTINGS, ids=" ".join)
def test_a_run_with_the_settings_decides_what_was_said(run: Path, settings: tuple[str, ...], tmp_path: Path) -> None:
    """Every document that is said to be dropped is, by that rule, value and threshold; what would go on, goes on."""
    said = listed(run, settings, tmp_path / "changed.jsonl")
    before = rows(run)
    after = rows(made_run(run.parent, f"other{SETTINGS.index(settings)}", *_numbered(settings)))
    assert said
    assert before.keys() == after.keys()
    for doc_id, row in after.items():
        change = said.get(doc_id)
        if change is None:
            same = ("verdict", "stage", "reason", *(["grade"] if row["verdict"] == "kept" else []))
            if "dedup" not in (row["stage"], before[doc_id]["stage"]):  # others that it is compared with may be gone
                assert [row[name] for name in same] == [before[doc_id][name] for name in same]
        elif change["would_rule"]:
            fate = [change[f"would_{name}"] for name in ("stage", "rule", "value", "threshold")]
            assert [row[name] for name in ("stage", "reason", "value", "threshold")] == fate
        elif change["change"] == "would_go_on":
            place = NAMES.index(str(change["would_stage"]))
            assert row["verdict"] == "kept" or NAMES.index(str(row["stage"])) > place
        else:
            assert (row["verdict"], row["grade"]) == ("kept", change["would_grade"])


def _numbered(settings: Sequence[str]) -> list[str]:
    """Give settings as `headrace run` takes them: stages by number."""
    numbers = {"language": 2, "clean": 3, "words": 4, "grade": 6}
    parts = (text.partition(".") for text in settings)
    return [f"stages.{numbers[name]}.{rest}" if name in numbers else f"{name}.{rest}" for name, _, rest in parts]


def test_counts_by_rule_and_source_add_up_to_the_list(run: Path, tmp_path: Path) -> None:
    """Changes, rules, sources and grades count the same documents."""
    settings = ("clean.max_symbol_share=0.1", "clean.min_characters=10", "grade.a=0.6")
    answer = what_if(run, settings, 2, tmp_path / "all.csv")
    with (tmp_path / "all.csv").open(encoding="utf-8", newline="") as file:
        every = list(csv.DictReader(file))
    kinds = Counter(row["change"] for row in every)
    assert set(kinds) == {"would_be_dropped", "would_go_on", "other_rule", "other_grade"}
    for kind, count in kinds.items():
        assert sum(c["documents"] for c in answer["changes"] if c["change"] == kind) == count
        assert sum(source[kind] for source in answer["sources"]) == count
    assert sum(g["documents"] for g in answer["grades"]) == kinds["other_grade"]
    moved = Counter((r["would_stage"], r["would_rule"]) for r in every if r["would_rule"])
    moved.subtract((r["was_stage"], r["was_rule"]) for r in every if r["was_rule"])
    differences = {(r["stage"], r["rule"]): r["would"] - r["now"] for r in answer["rules"]}
    assert {key: n for key, n in moved.items() if n} == {key: n for key, n in differences.items() if n}
    kept = answer["kept"]
    assert kept["now"] - kept["would"] == kinds["would_be_dropped"]
    assert kept["would_go_on"] == kinds["would_go_on"]
    assert [s["option"] for s in answer["settings"]] == ["clean.min_characters", "clean.max_symbol_share", "grade.a"]


def test_examples_are_those_whose_ids_hash_lowest_with_what_is_stored_of_them(run: Path, tmp_path: Path) -> None:
    """The same for every cut into units; the text of kept documents is in the shard, of dropped ones in documents/."""
    settings = ("clean.max_symbol_share=0.02", "clean.min_characters=10")
    said, stored = listed(run, settings, tmp_path / "all.jsonl"), rows(run)
    texts = []
    for change in what_if(run, settings, 2)["changes"]:
        fates = [tuple((change[time] or {"stage": None, "rule": None}).values()) for time in ("was", "would")]
        same = [
            doc_id
            for doc_id, row in said.items()
            if [
                (row[f"{time}_stage"], row[f"{time}_rule"] or ("" if row[f"{time}_stage"] else None))
                for time in ("was", "would")
            ]
            == fates
            and row["change"] == change["change"]
        ]
        lowest = sorted(same, key=lambda doc_id: hashlib.blake2b(doc_id.encode(), digest_size=8).digest())
        assert [example["doc_id"] for example in change["examples"]] == lowest[:2]
        texts += [(example["text"], stored[example["doc_id"]]) for example in change["examples"]]
    assert all(text and len(text) <= 80 for text, _ in texts)
    assert {row["verdict"] for _, row in texts} == {"kept", "dropped"}


def test_what_later_stages_would_do_is_not_guessed(run: Path) -> None:
    """A document that would go on names the stages that never saw it."""
    changes = what_if(run, ("clean.min_characters=null", "grade.keep=[A, B, C, D]"))["changes"]
    later = {c["was"]["stage"]: c["not_measured_by"] for c in changes if c["change"] == "would_go_on"}
    assert later == {"clean": ["words", "dedup", "grade"], "grade": []}


def test_repeats_of_what_would_be_gone_are_counted(run: Path, tmp_path: Path) -> None:
    """Documents that dedup dropped and that would still reach it, whose survivor would not."""
    settings = ("clean.max_symbol_share=0.01", "clean.min_characters=60")
    said, stored = listed(run, settings, tmp_path / "all.jsonl"), rows(run)
    gone = {doc_id for doc_id, row in said.items() if row["would_stage"] == "clean" and row["would_rule"]}
    repeated = [row["survivor"] for doc_id, row in stored.items() if row["survivor"] in gone and doc_id not in gone]
    assert len(repeated) > 2
    expected = [{"stage": "dedup", "documents": len(repeated), "of": len(set(repeated))}]
    assert what_if(run, settings)["repeats"] == expected
    assert what_if(run, ("grade.keep=[A]",))["repeats"] == []


def test_forgotten_documents_are_left_out_and_counted(tmp_path: Path) -> None:
    """What is forgotten on request is in no count and in no example."""
    run = made_run(tmp_path)
    settings = ("clean.max_symbol_share=0.02",)
    before = what_if(run, settings, 100)
    doc_id = next(c for c in before["changes"] if c["change"] == "would_be_dropped")["examples"][0]["doc_id"]
    forget(run, [request("doc", doc_id)])
    after = what_if(run, settings, 100, tmp_path / "all.csv")
    assert after["forgotten"] == 1
    assert after["documents"] == before["documents"] - 1
    assert doc_id not in (tmp_path / "all.csv").read_text() + json.dumps(after)


def test_what_a_stage_of_the_users_own_wrote_over_is_not_trusted(tmp_path: Path) -> None:
    """Values that do not give the run's own verdict are counted, and those documents stay as they are.

    A stage that needs what another one measured cannot be asked what it fills, either.
    """
    source = (
        "from typing import Literal\nfrom headrace.stages.base import BatchStage, Document, DocumentStage\n\n\n"
        "class Over(DocumentStage):\n    kind: Literal['over'] = 'over'\n\n"
        "    def process(self, document: Document) -> Document:\n"
        "        return document.but(values={**document.values, 'characters': 1.0})\n\n\n"
        "class Shy(BatchStage):\n    kind: Literal['shy'] = 'shy'\n\n"
        "    def process(self, table):\n        table['values.characters']\n        return table\n"
    )
    (tmp_path / "over.py").write_text(source, encoding="utf-8")
    run = made_run(tmp_path, plugins="over.py", after="{kind: over}\n  - {kind: shy}")
    answer = what_if(run, ("clean.max_symbol_share=0.02",))
    assert answer["contradicted"] == answer["kept"]["now"] > 0
    assert not any(c["change"] == "would_be_dropped" for c in answer["changes"])


def test_values_that_a_later_stage_measured_again_are_refused(tmp_path: Path) -> None:
    """Of two stages of a kind only the last can be asked by the values that both give."""
    run = made_run(tmp_path, after="{kind: clean, max_symbol_share: 0.1}")
    assert what_if(run, ())["contradicted"] == 0
    assert what_if(run, ("clean.2.max_symbol_share=0.05",))["changes"]
    again = "again and wrote over it. Let it be measured: headrace rerun .* --set clean.max_symbol_share=0.05"
    with pytest.raises(ConfigError, match=rf"stage clean\.2 measured values\.symbol_share {again}"):
        what_if(run, ("clean.max_symbol_share=0.05",))
    with pytest.raises(ConfigError, match=r"stage clean measured values\.digit_share again"):
        what_if(run, ("language.max_digit_share=0.05",))
    assert what_if(run, ("language.max_digit_share=0.9",))["contradicted"] == 0  # what passed, passes


def test_a_filter_in_front_of_language_is_asked_by_what_it_saw(tmp_path: Path) -> None:
    """No language at all: documents that English later is found in have the profile of all others."""
    chain = "{kind: filter, profiles: {zh: [general], en: [], '*': [general]}, general: {min_characters: %s}}"
    later = "{kind: language}"
    run = made_run(tmp_path, "run", f"stages.2={chain % 20}", after=later)
    settings = ("filter.general.min_characters=120",)
    answer, said = what_if(run, settings), listed(run, settings, tmp_path / "all.jsonl")
    again = rows(made_run(tmp_path, "again", f"stages.2={chain % 120}", after=later))
    english = {doc_id for doc_id, row in rows(run).items() if row["language"] == "en" and row["verdict"] == "kept"}
    before, after = (
        {doc_id for doc_id, row in each.items() if row["stage"] == "filter"} for each in (rows(run), again)
    )
    assert answer["contradicted"] == 0
    assert said.keys() >= after - before > set()
    assert {doc_id for doc_id, row in said.items() if row["would_rule"] == "general.min_characters"} == after - before
    assert english & after


def test_no_tokenizer_is_needed(run: Path, tmp_path: Path) -> None:
    """One that the run trained, and one whose file is gone; tokens are counted as they are stored."""
    shutil.copytree(run.parent / "in", tmp_path / "in")
    shutil.copy(run.parent / "games.txt", tmp_path)
    tokens = ("stages.8.format=arrow", "stages.8.sequence_length=64")
    train = "stages.7={kind: tokenize, train: {vocab_size: 300, sample_bytes: 9000, threads: 1}}"
    trained = made_run(tmp_path, "trained", train, *tokens)
    model = shutil.copy(next((trained / "tokenizer").glob("*.model")), tmp_path / "given.model")
    given = made_run(tmp_path, "given", "stages.7={kind: tokenize, model: given.model}", *tokens)
    model.unlink()
    settings = ("clean.max_symbol_share=0.05",)
    answers = [what_if(each, settings) for each in (trained, given, run)]
    assert answers[0]["tokens"] == answers[1]["tokens"]
    stored = {doc_id: row for doc_id, row in rows(given).items() if row["verdict"] == "kept"}
    stay = stored.keys() - {*listed(given, settings, tmp_path / "all.jsonl")}
    counts = [sum(int(stored[doc_id]["values.tokens"]) for doc_id in ids) for ids in (stored, stay)]
    assert answers[0]["tokens"] == dict(zip(("now", "would"), counts, strict=True))
    assert answers[0]["rules"] == answers[1]["rules"] == answers[2]["rules"] != []


def test_of_a_run_that_is_not_finished_the_committed_units_count(run: Path, tmp_path: Path) -> None:
    """The answer says that there will be more."""
    part = shutil.copytree(run, tmp_path / "part")
    lines = list(open_committed(run).lines)[:1]
    publish_lines(part, lines)
    answer = what_if(part, ("clean.max_symbol_share=0.05",))
    assert (answer["finished"], answer["units"]) == (False, lines[0].last + 1)
    assert 0 < answer["documents"] < what_if(run, ())["documents"]


@pytest.mark.parametrize("left", [0, 100])
def test_a_damaged_file_is_named_with_what_to_do(run: Path, tmp_path: Path, left: int) -> None:
    """One sentence after the other, whatever the library said of the file."""
    damaged = next((shutil.copytree(run, tmp_path / "run") / "documents").iterdir())
    damaged.write_bytes(damaged.read_bytes()[:left])
    with pytest.raises(FormatError, match=rf"{damaged.name}: the file cannot be read: .*[^.]\. Run `headrace verify`"):
        what_if(tmp_path / "run", ("clean.min_characters=9",))
