"""The kernels of mended words and of the bounds of words beside their twins."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from headrace.stages.segmentation.document_words import DocumentWords

USERS = "约翰·史密斯\nmachine learning 5 n\nγ射线 10\n".encode()
OURS = DocumentWords(mend=True, user_dictionary=USERS)
REFERENCE = DocumentWords(mend=True, user_dictionary=USERS, engine="reference")

pieces = st.one_of(
    st.sampled_from(
        [
            *(
                "c#",
                "C++",
                "T恤",
                "AT&T",
                "1.5",
                "%",
                "a",
                "Z9",
                ".",
                "é",
                "\u0301",
                "\u200d",
                "👩",
                "👍🏽",
                "🇨",
                "🇳",
                "ー",
            ),
            *(
                "ひ",
                "カ",
                "ﾊﾞ",
                "Ａ",
                "я",
                "中国",
                "的",
                "\r\n",
                " ",
                "·",
                "约翰·史密斯",
                "machine learning",
                "γ射线",
                "ไทย",
            ),
        ]
    ),
    st.characters(codec="utf-8"),
)
texts = st.lists(pieces, max_size=14).map("".join)


@given(documents=st.lists(texts, max_size=5))
def test_kernel_and_twin_mend_alike(documents: list[str]) -> None:
    """Whatever the texts, both give the same words, and no word is lost or made up."""
    column, flags = (
        pa.array(documents, pa.large_string()),
        (np.ones(len(documents), bool), np.zeros(len(documents), bool)),
    )
    found = OURS.lists(column, *flags)
    assert found == REFERENCE.lists(column, *flags)
    squeezed = ["".join("".join(words).split()) for words in found]
    assert squeezed == ["".join(text.split()) for text in documents]
