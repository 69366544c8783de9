"""The whole job as datatrove does it, in one process: filters, MinHash in four steps, tokenization; prints JSON.

Runs in an environment of its own (`make bench-env`), so nothing of Headrace is imported. The input folder has a folder
of JSON Lines for each language, since datatrove's filters and MinHash are told the language. Usage:
python datatrove_chain.py INPUT WORK VOCABULARY.json
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter, deque
from importlib.metadata import version
from pathlib import Path
from typing import Any

from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature
from datatrove.pipeline.filters import FineWebQualityFilter, GopherQualityFilter, GopherRepetitionFilter
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.tokens import DocumentTokenizer
from datatrove.pipeline.writers import JsonlWriter
from datatrove.utils.logging import logger
from datatrove.utils.word_tokenizers import load_word_tokenizer
from tokenizers import Tokenizer, models, pre_tokenizers

_CODES = {"en": "eng_Latn", "zh": "cmn_Hani"}
# The defaults are for English words and drop every Chinese document.
_CHINESE: dict[str, Any] = {"min_avg_word_length": 1, "stop_words": ["的", "了", "是", "在"]}
_QUALITY = {"en": dict[str, Any](), "zh": _CHINESE}
_BUCKETS = 14
_WARM = {"en": "The first use of a language loads its model.", "zh": "第一次使用一种语言的时候，词典会被加载。"}


def main() -> None:
    """Run both languages and print what came of it."""
    source, work, vocabulary = map(Path, sys.argv[1:4])
    logger.remove()
    tokenizer = work / "tokenizer.json"
    save_tokenizer(vocabulary, tokenizer)
    for language, text in _WARM.items():
        load_word_tokenizer(_CODES[language]).word_tokenize(text)
    seconds: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    start = time.perf_counter()
    for language in _CODES:
        job = Job(language, source / language, work / language, tokenizer)
        for step in (job.filter_and_sign, job.buckets, job.cluster, job.keep_and_tokenize):
            step(seconds, counts)
    wall = time.perf_counter() - start
    result = {"seconds": seconds, "counts": counts, "wall": wall, "version": version("datatrove")}
    sys.stdout.write(json.dumps(result) + "\n")


class Job:
    """The steps for one language; each adds the seconds of its blocks and what it counted."""

    def __init__(self, language: str, source: Path, work: Path, tokenizer: Path) -> None:
        self._code, self._quality = _CODES[language], _QUALITY[language]
        self._source, self._work, self._tokenizer = source, work, tokenizer

    def filter_and_sign(self, seconds: Counter[str], counts: Counter[str]) -> None:
        """Read, filter, keep what passed, and sign it on the way."""
        blocks = {
            "read": JsonlReader(str(self._source)),
            "gopher_quality": GopherQualityFilter(language=self._code, **self._quality),
            "gopher_repetition": GopherRepetitionFilter(language=self._code),
            "fineweb": FineWebQualityFilter(language=self._code),
            "write": JsonlWriter(self._path("filtered"), compression=None),
            "minhash_signatures": MinhashDedupSignature(self._path("signatures"), language=self._code),
        }
        before = seconds.total()
        stats = self._run(blocks, seconds)
        above = seconds.total() - before - stats[-1].time_stats.total
        seconds["minhash_signatures"] -= above  # its clock also runs while it waits for the blocks before it
        counts["read"] += stats[0].stats["documents"].total
        counts["passed"] += stats[3].stats["forwarded"].total

    def buckets(self, seconds: Counter[str], counts: Counter[str]) -> None:
        """Find the documents that share a band."""
        block = MinhashDedupBuckets(self._path("signatures"), self._path("buckets"))
        self._run({"minhash_buckets": block}, seconds, tasks=_BUCKETS)

    def cluster(self, seconds: Counter[str], counts: Counter[str]) -> None:
        """Join them to clusters."""
        block = MinhashDedupCluster(self._path("buckets"), self._path("remove"))
        self._run({"minhash_cluster": block}, seconds)

    def keep_and_tokenize(self, seconds: Counter[str], counts: Counter[str]) -> None:
        """Leave out all but one of each cluster, and tokenize."""
        blocks = {
            "read_again": JsonlReader(self._path("filtered")),
            "minhash_filter": MinhashDedupFilter(self._path("remove")),
            "tokenize": DocumentTokenizer(
                self._path("tokens"), str(self._tokenizer), eos_token="</s>", shuffle_documents=False
            ),
        }
        stats = self._run(blocks, seconds)
        counts["kept"] += stats[1].stats["forwarded"].total
        counts["tokens"] += stats[2].stats["tokens"].total

    def _run(self, blocks: dict[str, Any], seconds: Counter[str], tasks: int = 1) -> list[Any]:
        """Pass the documents from block to block, as the executor does after starting processes of its own."""
        for rank in range(tasks):
            data = None
            for block in blocks.values():
                data = block(data, rank, tasks)
            if data:
                deque(data, maxlen=0)
        for name, block in blocks.items():
            seconds[name] += block.stats.time_stats.total
        return [block.stats for block in blocks.values()]

    def _path(self, name: str) -> str:
        return str(self._work / name)


def save_tokenizer(vocabulary: Path, path: Path) -> None:
    """Make the tokenizer of the same pieces and scores that Headrace uses."""
    pieces = [(piece, score) for piece, score in json.loads(vocabulary.read_text(encoding="utf-8"))]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    tokenizer.save(str(path))


if __name__ == "__main__":
    main()
