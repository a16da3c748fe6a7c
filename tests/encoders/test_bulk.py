"""Encoding many sequences: batches and order."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from muver.encoders.bulk import batches_by_length, encode_vectors
from muver.encoders.packing import pack
from tests import tiny


def test_batches_by_hand():
    batches = [rows.tolist() for rows in batches_by_length([2, 5, 2, 4, 9, 2], 8)]
    # 9 is longer than a batch and goes alone; 8 // 5, 8 // 4 and 8 // 2 rows follow.
    assert batches == [[4], [1], [3, 0], [2, 5]]


@given(st.lists(st.integers(0, 20), max_size=40), st.integers(1, 60))
def test_every_sequence_once_and_within_bounds(lengths, batch_tokens):
    batches = list(batches_by_length(lengths, batch_tokens))
    assert sorted(np.concatenate([*batches, []]).tolist()) == list(range(len(lengths)))
    for rows in batches:
        longest = max(lengths[row] for row in rows)
        assert len(rows) == 1 or len(rows) * longest <= batch_tokens


@pytest.mark.parametrize("batch_tokens", [1, 30, 10_000])
def test_equal_to_encoding_one_by_one(encoder, batch_tokens):
    model = tiny.make_model(encoder)
    random = np.random.default_rng(0)
    sequences = [[5, *random.integers(8, 60, n).tolist(), 6] for n in (3, 0, 11, 5, 3, 29, 1)]
    vectors = encode_vectors(model.encode_views, sequences, 32, batch_tokens)
    assert vectors.dtype == np.float32 and vectors.shape == (7, 32)
    with torch.no_grad():
        for ids, vector in zip(sequences, vectors, strict=True):
            alone = model.encode_views(pack([ids]))[0].numpy()
            np.testing.assert_allclose(vector, alone, rtol=0, atol=1e-5)


def test_nothing_to_encode():
    def encode(batch):
        raise AssertionError("asked for an empty batch")

    assert encode_vectors(encode, [], 32, 100).shape == (0, 32)
