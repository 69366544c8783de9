from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.pipeline.made_run import make_run
from tests.pipeline.small_runs import small_run, write_texts

from headrace.pipeline.cli import main
from headrace.pipeline.load import load_config
from headrace.pipeline.policy.report import PolicyRequest, policy_data, write_policy
from headrace.pipeline.run import run_pipeline
from headrace.pipeline.run_folder import RunFolder
from headrace.schemas.errors import ConfigError

CONTACT = "联系人磨坊主，电话 13812345678，邮箱 li.si@126.com，欢迎您到河流旁边的磨坊来参观。"
PII = "{kind: pii, email: report}"


def made(folder: Path, *overrides: str, before: str = PII, unit_bytes: int = 2500) -> Path:
    """Make a run of some 150 documents, three of which hold a number and an address."""
    write_texts(folder / "texts", files=4, lines=50, extra=[f"{number} {CONTACT}" for number in ("甲", "乙", "丙")])
    loaded = small_run(
        folder,
        "run",
        "stages.3.minhash=null",
        *overrides,
        before=before,
        tokenizer="model: bytes",
        unit_bytes=unit_bytes,
    )
    run_pipeline(loaded)
    return loaded.run_dir


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("policy"))


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["report", *(str(argument) for argument in arguments)])


def source(report: dict[str, object]) -> dict[str, object]:
    [only] = report["sources"]
    return only


def kinds(report: dict[str, object]) -> dict[str, tuple[int, int]]:
    """Give kind -> (documents before masking, documents left), of those found."""
    listed = source(report)["personal_data"]["kinds"]
    counts = {k["kind"]: (k["before"]["documents"], k["left"]["documents"]) for k in listed}
    return {kind: pair for kind, pair in counts.items() if any(pair)}


def test_what_was_masked_was_there_before_and_is_not_left(run: Path) -> None:
    """`mobile` is masked, `email` only counted: the texts still hold it."""
    report = policy_data(run, PolicyRequest())
    assert kinds(report) == {"mobile": (3, 0), "email": (3, 3)}
    assert source(report)["personal_data"]["before"]["documents"] == 3


def test_where_every_document_is_looked_at_the_rate_is_exact(run: Path) -> None:
    """The interval is a point, and the characters are counted, not estimated."""
    only = source(policy_data(run, PolicyRequest()))
    left = only["personal_data"]["left"]
    assert only["sampled"] == only["documents"] > 60
    assert left["low"] == left["rate"] == left["high"] == 3 / only["documents"]
    assert only["characters"] == only["characters_sampled"]


def test_a_sample_has_intervals(run: Path) -> None:
    """A third of the documents says less."""
    only = source(policy_data(run, PolicyRequest(sample=40)))
    left = only["personal_data"]["left"]
    assert (only["sampled"], left["of"]) == (40, 40)
    assert left["low"] <= left["rate"] < left["high"] < 1


def test_the_seed_decides_which_documents_are_drawn(run: Path) -> None:
    """The same seed draws the same, another one others."""
    first, again, other = (
        source(policy_data(run, PolicyRequest(sample=30, seed=seed)))["characters_sampled"] for seed in (0, 0, 1)
    )
    assert first == again != other


def test_the_sample_does_not_depend_on_how_the_run_was_cut(run: Path, tmp_path: Path) -> None:
    """Other units, lanes and shards, and texts in shards of Parquet: the same documents, the same numbers."""
    cut = made(tmp_path, "engine.lanes=1", unit_bytes=40_000)
    (tmp_path / "b").mkdir()
    text = (tmp_path / "run.yaml").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if "tokenize" not in line and "normalize" not in line]
    parquet = "\n".join("  - {kind: write, format: parquet}" if "kind: write" in line else line for line in lines)
    (tmp_path / "parquet.yaml").write_text(
        parquet.replace("/run\n", "/x\n").replace("run: run", "run: in_text"), "utf-8"
    )
    assert CliRunner().invoke(main, ["run", str(tmp_path / "parquet.yaml"), "stages.3.minhash=null"]).exit_code == 0
    request = PolicyRequest(sample=40, seed=7)
    whole = [policy_data(folder, request)["sources"] for folder in (run, cut, tmp_path / "in_text")]
    assert whole[0] == whole[1] == whole[2]


def test_lists_on_the_command_line_make_documents_unsafe(run: Path, tmp_path: Path) -> None:
    """Width, case and traditional forms make no difference, and a Latin entry is a whole word."""
    (tmp_path / "abuse.txt").write_text("# ours\nＷＡＴＥＲ\n歡迎您\nill\n\n", encoding="utf-8")
    report = policy_data(run, PolicyRequest(words=(tmp_path / "abuse.txt",)))
    [rate] = source(report)["words"]
    assert rate["name"] == "list:abuse"
    assert 3 < rate["documents"] < source(report)["documents"]
    (tmp_path / "ill.txt").write_text("ill\n", encoding="utf-8")  # part of `mill` alone
    assert source(policy_data(run, PolicyRequest(words=(tmp_path / "ill.txt",))))["unsafe"]["documents"] == 0


def test_the_stage_and_the_command_line_count_alike(tmp_path: Path) -> None:
    """One list, once as an option of the stage `words`, once given to the report: the same documents."""
    (tmp_path / "abuse.txt").write_text("WATER\n歡迎您\nwheel gate\n", encoding="utf-8")
    folder = made(tmp_path, before=f"{{kind: words, lists: {{abuse: {tmp_path / 'abuse.txt'}}}}}")
    only = source(policy_data(folder, PolicyRequest(words=(tmp_path / "abuse.txt",))))
    stage, command = only["words"]
    assert (stage["name"], command["name"]) == ("words_abuse", "list:abuse")
    assert stage["examples"] == command["examples"]
    assert stage["documents"] == command["documents"] == only["unsafe"]["documents"] > 3


@pytest.mark.parametrize(
    ("content", "message"), [(b"", "is empty"), (b"\xb2\xa9\xb2\xca", "in another encoding"), (None, "cannot be read")]
)
def test_a_word_list_that_cannot_be_used_is_refused(
    run: Path, tmp_path: Path, content: bytes | None, message: str
) -> None:
    """Before anything is read."""
    if content is not None:
        (tmp_path / "list.txt").write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        policy_data(run, PolicyRequest(words=(tmp_path / "list.txt",)))


def test_files_and_terminal_say_the_same_and_no_personal_data(run: Path) -> None:
    """Examples are masked, everywhere."""
    result = call(run, "--policy", "--sample", "500")
    assert result.exit_code == 0, result.output
    written = json.loads((run / "policy.json").read_bytes())
    assert written == json.loads(call(run, "--policy", "--sample", "500", "--json").stdout)
    page = (run / "policy.html").read_text(encoding="utf-8")
    places = source(written)["personal_data"]["kinds"][0]["places"]
    assert [place["context"].count("<EMAIL>") for place in places] == [1, 1, 1]
    for text in (result.stdout, page, json.dumps(written, ensure_ascii=False)):
        assert "13812345678" not in text
        assert "li.si" not in text
    assert "email left in the text" in result.stdout
    assert "policy.html" in result.stdout


class Links(HTMLParser):
    """Collects what a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loads += [value or "" for name, value in attrs if name in ("src", "href")]


def test_the_page_loads_nothing_and_is_the_same_each_time(run: Path) -> None:
    """One file that can be passed on."""
    pages = []
    for _ in range(2):
        write_policy(run, PolicyRequest())
        pages.append((run / "policy.html").read_bytes())
    assert pages[0] == pages[1]
    links = Links()
    links.feed(pages[0].decode())
    assert links.loads == []
    assert b"<script" not in pages[0]


def test_what_is_not_known_is_said_with_what_to_set(run: Path) -> None:
    """No stage looked for unsafe words or rights."""
    said = " ".join(policy_data(run, PolicyRequest())["notes"])
    assert "--words FILE" in said
    assert "no stage `rights`" in said


def test_values_that_are_not_stored_are_not_known(tmp_path: Path) -> None:
    """`record: reasons` keeps none; the texts are searched all the same."""
    folder = made(tmp_path, "stages.6.record=reasons")
    report = policy_data(folder, PolicyRequest())
    email = next(kind for kind in source(report)["personal_data"]["kinds"] if kind["kind"] == "email")
    assert (email["before"], email["left"]["documents"]) == (None, 3)
    assert any("Set `record: values`" in note for note in report["notes"])


PAGE = """<html><head><title>Mill</title>{head}</head><body><h1>The mill</h1><p>The water of the river turns the wheel
of the mill, and the miller weighs the flour of the grain that the people of the valley bring him.</p></body></html>"""
LINK = '<link rel="license" href="https://creativecommons.org/licenses/by/4.0/"><meta name="robots" content="noai">'
PAGES = """
run: pages
sources: [{name: web, paths: [html]}, {name: given, paths: [html], licence: MIT}]
stages: [{kind: decode}, {kind: parse}, {kind: rights}, {kind: write, format: parquet}]
engine: {executor: inline}
"""


def test_rights_and_licences_of_pages(tmp_path: Path) -> None:
    """What the stage `rights` finds: hints as rates, licences with the kinds of their evidence, pages without any."""
    (tmp_path / "html").mkdir()
    for name, head in (("a", LINK), ("b", ""), ("c", "")):
        (tmp_path / "html" / f"{name}.html").write_text(PAGE.format(head=head), encoding="utf-8")
    (tmp_path / "pages.yaml").write_text(PAGES, encoding="utf-8")
    run_pipeline(load_config(tmp_path / "pages.yaml"))
    given, web = policy_data(tmp_path / "pages", PolicyRequest())["sources"]
    assert {rate["name"]: rate["documents"] for rate in web["rights"]}["noai"] == 1
    [row] = web["licences"]["rows"]
    assert (row["licence"], row["documents"], row["examples"]) == ("CC-BY-4.0", 1, ["web:a.html#0"])
    assert "html_link" in row["evidence"]
    assert (web["licences"]["without"]["documents"], given["licences"]["without"]["documents"]) == (2, 0)
    assert {row["licence"]: row["evidence"] for row in given["licences"]["rows"]}["MIT"] == {"source": 3}
    assert given["licences"]["several"] == 1


def test_forgotten_documents_are_neither_counted_nor_shown(tmp_path: Path) -> None:
    """Readers skip them, so no rate is of them, and nobody is to see them in a report."""
    folder = made(tmp_path)
    before = policy_data(folder, PolicyRequest())
    email = next(kind for kind in source(before)["personal_data"]["kinds"] if kind["kind"] == "email")
    doc_id = email["left"]["examples"][0]
    assert CliRunner().invoke(main, ["forget", str(folder), "--doc", doc_id]).exit_code == 0
    report = policy_data(folder, PolicyRequest())
    assert source(report)["documents"] == source(before)["documents"] - 1
    assert (source(report)["forgotten"], kinds(report)["email"]) == (1, (2, 2))
    assert doc_id not in json.dumps(report)


def test_a_run_without_a_commit_is_refused(tmp_path: Path) -> None:
    """There is nothing to sample, and nothing is written."""
    folder = make_run(tmp_path)
    for name in ("manifest.jsonl", "published.json"):
        (folder / name).unlink()
    result = call(folder, "--policy")
    assert result.exit_code == 2
    assert "nothing is committed yet" in result.stderr
    assert not (folder / "policy.json").exists()


def test_a_run_that_goes_on_is_covered_as_far_as_it_is_committed(tmp_path: Path) -> None:
    """And the report says so."""
    assert policy_data(make_run(tmp_path, end=False), PolicyRequest())["state"] == "unfinished"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--policy", "--source", "web"), "no source is named 'web': the run has text"),
        (("--policy", "--sample", "0"), "0 is not in the range"),
        (("--policy", "--sample", "many"), "'many' is not a valid integer range"),
        (("--sample", "5"), "--sample belongs to --policy"),
    ],
)
def test_wrong_arguments_end_with_2(run: Path, arguments: tuple[str, ...], message: str) -> None:
    """And say what is there."""
    result = call(run, *arguments)
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr


def test_without_policy_it_is_the_report_of_the_run(tmp_path: Path) -> None:
    """Written again from what is committed."""
    folder = make_run(tmp_path)
    result = call(folder, "--json")
    assert result.exit_code == 0
    assert json.loads((folder / "report.json").read_bytes()) == json.loads(result.stdout)


def test_a_new_start_removes_it(tmp_path: Path) -> None:
    """`--fresh` clears what belongs to the run that was."""
    folder = make_run(tmp_path)
    write_policy(folder, PolicyRequest())
    owner = RunFolder(folder)
    owner._clear()
    owner.close()
    assert not (folder / "policy.html").exists()
