"""A node of the cluster is lost in mid-run: its objects are read again from the source, and the bytes stay the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.pipeline.small_runs import output, small_run, write_texts

from headrace.pipeline.run import run_pipeline

# In a process of its own: the session's cluster has one node, and Ray knows one cluster a process.
SCRIPT = """
import json, sys, threading
from pathlib import Path
import ray
from ray.cluster_utils import Cluster
from headrace.pipeline.load import load_config
from headrace.pipeline.run import run_pipeline

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "object_store_memory": 150_000_000})
second = cluster.add_node(num_cpus=2, object_store_memory=150_000_000)
ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
cluster.wait_for_nodes()
commits = []

def watch(event):
    if event.kind == "committed":
        commits.append(event.data["line"])
        if len(commits) == 3:
            threading.Thread(target=cluster.remove_node, args=(second,), kwargs={"allow_graceful": False}).start()

summary = run_pipeline(load_config(Path(sys.argv[1])), watchers=[watch])
Path(sys.argv[2]).write_text(json.dumps(summary.to_json()))
ray.shutdown()
cluster.shutdown()
"""


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_a_lost_node_changes_nothing(tmp_path: Path) -> None:
    """Two nodes with two workers each; one is killed behind the third commit, and the run ends on the other."""
    texts = write_texts(tmp_path / "texts", files=10, lines=100)
    reference = small_run(tmp_path, "inline", texts=texts, tokenizer="model: bytes")
    run_pipeline(reference)
    loaded = small_run(tmp_path, "lost", texts=texts, tokenizer="model: bytes", window=12)
    text = loaded.path.read_text().replace("executor: inline", "executor: ray, workers: 2, deadline_s: 120")
    loaded.path.write_text(text, encoding="utf-8")
    env = {**os.environ, "RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(loaded.path), str(tmp_path / "summary.json")],
        env=env,
        capture_output=True,
        text=True,
        timeout=850,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    summary = json.loads((tmp_path / "summary.json").read_bytes())
    assert summary["state"] == "done"
    assert sum(summary["incidents"].values()) > 0
    assert output(loaded.run_dir) == output(reference.run_dir)
