"""Linear layers in whole numbers, against numbers computed by hand and against fp32."""

import pytest
import torch
import torch.nn.functional as F

from muver.retriever.encoders import device
from muver.retriever.encoders.bert import Bert, BertConfig
from muver.retriever.encoders.int8 import Int8Linear, to_bytes, to_precision
from muver.retriever.encoders.linear import Linear
from muver.retriever.encoders.packing import pack

WITH_VNNI = pytest.mark.skipif(not device.multiplies_bytes(), reason="no products of bytes here")


def layer(weight, bias):
    made = Linear(len(weight[0]), len(weight))
    made.weight.data, made.bias.data = torch.tensor(weight), torch.tensor(bias)
    return made


@WITH_VNNI
def test_products_computed_by_hand():
    """Weights in steps of 1 and 2, states in steps of 0.5 and 1."""
    own = Int8Linear(layer([[127.0, -3.0], [254.0, 4.0]], [0.0, 10.0]))
    states = torch.tensor([[63.5, 1.0], [-127.0, 7.0]])
    bytes_of_states, bytes_of_weights = [[127, 2], [-127, 7]], [[127, -3], [127, 2]]
    expected = [
        [(127 * 127 - 2 * 3) * 0.5 * 1, (127 * 127 + 2 * 2) * 0.5 * 2 + 10],
        [(-127 * 127 - 7 * 3) * 1 * 1, (-127 * 127 + 7 * 2) * 1 * 2 + 10],
    ]
    assert to_bytes(states)[0].tolist() == bytes_of_states
    assert own.rounded.T.tolist() == bytes_of_weights
    torch.testing.assert_close(own(states), torch.tensor(expected))


def test_a_row_s_result_knows_nothing_of_other_rows():
    torch.manual_seed(1)
    own, states = Int8Linear(Linear(24, 8)), torch.randn(5, 24)
    together = own(torch.cat([states, 100 * torch.randn(3, 24)]))[:5]
    assert torch.equal(together, own(states))


def test_sequences_keep_their_shape():
    own, states = Int8Linear(Linear(16, 8)), torch.randn(3, 4, 16)
    assert torch.equal(own(states)[2], own(states[2]))


@WITH_VNNI
def test_a_tower_s_vectors_are_nearly_those_in_fp32():
    torch.manual_seed(4)
    sizes = {"hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 96}
    tower = Bert(BertConfig(vocab_size=40, num_hidden_layers=3, initializer_range=0.1, **sizes))
    batch = pack([[5, 9, 6], [5, 30, 31, 6], [5, 12, 17, 33, 6]])
    with torch.inference_mode():
        plain = tower.eval().states(batch), tower.first_states(batch)
        own = to_precision(tower, "int8").states(batch), tower.first_states(batch)
    assert sum(isinstance(module, Int8Linear) for module in tower.modules()) == 3 * 6
    for ours, expected in zip(own, plain, strict=True):
        assert not torch.equal(ours, expected)
        assert F.cosine_similarity(ours, expected).min() > 0.99


def test_weights_on_disk_are_those_of_fp32():
    tower = Bert(BertConfig(vocab_size=40, num_hidden_layers=1, hidden_size=8,
                            num_attention_heads=2, intermediate_size=12))  # fmt: skip
    before = {name: weight.clone() for name, weight in tower.state_dict().items()}
    after = to_precision(tower, "int8").state_dict()
    assert after.keys() == before.keys()
    assert all(torch.equal(after[name], weight) for name, weight in before.items())
