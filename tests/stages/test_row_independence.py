"""What holds for every stage that changes or judges texts: one document's result never depends on its neighbours."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.schemas.unit import UnitBatch
from headrace.stages.apply import apply
from headrace.stages.base import Stage
from headrace.stages.clean import Clean
from headrace.stages.dedup import Dedup
from headrace.stages.deduplication.options import MinHash, SimHash
from headrace.stages.filter import Filter
from headrace.stages.grade import Grade
from headrace.stages.language import Language
from headrace.stages.normalize import Normalize
from headrace.stages.pii import Pii
from headrace.stages.rights import Rights
from headrace.stages.urls import Urls
from headrace.stages.wordlists.options import WordList
from headrace.stages.words import Words

WORDS = Path(__file__).parent / "wordlists/games.txt"

STAGES: dict[str, Stage] = {
    "clean": Clean(),
    "clean with options": Clean(
        boilerplate=("x+",), max_line_copies=1, min_copy_bytes=1, min_characters=None, gram_tokens=2
    ),
    "filter": Filter(),
    "filter with rules": Filter.model_validate(
        {
            "profiles": {"*": ["gopher", "c4"], "zh": ["fineweb2_cmn"]},
            "c4": {"min_sentences": None},
            "patterns": {"turns": "turns|轮"},
            "rules": {"often": "turns_matches > 2 or words > 9 and turns_share < 0.5"},
            "record": "all",
        }
    ),
    "grade": Grade(),
    "grade that drops": Grade(keep=("A", "B"), half_length_bytes=10),
    "language": Language(),
    "language that drops": Language(keep=("zh",), max_digit_share=0.2),
    "normalize": Normalize(),
    "normalize to lower case": Normalize(case="lower", white_space="keep"),
    "pii": Pii(),
    "pii that drops": Pii(mobile="drop", email="report", max_pii_found=2),
    "rights": Rights(keep_licences=("CC-*",)),
    "urls": Urls(canonicalize=True, without_url="drop"),
    "words": Words(lists={"games": WordList(file=str(WORDS), max_distinct=0)}, parted=True),
    "dedup": Dedup(),
    "dedup verified exactly": Dedup(verify="exact", minhash=MinHash(shingles="words", shingle_size=2)),
    "dedup by fingerprints of jieba's words": Dedup(simhash=SimHash(shingles="chinese_words", shingle_size=1)),
    "dedup as datatrove": Dedup(minhash=MinHash(scheme="datatrove")),
}
PIECES = (
    "好书，",
    "the wheel ",
    "turns.\n",
    "\u200b\x1b[0m",
    "ＡＢ\u3000",
    "xx\n",
    "返回顶部\n",
    "锟斤拷",
    "e\u0301",
    "👍",
    "“",
    "。",
    "13812345678",
    "QQ：1234567",
    "a@b.com",
    "采用 CC BY 4.0 许可",
)
texts = st.lists(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), min_size=1, max_size=8)


def result(stage: Stage, table: pa.Table) -> list[dict[str, object]]:
    """Run a stage as a worker does, and give every document's row, live or settled, in the order of the doc_ids."""
    batch = apply("stage", stage, UnitBatch(0, table))
    rows = [row for part in (batch.documents, *batch.settled) for row in part.to_pylist()]
    return sorted(({k: v for k, v in row.items() if v is not None} for row in rows), key=lambda row: str(row["doc_id"]))


@pytest.mark.parametrize("name", STAGES)
@given(sample=texts, data=st.data())
@settings(max_examples=40, deadline=None)
def test_a_document_is_treated_as_if_it_were_alone(
    name: str, sample: list[str], data: st.DataObject, table_of: Callable[..., pa.Table]
) -> None:
    """One by one, cut anywhere, in chunks or as a whole: every document gets the same text, values and verdict."""
    table = table_of(sample)
    whole = result(STAGES[name], table)
    cut = data.draw(st.integers(0, len(sample)), "cut")
    parts = [table.slice(0, cut), table.slice(cut)]
    alone = [row for i in range(len(sample)) for row in result(STAGES[name], table.slice(i, 1))]
    assert alone == whole
    assert [row for part in parts for row in result(STAGES[name], part)] == whole
    assert result(STAGES[name], pa.concat_tables(parts)) == whole


@pytest.mark.parametrize("name", STAGES)
def test_a_table_without_rows_keeps_its_columns(name: str, table_of: Callable[..., pa.Table]) -> None:
    """An empty unit gives the columns that a full one gives."""
    empty = apply("stage", STAGES[name], UnitBatch(0, table_of([]))).documents
    full = apply("stage", STAGES[name], UnitBatch(0, table_of(["The wheel turns, and the water goes on."]))).documents
    assert empty.num_rows == 0
    assert empty.schema.equals(full.schema)


@pytest.mark.parametrize("name", STAGES)
def test_a_stage_is_a_value(name: str) -> None:
    """A stage survives JSON and pickle, is frozen, and each of its options says what it does."""
    stage = STAGES[name]
    assert type(stage).model_validate_json(stage.model_dump_json()) == stage
    assert pickle.loads(pickle.dumps(stage)) == stage
    with pytest.raises(ValueError, match="frozen"):
        stage.kind = "other"
    assert all(field.description for option, field in type(stage).model_fields.items() if option != "kind")


def test_reading_a_configuration_is_cheap() -> None:
    """Importing and making the stages loads neither numba nor datasketch."""
    code = (
        "import sys\n"
        "from headrace.stages import clean, dedup, filter, grade, normalize, pii, rights, urls, words\n"
        "clean.Clean(), dedup.Dedup(), filter.Filter(rules={'a': 'words > 3'}), grade.Grade()\n"
        "normalize.Normalize(), pii.Pii()\n"
        "rights.Rights(), urls.Urls(), words.Words(lists={'a': 'b'})\n"
        "assert not {'numba', 'datasketch', 'scipy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
