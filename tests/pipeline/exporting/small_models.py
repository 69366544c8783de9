"""SentencePiece models that are trained in a moment, and give every text back."""

from __future__ import annotations

import io

import sentencepiece

LINES = ("水渠 mill wheel 石头 cafe stone water flour", "the wheel of the mill turns", "磨坊 粮食 面粉 mill")


def small_model(
    kind: str = "unigram", normalizer: str = "identity", *, byte_fallback: bool = True, dummy_prefix: bool = False
) -> bytes:
    """Train a model and give its file."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES * 20),
        model_writer=model,
        model_type=kind,
        vocab_size=320 if byte_fallback else 60,
        normalization_rule_name=normalizer,
        byte_fallback=byte_fallback,
        add_dummy_prefix=dummy_prefix,
        remove_extra_whitespaces=False,
        minloglevel=2,
        hard_vocab_limit=False,
    )
    return model.getvalue()
