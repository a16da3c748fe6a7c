"""Pooling by hand: which positions make the vector."""

import pytest
import torch

from muver.retriever.encoders.biencoder import BiEncoder, pool
from muver.retriever.encoders.bulk import pack
from tests import tiny

CLS, SEP, OPENING, CLOSING = 5, 6, 1, 2
CONTEXT = [CLS, 20, OPENING, 30, 31, CLOSING, 21, SEP]
NO_MENTION = [CLS, 20, 21, SEP]


def positions(sequences, pooling, opening=OPENING, closing=CLOSING) -> list[list[float]]:
    """Pooled states of one-hot positions: the weight of each position."""
    batch = pack(sequences)
    states = torch.eye(batch.longest).expand(len(sequences), -1, -1)
    pooled = pool(
        states, batch.unpack(batch.ids), batch.mask, pooling, (CLS, SEP), (opening, closing)
    )
    return [row[: len(own)].tolist() for row, own in zip(pooled, sequences, strict=True)]


def means(length, chosen):
    return [pytest.approx(1 / len(chosen) if n in chosen else 0) for n in range(length)]


@pytest.mark.parametrize(
    "pooling, of_context, of_none",
    [
        ("cls", [0], [0]),
        ("last", [7], [3]),
        ("special", [0, 2, 5, 7], [0, 3]),
        ("span", [3, 4], [0]),  # no mention: [CLS]
        ("all", range(8), range(4)),  # and not the padding
    ],
)
def test_contexts(pooling, of_context, of_none):
    found = positions([CONTEXT, NO_MENTION], pooling)
    assert found == [means(8, of_context), means(4, of_none)]


@pytest.mark.parametrize(
    "view, chosen",
    [
        ([CLS, 20, 21, 3, 22, SEP], [1, 2]),
        ([CLS, 20, CLS, 3, 22, 3, SEP], [1, 2]),  # [CLS] in a title, [ENT] in a text
        ([CLS, 3, 22, SEP], [0]),  # an empty title
        ([CLS, 20, 21, SEP], [0]),  # [ENT] did not fit
        ([0, 0, 0], [0]),  # an empty view
    ],
)
def test_titles(view, chosen):
    assert positions([view], "span", CLS, 3) == [means(len(view), chosen)]


def test_the_other_poolings_of_an_empty_view():
    assert positions([[0, 0]], "special", CLS, 3) == [means(2, [0])]
    assert positions([[0, 0]], "all", CLS, 3) == [means(2, [0, 1])]


@pytest.mark.parametrize("pooling", ["cls", "last", "special", "span", "all"])
def test_both_towers_pool_by_their_own_markers(encoder, pooling):
    config = tiny.config(pooling=pooling)
    model = BiEncoder.from_encoder(encoder, config).eval()
    sides = (
        (model.encode_mentions, CONTEXT, {"special": [0, 2, 5, 7], "span": [3, 4]}),
        (model.encode_views, [CLS, 20, 3, 22, SEP], {"special": [0, 2, 4], "span": [1]}),
    )
    for encode, sequence, chosen in sides:
        ends = {"cls": [0], "last": [len(sequence) - 1]}
        chosen = {**chosen, **ends, "all": range(len(sequence))}[pooling]
        vectors = encode(pack([sequence, [*sequence, 40, 41]]))  # the first one is the shorter
        states = model.mention_encoder.states(pack([sequence]))
        expected = states[list(chosen)].mean(dim=0)
        assert vectors.shape == (2, 32)
        torch.testing.assert_close(vectors[0], expected, rtol=0, atol=1e-5)
