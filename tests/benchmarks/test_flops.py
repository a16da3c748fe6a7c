"""Counted operations."""

from benchmarks import flops
from muver.retriever.encoders.bert import BertConfig


def test_operations_by_hand():
    """One layer: keys and values of three tokens, the rest for the first."""
    config = BertConfig(hidden_size=2, num_hidden_layers=1, intermediate_size=8)
    keys_values = 3 * 2 * (2 * 2 * 2)
    one_token = 2 * (2 * 2 * 2) + 2 * (2 * 2 * 8)
    attention = 3 * (2 * 2 + 2 * 2)
    assert flops.forward(config, [3]) == keys_values + one_token + attention


def test_a_further_layer_has_all_tokens():
    sizes = {"hidden_size": 2, "intermediate_size": 8}
    one, two = (flops.forward(BertConfig(num_hidden_layers=n, **sizes), [3]) for n in (1, 2))
    linear = 3 * (4 * (2 * 2 * 2) + 2 * (2 * 2 * 8))
    attention = 3 * 3 * (2 * 2 + 2 * 2)
    assert two - one == linear + attention
    assert flops.training(BertConfig(num_hidden_layers=1, **sizes), [3]) == 3 * one
