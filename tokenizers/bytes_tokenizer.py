"""A tokenizer without a model: every UTF-8 byte is one id. For tests, and for byte-level training."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from headrace.tokenizers.base import Ids, Offsets, TextColumn


@dataclass(frozen=True, slots=True)
class BytesTokenizer:
    """Ids 0 to 255 are the bytes of the text; 256 pads, 257 begins and 258 ends a document."""

    sha256: ClassVar[str] = hashlib.sha256(b"headrace bytes tokenizer 1").hexdigest()
    vocabulary_size: ClassVar[int] = 259
    pad_id: ClassVar[int] = 256
    bos_id: ClassVar[int | None] = 257
    eos_id: ClassVar[int | None] = 258

    def encode(self, texts: TextColumn) -> tuple[Ids, Offsets]:
        """Give the bytes of the texts as ids; works on the column's buffers, whatever the number of texts."""
        _, offsets_buffer, data = texts.buffers()
        if not len(texts) or data is None:
            return np.empty(0, np.uint16), np.zeros(len(texts) + 1, np.int64)
        offsets = np.frombuffer(offsets_buffer, np.int64)[texts.offset : texts.offset + len(texts) + 1]
        ids = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]]
        return ids.astype(np.uint16), offsets - offsets[0]

    def decode(self, ids: Ids) -> str:
        """Give the text; special ids are left out, broken characters (a cut document) become U+FFFD."""
        return ids[ids < 256].astype(np.uint8).tobytes().decode("utf-8", "replace")
