"""Which pieces are hidden, and what the head makes of a state."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from muver.retriever.encoders.sizes import BertConfig
from muver.retriever.training.pretraining import MaskedHead, hide_pieces

VOCABULARY, MASK = 50, 7
WORDS = np.arange(VOCABULARY) >= 8


def hidden(share: float, tokens: int = 100_000):
    random = np.random.default_rng(1)
    ids = random.integers(0, VOCABULARY, tokens)
    return ids, *hide_pieces(ids, share, MASK, WORDS, random)


def test_the_shares_are_bert_s():
    ids, read, chosen = hidden(0.15)
    words = WORDS[ids].sum()
    assert len(chosen) / words == pytest.approx(0.15, abs=0.005)
    before, after = ids[chosen], read[chosen]
    assert np.mean(after == MASK) == pytest.approx(0.8, abs=0.01)
    # One in 42 of the replaced tenth draws the piece that was there.
    assert np.mean(after == before) == pytest.approx(0.1 + 0.1 / 42, abs=0.01)
    replaced = after[(after != MASK) & (after != before)]
    assert set(replaced) == set(np.flatnonzero(WORDS))


def test_special_pieces_and_all_others_stay():
    ids, read, chosen = hidden(0.5)
    assert WORDS[ids[chosen]].all()
    others = np.ones(len(ids), dtype=bool)
    others[chosen] = False
    assert (read[others] == ids[others]).all()
    ids, read, chosen = hidden(0)
    assert not len(chosen) and (read == ids).all()


def test_the_head_scores_by_the_embeddings():
    torch.manual_seed(0)
    config = BertConfig(vocab_size=9, hidden_size=4, num_attention_heads=2)
    head, states, embeddings = MaskedHead(config), torch.randn(3, 4), torch.randn(9, 4)
    torch.nn.init.normal_(head.bias)
    inner = F.gelu(states @ head.dense.weight.T + head.dense.bias)
    expected = F.layer_norm(inner, (4,), eps=1e-12) @ embeddings.T + head.bias
    torch.testing.assert_close(head(states, embeddings), expected)
    names = {name for name, _ in head.named_parameters()}
    assert names == {"dense.weight", "dense.bias", "LayerNorm.weight", "LayerNorm.bias", "bias"}
