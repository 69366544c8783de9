from __future__ import annotations

from pathlib import Path

import pytest
from tests.pipeline.small_runs import output, small_run, write_texts

from headrace.pipeline.drop_bands.bands import DropBandError
from headrace.pipeline.run import run_pipeline

SHORT = "{kind: clean, min_characters: 110, min_function_word_share: null}"
STOP = ("drop_bands={clean.min_characters: [0, 0.2]}", "drop_band_documents=60", "on_drop_band=stop")


@pytest.mark.usefixtures("ray_cluster")
def test_actors_stop_where_one_process_stops(tmp_path: Path) -> None:
    """Whatever order workers answer in: the same message with the same documents, and the same bytes committed."""
    texts = write_texts(tmp_path / "texts")
    said, committed = [], []
    for executor, window in (("inline", 2), ("ray", 7)):
        engine = (f"engine.executor={executor}", "engine.workers=3")
        loaded = small_run(
            tmp_path,
            executor,
            *(*STOP, *engine),
            texts=texts,
            before=SHORT,
            tokenizer="model: bytes",
            shard_tokens=1000,
            window=window,
        )
        with pytest.raises(DropBandError) as error:
            run_pipeline(loaded)
        said.append((error.value.what, error.value.why))
        committed.append(output(loaded.run_dir))
    assert said[0] == said[1]
    assert committed[0] == committed[1]
    assert len(committed[0]) > 1
