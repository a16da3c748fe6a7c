"""Encoding many sequences: packing, batches and order."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from muver.io.errors import InputError
from muver.retriever.encoders.bulk import batches_by_length, encode_by_length, encode_vectors, pack
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
    assert encode_vectors(None, [], 32, 100).shape == (0, 32)  # and no encoder is asked


class SmallMemory:
    """An encoder on a GPU that holds so many tokens: a vector is the sequence's first two ids."""

    def __init__(self, tokens: int):
        self.tokens, self.tried = tokens, []

    def __call__(self, batch):
        self.tried.append(len(batch.ids))
        if len(batch.ids) > self.tokens:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return batch.unpack(batch.ids)[:, :1].float().expand(-1, 2)


def test_too_small_a_memory_halves_the_batch_and_goes_on(caplog):
    """By hand: eight sequences of 4 tokens and four of 2, at most 10 tokens at once."""
    sequences = [[row] * (4 if row < 8 else 2) for row in range(12)]
    encode = SmallMemory(10)
    with caplog.at_level("WARNING", logger="muver"):
        vectors = encode_vectors(encode, sequences, 2, 32)
    # 32 // 4 rows do not fit, nor do 16 // 4; 8 // 4 do, and 8 // 2 of the shorter ones.
    assert encode.tried == [32, 16, 8, 8, 8, 8, 8]
    assert vectors[:, 0].tolist() == list(range(12))
    assert [record.args for record in caplog.records] == [(32, 16, 16), (16, 8, 8)]
    assert "going on with 16 (compute.batch_tokens: 16 would start" in caplog.messages[0]


def test_a_memory_that_runs_out_on_the_way():
    """What was encoded before is kept: only the batch that failed is encoded again."""
    encode = SmallMemory(8)
    given = []

    def filling_up(batch):
        encode.tokens = 8 if len(given) < 2 else 4
        given.append(batch)
        return encode(batch)

    vectors = encode_vectors(filling_up, [[row] * 4 for row in range(6)], 2, 8)
    assert encode.tried == [8, 8, 8, 4, 4]
    assert vectors[:, 1].tolist() == list(range(6))


@given(
    st.lists(st.integers(1, 20), min_size=1, max_size=30), st.integers(1, 200), st.integers(20, 60)
)
def test_every_memory_that_holds_the_longest_sequence_suffices(lengths, batch_tokens, memory):
    sequences = [[row] * length for row, length in enumerate(lengths)]
    vectors = encode_vectors(SmallMemory(memory), sequences, 2, batch_tokens)
    assert vectors[:, 0].tolist() == list(range(len(lengths)))


def test_a_memory_that_does_not_hold_one_sequence():
    message = "does not hold one sequence of 9 tokens"
    with pytest.raises(InputError, match=message):
        encode_vectors(SmallMemory(8), [[1, 2], [3] * 9, [4]], 2, 100)


def test_padding_counts_as_tokens():
    encode = SmallMemory(100)
    batches = list(encode_by_length(encode, [[1], [2, 2], [3]], 10, pad_to=5))
    assert encode.tried == [10, 5]
    assert [rows.tolist() for rows, _, _ in batches] == [[0, 1], [2]]
    assert batches[0][1].mask.tolist() == [[1] * 5] * 2


SEQUENCES = [[7, 8], [1, 2, 3], [5, 6]]


def test_by_hand():
    batch = pack(SEQUENCES)
    assert batch.ids.tolist() == [1, 2, 3, 7, 8, 5, 6]
    assert batch.positions.tolist() == [0, 1, 2, 0, 1, 0, 1]
    assert batch.rows.tolist() == [1, 1, 1, 0, 0, 2, 2]
    assert batch.blocks == [(1, 3), (2, 2)]
    assert batch.offsets.tolist() == [0, 3, 5, 7]
    assert (len(batch), batch.longest, batch.keys) == (3, 3, None)
    assert batch.mask.tolist() == [[1, 1, 0], [1, 1, 1], [1, 1, 0]]
    assert batch.attended.tolist() == [[True, True, False], [True] * 3, [True, True, False]]


@given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=6), min_size=1, max_size=8))
def test_there_and_back(sequences):
    batch = pack(sequences)
    unpacked = batch.unpack(batch.ids)
    assert unpacked.shape == (len(sequences), max(map(len, sequences)))
    for own, found, mask in zip(sequences, unpacked.tolist(), batch.mask.tolist(), strict=True):
        assert found == own + [0] * (len(found) - len(own))
        assert mask == [1] * len(own) + [0] * (len(mask) - len(own))
    assert sum(rows * length for rows, length in batch.blocks) == len(batch.ids)
