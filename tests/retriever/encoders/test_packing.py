"""Packing by hand, and back."""

from hypothesis import given
from hypothesis import strategies as st

from muver.retriever.encoders.bulk import pack

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
