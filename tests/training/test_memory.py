"""A training step that does not fit: what is changed, and what is asked for."""

import pytest

from muver.io.errors import InputError
from muver.training.memory import fewer_graph_tokens

BATCH = [[1] * 30, [1] * 50, [1] * 20]  # 100 tokens


def test_a_batch_whose_activations_do_not_fit_is_encoded_twice(caplog):
    with caplog.at_level("WARNING", logger="muver"):
        assert fewer_graph_tokens(BATCH, 60, 1000, 1) == 50
        assert fewer_graph_tokens(BATCH, 60, 100, 1) == 50
    assert [record.args for record in caplog.records] == [(100, 50, 50)] * 2


@pytest.mark.parametrize(
    "chunk_tokens, graph_tokens, processes, message",
    [
        (120, 99, 1, "Set training.chunk_tokens, now 120, to 60:"),
        (60, 0, 1, "Set training.chunk_tokens, now 60, to 50:"),  # the longest sequence
        (50, 0, 1, r"passes of one sequence \(50 tokens\). End what else"),
        (60, 1000, 2, r"Lower training.graph_tokens \(now 1000; 0 keeps no activations\)"),
        (60, 0, 2, r"then training.chunk_tokens \(now 60\)"),
    ],
)
def test_what_is_asked_for(chunk_tokens, graph_tokens, processes, message):
    with pytest.raises(InputError, match=message):
        fewer_graph_tokens(BATCH, chunk_tokens, graph_tokens, processes)
