from __future__ import annotations

import torch

from headrace.schemas.training import ModelConfig
from headrace.trainer.model import Decoder, document_mask

CONFIG = ModelConfig(layers=2, heads=2, width=16, hidden=32, init_std=0.3)


def decoder(config: ModelConfig = CONFIG, seed: int = 0) -> Decoder:
    model = Decoder(config, vocabulary_size=11)
    model.initialise(seed)
    return model.eval()


def logits(model: Decoder, ids: list[int], segments: list[int] | None = None) -> torch.Tensor:
    positions = list(range(len(ids)))
    if segments is not None:
        positions = [segments[:i].count(s) for i, s in enumerate(segments)]
    with torch.no_grad():
        out: torch.Tensor = model(
            torch.tensor([ids]), torch.tensor([positions]), None if segments is None else torch.tensor([segments])
        )
    return out[0]


def test_a_token_does_not_see_the_future() -> None:
    """Changing a later token changes no earlier logits."""
    model = decoder()
    a, b = logits(model, [1, 2, 3, 4, 5]), logits(model, [1, 2, 3, 9, 5])
    assert torch.equal(a[:3], b[:3])
    assert not torch.allclose(a[3:], b[3:])


def test_a_packed_document_is_computed_as_if_alone() -> None:
    """With a document mask and positions that start anew, neighbours in the sequence make no difference."""
    model = decoder()
    packed = logits(model, [1, 2, 3, 4, 5, 0], [0, 0, 1, 1, 1, -1])
    assert torch.allclose(packed[2:5], logits(model, [3, 4, 5]), atol=1e-5)
    assert torch.isfinite(packed).all()


def test_the_order_of_tokens_matters() -> None:
    """Rotary positions tell 1 2 3 from 2 1 3 at the last token."""
    model = decoder()
    assert not torch.allclose(logits(model, [1, 2, 3])[-1], logits(model, [2, 1, 3])[-1], atol=1e-3)


def test_only_distances_matter() -> None:
    """Moving all positions by a constant changes nothing, as rotary positions promise."""
    model = decoder()
    ids = torch.tensor([[1, 2, 3, 4]])
    with torch.no_grad():
        a, b = model(ids, torch.arange(4)[None]), model(ids, 100 + torch.arange(4)[None])
    assert torch.allclose(a, b, atol=1e-4)


def test_the_mask_is_causal_and_within_segments() -> None:
    """A small case, written out."""
    expected = [[1, 0, 0], [1, 1, 0], [0, 0, 1]]
    assert document_mask(torch.tensor([[0, 0, 1]]))[0, 0].int().tolist() == expected


def test_tied_weights_are_one_matrix() -> None:
    """Tying saves exactly the output matrix."""
    tied, untied = (sum(p.numel() for p in decoder(c).parameters()) for c in (CONFIG, UNTIED))
    assert untied - tied == 11 * 16


UNTIED = CONFIG.model_copy(update={"tie_weights": False})


def test_the_seed_alone_decides_the_weights() -> None:
    """Torch's global generator has no say."""
    torch.manual_seed(1)
    a = decoder(seed=7)
    torch.manual_seed(2)
    b = decoder(seed=7)
    assert all(torch.equal(x, y) for x, y in zip(a.parameters(), b.parameters(), strict=True))
    assert not torch.equal(a.embedding.weight, decoder(seed=8).embedding.weight)


def test_a_new_model_predicts_all_tokens_alike() -> None:
    """The first loss is close to that of a uniform guess."""
    model = decoder(CONFIG.model_copy(update={"init_std": 0.02}))
    probabilities = logits(model, [1, 2, 3, 4]).softmax(-1)
    assert torch.allclose(probabilities, torch.full_like(probabilities, 1 / 11), atol=0.05)
